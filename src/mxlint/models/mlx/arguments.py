"""How the arguments of a modelled function are described, and bound to its parameters.

A known Python value is itself: numbers, text, bool, None, lists, tuples and dicts of descriptions. An integer may be a `Size`. What is not known is a
`Scalar` of some type, an `ArrayType`, a `Dtype`, or `UNKNOWN`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from mxlint.domain.shape import Shape, shape_of
from mxlint.domain.size import MaybeSize, Size, number


class ArrayType:
    """An array: its shape and the name of its dtype, each None where it is not known."""

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: Shape, dtype: str | None) -> None:
        self.shape, self.dtype = shape, dtype

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArrayType) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"{self.dtype or '?'}{list(self.shape) if self.shape is not None else '[?]'}"


class Scalar:
    """A Python value of a known type, which is one of bool, int, float, complex, str, or `number` for one of several of them but the last."""

    __slots__ = ("type",)

    def __init__(self, type: str) -> None:
        self.type = type

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scalar) and self.type == other.type

    def __hash__(self) -> int:
        return hash(self.type)

    def __repr__(self) -> str:
        return f"<{self.type}>"


class Dtype:
    """A dtype, by the name that MLX prints; None where it is not known which."""

    __slots__ = ("name",)

    def __init__(self, name: str | None) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dtype) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<dtype {self.name or '?'}>"


class Unknown:
    """Any value at all."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"


class Absent:
    """What is not there: an attribute that the arguments of a constructor leave out."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


UNKNOWN, ABSENT = Unknown(), Absent()
Argument = Any
"""A description as above. Containers nest, which makes a precise type more noise than help."""


# -- reading arguments -------------------------------------------------------------------------------------------------


def integer(value: Argument) -> MaybeSize:
    """An integer; None where it is not known."""
    return value if isinstance(value, Size) else number(int(value)) if isinstance(value, int) else None


def plain_integer(value: Argument) -> int | None:
    """An integer that is a number; None where it is not."""
    size = integer(value)
    return None if size is None else size.number


def integers(value: Argument) -> list[MaybeSize] | None:
    """A sequence of integers, or one integer as a sequence of one; None where it is not known how many."""
    if isinstance(value, (list, tuple)):
        return [integer(item) for item in value]
    return [integer(value)] if isinstance(value, (int, Size)) or value == Scalar("int") else None


def plain_integers(value: Argument) -> list[int] | None:
    """A sequence of plain numbers, or one number as a sequence of one; None where one is not known as a number."""
    found = integers(value)
    numbers = [size.number if size is not None else None for size in found or ()]
    return None if found is None or None in numbers else [n for n in numbers if n is not None]


def truth(value: Argument) -> bool | None:
    """The truth of a value; None where it is not known."""
    if isinstance(value, (ArrayType, Scalar, Unknown)):
        return None
    if isinstance(value, Size):
        return None if value.number is None else value.number != 0
    return True if isinstance(value, Dtype) else bool(value)


def array_shape(value: Argument) -> Shape:
    """The shape of what MLX makes an array of: an array, a number, a nested list."""
    if isinstance(value, ArrayType):
        return value.shape
    if isinstance(value, (bool, int, float, complex, Scalar, Size)):
        return ()
    if isinstance(value, (list, tuple)):
        inner = array_shape(value[0]) if value else ()
        return None if inner is None else (*shape_of([len(value)]), *inner)
    return None


# -- binding -----------------------------------------------------------------------------------------------------------


class Signature:
    """The parameters of a function: names in their order, defaults as expressions, how each may be given."""

    __slots__ = ("defaults", "keyword_only", "positional", "positional_only", "variadic")

    def __init__(self, text: str) -> None:
        made = ast.parse(f"def f({text}): pass").body[0]
        assert isinstance(made, ast.FunctionDef)
        given = made.args
        self.positional_only = tuple(arg.arg for arg in given.posonlyargs)
        self.positional = self.positional_only + tuple(arg.arg for arg in given.args)
        self.keyword_only = tuple(arg.arg for arg in given.kwonlyargs)
        self.variadic = given.vararg.arg if given.vararg is not None else None
        self.defaults: dict[str, ast.expr] = dict(zip(reversed(self.positional), reversed(given.defaults)))
        self.defaults |= {arg.arg: default for arg, default in zip(given.kwonlyargs, given.kw_defaults) if default is not None}

    def bind(
        self, arguments: Sequence[Argument], keywords: Mapping[str, Argument], default: Callable[[ast.expr], Argument]
    ) -> dict[str, Argument] | None:
        """Arguments by parameter, with defaults; None where a call like this raises."""
        if len(arguments) > len(self.positional) and self.variadic is None:
            return None
        bound = dict(zip(self.positional, arguments))
        if self.variadic is not None:
            bound[self.variadic] = tuple(arguments[len(self.positional) :])
        for name, value in keywords.items():
            if name in bound or name in self.positional_only or name not in self.positional + self.keyword_only:
                return None
            bound[name] = value
        for name in self.positional + self.keyword_only:
            if name not in bound:
                if name not in self.defaults:
                    return None
                bound[name] = default(self.defaults[name])
        return bound


@lru_cache(maxsize=1024)
def signature(text: str) -> Signature:
    """The signature of a string such as "a, /, axis=None, *, keepdims=False"."""
    return Signature(text)
