"""Which of the operations that can infer no shape speaks for a trace: one that raises wherever the others do."""

from __future__ import annotations

import pytest

import mxlint

PROGRAM = """\
import mlx.core as mx


def f(x):
    {0}
    {1}
    return y + z.sum()


run = mx.compile(f, shapeless=True)
for length in (3, 5):
    print(run(mx.ones((length, 4))))
"""
SOME, ALL = "y = mx.cumsum(x, axis=0)", "z = x[1:]"
"""An operation that raises with some versions of MLX, and one that raises with all."""


@pytest.mark.parametrize("order", [(SOME, ALL), (ALL, SOME)], ids=["some first", "all first"])
def test_what_raises_with_all_versions_speaks(order: tuple[str, str]) -> None:
    result = mxlint.check_source(PROGRAM.format(*order), "main.py", mlx_version=">=0.28")
    found = [(finding.code, finding.place.start.row, finding.message) for finding in result.findings]
    assert found == [("MX403", 5 + order.index(ALL), "the first call of `f` raises: `x[1:]` under shapeless=True")]


def test_what_raises_with_some_versions_hides_nothing_of_the_others() -> None:
    text = PROGRAM.format(SOME, "z = x.reshape(x.shape[0] * 4)")
    result = mxlint.check_source(text, "main.py", mlx_version=">=0.28")
    assert {finding.code for finding in result.findings} == {"MX401", "MX403"}
