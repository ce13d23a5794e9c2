"""What a call or a trace did is done again from its summary: the answer is the one of a run without summaries.

`MXLINT_SUMMARIES=500` compares so many generated programs, `MXLINT_SUMMARIES_SEED` those of a seed once more.
"""

from __future__ import annotations

import os
import re
import secrets
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from cases import read_cases
from differential.generate import programs
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from writing import write

from mxlint.analysed import Analysis
from mxlint.analysis import analyze
from mxlint.facts import events
from mxlint.interpreter.calls import activations, summaries
from mxlint.interpreter.loops import remembered, trials
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.record import is_record
from mxlint.source import read_source

COUNT = 60
ENOUGH = 10**9
"""Steps that no budget cuts short: a summary takes fewer."""
LONG = int(os.environ.get("MXLINT_SUMMARIES", "0"))
NUMBERS = {"number", "object", "trace", "site_number", "identity", "thread_number", "location", "maker"}
"""Fields of facts that name objects: what a summary makes has other numbers."""

CASES = {f"{file}: {name}": dict(case.files) for file in ("found.md", "written.md", "silent.md") for name, case in read_cases(file).items()}


def likeness(fact: object) -> object:
    """A fact without the numbers of objects."""
    if is_record(type(fact)):
        held = ((name, getattr(fact, name)) for name in type(fact).__match_args__)  # type: ignore[attr-defined]
        return (type(fact).__name__, *(likeness(value) for name, value in held if name not in NUMBERS))
    return (
        tuple(map(likeness, fact))
        if isinstance(fact, tuple)
        else re.sub(r" at 0x\w+|(?<='object', )\d+|(?<='itself', )\d+|(?<=\()\d+(?=, \('k', )", "", repr(fact))
    )


def said(files: Mapping[str, str], root: Path, monkeypatch: pytest.MonkeyPatch, *, summarised: bool) -> dict[str, Any]:
    """The findings and the facts of a program, and what could not be followed."""
    write(root, files)
    name = "main.py" if "main.py" in files else next(iter(files))
    with monkeypatch.context() as patch:
        patch.chdir(root)
        patch.setattr(activations, "MAX_ASIDE", ENOUGH)
        for budget in ("STEPS_AT_FIRST", "STEPS_TRIED", "STEPS_OF_FILE", "LEAST_SHARE"):
            patch.setattr(trials, budget, ENOUGH)
        if not summarised:
            patch.setattr(summaries, "find", lambda *_: None)
            patch.setattr(remembered, "find", lambda *_: None)
        found: Analysis = analyze(read_source(Path(name), name), Project(), load_table(), with_facts=True)
        findings = tuple(finding.with_fix() for finding in found.findings)
    facts = Counter(likeness(fact) for kind in events.Log.__match_args__ for fact in _each(getattr(found.facts, kind)))
    return {"findings": findings, "facts": facts, "reasons": found.reasons, "sites": found.sites, "elsewhere": found.elsewhere}


def _each(kind: object) -> tuple[object, ...]:
    return kind if isinstance(kind, tuple) else (kind,)


@pytest.mark.sampled(10)
@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_summaries_change_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_them = said(CASES[name], tmp_path, monkeypatch, summarised=True)
    assert with_them == said(CASES[name], tmp_path, monkeypatch, summarised=False)


def compare(count: int, number: int, folder: Path) -> None:
    """So many generated programs of the seed `number`."""

    @seed(number)
    @settings(
        max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck), phases=(Phase.generate, Phase.shrink)
    )
    @given(programs())
    def agree(program: object) -> None:
        with pytest.MonkeyPatch.context() as patch:
            files: Mapping[str, str] = program.files  # type: ignore[attr-defined]
            assert said(files, folder, patch, summarised=True) == said(files, folder, patch, summarised=False), files

    agree()


@pytest.mark.slow
def test_summaries_change_nothing_in_generated_programs(tmp_path: Path) -> None:
    compare(LONG or COUNT, int(os.environ.get("MXLINT_SUMMARIES_SEED") or (secrets.randbits(32) if LONG else 0)), tmp_path)


