"""Tables that are made anew with another length: a trace that has taken what both have is not stale, any other is. numpy says what both have, and MLX agrees."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from types import ModuleType

import numpy
import pytest

from mxlint.engine import check

SHORT, LONG = 6, 9
FOLLOWED = (
    "mx.arange(n)", "mx.arange(1.0, n)", "mx.arange(n) / 2", "mx.arange(n)[1:]", "mx.maximum(mx.arange(n), 2)", 
    "mx.arange(n)[:, None, None]", "mx.arange(n)[-3:]", "mx.arange(9)[n - 6 : 4]", "mx.zeros((n,))", "mx.zeros([2, n])", "mx.full((n, n), 2.0)", "mx.eye(n)", "mx.tri(n)",
    "mx.cos(mx.arange(n)[:, None] * mx.arange(4.0))", "mx.arange(n)[None] + mx.zeros((3, 1))", "mx.zeros((3, n)) + mx.arange(n)", "mx.where(mx.arange(n) > 1, 1.0, 0.0)",
    "mx.outer(mx.arange(n), mx.arange(4))", "mx.outer(mx.arange(4), mx.arange(n))", "mx.outer(mx.arange(n), mx.arange(n))",
    "mx.expand_dims(mx.arange(n), 1)", "mx.expand_dims(mx.arange(n), axis=-1)", "mx.expand_dims(mx.arange(n), 0)", "mx.expand_dims(mx.zeros((2, n)), 0)", "mx.expand_dims(mx.zeros((n, 2)), 1)",
    "mx.expand_dims(mx.arange(n), axis=n // 9)", "mx.concatenate([mx.arange(n)[:, None], mx.ones((n, 1))], axis=1)", "mx.concatenate([mx.ones((n, 1)), mx.zeros((n, 1))], axis=-1)",
    "mx.concatenate([mx.ones((2, n)), mx.zeros((2, n))])", "mx.repeat(mx.arange(n)[:, None], 2, axis=1)",
    "mx.repeat(mx.arange(n)[:, None], repeats=2, axis=-1)", "mx.zeros((3, n, 2))[0]", "mx.zeros((3, n, 2))[:, :4]", "mx.zeros((3, n, 2))[:, None]", "mx.zeros((3, n, 2))[..., 1]", "mx.zeros((3, n))[0, 1:4]",
    "mx.zeros((n, n))[2]", "mx.zeros((2, n))[..., 1:]", "mx.arange(12)",
)  # fmt: skip
"""Ways to make a table."""
CAUTIOUS = (
    "mx.eye(n, 4)", "mx.repeat(mx.arange(n), 2)", "mx.repeat(mx.arange(n)[:, None], 2, 0)", "mx.repeat(mx.zeros((n, 3)), n, axis=1)", "mx.concatenate([mx.arange(n), mx.ones(n)])",
    "mx.concatenate([mx.ones(3), mx.arange(n)])", "mx.concatenate([mx.arange(n)] * (n // 3))", "mx.expand_dims(mx.arange(n), (0, 1))", "mx.arange(2 * n)[:n]", "mx.arange(n)[mx.array([0, 1])]",
    "mx.zeros((3, n))[..., : n - 1]", "mx.zeros((3, n))[:, -4:]", "mx.sum(mx.zeros((n, 2)), axis=1)", "mx.arange(n, 12)",
    "mx.arange(n) if n < 7 else mx.ones(n)", "mx.arange(n) if n < 7 else mx.arange(n, dtype=mx.float32)", "mx.zeros((n,)) if n < 7 else mx.ones(n) * 0", "mx.arange(n)[:2] + n", 
    "mx.linspace(0, 1, n)[:, None] + mx.arange(n)", "mx.ones((3, n))[mx.arange(n)[:1]]", "mx.expand_dims(mx.linspace(0, 1, n), 0)", "mx.repeat(mx.linspace(0, 1, n)[:, None], 2, axis=1)", "mx.arange(n)[::2]", "mx.arange(n) * n", "mx.linspace(0, 1, n)", "mx.outer(mx.linspace(0, 1, n), mx.arange(4))", "mx.zeros((0, n))",
    "mx.concatenate([mx.ones((n, 1)), mx.zeros((n, 1))], axis=n // 9)", "mx.zeros((2, n)) if n < 7 else mx.zeros((2, n, 1))",
)  # fmt: skip
"""Ways of which is not known that two lengths begin alike where they do, or where one number is the same in both."""
USES = (
    "t", "t[:2]", "t[0]", "t[1:3]", "t[:-1]", "t[2:]", "t[::2]", "t[0:2:1]", "t[:4:2]", "t[:7]", "t[:, :2]", "t[0, 1]", "t[..., :2]", "t[..., :2, :]", "t[..., None, 0]",
    "t[None]", "t[None, :2]", "t[:2, None]", "t[:2, ..., :1]", "t[mx.array([1])]", "t[: len(x)]", "(t[:2], t)[0]", "x[:2] * t[:2] + t[1]", "mx.exp(t)", "t * 2", "t * mx.cos(t)",
    "x * t", "x[0] * t", "x[:1] * t", "x[:, None] * t", "x.sum() + t", "mx.ones(3) * t", "mx.where(x[:, None] > 0, t, 0)", "mx.maximum(x[None], t)", "t[:, None] * x", "x * t[:, :1]",
    "x * t[..., :3]", "x + t[:3]",
)  # fmt: skip
"""What a trace takes of it."""
BY_CONTENT = ("t[:, 1]", "mx.sum(t[:2])", "t[-1]", "t[-2:]", "t[3:1:-1]", "mx.sum(t)")
"""The same, where two lengths may have the same as all numbers in them are."""
PROGRAM = """\
import mlx.core as mx

