"""How to state what the results of MLX's functions are, with samples that prove it. The statements are in results_elementwise.py, results_making.py,
results_products.py and results_methods.py.

`add` states an expression for shape and dtype; `derive` lets the measurement choose the first of several candidates that fits every sample. `{0}` is
the name of the first parameter, `{1}` of the second. Parameters come from MLX's stubs and sources unless they are given here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
from result_samples import Sampler

MAPS = ("float", "part", "norm", "real", "sum", "count", "complex", "shift", "single")
"""Names of dtype maps (see REPRESENTATIVES)."""
REPRESENTATIVES = {
    "float": lambda a: mx.exp(a),  # integers become float32
    "part": lambda a: mx.abs(a),  # complex becomes float32
    "norm": lambda a: mx.var(a),  # both
    "real": lambda a: mx.sigmoid(a),  # integers become float32, complex raises
    "sum": lambda a: mx.sum(a),  # small integers become 32 bits
    "count": lambda a: mx.cumsum(a, 0),  # bool becomes int32
    "complex": lambda a: mx.fft.fft(a),
    "shift": lambda a: mx.left_shift(a, a),  # bool becomes uint8, floats raise
    "single": lambda a: mx.fft.irfft(a),  # all become float32
}
"""A function that does to a dtype what the map says, by the map's name."""


class Statement:
    """What is stated of one name: expressions to choose from, and how to call it."""

    def __init__(self, shapes: Sequence[str], dtypes: Sequence[str], sample: Sampler, parameters: str | None, form: int) -> None:
        self.shapes, self.dtypes, self.sample, self.parameters, self.form = shapes, dtypes, sample, parameters, form
        self.owner: str | None = None
        """For a method, the function whose first parameter is its `self`."""
        self.inner: str | None = None
        """The parameters of the function that is returned, where the statement is about what that one makes."""


STATEMENTS: dict[str, list[Statement]] = {}
"""By canonical name; several for a function that has several forms of parameters."""
UNKNOWN: dict[str, str] = {}
"""Names that return arrays which no expression describes, with the reason."""


FUNCTIONS: dict[str, Any] = {}
"""How to reach what is no attribute of a module or class by its name: properties, and what depends on `a.at[…]`."""


def names_of(words: str) -> list[str]:
    """The names that "mlx.core.:abs add" stands for."""
    prefix, _, names = words.rpartition(":")
    return [prefix + name for name in names.split()]


def add(words: str, shape: str, dtype: str, sample: Sampler, parameters: str | None = None) -> None:
    """State a shape and a dtype, one more form of parameters of a name that has one."""
    derive(words, [shape], [dtype], sample, parameters)


def derive(words: str, shapes: Sequence[str], dtypes: Sequence[str], sample: Sampler, parameters: str | None = None) -> None:
    """State candidates, of which the first pair that fits every sample is taken."""
    for name in names_of(words):
        forms = STATEMENTS.setdefault(name, [])
        forms.append(Statement(shapes, dtypes, sample, parameters, len(forms)))


OF_ONE = ["same({0})", *(f"{name}({{0}})" for name in MAPS), "bool", "uint32", "int32", "float32", "complex64"]
OF_TWO = ["promote({0}, {1})", *(f"{name}(promote({{0}}, {{1}}))" for name in MAPS), "bool", "uint32", "int32", "float32"]
"""Candidates for the dtype of a function of one operand, and of two."""
C = "mlx.core.:"
"""What names of functions of mlx.core begin with."""