HELPERS = """
import sys

import mlx.core as mx

kept = []
rounds = len(sys.argv)


class Box:
    held = mx.array([[1.0, 2.0], [3.0, 4.0]])


box = Box()


def force(x):
    mx.eval(x)


def product(x):
    return x @ x


def same(x):
    return x


def pair(x, y):
    return x @ y


def first(x, y):
    return x


def keep(x):
    kept.append(x)


def put(x):
    box.held = x


def swap(x):
    old = box.held
    box.held = x
    return old


def asks(x):
    return x.sum().item()


def twice(x):
    return product(product(x))


def loops(x):
    for _ in range(3):
        x = product(x)
    return x


def many(x):
    for _ in range(rounds):
        x = product(x)
    return x


def collects(x):
    found = []
    for _ in range(rounds):
        found.append([product(x)])
    kept.append(found[0][0])
    return found[-1][0]


def boxes(x):
    held = None
    for _ in range(rounds):
        box = Box()
        box.held = x
        box.before = held
        held = box
    return x if held is None or held.before is None else held.before.held


def deep(x, n):
    return same(x) if n <= 0 else deep(twice(x), n - 1) @ many(x)


def recurs(x):
    return deep(x, rounds)

"""
NAMES = st.sampled_from("abcd")
STEPS = st.one_of(
    st.builds(
        "    {1} = {0}({2})".format,
        st.sampled_from(("product", "same", "twice", "swap", "loops", "many", "collects", "boxes", "recurs")),
        NAMES,
        NAMES,
    ),
    st.builds("    {1} = {0}({2}, {3})".format, st.sampled_from(("pair", "first")), NAMES, NAMES, NAMES),
    st.builds("    {0}({1})".format, st.sampled_from(("force", "keep", "put", "asks")), NAMES),
    st.builds(
        "    for _ in range(3):\n        {1} = {0}({2})".format,
        st.sampled_from(("product", "swap", "many", "collects", "boxes")),
        NAMES,
        NAMES,
    ),
    st.builds(
        "    try:\n        {1} = {0}({2})\n    except ValueError:\n        {2} = {1}".format,
        st.sampled_from(("product", "swap")),
        NAMES,
        NAMES,
    ),
)
MAIN = """def main():
    a, b, c, d = [mx.array([[1.0, 2.0], [3.0, n]]) for n in (4.0, 5.0, 6.0, 7.0)]
{steps}

    @mx.compile
    def step(x):
        return x @ {name} + box.held + kept[-1] if kept else x @ {name} + box.held

    for _ in range(3):
        print(step({given}))


main()
"""


@pytest.mark.slow
@settings(max_examples=COUNT if not LONG else LONG, deadline=None, derandomize=not LONG, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(STEPS, min_size=2, max_size=8), name=NAMES, given=NAMES)
def test_a_helper_does_to_each_array_what_it_did_to_another(steps: list[str], name: str, given: str) -> None:
    files = {"main.py": HELPERS + MAIN.format(steps="\n".join(steps), name=name, given=given)}
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        assert said(files, Path(folder), patch, summarised=True) == said(files, Path(folder), patch, summarised=False), files["main.py"]


RECURSION = """
import sys

import mlx.core as mx


def walk(node):
    if isinstance(node, (list, tuple)):
        return [walk(part) for part in node]
    if isinstance(node, dict):
        return {name: walk(part) for name, part in node.items()}
    return node @ node


def walked(x):
    return walk({"a": [x, (x, [x])], "b": x})["a"][1][1][0]


def main(x):
    for _ in sys.argv:
        y = walked(x)
    step = mx.compile(lambda y: y)
    print(step(y))


main(mx.ones((2, 2)))
"""


def test_recursion_in_a_later_round_makes_objects_beside_those_of_an_earlier_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"main.py": RECURSION}
    assert said(files, tmp_path, monkeypatch, summarised=True) == said(files, tmp_path, monkeypatch, summarised=False)
