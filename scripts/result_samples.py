"""Random arguments to call MLX's functions with: shapes of rank 0 to 4 with lengths 0 and 1 among them, axes from both ends, every dtype."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx

from mxlint.models.mlx.language import DTYPES

FLOATS = ("float32", "float16", "bfloat16", "float64")
INTS = ("int32", "int64", "uint32", "int8", "uint8", "int16", "uint16", "uint64")
LENGTHS = (1, 2, 3, 4, 6)
Call = tuple[list[Any], dict[str, Any]]
"""Arguments and keywords; the keyword `outer` holds a call whose result is what is called."""
Sampler = Callable[["Sampling"], Call]


def dtype_named(name: str) -> Any:
    return mx.bool_ if name == "bool" else getattr(mx, name)


def call(*arguments: Any, **keywords: Any) -> Call:
    return list(arguments), keywords


class Sampling:
    """A source of arguments, the same ones for the same seed."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)

    def one_of(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def chance(self, share: float = 0.5) -> bool:
        return self.random.random() < share

    def int(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def length(self) -> int:
        return 0 if self.chance(0.06) else self.random.choice(LENGTHS)

    def shape(self, low: int = 0, high: int = 4) -> tuple[int, ...]:
        return tuple(self.length() for _ in range(self.int(low, high)))

    def lengths(self, low: int, high: int) -> list[int]:
        """A shape without an axis of length 0, which functions that are compiled with shapeless=True do not get right."""
        return [self.random.choice(LENGTHS) for _ in range(self.int(low, high))]

    def dtype_name(self, *names: str) -> str:
        """One of these, float32 most often; without any, one of all."""
        chosen = names or DTYPES
        return chosen[0] if names and self.chance(0.4) else self.random.choice(chosen)

    def dtype(self, *names: str) -> Any:
        return dtype_named(self.dtype_name(*names))

    def array(self, shape: Sequence[int] | None = None, *dtypes: str, low: int = 0, high: int = 4) -> Any:
        return mx.zeros(self.shape(low, high) if shape is None else tuple(shape), self.dtype(*dtypes))

    def number(self) -> Any:
        return self.one_of(True, 2, 3, 1.5, 1j, 0)

    def operand(self, beside: Sequence[int]) -> Any:
        """An array that broadcasts with a shape, or a number."""
        if self.chance(0.3):
            return self.number()
        shape = [1 if self.chance(0.2) else n for n in beside][self.int(0, len(beside)) :]
        shape = [self.length() if n == 1 else n for n in shape]
        return self.array([self.length(), *shape] if self.chance(0.1) else shape)

    def axis(self, rank: int) -> int:
        return self.int(-rank, rank - 1) if rank else self.one_of(0, -1)

    def axes(self, rank: int) -> Any:
        """None, one axis, or several."""
        if self.chance(0.25):
            return None
        if self.chance(0.5):
            return self.axis(rank)
        chosen = self.random.sample(range(rank), self.int(0, rank))
        found = [axis - rank if self.chance() else axis for axis in chosen]
        return tuple(found) if self.chance() else found

    def some(self, **keywords: Any) -> dict[str, Any]:
        """Some of the keywords."""
        return {name: value for name, value in keywords.items() if self.chance(0.6)}


def on(first: Callable[[Sampling], Any], rest: Callable[[Sampling, Any], Call]) -> Sampler:
    """A call that is made around something that is chosen first, such as an array whose rank decides which axes there are."""
    return lambda g: rest(g, first(g))


# -- forms that many functions have ----------------------------------------------------------------------------------------------------------


def unary(g: Sampling) -> Call:
    return call(g.number() if g.chance(0.1) else g.array())


def array_alone(g: Sampling) -> Call:
    return call(g.array())


def binary(g: Sampling) -> Call:
    a = g.array()
    b = g.operand(a.shape)
    return call(*((a, b) if g.chance(0.8) else (b, a)))


def reduction(g: Sampling) -> Call:
    a = g.array()
    keywords = g.some(axis=g.axes(a.ndim), keepdims=g.chance())
    return ([a, keywords.pop("axis")], keywords) if "axis" in keywords and g.chance(0.4) else ([a], keywords)


def one_axis(g: Sampling) -> Call:
    """A reduction over one axis or all."""
    a = g.array()
    return [a], g.some(axis=None if g.chance(0.2) else g.axis(a.ndim), keepdims=g.chance())


def along(g: Sampling) -> Call:
    """An operation along one axis."""
    a = g.array()
    return [a], g.some(axis=None if g.chance(0.2) else g.axis(a.ndim))


def three(g: Sampling) -> Call:
    shape = g.shape()
    return call(g.array(shape), g.operand(shape), g.operand(shape))


def matrices(g: Sampling, *dtypes: str) -> Call:
    a = g.array(None, *dtypes, low=1)
    if a.ndim == 1 or g.chance(0.15):
        lead: tuple[int, ...] = g.shape(0, 2)
    else:
        lead = tuple(n for n in a.shape[:-2] if g.chance(0.7))[-2:]
    inner = a.shape[-1]
    return call(a, g.array((inner,) if g.chance(0.2) else (*lead, inner, g.length()), *dtypes))


def pair_of_matrices(g: Sampling) -> Call:
    return matrices(g, *FLOATS, "complex64")


def square(g: Sampling) -> Call:
    n = g.one_of(1, 2, 3)
    return call(g.array((*g.shape(0, 2), n, n), "float32", "float64"))


def creation(g: Sampling) -> Call:
    shape = g.one_of(g.shape(), list(g.shape()), g.int(0, 5))
    return [shape], g.some(dtype=g.one_of(None, g.dtype()))


def loss(g: Sampling) -> Call:
    shape = g.shape(1, 3)
    return [g.array(shape), g.array(shape)], g.some(reduction=g.one_of("none", "mean", "sum"))
