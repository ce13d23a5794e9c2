"""Dtypes of results: promotion, and what functions make of a dtype. All of it is measured (dtypes.json); a dtype is MLX's name of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from mxlint.domain.size import Size
from mxlint.models.mlx.arguments import Argument, ArrayType, Dtype, Scalar
from mxlint.resources import resource

INT32_END = 2**31
_WIDER = ("bool", "int", "float", "complex")
"""Types of Python numbers; the widest of several is that of the last that occurs."""


@lru_cache(maxsize=1)
def tables() -> dict[str, Any]:
    """`promote`: dtype → dtype → dtype; `weak`: type of a Python number → dtype of the array beside it → dtype; `filled`: the same for `full`; `alone`: type → dtype; `bytes`: dtype → number; `maps`: name → dtype → dtype."""
    found: dict[str, Any] = json.loads(resource("models", "mlx", "dtypes.json").read_bytes())
    return found


def item_size(dtype: str | None) -> int | None:
    """The bytes of an element of a dtype."""
    found: int | None = tables()["bytes"].get(dtype)
    return found


def promote(a: str | None, b: str | None) -> str | None:
    """The dtype of an operation on two arrays."""
    if a is None or b is None:
        return None
    found: str | None = tables()["promote"].get(a, {}).get(b)
    return found


def beside(kind: str, dtype: str | None) -> str | None:
    """The dtype of an operation on an array and a Python number of this type."""
    found: str | None = tables()["weak"].get(kind, {}).get(dtype)
    return found


def filled(value: Argument, dtype: str | None) -> str | None:
    """The dtype of an array filled with a value, where this dtype was asked for: MLX does not always follow."""
    kind = number_type(value)
    found: str | None = None if kind is None else tables()["filled"][kind].get(dtype)
    return found


def of_map(name: str, dtype: str | None) -> str | None:
    """What a named map makes of a dtype; None where MLX raises."""
    found: str | None = tables()["maps"][name].get(dtype)
    return found


def number_type(value: Argument) -> str | None:
    """The type of a Python number."""
    if isinstance(value, Scalar):
        return value.type if value.type in _WIDER else None
    if isinstance(value, Size):
        return "int"
    return type(value).__name__ if isinstance(value, (bool, int, float, complex)) else None


def of_value(value: Argument) -> str | None:
    """The dtype of `mx.array(value)`."""
    if isinstance(value, ArrayType):
        return value.dtype
    if isinstance(value, (list, tuple)):
        return _of_items(value)
    kind = number_type(value)
    if kind == "int":  # one that does not fit is wider
        return None if isinstance(value, int) and not -INT32_END <= value < INT32_END else "int32"
    return None if kind is None else tables()["alone"][kind]


def _of_items(items: Iterable[Argument]) -> str | None:
    parts = list(_leaves(items))
    if not parts:
        return "float32"
    found = [of_value(part) for part in parts]
    if None in found:
        return None
    if any(isinstance(part, ArrayType) for part in parts):
        result = found[0]
        for dtype in found[1:]:
            result = promote(result, dtype)
        return result
    kinds = [kind for part in parts if (kind := number_type(part)) is not None]
    return of_value(Scalar(max(kinds, key=_WIDER.index)))


def _leaves(items: Iterable[Argument]) -> Iterable[Argument]:
    for item in items:
        if isinstance(item, (list, tuple)):
            yield from _leaves(item)
        else:
            yield item


def of_operands(values: Iterable[Argument]) -> str | None:
    """The dtype that several operands are brought to: a Python number gives way to an array of its sort or a wider one."""
    arrays: list[str | None] = []
    numbers: list[Argument] = []
    for value in values:
        if isinstance(value, Dtype):
            arrays.append(value.name)
        elif isinstance(value, ArrayType):
            arrays.append(value.dtype)
        elif number_type(value) is not None:
            numbers.append(value)
        else:
            return None
    if not arrays:
        if not numbers:
            return None
        result = of_value(numbers[0])
        for value in numbers[1:]:
            result = promote(result, of_value(value))
        return result
    result = arrays[0]
    for dtype in arrays[1:]:
        result = promote(result, dtype)
    for value in numbers:
        result = beside(number_type(value) or "", result)
    return result
