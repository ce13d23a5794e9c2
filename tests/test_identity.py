"""Which object something is: a trace that has asked only that is stale if the program changes the answer, and not if another object has the same one."""

from __future__ import annotations

from pathlib import Path

import pytest

from mxlint.analysis import analyze
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import read_source

PROGRAM = """\
import enum
import mlx.core as mx


class Mode(enum.Enum):
    A = 1
    B = 2
    C = 3


class Part:
    pass


class Holder:
    def __init__(self):
        self.mode = Mode.A
        self.part = second


first, second, third = Part(), Part(), Part()
holder = Holder()


def is_chosen(mode):
    return mode is Mode.C


@mx.compile
def step(x):
    {before}
    if {test}:
        return x * 2
    return x


mx.eval(step(mx.ones(2)))
holder.mode, holder.part = {after}
mx.eval(step(mx.ones(2)))
"""

MODES = (
    "mode is Mode.C", "mode is not Mode.C", "Mode.C is mode", "mode == Mode.C", "Mode.C != mode", "mode in (Mode.C,)", "mode not in [Mode.C]", "mode in {Mode.C}",
    "is_chosen(mode)", "mode is Mode.C or mode is None",
)  # fmt: skip
PARTS = ("part is first", "first is not part", "part in (first,)", "part == first", "part is None", "part in (None, first)")
CASES = [
    (before, test.replace(name, read), test)
    for name, tests in (("mode", MODES), ("part", PARTS))
    for before, read in (("pass", f"holder.{name}"), (f"{name} = holder.{name}", name))
    for test in tests
]


def codes(folder: Path, before: str, test: str, after: str) -> list[str]:
    text = PROGRAM.format(before=before, test=test, after=after)
    (folder / "main.py").write_text(text, encoding="utf-8")
    found = analyze(read_source(folder / "main.py", "main.py"), Project(), load_table())
    assert [site.followed for site in found.sites] == ["full"]
    return [finding.code for finding in found.findings]


@pytest.mark.parametrize(("before", "test", "asked"), CASES)
def test_the_answer_is_stale_and_no_other_object(tmp_path: Path, before: str, test: str, asked: str) -> None:
    other = "Mode.A, None" if asked == "part is None" else "Mode.C, first"
    assert codes(tmp_path, before, test, "Mode.B, third") == []
    assert codes(tmp_path, before, test, other) == ["MX209"]


@pytest.mark.parametrize("test", ["holder.mode.name == 'A'", "holder.mode.value > 1", "str(holder.mode) == 'Mode.A'"])
def test_what_is_asked_of_the_object_itself_is_read(tmp_path: Path, test: str) -> None:
    assert codes(tmp_path, "pass", test, "Mode.C, second") == ["MX209"]
