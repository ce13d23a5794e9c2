"""The fixtures as libraries: without what runs them, only their functions, classes and the values of their modules are left.

All that is known of them then is compared with golden/uncalled: what is presumed of parameters, which entries are run, what public methods change
between two calls. MXLINT_GOLDEN=write writes what is found: read what changed before you commit it.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from cases import Case, read_cases
from facts_told import place, told
from goldens import Sections
from writing import write

from mxlint.analysis import analyze
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import read_source

FILES = ("found", "written", "varied")
AT_ONCE = 8
"""Programs that one test looks at."""
STAY = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.AugAssign)


def uncalled(text: str) -> str:
    """A module without the statements that run something, whose rows stay empty."""
    lines = text.split("\n")
    for statement in ast.parse(text).body:
        if not isinstance(statement, STAY):
            assert statement.end_lineno is not None
            lines[statement.lineno - 1 : statement.end_lineno] = [""] * (statement.end_lineno - statement.lineno + 1)
    return "\n".join(lines)


def known(case: Case) -> list[str]:
    """What is known of the files of a case in the working directory, and what is found there."""
    files = {name: uncalled(text) if name.endswith(".py") else text for name, text in case.files.items()}
    write(Path(), files)
    project, lines = Project(), []
    for name in sorted(files):
        analysis = analyze(read_source(Path(name), name), project, load_table(), with_facts=True)
        lines += (f"{finding.code} {place(finding.span)} {finding.severity}" for finding in analysis.findings)
        lines += told(analysis)
    return lines


CASES = {file: read_cases(f"{file}.md") for file in FILES}
GOLDEN = {file: Sections(f"uncalled/{file}.txt", cases) for file, cases in CASES.items()}
PARTS = [(file, start) for file, cases in CASES.items() for start in range(0, len(cases), AT_ONCE)]


def test_statements_that_run_something_are_left_out() -> None:
    assert (
        uncalled("x = 1\ndef f():\n    f()\nf()\nfor _ in x:\n    f()\nif x: f()\ny = 2\n") == "x = 1\ndef f():\n    f()\n\n\n\n\ny = 2\n"
    )


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("file", "start"), PARTS)
def test_what_is_known_of_a_program_that_nothing_runs(file: str, start: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, case in enumerate([*CASES[file].values()][start : start + AT_ONCE]):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        GOLDEN[file].compare(case.name, known(case))
