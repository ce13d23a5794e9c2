"""Values in facts: what is known of a value, without the value. Frozen, typed records without behaviour."""

from __future__ import annotations

from typing import Literal

from mxlint.finding import Span
from mxlint.record import Record


class Step(Record):
    """One link of a chain of provenance: the value came into being, or was handed on, at `place`, where `text` is written."""

    text: str
    place: Span


Size = int | str | None
"""The length of an axis: known, a name that stands for one length, or unknown."""


class ArrayValue(Record):
    """An mx.array. `shape` is None where the rank is unknown; `dtype` is MLX's name of it, such as "float32"."""

    shape: tuple[Size, ...] | None
    dtype: str | None


class ScalarValue(Record):
    """A Python number, string, bool or None. `type` is its type's name, "number" for int or float, "scalar" for any of them.

    `known`: `value` is the value. `varies`: loops or calls in sight bring several values. `item`: which of the numbers of an array it is that were
    read out together, of what constants a library computes it, or what arithmetic makes it of a symbolic number; empty where it is none of these. Of one
    that may be a constant instead, `value` is that, and not `known`.
    """

    type: str
    value: None | bool | int | float | str
    known: bool
    varies: bool
    item: str = ""


class ContainerValue(Record):
    """A list, tuple or dict. `items` is None where the length is unknown; `keys` are a dict's, one for each item. `each`: a number or text of which it holds
    others from call to call, where the length is unknown; `key`: one of its keys, where these are others from call to call."""

    type: Literal["list", "tuple", "dict"]
    items: tuple[Value, ...] | None
    keys: tuple[str, ...] = ()
    each: ScalarValue | None = None
    key: ScalarValue | None = None


class ObjectValue(Record):
    """An instance. `type` is the dotted name of its class: `mlx.nn.layers.linear.Linear`, or `Net` for a class of the project."""

    type: str


class NamedValue(Record):
    """Something known by its dotted name alone: a function, class or module of the project or of a library."""

    name: str


class UnknownValue(Record):
    """A value of which nothing, or nothing that has a name here, is known. `label` is what the program calls it, if anything."""

    label: str


Value = ArrayValue | ScalarValue | ContainerValue | ObjectValue | NamedValue | UnknownValue


def is_known(value: Value) -> bool:
    """Whether a number, text, shape, or all that a container holds is known."""
    match value:
        case ScalarValue():
            return value.known
        case ContainerValue():
            return value.items is not None and all(map(is_known, value.items))
        case ArrayValue():
            return value.shape is not None and all(isinstance(size, int) for size in value.shape)
    return False
