"""How many axes a placeholder has after what unpacks or tests its shape: as many as the arrays have with which MLX gets there."""

from __future__ import annotations

from collections.abc import Callable

import mlx.core as mx
import pytest

from mxlint.analysis import analyze
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import source_from_bytes

RANKS = range(1, 6)
BODIES = {
    "unpacked": "_, t = x.shape",
    "one axis": "(n,) = x.shape",
    "with a star": "b, *rest = x.shape",
    "of all but the last": "b, t = x.shape[:-1]",
    "of all but the first": "t, c = x.shape[1:]",
    "of all but both ends": "(t,) = x.shape[1:-1]",
    "of the last two": "h, w = x.shape[-2:]",
    "of the first two": "b, t = x.shape[:2]",
    "asserted": "assert x.ndim == 3",
    "refused": "if x.ndim != 2:\n    raise ValueError",
    "refused by length": "if len(x.shape) != 2:\n    raise ValueError",
    "a name for it": "n = x.ndim\nif 4 != n:\n    raise ValueError",
    "a name for the shape": "s = x.shape\nassert len(s) == 1",
    "one of two tests": "if x.ndim != 3 or x.dtype != mx.float32:\n    raise ValueError",
    "both branches": "if x.ndim == 2:\n    y = x.T\nelse:\n    b, t, c = x.shape",
    "of another name": "y = x\nb, t = y.shape",
    "in a helper": "pair(x)",
    "of a result": "y = x * 2\nb, t, c = y.shape\nx = y",
    "without a use": "s = x.shape\ny = x + 1",
    "an axis read first": "c = x.shape[-1]\nb, d = x.shape\nassert c == d",
}


def program(body: str, rank: int) -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return (
        "import mlx.core as mx\n\n"
        "def pair(x):\n    a, b = x.shape\n    return a * b\n\n"
        f"@mx.compile\ndef f(x):\n{lines}    if x[None].ndim == {rank + 1}:\n        print(x)\n    return x * 2\n\nf(mx.load('x.npy'))\n"
    )


TESTS = ("asserted", "refused", "refused by length", "a name for it", "a name for the shape", "one of two tests")
"""Bodies that only test, and whose test the caller may make as well."""


def with_a_test_outside(body: str, rank: int) -> str:
    """The same test in the function that calls the compiled one, which nothing in sight calls."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return (
        "import mlx.core as mx\n\n"
        f"@mx.compile\ndef f(x):\n    if x[None].ndim == {rank + 1}:\n        print(x)\n    return x * 2\n\n"
        f"def call(x: mx.array):\n{lines}    return f(x)\n"
    )


def gets_there(body: str, rank: int) -> bool:
    """Whether the test holds with an array of so many axes."""
    text = program(body, rank).replace("@mx.compile\n", "").replace("print(x)", "reached.append(1)")
    reached: list[int] = []
    names = {"reached": reached}
    exec(text.replace("f(mx.load('x.npy'))\n", ""), names)  # noqa: S102 - it is written above
    try:
        names["f"](mx.ones((2,) * rank))  # type: ignore[operator]
    except (ValueError, AssertionError):
        return False
    return bool(reached)


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_rank_that_a_use_leaves(body: str) -> None:
    _agree(body, program)


@pytest.mark.parametrize("name", TESTS)
def test_the_rank_that_a_test_of_the_caller_leaves(name: str) -> None:
    _agree(BODIES[name], with_a_test_outside)


def _agree(body: str, make: Callable[[str, int], str]) -> None:
    said = set()
    for rank in RANKS:
        findings = analyze(source_from_bytes(make(body, rank).encode(), "main.py"), Project(), load_table()).findings
        if "MX101" in {finding.code for finding in findings}:
            said.add(rank)
    may = {rank for rank in RANKS if gets_there(body, rank)}
    assert may <= said, "a rank with which MLX gets there is ruled out"
    if len(may) == 1:
        assert said == may
