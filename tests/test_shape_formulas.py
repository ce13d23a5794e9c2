"""Numbers that a method computes before each call of a compiled function: what MLX keeps of them, and what is said of them. They agree.

Each formula is of shapes of the argument, of weights that are an argument too, and of an array that is none. Other methods replace the weights and that array.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import mlx.core as mx
import pytest

from mxlint.analysis import analyze
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import source_from_bytes

FORMULAS = (
    "A * 2",
    "A - B",
    "B // 2 + A",
    "int(1 + (A + 2 * self.pad - B) / 1)",
    "1 / A",
)
LENGTHS = ("x.shape[0]", "self.weights[0].shape[0]", "self.weights[0].shape[1]", "self.other.shape[0]")
PROGRAM = """
import mlx.core as mx


class Layer:
    def __init__(self, pad=0):
        self.pad = pad
        self.weights = [mx.ones((1, 4)), mx.zeros(1)]
        self.other = mx.ones(5)
        self.run = mx.compile(self.body)

    def body(self, x, w, b):
        return (x @ w.T + b).sum() + self.number

    def forward(self, x):
        self.number = NUMBER
        return self.run(x, self.weights[0], self.weights[1])

CHANGE
    def replace(self, other):
        self.other = other
"""
CHANGES = (
    """
    def load(self, weights):
        self.weights = weights
""",
    """
    def load(self, weights):
        for k, weight in enumerate(weights):
            self.weights[k] = self.weights[k] * 0 + weight
""",
)


def differs(text: str) -> bool:
    """Whether some call gives something else than the body does by itself, under MLX."""
    names: dict[str, Any] = {}
    exec(text, names)  # noqa: S102 the program above
    layer = names["Layer"]()
    found = False
    for rows, length, count in product((1, 3), (5, 7), (2, 3)):
        layer.load([mx.ones((rows, 4)), mx.zeros(rows)])
        layer.replace(mx.ones(length))
        x = mx.ones((count, 4))
        found |= layer.forward(x).item() != layer.body(x, *layer.weights).item()
    return found


def said(text: str) -> bool:
    found = analyze(source_from_bytes(text.encode(), "layer.py"), Project(), load_table()).findings
    return any(finding.code == "MX209" for finding in found)


def numbers() -> Iterator[str]:
    for formula, first, second in product(FORMULAS, LENGTHS, LENGTHS):
        if second == LENGTHS[0] if "B" not in formula else first != second:
            yield formula.replace("A", first).replace("B", second)


@pytest.mark.slow
def test_what_follows_from_the_key_is_the_same_and_nothing_else_is() -> None:
    """A number is old at a later call if and only if it is computed from what the key does not say. Where rounds put other weights there, one after the other, more
    than that may be said, and not less."""
    whole, one_by_one = (PROGRAM.replace("CHANGE", change) for change in CHANGES)
    wrong = [number for number in numbers() if said(text := whole.replace("NUMBER", number)) != differs(text)]
    missed = [number for number in numbers() if not said(text := one_by_one.replace("NUMBER", number)) and differs(text)]
    assert (wrong, missed) == ([], [])
