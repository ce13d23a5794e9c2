"""Rewrites that keep what a program does keep what mxlint says of it.

`MXLINT_METAMORPHIC=200` tries every rewrite on every fixture and on so many generated programs, each proved by a run under MLX, and prints how
often mxlint agrees; `MXLINT_METAMORPHIC_SEED` draws the programs of a seed once more.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import secrets
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from cases import read_cases
from differential.generate import programs
from hypothesis import HealthCheck, Phase, given, seed, settings
from metamorphic.judge import Outcome, compare, rewrite_program
from metamorphic.run import Run, Shown, findings, running
from metamorphic.table import NAMES, rewrite

from mxlint.finding import Finding

LONG = int(os.environ.get("MXLINT_METAMORPHIC", "0"))
EVERY = 61
"""Each so many-th fixture is rewritten in a short run."""
TOLD_BY_RUN = frozenset({"augassign", "method_to_fn"})
"""Rewrites that keep what a program does only where values are of the right kind, which its run tells by what its names hold in the end."""
AGREE = 0.999
"""The share of rewritten programs of which mxlint is to say the same."""

CASES = {
    name: dict(case.files)
    for file in ("found.md", "written.md", "silent.md")
    for name, case in read_cases(file).items()
    if not any("__file__" in text for text in case.files.values())
}
"""Programs that do the same however they are written, so none that reads its own text."""
ROUNDS = "the rounds of a loop by hand are not counted"
WITHIN = "within a loop by hand 36 rounds are too many to be run one by one: what they compute is not known"
KNOWN = {
    ("for_to_iter_while", "numbers of many objects, added up again in each round"): ROUNDS,
    ("for_to_iter_while", "tables of which a function that costs much makes longer ones in the trace"): WITHIN,
}
"""What the static tracer answers otherwise after a rewrite, and why."""


@dataclass(frozen=True, slots=True)
class Base:
    """A program as it was written, what mxlint finds in it, and what it does. `shown` is None where two runs show nothing, or not the same."""

    files: Mapping[str, str]
    found: tuple[Finding, ...]
    shown: Shown | None


class Trial:
    """Rewrites programs and judges them. `folder` holds them."""

    def __init__(self, run: Run, folder: Path) -> None:
        self.run = run
        self.folder = folder
        self.numbers = itertools.count()
        self.bases: dict[str, Base] = {}

    def base(self, name: str, files: Mapping[str, str]) -> Base:
        if name not in self.bases:
            shown, again = self.run(files), self.run(files)
            proves = shown is not None and shown.agrees(again)
            self.bases[name] = Base(files, findings(self.root(), files), shown if proves else None)
        return self.bases[name]

    def root(self) -> Path:
        return self.folder / f"p{next(self.numbers)}"

    def rewrite(self, name: str, base: Base) -> Outcome | None:
        """The outcome of a rewrite that is proved by a run; None where there is nothing to rewrite or nothing is shown."""
        new = rewrite_program(name, base.files)
        if new is None or base.shown is None:
            return None
        shown = self.run(new[0])
        if shown is not None and not base.shown.agrees(shown):
            # Threads and the like are told by runs that differ from each other.
            shown = self.run(new[0]) if base.shown.agrees(self.run(base.files)) else None
        if shown is None:
            return None
        if not base.shown.agrees(shown, left=name in TOLD_BY_RUN):
            assert name in TOLD_BY_RUN, f"{name} changes what the program does: {base.shown} becomes {shown}\n{new[0]['main.py']}"
            return None
        return compare(base.found, findings(self.root(), new[0]), new[1])


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    folder = tmp_path_factory.mktemp("metamorphic")
    with running(folder) as run:
        yield Trial(run, folder)


needs_mlx = pytest.mark.skipif(importlib.util.find_spec("mlx") is None or not hasattr(os, "fork"), reason="needs MLX and fork")


def taken(case: str) -> bool:
    """Whether a program is among those of a short run: by its name, so that no other program has a say in that."""
    return zlib.crc32(case.encode()) % EVERY == 0


@pytest.mark.mlx
@needs_mlx
@pytest.mark.parametrize("name", NAMES)
def test_the_answer_is_the_same(trial: Trial, name: str) -> None:
    differ = {}
    for case in filter(taken, CASES):
        outcome = trial.rewrite(name, trial.base(case, CASES[case])) if (name, case) not in KNOWN else None
        if outcome is not None and not outcome.same:
            differ[case] = outcome
    assert differ == {}


@pytest.mark.mlx
@needs_mlx
@pytest.mark.parametrize(
    ("name", "case"),
    [pytest.param(*pair, marks=pytest.mark.xfail(strict=True, raises=AssertionError, reason=reason)) for pair, reason in KNOWN.items()],
)
def test_known_disagreements(trial: Trial, name: str, case: str) -> None:
    outcome = trial.rewrite(name, trial.base(case, CASES[case]))
    if outcome is None:
        pytest.fail("nothing to rewrite")
    assert outcome.same


EXAMPLES = {
    "augassign": ("def f(n):\n    n += 1\n    return n\n", "n = n + 1"),
    "augassign_dict": ("d = {'k': 1}\nd['k'] += 2\n", "d['k'] = d['k'] + 2"),
    "for_to_iter_while": ("for i in [1, 2]:\n    print(i)\n", "i = next(items_1_1)"),
    "for_to_while": ("for i in range(1, 3):\n    print(i)\n", "while at_1_1 < end_1_1:"),
    "range_to_list": ("for i in range(3):\n    print(i)\n", "in [0, 1, 2]:"),
    "if_to_ifexp": ("if x:\n    y = 1\nelse:\n    y = 2\n", "y = 1 if x else 2"),
    "ifexp_to_if": ("y = 1 if x else 2\n", "if x:\n    y = 1\nelse:\n    y = 2"),
    "inline_tmp": ("def f(x):\n    y = x + 1\n    return y\n", "return x + 1"),
    "split_tmp": ("y = f(g(1), 2)\n", "part_1 = g(1)\ny = f(part_1, 2)"),
    "tuple_assign": ("a = x\nb = y\n", "a, b = (x, y)"),
    "flip_compare": ("a < 1\n", "1 > a"),
    "double_not": ("if x:\n    pass\n", "if not not x:"),
    "method_to_fn": ("import mlx.core as mx\nx.sum(axis=0)\n", "mx.sum(x, axis=0)"),
    "fstring_to_format": ("f'{a!r:>3}{{{b}'\n", "'{!r:>3}{{{}'.format(a, b)"),
    "dict_keyword": ("{'a': 1}\n", "dict(a=1)"),
    "early_else": ("def f(x):\n    if x:\n        return 1\n    return 2\n", "    else:\n        return 2"),
    "main_function": ("def f():\n    pass\nx = 1\nf()\n", "def main_1():\n    global x\n    x = 1\n    f()\nmain_1()"),
    "reorder": ("def f():\n    pass\ndef g():\n    pass\n", "def g():\n    pass\n\ndef f():"),
    "rename_locals": ("def f(p):\n    x = p\n    return x\n", "renamed_x_0 = p"),
    "rename_globals": ("x = 1\ndef f():\n    return x\n", "return renamed_x"),
    "rename_functions": ("def f():\n    pass\nf()\n", "renamed_f()"),
    "dec_to_call": ("@partial(mx.compile, inputs=s)\ndef f(x):\n    return x\n", "f = partial(mx.compile, inputs=s)(f)"),
    "dec_to_call_merged": ("@partial(mx.compile, inputs=s)\ndef f(x):\n    return x\n", "f = mx.compile(f, inputs=s)"),
    "factory": ("f = mx.compile(g)\n", "def make_f():\n    return mx.compile(g)\nf = make_f()"),
    "delegate": ("def f(a, *b, c=1, **d):\n    return a\n", "return inner_of_f(a, *b, c=c, **d)"),
    "def_to_lambda": ("def f(x: int, y=1):\n    return x\n", "f = lambda x, y=1: x"),
    "lambda_to_def": ("f = g(lambda x: x)\n", "def function_1_1(x):\n    return x\nf = g(function_1_1)"),
    "partial_to_lambda": (
        "from functools import partial\nf = partial(g, 1, k=2)\n",
        "f = lambda *args, **kwargs: g(1, *args, k=2, **kwargs)",
    ),
    "functools_partial": ("from functools import partial\nf = partial(g)\n", "f = functools_1.partial(g)"),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_a_rewrite_does(name: str) -> None:
    text, expected = EXAMPLES[name]
    new = rewrite(name, text)
    assert new is not None and expected in new.text
    assert rewrite(name, "import x\n") is None


def test_rows_lead_to_where_things_came_from() -> None:
    new = rewrite("return_tmp", "def f(x):\n\n    return x + 1\n")
    assert new is not None
    assert new.text == "def f(x):\n    result_1 = x + 1\n    return result_1\n"
    assert new.rows == {1: {1}, 2: {3}, 3: {3}}


@pytest.mark.mlx
@needs_mlx
@pytest.mark.skipif(not LONG, reason="set MXLINT_METAMORPHIC to the number of generated programs")
def test_many_programs(trial: Trial) -> None:
    number = int(os.environ.get("MXLINT_METAMORPHIC_SEED") or secrets.randbits(32))
    tried: Counter[str] = Counter()
    same: Counter[str] = Counter()
    moved: Counter[str] = Counter()
    for label, files in itertools.chain(CASES.items(), generated(LONG, number)):
        base = trial.base(label, files)
        for name in NAMES:
            outcome = trial.rewrite(name, base)
            if outcome is not None:
                tried[name] += 1
                same[name] += outcome.same
                moved[name] += bool(outcome.moved)
                if not outcome.same:
                    print(f"{name}: {label}: lost {outcome.lost}, new {outcome.new}")
    print(f"\nseed {number}\n{'rewrite':22} {'tried':>6} {'same':>6} {'moved':>6}")
    for name in sorted(NAMES, key=lambda name: same[name] / max(tried[name], 1)):
        print(f"{name:22} {tried[name]:6} {same[name] / max(tried[name], 1):6.1%} {moved[name]:6}")
    print(f"{'all':22} {tried.total():6} {same.total() / tried.total():6.2%}")
    assert same.total() / tried.total() >= AGREE


def generated(count: int, number: int) -> list[tuple[str, Mapping[str, str]]]:
    """Programs around a compiled function, of a seed."""
    found: list[tuple[str, Mapping[str, str]]] = []

    @seed(number)
    @settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck), phases=(Phase.generate,))
    @given(programs())
    def draw(program: object) -> None:
        found.append((f"generated {len(found)}", program.files))  # type: ignore[attr-defined]

    draw()
    return Random(number).sample(found, len(found))
