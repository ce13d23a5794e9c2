"""What rounding makes of a program: measured by a run with more of it, and distinguished from what a program does wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from needed import needs_mlx

from mxlint.engine import check
from mxlint.finding import Verdict
from mxlint.verify.claims import forced
from mxlint.verify.comparison import EPSILON, MARGIN, Tolerated, explained, relative, same, tolerated
from mxlint.verify.experiment import Options, verify
from mxlint.verify.runner import Job, Mode, Workplace, run

# -- values as the child writes them down ------------------------------------------------------------------------------

NUMBERS = st.floats(-1e6, 1e6, width=32)


def array(values: list[float], dtype: str = "float32") -> dict[str, Any]:
    return {"shape": [len(values)], "dtype": dtype, "values": values}


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=8), st.floats(0, 1, width=32), st.sampled_from(["list", "dict", "array"]))
def test_a_difference_counts_from_a_multiple_of_the_noise_on(values: list[float], size: float, kind: str) -> None:
    largest = max(map(abs, values)) + 1
    noise = 1e-3 * size * largest + 1e-4 * largest

    def made(by: float) -> Any:
        moved = [value + by for value in values]
        return {"list": moved, "dict": {"items": moved}, "array": array(moved)}[kind]

    assert explained(made(0), made(0), made(noise))
    assert explained(made(noise), made(0), made(noise))
    assert explained(made(0.9 * MARGIN * noise), made(0), made(noise))
    assert not explained(made(1.2 * MARGIN * noise), made(0), made(noise))
    assert not explained(made(noise), made(0), made(0))


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=8))
def test_a_rounding_of_the_dtype_is_no_difference(values: list[float]) -> None:
    for dtype, epsilon in EPSILON.items():
        most = max(map(abs, values))
        assert same(array(values, dtype), array([value + epsilon * most for value in values], dtype))
        assert same(array(values, dtype), array([*values[:-1], values[-1] + most], dtype)) == (most == 0)


@pytest.mark.parametrize("other", ["text", 3, None, array([1.0, 2.0]), {**array([1.0]), "dtype": "float16"}, array([math.nan])])
def test_what_has_no_size_is_explained_if_it_differs_by_itself(other: object) -> None:
    plain = array([1.0])
    assert not explained(other, plain, plain)
    assert explained(other, plain, other)


def test_errors_that_grow_from_call_to_call_grow_by_luck_too() -> None:
    assert tolerated([]) == tolerated([0.0, 0.0]) == tolerated([1e-3]) == Tolerated(MARGIN, 0.0)
    assert tolerated([1e-7, 1e-7]).margin == MARGIN
    assert tolerated([0.0, 1e-7, 1e-6, 1e-5]).margin == pytest.approx(100 * MARGIN)


def test_runs_that_came_apart_are_near_each_other_by_chance() -> None:
    """The call in which they are does not show how far apart they may be."""
    most = tolerated([1e-3, 1.0, 1.0, *[1.0] * 8, 1e-6])
    assert explained(array([3.0]), array([1.0]), array([1.000001]), most)
    assert not explained(array([3.0]), array([1.0]), array([1.000001]), Tolerated())
    assert relative(array([2.0, 4.5]), array([2.0, 4.0])) == pytest.approx(0.125)


# -- the run with more rounding ---------------------------------------------------------------------------------------


def results(place: Workplace, text: str, mode: Mode) -> list[Any]:
    """What the calls of compiled functions return."""
    settings: dict[str, Any] = {
        **dict.fromkeys(("state", "memory", "graph", "clocks", "transforms", "random", "length_one"), False),
        **{
            name: []
            for name in ("watches", "traced_calls", "wholes", "hold", "live", "outside", "modules", "readable", "attempts", "turned")
        },
        **dict.fromkeys(("drive", "recipe", "draws", "captures", "change")),
        "entry": {"file": "a.py", "package": "", "name": "__main__"},
        "roots": [""],
        "calls": 64,
        "survey": 0,
        "results": True,
        "fused": True,
        "canary": False,
        "cpu_s": 20,
    }
    outcome = run(Job({"a.py": text}, settings), mode, place, place.folder / mode, 60.0)
    assert outcome.answer is not None, outcome
    assert outcome.answer["status"] == "ok", outcome.answer.get("detail")
    calls: list[Mapping[str, Any]] = outcome.answer["calls"]
    return [call["result"] for call in calls]


EXACT = """import mlx.core as mx

