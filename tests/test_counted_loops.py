"""How many rounds a `while` loop of a traced body has: as many as Python runs, where that is known at all."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from mxlint.engine import check
from mxlint.interpreter.loops import counted

FUNCTION = """\
def f(x):
    {begin}
    while {test}:
        x = step(x)
{body}
    return x
"""
PROGRAM = """\
import mlx.core as mx

step = mx.sin


@mx.compile
{function}

f(mx.ones(3))
"""
COUNTED = (
    ("n = 0", "n < 500", "n += 1"), ("n = 500", "n > 0", "n -= 3"), ("n = 500", "n", "n -= 1"), ("n = 0", "n != 700", "n += 7"), ("n = True", "n < 300", "n += 1"),
    ("n = 0.5", "n <= 100", "n += 0.25"), ("n = 0", "n * 2 + 1 < 900", "n = 1 + n"), ("n = 4", "n - 300 < 0", "n += 1"), ("n = 0", "n > -400", "n = -1 + n"),
    ("n = 0", "n % 301 != 300", "n += 1"), ("n = 0", "n // 3 < 100", "n += 1"), ("n = 300", "0 < n <= 300", "n = n - 1"), ("n = 300", "not n == 0", "n = n - 1"),
    ("n = 1", "n < 10**9", "n *= 2"), ("n = 1", "n < 1e300", "n = n * 1.5"), ("n = 1e9", "n > 1", "n = n / 1.1"), ("n = 1", "n < 10**200", "n = 3 * n"),
    ("n, m = 0, 900", "n < m", "n += 1; m -= 2"), ("n, m = 0, 0", "n < 300 and m < 900", "n += 1; m += 2"), ("n, m = 0, 0", "n < 300 or m < 900", "n += 1; m += 2"),
    ("n = 0", "n < 300 and n < 200", "n += 1"), ("n, m = 0, 7", "n < 400", "n += 1; m = 8"), ("n, m = 0, 1", "n < 400", "n += 1; m *= 3"),
    ("n, m = 0, [0]", "n < 300", "n += 1; m[0] += 1"), ("n, s = 0, 2", "n < 300", "n += s"),
    ("n = 0", "True", "n += 1\nif n == 600: break"), ("n = 0", "True", "n += 1\nif n > 600: return x"),
)  # fmt: skip
"""Loops whose rounds are counted: what stands before, the test, and the body."""
OTHERS = (
    ("n, m = 0, 1", "n < 400", "n += m; m += 1"), ("n = 0", "n < 400", "n = n + 1 if n < 200 else n + 2"), ("n = 2", "n < 10**30", "n = n * n"),
    ("n = 10**40", "n > 1", "n //= 2"), ("n = 400", "n > 0", "n = 399 if n == 400 else n - 1"), ("n, m = 0, 0", "n < 300", "m += 1; n = m"),
    ("n = 0", "n < 300", "n = n + 1; n = n + 1"), ("n = 0", "n < 300", "n += 0.5; n -= 0.25"), ("n = 0", "abs(n) < 300", "n += 1"),
    ("n, m = 0, [0]", "m[0] < 300", "n += 1; m[0] += 1"), ("n = 1", "n < 300", "n += 1\nif n == 250: n = 300"), ("n = 0", "n < 10", "n += 1"), ("n = 5", "n < 1", "n += 1"),
)  # fmt: skip
"""Loops whose rounds are not counted: few, or by numbers that go on otherwise, now or later."""
ENDLESS = (
    ("n = 0", "n < 4000", "n += 1"), ("n = 0", "n < 400", "n = 5 - n if n > 390 else n + 5"), ("n = 0", "n < 1e400", "n = n * 2 + 1"), ("n = 1", "n > 0", "n += 1"),
    ("n = 1.0", "n > 0", "n = n * 1.5"), ("n = 1", "n != 0", "n += 2"),
)  # fmt: skip
"""Loops that do not end, or not in time."""


def rounds(function: str) -> int:
    """How many whole rounds Python runs: those at whose end the next one may begin."""
    steps: list[int] = []
    names: dict[str, object] = {"step": steps.append}
    exec(function, names)  # noqa: S102
    names["f"](0)  # type: ignore[operator]
    return len(steps)


@pytest.mark.parametrize("loop", (*COUNTED, *OTHERS, *ENDLESS), ids=" | ".join)
def test_a_loop_has_as_many_rounds_as_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loop: tuple[str, str, str]) -> None:
    monkeypatch.setattr(counted, "MAX_COUNTED", 3000)
    begin, test, body = loop
    function = FUNCTION.format(begin=begin, test=test, body=indent(body, " " * 8))
    file = tmp_path / "main.py"
    file.write_text(PROGRAM.format(function=function))
    (facts,) = check([str(file)], fixes=False, with_facts=True).facts
    left = "if n" in body and loop in COUNTED  # the last round is left before its end
    expected = [rounds(function) - left] if loop in COUNTED else []
    assert [(found.rounds, found.operations) for found in facts.loops] == [(number, number) for number in expected]
