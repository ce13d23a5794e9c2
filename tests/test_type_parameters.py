"""Type parameters (PEP 695) are in sight of the bases and the body of what they belong to, and of nothing else."""

from __future__ import annotations

import sys

import pytest

from mxlint import check_source

pytestmark = [pytest.mark.static, pytest.mark.skipif(sys.version_info < (3, 12), reason="newer syntax")]

STEP = """
@mx.compile
def step(x):
    print(x)
    return x


step(mx.ones(2))
"""


def found(text: str) -> list[str]:
    return [finding.code for finding in check_source(f"import mlx.core as mx\n{text}{STEP}", "main.py", isolated=True).findings]


@pytest.mark.parametrize(
    "text",
    [
        "class Stack[T](Base[T]):\n    pass\n",
        "class Stack[T, *Ts, **P](Base[T]):\n    kinds = list[T]\n    kind: T\n",
        "class Stack:\n    class Inner[T](Base[T]):\n        pass\n",
        "class Stack[T]:\n    def kinds(self):\n        return list[T]\nkinds = Stack().kinds()\n",
        "class Stack[T]:\n    def one[U](self):\n        return (lambda: [T, U])()\nkinds = Stack().one()\n",
        "def first[T](xs):\n    return list[T](xs)[0]\none = first([1])\n",
    ],
)
def test_what_sees_a_type_parameter(text: str) -> None:
    assert found(f"class Base:\n    def __class_getitem__(cls, kind):\n        return cls\n{text}") == ["MX101"]


@pytest.mark.parametrize("text", ["class Stack[T]:\n    pass\nkinds = T\n", "class Stack[T]:\n    pass\nclass Other(list[T]):\n    pass\n"])
def test_what_does_not(text: str) -> None:
    assert found(text) == []  # NameError: nothing behind it runs
