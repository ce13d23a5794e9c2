"""The help of a finding fits what stands there."""

from __future__ import annotations

import pytest

import mxlint

PROGRAM = """import mlx.core as mx

table = [1.0, 2.0]


@mx.compile
def step(x, n):
    return x * {used}


step(mx.ones(2), mx.array(1))
"""


@pytest.mark.parametrize(("used", "lists"), [("table[n]", True), ("sum(range(n))", False), ("mx.zeros((n,))", False)])
def test_of_an_array_as_a_number(used: str, lists: bool) -> None:
    (finding,) = mxlint.check_source(PROGRAM.format(used=used), "step.py", isolated=True).findings
    assert finding.code == "MX105"
    assert "as Python numbers" in finding.help
    assert ("Python list" in finding.help) is lists
