"""Programs near the fixtures: whatever is changed in a program, mxlint answers, and it agrees with MLX.

`MXLINT_NEIGHBOURS=2000` tries so many new programs under MLX and prints every disagreement; `MXLINT_NEIGHBOURS_SEED` draws those of a seed once
more. Each that is no chance is a defect, and becomes a case in tests/fixtures/shapes/: a miss, or something said that does not happen. Chance is
what only contents of arrays decide, as an array that is replaced by an equal one.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import secrets
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

import pytest
from cases import read_cases
from differential import neighbours
from differential.compare import comparing
from differential.generate import Program
from differential.neighbours import CHANGES, Change, changed, neighbour
from test_differential import told
from writing import write

from mxlint.engine import check
from mxlint.workdir import working_in

SHORT = 80
LONG = int(os.environ.get("MXLINT_NEIGHBOURS", "0"))
FILES = ("found.md", "silent.md", "varied.md", "unknown.md", "written.md")
CASES: Mapping[str, Mapping[str, str]] = {
    f"{file}: {name}": case.files for file in FILES for name, case in read_cases(file).items() if "main.py" in case.files
}
EXAMPLES: Mapping[Change, tuple[str, str]] = {
    neighbours.delete: ("x = 1\n", "pass\n"),
    neighbours.repeat: ("x = 1\n", "x = 1\nx = 1\n"),
    neighbours.copy: ("x = 1\n", "x = 1\nx = 1\n"),
    neighbours.write_other: ("x = 1\n", "x = 1\n"),
    neighbours.drop_argument: ("f(x)\n", "f()\n"),
    neighbours.shapeless: ("f = mx.compile(g)\n", "f = mx.compile(g, shapeless=True)\n"),
    neighbours.augment: ("x = x + 1\n", "x += 1\n"),
}
"""Changes that can be made in one way, and what they make of a module."""


@pytest.mark.parametrize("change", EXAMPLES)
def test_what_a_change_does(change: Change) -> None:
    text, expected = EXAMPLES[change]
    assert changed(text, [change], Random(0)) == expected


@pytest.mark.parametrize("change", dict.fromkeys(CHANGES))
def test_each_change_finds_something_but_in_an_empty_program(change: Change) -> None:
    text = "x = a < b\nx = x - f(1, x, k=3)\nf = mx.compile(g)\n"
    assert any(changed(text, [change], Random(number)) != text for number in range(20))
    assert changed("", [change], Random(0)) in ("", "\n")


def drawn(number: int) -> Iterator[tuple[str, dict[str, str]]]:
    """Neighbours of the fixtures, without end, each with the name of its fixture."""
    random = Random(number)
    while True:
        name = random.choice(list(CASES))
        files = neighbour(CASES[name], random)
        if files is not None:
            yield name, files


@pytest.mark.slow
def test_whatever_is_changed_is_answered(tmp_path: Path) -> None:
    for number, (_, files) in enumerate(itertools.islice(drawn(0), SHORT)):
        root = tmp_path / str(number)
        write(root, files)
        with working_in(root):
            assert check(["."], fixes=False).tracebacks == ()


@pytest.mark.mlx
@pytest.mark.skipif(not LONG, reason="set MXLINT_NEIGHBOURS to the number of programs")
@pytest.mark.skipif(importlib.util.find_spec("mlx") is None or shutil.which("g++") is None, reason="needs MLX and a C++ compiler")
def test_the_tracer_and_mlx_agree_on_neighbours(tmp_path: Path) -> None:
    number = int(os.environ.get("MXLINT_NEIGHBOURS_SEED") or secrets.randbits(32))
    agree: dict[str, bool] = {}
    kinds: Counter[str] = Counter()
    with comparing(tmp_path) as compare:
        for name, files in itertools.islice(drawn(number), LONG):
            outcome = compare(Program(files, (name,)))
            kinds["ran"] += outcome.ran
            if (
                outcome.verdict.disagreements and name not in agree
            ):  # where mxlint sees what a run does not show, so it does in what is near
                before = compare(Program(CASES[name], (name,)))
                agree[name] = before.ran and before.entered and not before.verdict.disagreements
            if outcome.verdict.disagreements and not agree[name]:
                continue
            for item in outcome.verdict.disagreements[:1]:
                if item.kind == "miss" or outcome.entered:
                    kinds[item.kind] += 1
                    print(f"\n=== {told(outcome)}\nnot followed: {dict(outcome.lost)}")
    print(f"\nseed {number}: {dict(kinds)}")
    assert kinds["miss"] == 0
