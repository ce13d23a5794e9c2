"""Arguments of compiled functions: what MLX accepts, the key it makes of them, and the arrays in them."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from mxlint.tracing import attribute, dtypes
from mxlint.tracing.values import (
    Array,
    BoundV,
    Choice,
    ClassV,
    CompiledV,
    DictV,
    External,
    Foreign,
    FuncV,
    Instance,
    ListV,
    ModuleV,
    NumpyV,
    Opaque,
    PartialV,
    RangeV,
    Scalar,
    SliceV,
    TransformV,
    Tup,
    Value,
)  # fmt: skip

if TYPE_CHECKING:
    from mxlint.tracing.mlx.table import Table

_FUNCTIONS = (FuncV, BoundV, PartialV, CompiledV, TransformV)


def flat_arrays(values: Iterable[Value]) -> Iterator[Array]:
    """The arrays of an argument tree, in the order in which MLX numbers them."""
    for value in values:
        if isinstance(value, Array):
            yield value
        elif isinstance(value, (Tup, ListV)):
            yield from flat_arrays(value.items if value.items is not None else (value.element,) if isinstance(value, ListV) else ())
        elif isinstance(value, DictV):
            yield from flat_arrays([v for k, v in value.fields.items() if isinstance(k, tuple) or k == "element"])


def signature(value: Value, *, shapes: bool, depth: int = 5) -> Any:
    """What the cache tells arguments apart by, as far as it is known. `shapes` false: shapeless."""
    if isinstance(value, Array):
        if not shapes or value.shape is None:
            return ("array", len(value.shape) if value.shape is not None else None, value.tree, _dtype(value))
        return ("array", tuple(size.content if size.known else None for size in value.shape), _dtype(value))
    if isinstance(value, Scalar):
        return ("const", value.kind, value.content if value.known else None)
    if depth and isinstance(value, (Tup, ListV)) and value.items is not None:
        return (type(value).__name__, tuple(signature(item, shapes=shapes, depth=depth - 1) for item in value.items))
    if depth and isinstance(value, DictV):
        return ("dict", tuple((k, signature(v, shapes=shapes, depth=depth - 1)) for k, v in value.fields.items() if isinstance(k, tuple)))
    return ("other", type(value).__name__)


def _dtype(value: Array) -> str:
    """One that is not known is taken for what nearly all are."""
    return value.dtype or dtypes.FLOAT


def _bits(content: Any) -> int:
    """A constant as the 64 bits that the cache compares: a float by its representation, a bool as 0 or 1."""
    return int.from_bytes(struct.pack("<d", content), "little", signed=True) if isinstance(content, float) else int(content)


def flat_key(values: Iterable[Value], depth: int = 5) -> tuple[Any, ...] | None:
    """The key of an argument tree as mlx/python/src/transforms.cpp flattens it: no end of containers, no types of constants.

    None when a part of it is not known.
    """
    key: list[Any] = []
    for value in values:
        if isinstance(value, Array):
            if value.shape is None or value.tree or not all(size.known for size in value.shape):
                return None
            key.append(("array", tuple(size.content for size in value.shape), _dtype(value)))
        elif isinstance(value, Scalar) and value.known:
            key.append(
                ("str", value.content) if value.kind == "str" else ("none",) if value.kind == "None" else ("const", _bits(value.content))
            )
        elif depth and isinstance(value, (Tup, ListV)) and value.items is not None:
            inner = flat_key(value.items, depth - 1)
            if inner is None:
                return None
            key += [("list",), *inner]
        elif depth and isinstance(value, DictV) and not value.open:
            key.append(("dict",))
            for name in value.keys:
                inner = flat_key([value.fields["k", name]], depth - 1)
                if inner is None:
                    return None
                key += [("key", name), *inner]
        else:
            return None
    return tuple(key)


TAKES_NONE = "0.29.2"
"""The first version of MLX in which None is a constant argument."""


def bad_type(table: Table, value: Value, depth: int = 4) -> str | None:
    """What is wrong with an argument: the name of a type that is neither array, constant nor a tree of them; None if nothing is known to be."""
    if isinstance(value, Scalar):
        if value.kind == "None" and table.before(TAKES_NONE):
            return "NoneType"
        large = value.kind == "int" and value.known and not -(2**63) <= value.content < 2**64
        return "int of more than 64 bits" if large else None
    if isinstance(value, (Tup, ListV, DictV)):
        if depth == 0:
            return None
        items = value.items or () if isinstance(value, (Tup, ListV)) else tuple(v for k, v in value.fields.items() if isinstance(k, tuple))
        return next((kind for item in items if (kind := bad_type(table, item, depth - 1)) is not None), None)
    if isinstance(value, Instance):
        return _bad_instance(value)
    if isinstance(value, NumpyV):
        return None if value.kind in ("float64", "scalar") else "numpy.ndarray" if value.kind == "array" else f"numpy.{value.kind}"
    if isinstance(value, Foreign):
        return value.kind.removesuffix(" of an argument") if value.kind not in ("list", "tuple", "dict", "") else None
    if isinstance(value, RangeV):
        return "range"
    if isinstance(value, SliceV):
        return "slice"
    if isinstance(value, BoundV) and not isinstance(value.function, FuncV):
        return None  # an attribute of a library's object: nobody knows that it is a method
    if isinstance(value, _FUNCTIONS):
        return "function"
    if isinstance(value, ClassV):
        return "type"
    if isinstance(value, ModuleV):
        return "module"
    if isinstance(value, External) and value.name.startswith("mlx."):
        entry = table.entry(value.name)
        return "function" if entry is not None and entry.kind == "function" else None
    if isinstance(value, External) and value.name.startswith("builtins."):
        return (
            "type" if value.name in ("builtins.int", "builtins.float", "builtins.str", "builtins.object", "builtins.list") else "function"
        )
    return None


def _bad_instance(value: Instance) -> str | None:
    if attribute.is_module(value):
        return "nn.Module"
    bases = list(attribute.mro(value.cls))
    if any(isinstance(base, (Opaque, Choice)) for base in bases):
        return None
    if attribute.is_namespace(value):
        return "SimpleNamespace"
    if isinstance(value.cls, External):
        return value.cls.name.rsplit(".", 1)[-1] if value.cls.name.startswith("mlx.optimizers.") else None
    if any(isinstance(base, External) and base.name not in ("builtins.object", "abc.ABC", "typing.Generic") for base in bases):
        return None
    return value.cls.name.rsplit(".", 1)[-1]