t = None


def grow(n):
    global t
    t = {table}
    mx.eval(t)


{functions}grow({short})
mx.eval({calls})
grow({long})
mx.eval({calls})
"""
FIRST, LINES = 14, 5
"""The line of the first use, and how many lines there are for each."""
FUNCTION = """\
@mx.compile
def f{number}(x):
    return mx.sin(x), {use}


"""


def differs(mx: ModuleType, table: str, use: str) -> bool | None:
    """Whether a use takes something else of a table that is longer; None where one of both is refused."""
    taken = []
    for n in (SHORT, LONG):
        names = {"mx": mx, "n": n, "x": mx.ones(3)}
        try:
            with warnings.catch_warnings(action="error"):
                taken.append(numpy.array(eval(use, {**names, "t": eval(table, names)})))
        except (IndexError, ValueError):
            return None
    return not numpy.array_equal(*taken)


def uses(mx: ModuleType, table: str) -> Iterator[tuple[str, bool]]:
    """The uses that a table allows, and whether they differ."""
    for use in (*USES, *BY_CONTENT):
        different = differs(mx, table, use)
        if different is not None:
            yield use, different


def program(table: str, taken: Iterable[str]) -> str:
    functions = [FUNCTION.format(number=number, use=use) for number, use in enumerate(taken)]
    calls = ", ".join(f"f{number}(mx.ones(3))" for number in range(len(functions)))
    return PROGRAM.format(table=table, functions="".join(functions), calls=calls, short=SHORT, long=LONG)


@pytest.mark.parametrize("table", (*FOLLOWED, *CAUTIOUS))
def test_a_trace_is_stale_where_a_longer_table_differs(tmp_path: Path, table: str) -> None:
    file = tmp_path / "main.py"
    taken = dict(uses(numpy, table))
    file.write_text(program(table, taken))
    rows = {finding.span.start.row for finding in check([str(file)], fixes=False).findings if finding.severity == "error"}
    for row, (use, different) in zip(count(FIRST, LINES), taken.items()):
        if different or table in FOLLOWED and use in USES:
            assert (row in rows) is different, use


@pytest.mark.mlx
def test_mlx_takes_the_same_as_numpy() -> None:
    mx = pytest.importorskip("mlx.core")
    for table in (*FOLLOWED, *CAUTIOUS):
        of_numpy, of_mlx = dict(uses(numpy, table)), dict(uses(mx, table))
        assert {use: of_mlx.get(use) for use in of_numpy} == of_numpy, table
