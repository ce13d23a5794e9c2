"""Values as the models of MLX's results want them: shape and dtype of arrays, plain numbers, lists and tuples of these.

`mx.reshape(x, (2, -1))` is described by the type of `x` and the tuple `(2, -1)`. A list of unknown length is described as one of some lengths; what these
descriptions have in common holds for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mxlint.domain.arrays import Array, join_arrays
from mxlint.domain.join import join
from mxlint.domain.members import (
    NONE,
    Const,
    External,
    Kind,
    Length,
    Measure,
    Range,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Union,
    Value,
    members,
    scalar_type,
)
from mxlint.domain.size import Size, number
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.journal import room
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.models.mlx import arguments as described

ARRAY: Final = "mlx.core.array"


NUMBERS: Final = frozenset(("bool", "int", "float", "complex", "number"))
"""Types of Python that are numbers to MLX, and one of them, whichever."""


SCALARS: Final = NUMBERS | {"str"}


MAX_PARTS: Final = 4_096
"""Parts of nested sequences that are looked at."""


def describe(i: Interpreter, value: Value) -> Any:
    """A value as the models of MLX's results want it; of a large one the less deep parts alone."""
    return _described(i, value, room(i, value, 4, MAX_PARTS))


def _described(i: Interpreter, value: Value, depth: int) -> Any:
    if isinstance(value, Union):
        arrays = [member for member in members(value) if isinstance(member, Array)]
        if len(arrays) == len(value.options):
            merged = arrays[0]
            for array in arrays[1:]:
                merged = join_arrays(merged, array.but(ident=merged.ident))
            return _described(i, merged, depth)
        types = {scalar_type(member) or "" for member in members(value)}
        if "" not in types and len(types) == 1:
            return described.Scalar(types.pop())
        return described.Scalar("number") if types <= NUMBERS else described.UNKNOWN
    if isinstance(value, Array):
        shape = (
            None
            if value.shape is None
            else tuple(size if isinstance(size, Size) else number(size) if isinstance(size, int) else None for size in value.shape)
        )
        return described.ArrayType(shape, value.dtype)
    if isinstance(value, Const):
        return value.value if not isinstance(value.value, bytes) and value.value is not ... else described.UNKNOWN
    if isinstance(value, Length):
        return value.size
    if isinstance(value, (Range, Kind, Measure)):
        name = scalar_type(value)
        return described.Scalar(name) if name in SCALARS else described.UNKNOWN
    if isinstance(value, Symbolic):
        name = scalar_type(value)
        return described.Scalar(name) if name in SCALARS else described.UNKNOWN
    if isinstance(value, External):
        dtype = i.mlx.dtype(value.name)
        return described.Dtype(dtype) if dtype is not None else described.UNKNOWN
    if isinstance(value, Tuple) and depth:
        return tuple(_described(i, item, depth - 1) for item in value.items) if value.items is not None else described.UNKNOWN
    if isinstance(value, Ref) and depth:
        content = i.heap.get(value.oid, ITEMS)
        if isinstance(content, Tuple) and content.items is not None:
            return [_described(i, item, depth - 1) for item in content.items]
    return described.UNKNOWN


def described_key(i: Interpreter, key: Value) -> Any:
    """A key of `array[key]` as the models want it."""
    if isinstance(key, Tuple) and key.items is not None:
        return tuple(described_key(i, item) for item in key.items)
    if isinstance(key, Slice):
        return slice(*(describe(i, bound) for bound in (key.lower, key.upper, key.step)))
    return ... if key == Const(...) else describe(i, key)


def of_any_length(i: Interpreter, value: Value) -> Tuple | None:
    """The content of a list or tuple of unknown length, or of one of several."""
    if isinstance(value, Union) and not all(isinstance(member, Ref) for member in members(value)):
        return None
    contents = [i.heap.get(member.oid, ITEMS) or NONE if isinstance(member, Ref) else member for member in members(value)]
    tuples = [member for content in contents for member in members(content)]
    parts = [part for member in tuples if isinstance(member, Tuple) for part in member.parts]
    if len(tuples) == 1:
        return tuples[0] if isinstance(tuples[0], Tuple) and tuples[0].items is None and parts else None
    return Tuple(None, join(parts)) if parts and all(isinstance(member, Tuple) for member in tuples) else None


def with_length(i: Interpreter, value: Value, count: int) -> Any:
    """A value as the models want it; a list of unknown length as one of `count` items."""
    content = of_any_length(i, value)
    return describe(i, value) if content is None or content.element is None else [describe(i, content.element)] * count


def in_common(a: Any, b: Any) -> Any:
    """What two results of one rank have in common."""
    if not isinstance(a, described.ArrayType) or not isinstance(b, described.ArrayType):
        return described.UNKNOWN
    if a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
        return described.ArrayType(None, a.dtype if a.dtype == b.dtype else None)
    return described.ArrayType(tuple(x if x == y else None for x, y in zip(a.shape, b.shape)), a.dtype if a.dtype == b.dtype else None)


def describe_by_name(i: Interpreter, values: Mapping[str, Value]) -> dict[str, Any]:
    return {name: describe(i, value) for name, value in values.items()}