@mx.compile
def f(x):
    y = x * 1.5 + 2
    y += 0.25
    z = mx.where(x == 0.5, mx.floor(x * 4), mx.argmax(mx.ones(3)))
    return y, z, mx.sum(y), mx.grad(lambda t: (t * t).sum())(x), y.sum() / 4

for value in (0.5, 1.0, 2.0):
    f(mx.array([value, 0.5]))
"""
INEXACT = """import mlx.core as mx
import mlx.nn as nn

mx.random.seed(1)
w = mx.random.normal((8, 8))
model = nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.LayerNorm(8))
h = w

@mx.compile
def f(x):
    y = x / 3
    alias = y
    y += 0.1
    value, gradient = mx.value_and_grad(lambda t: mx.mean(mx.tanh(t @ w)))(x)
    return y, mx.vmap(lambda row: mx.softmax(row))(x), value, gradient, model(x), mx.fast.rms_norm(x, None, 1e-5), alias is y

for _ in range(2):
    f(mx.random.normal((4, 8)))
"""
CHAOTIC = """import mlx.core as mx

@mx.compile
def f(x):
    return 3.9 * x * (1 - x)

x = mx.array([0.3, 0.51, 0.11])
for _ in range(60):
    x = f(x)
"""


@needs_mlx
def test_numbers_that_were_not_rounded_stay(place: Workplace) -> None:
    """So that ties, comparisons and whole numbers come out as they do."""
    assert results(place, EXACT, "rounded") == results(place, EXACT, "plain")


@needs_mlx
def test_every_operation_rounds_once_more(place: Workplace) -> None:
    for plain, rounded in zip(results(place, INEXACT, "plain"), results(place, INEXACT, "rounded"), strict=True):
        *arrays, identical = zip(plain["items"], rounded["items"], strict=True)
        assert identical == (True, True)
        for one, other in arrays:
            assert relative(other, one) < 1e-4
            assert relative(other, one) > 0 or one["shape"] == []  # of a single number two errors may cancel


@needs_mlx
def test_errors_that_are_fed_back_are_measured(place: Workplace) -> None:
    noise = [relative(*pair) for pair in zip(results(place, CHAOTIC, "rounded"), results(place, CHAOTIC, "plain"), strict=True)]
    assert noise[0] < 1e-4
    assert max(noise[-10:]) > 0.1


# -- verdicts ---------------------------------------------------------------------------------------------------------

FED_BACK = """import itertools

import mlx.core as mx

order = itertools.count()
w = mx.array([0.1, 0.7, 0.3])


@mx.compile
def step(x):
    a, b, c = w[0] * x, w[1] * x, w[2] * x
    total = WHICH
    return 3.9 * (total / 1.1) * (1 - total / 1.1)


x = mx.array([0.3, 0.51, 0.11])
for _ in range(20):
    x = step(x)
"""
HARMLESS = "(a + b) + c if next(order) % 2 == 0 else a + (b + c)"
HARMFUL = "a + b + c if next(order) % 2 == 0 else a + b + c * 1.01"


def claimed(text: str, code: str, at: str) -> Verdict:
    Path("a.py").write_text(text, encoding="utf-8")
    result = check(["a.py"])
    row = next(row for row, line in enumerate(text.splitlines(), 1) if at in line)
    claim = forced(result.sources["a.py"], row, code, [site.span for site in result.sites])
    assert claim is not None
    (finding,) = verify([claim], result.sources, [], Options(timed=False))
    assert finding.verdict is not None
    return finding.verdict


@needs_mlx
@pytest.mark.parametrize(("which", "word"), [(HARMLESS, "inconclusive"), (HARMFUL, "confirmed")])
def test_what_changes_roundings_only_is_not_confirmed(which: str, word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sum in another order at every other call: compiled it stays in one, and in a chaotic step that decides everything after a while."""
    monkeypatch.chdir(tmp_path)
    verdict = claimed(FED_BACK.replace("WHICH", which), "MX206", "next(order)")
    assert verdict.verdict == word, verdict


@needs_mlx
def test_an_old_value_is_seen_in_a_chaotic_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (
        CHAOTIC.replace("3.9", "rate")
        .replace("@mx", "rate = mx.array(3.9)\n\n@mx")
        .replace("    x = f(x)", "    rate = rate - 0.001\n    x = f(x)")
    )
    verdict = claimed(text, "MX201", "rate * x")
    assert verdict.verdict == "confirmed", verdict
