"""What a trace takes of a number is what it decides by it: mxlint says that the number is stale where Python decides otherwise by the new one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mxlint.engine import check

PROGRAM = """
import mlx.core as mx


class Config:
    n = {old!r}
    low = 1


def helper(k, bound=3):
    return k > bound


def middle(k):
    found = helper(k)
    return found


def give():
    return Config.n


@mx.compile
def step(x):
{body}
    return mx.tanh(x) * 2


mx.eval(step(mx.ones(2)))
Config.n = {new!r}
mx.eval(step(mx.ones(2)))
"""
DECISIONS = (
    "Config.n > 3", "3 < Config.n", "1 < Config.n < 5", "Config.n in (2, 4)", "Config.n not in [2, 4]", "Config.n % 2 == 0", "not Config.n",
    "Config.n == 4 or Config.n == 0", "Config.n and Config.n < 5", "helper(Config.n)", "middle(k=Config.n)", "helper(bound=Config.n, k=3)", "give() >= 4",
    "bool(Config.n)", "min(Config.n, 3) == 3", "str(Config.n) == '4'", "f'{Config.n:02}' > '03'", "Config.n is None", "Config.n // 2 > Config.low", "(k := Config.n) > 3 and k < 9",
    "(Config.n if Config.n > 2 else 0) == 4", "Config.n * 2 + 1 > 7", "any([Config.n > 3])",
)  # fmt: skip
"""Expressions over the number."""
PAIRS = ((4, 4.5), (4, 5), (4, 2), (0, 1), (0, 2), (2, 6), (5, 3), (4, 40))
"""What it is at the trace, and at the next call."""


def decided(expression: str, number: object) -> Any:
    """What Python makes of an expression."""
    config = type("Config", (), {"n": number, "low": 1})
    names: dict[str, Any] = {"Config": config, "helper": lambda k, bound=3: k > bound, "middle": lambda k: k > 3, "give": lambda: number}
    return bool(eval(expression, names))


def is_stale(body: str, old: object, new: object, folder: Path) -> bool:
    path = folder / "main.py"
    path.write_text(PROGRAM.format(old=old, new=new, body=body), encoding="utf-8")
    result = check([str(path)], fixes=False)
    assert not result.tracebacks
    return any(finding.code == "MX209" for finding in result.findings)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
@pytest.mark.parametrize("expression", DECISIONS[:-1])
def test_a_test_is_stale_where_it_comes_out_otherwise(expression: str, pair: tuple[object, object], tmp_path: Path) -> None:
    before, after = (decided(expression, number) for number in pair)
    body = f"    if {expression}:\n        x = x + 1"
    # `and` and `or` ask one operand after another: each outcome counts.
    several = " or " in expression or " and " in expression or " if " in expression or "< Config.n <" in expression
    if before != after or not several:
        assert is_stale(body, *pair, tmp_path) == (before != after)


@pytest.mark.parametrize("expression", DECISIONS)
def test_what_is_computed_with_is_stale(expression: str, tmp_path: Path) -> None:
    """A list is not followed: what lies in it has been used."""
    assert is_stale(f"    if {expression}:\n        x = x + 1\n    x = x * Config.n", 4, 5, tmp_path)


@pytest.mark.parametrize(
    "told", ("print(Config.n)", "print(f'n {Config.n}')", "text = f'{Config.n}'\n    print(text)", "print('n', str(Config.n))")
)
def test_what_is_told_besides_is_not(told: str, tmp_path: Path) -> None:
    assert not is_stale(f"    {told}\n    if Config.n > 3:\n        x = x + 1", 4, 5, tmp_path)
    assert is_stale(f"    {told}\n    if Config.n > 3:\n        x = x + 1", 4, 3, tmp_path)
