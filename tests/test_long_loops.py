"""Programs of the fixtures with loops too long to be run round by round: what mxlint says of few rounds it says of many.

Later rounds of a long loop are one joined round, in which a value may be lost, or may be said to change. All facts are compared with golden/longer:
MXLINT_GOLDEN=write writes what is found. Read what changed before you commit it. `MXLINT_LONG_LOOPS=1 pytest -s` runs each long
form under MLX as well, and prints every disagreement.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest
from cases import MARKS, Case, read_cases
from differential.compare import comparing
from differential.generate import Program
from facts_told import told as known
from goldens import Sections
from test_differential import told
from test_interpreter_cases import NOT_YET
from writing import write

from mxlint.analysed import Analysis
from mxlint.analysis import analyze
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.rules.registry import RULES
from mxlint.source import read_source
from mxlint.workdir import working_in

LONG = bool(os.environ.get("MXLINT_LONG_LOOPS"))
MORE = 20
"""Rounds that each loop has more: with any number before, too many to be run one by one."""
FEW_ROUNDS = re.compile(r"\brange\(([2-9])\)")
FILES = ("found.md", "silent.md", "varied.md", "written.md")
EXCEPTIONS = {
    # Another program: with more rounds it does something else.
    "numbers of arrays that constants make, one of few": "a number that rises with the rounds takes more values",
    "arrays that are given the same content in place in each round": "an array that each round halves has more contents",
    "loops that only a break ends, with and without an end in sight": "a number that counts the rounds takes more values",
    "arrays of loops, at times something else, and stars that hand on more or fewer": "an array gets longer with each round",
    "few numbers that come again in many rounds, and in few": "a dict holds more numbers",
    "loops of many rounds and of few": "a compiled function is called so often that it pays for its first call",
    "long recurrences that MLX merges, called once, as often as it takes, and in a loop": "it pays for its first call",
    # Tests are told by the names of their files, which a whole run looks at.
    "what tests may do": "the file is analysed by itself",
    # What is not told yet.
    "layers that are put in the place of others by a tree of names": "which layer a name means is not known where there are many",
    "stored under one of two keys at every call, and returned": "what is stored under one of few keys is taken to stay there",
    "a global that each call binds anew for the next one": "that a round calls what the one before it made is known of few rounds alone",
    "layers that train from now on, with a place in the state of the optimizer": "that one round of many unfreezes is no condition of what it captures",
}
"""Programs of which mxlint says something else with longer loops, and why."""
ITSELF = "the body runs by itself, in another trace or under a gradient as well: such runs are no traces of its own"
EACH = "each round makes a compiled object, which is traced once and called twice"
DISAGREE = {
    "layers that are put in the place of others by a tree of names": "as above",
    "stored under one of two keys at every call, and returned": "as above; the site is not followed in full",
    "a global that each call binds anew for the next one": "as above",
    "layers that train from now on, with a place in the state of the optimizer": "as above",
    "number that the trace counts, and that decides nothing before the end": "what a later run decides is not told; the site is not followed in full",
    "module that holds the parameters of a trace and is filled again, put back or captured": ITSELF,
    "body that seeds what it draws": ITSELF,
    "generators that objects keep, each with one of its own": EACH,
    "a flag that follows from another, tested in a loop": ITSELF,
    "one for each object, and one that the next round calls as well": EACH,
    "functions of a class that run with what they ask for, in another trace and under a gradient": ITSELF,
}
"""Programs of which the comparison with MLX says something else with longer loops, and why."""
BY_CHANCE = {
    "time since the start": "the clock",
    "one compiled function for each thread": "which thread runs first",
    "number of an object that stays where it is": "where an object lies",
    "a dict that a queue hands on, and one that is known by its identity": "where an object lies",
}
"""Programs that do something else in each run, and what that depends on: they are not compared."""


def longer(text: str) -> str:
    """The program with more rounds in each loop over a range of two to nine numbers."""
    return FEW_ROUNDS.sub(lambda found: f"range({int(found[1]) + MORE})", text)


def programs() -> Iterator[tuple[str, Case, Mapping[str, str]]]:
    """The fixtures in which a loop can be longer, with their files then."""
    missed = {name for groups in NOT_YET.values() for names in groups.values() for name in names}
    for file in FILES:
        for name, case in read_cases(file).items():
            files = {path: longer(text) for path, text in case.files.items()}
            if files != case.files and name not in missed:
                yield file, case, files


PROGRAMS = list(programs())
GOLDEN = {
    file: Sections(f"longer/{file}".replace(".md", ".txt"), [case.name for other, case, _ in PROGRAMS if other == file]) for file in FILES
}
AT_ONCE = 4
"""Programs that one test looks at."""


def analysed(files: Mapping[str, str]) -> list[Analysis]:
    """The analyses of files in the working directory."""
    write(Path(), files)
    project, table = Project(), load_table()
    return [analyze(read_source(Path(name), name), project, table, with_facts=True) for name in files]


def said(analyses: Iterable[Analysis], advice: str) -> set[tuple[str, int, str]]:
    """Where something is found, and what: of mere advice that of one code."""
    found = [finding for analysis in analyses for finding in analysis.findings]
    return {(f.span.filename, f.span.start.row, f.code) for f in found if f.severity != "info" or f.code == advice}


def expected(file: str, case: Case) -> set[tuple[str, int, str]]:
    """What the fixture says is found, without mere advice."""
    if file == "silent.md":
        return set()
    places = case.marked
    if file == "varied.md":
        lines = [(name, row, line) for name, text in case.files.items() for row, line in enumerate(text.splitlines(), 1)]
        places = [(name, row, code) for name, row, line in lines for code in MARKS.findall(line.partition("  # ")[2])]
    return {place for place in places if RULES[place[2]].severity != "info"}


def differs(root: Path, file: str, case: Case, files: Mapping[str, str]) -> bool:
    """Whether mxlint says something else of the long program than the fixture says of the short one. Its facts are those of the golden file."""
    root.mkdir()
    with working_in(root):
        analyses = analysed(files)
    GOLDEN[file].compare(case.name, [line for analysis in analyses for line in known(analysis)])
    return said(analyses, case.code if file == "silent.md" else "") != expected(file, case)


def test_programs_that_are_named_are_there() -> None:
    assert {*EXCEPTIONS, *DISAGREE, *BY_CHANCE} <= {case.name for _, case, _ in PROGRAMS}


def test_a_program_gets_longer_loops() -> None:
    assert longer("for _ in range(3): range(1), range(10), range(2, 3)") == "for _ in range(23): range(1), range(10), range(2, 3)"


def test_there_are_many_programs() -> None:
    assert len(PROGRAMS) > 200


@pytest.mark.sampled(4)
@pytest.mark.parametrize("start", range(0, len(PROGRAMS), AT_ONCE))
def test_what_is_said_of_few_rounds_is_said_of_many(start: int, tmp_path: Path) -> None:
    part = PROGRAMS[start : start + AT_ONCE]
    other = {case.name for n, (file, case, files) in enumerate(part) if differs(tmp_path / str(n), file, case, files)}
    assert other == {case.name for _, case, _ in part} & EXCEPTIONS.keys()


@pytest.mark.mlx
@pytest.mark.slow
@pytest.mark.skipif(not LONG, reason="set MXLINT_LONG_LOOPS to run all under MLX")
@pytest.mark.skipif(importlib.util.find_spec("mlx") is None or shutil.which("g++") is None, reason="needs MLX and a C++ compiler")
def test_what_is_said_of_many_rounds_is_what_mlx_does(tmp_path: Path) -> None:
    disagree: set[str] = set()
    with comparing(tmp_path) as compare:
        for _, case, files in PROGRAMS:
            if "main.py" not in files or case.name in BY_CHANCE:
                continue
            long, short = (compare(Program(dict(text), (case.name,))) for text in (files, case.files))
            if long.ran and long.verdict.disagreements and not short.verdict.disagreements:
                disagree.add(case.name)
                print(f"\n=== {told(long)}\nnot followed: {dict(long.lost)}")
    assert disagree == set(DISAGREE)
