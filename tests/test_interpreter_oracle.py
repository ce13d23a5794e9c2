"""The interpreter against CPython: whatever a program does is covered by what the interpreter says of it."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest
from oracle.compare import Report, compare, total
from oracle.constructs import TEMPLATES
from oracle.generate import Draft, Program, draw_program
from oracle.record import Record
from oracle.static import adapter
from writing import write

COUNT = int(os.environ.get("MXLINT_INTERPRETER", "15"))
"""So many programs are drawn; MXLINT_INTERPRETER=2000 asks for more of them."""
SEED = 1
LEAST_EXACT = 0.95
"""The share of points at which the interpreter admits no kind of value that was not seen there."""
INEXACT = {
    "match": 1,
}  # fmt: skip
"""The points of a construct at which a kind is admitted that was not seen; of all others there are none."""
VAGUE = {
    "operators": 2, "iterator class": 1, "endless generator": 2, "decorator class": 2, "raised again": 2, "recursion": 1,
    "dict of lists": 1, "itertools": 1, "classes made in functions": 6,
}  # fmt: skip
"""The points at which one value was seen, or lists and tuples of one length, and others of that kind are admitted."""
MOST_VAGUE = 0.01
"""The share of such points in programs."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="programs run in forks")


def report(record: Record, folder: Path, program: Program) -> Report:
    """What the interpreter says of a program, compared with what the program did."""
    write(folder, program.files)
    return compare(record(folder), adapter(folder, "main.py"), program.files)


def instance(name: str) -> Program:
    """One program that consists of a construct and a use of it."""
    definitions, use = Draft(Random(SEED)).instance(TEMPLATES[name])
    return Program({"main.py": f"{definitions}\n\n{use}\n"}, (name,))


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_construct_is_covered(record: Record, tmp_path: Path, name: str) -> None:
    found = report(record, tmp_path, instance(name))
    assert found.points > 0
    assert found.flaws == (), found.text()
    assert found.points - found.exact == INEXACT.get(name, 0), found.text()
    assert len(found.vague) == VAGUE.get(name, 0), "\n".join(map(str, found.vague))


@pytest.mark.slow
def test_constructs_are_followed_exactly(record: Record, tmp_path_factory: pytest.TempPathFactory) -> None:
    found = total(report(record, tmp_path_factory.mktemp("construct"), instance(name)) for name in TEMPLATES)
    assert found.share_exact >= LEAST_EXACT, found.text()
    assert len(found.vague) <= MOST_VAGUE * found.points, "\n".join(map(str, found.vague))


@pytest.mark.slow
def test_programs_are_covered_and_followed_exactly(record: Record, tmp_path_factory: pytest.TempPathFactory) -> None:
    random = Random(SEED)
    reports = [report(record, tmp_path_factory.mktemp("program"), draw_program(random)) for _ in range(COUNT)]
    found = total(reports)
    assert sum(one.points for one in reports) > 50 * COUNT
    assert found.flaws == (), found.text()
    assert found.share_exact >= LEAST_EXACT, found.text()
    assert len(found.vague) <= MOST_VAGUE * found.points, "\n".join(map(str, found.vague))
