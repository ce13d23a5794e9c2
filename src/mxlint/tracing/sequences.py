"""Iterables as abstract values: their elements where these are known, else what stands for each of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from mxlint.tracing import operators
from mxlint.tracing.call import CallInfo, iterated
from mxlint.tracing.machine import Machine
from mxlint.tracing.values import UNKNOWN, DictV, Foreign, ListV, Scalar, Tup, Value, const, join

MAX_LETTERS = 64
"""Letters of a string that are gone through one by one."""
MAX_ITEMS = 16
"""Elements of what an iterator is made into, where they are kept apart."""


def elements(m: Machine, value: Value, info: CallInfo) -> list[Value] | None:
    """All elements in order, or None."""
    value = iterated(m, value, info.place, info.frame)
    if isinstance(value, Scalar) and value.kind == "str" and value.known and len(value.content) <= MAX_LETTERS:
        return [const(letter) for letter in value.content]
    if isinstance(value, (Tup, ListV)):
        return list(value.items) if value.items is not None else None
    if isinstance(value, DictV):
        return None if value.open else [const(key) for key in value.keys]
    return operators.elements(m, value, info.place, info.frame)


def representative(m: Machine, value: Value, info: CallInfo) -> Value:
    """What stands for each element."""
    first, later = operators.first_and_later(m, iterated(m, value, info.place, info.frame), info.place, info.frame)
    return join(first, later)


def joined(values: Sequence[Value]) -> Value:
    """What stands for all of these."""
    return reduce(join, values) if values else UNKNOWN


def iterator(values: Sequence[Value]) -> Foreign:
    """An iterator that gives these."""
    return Foreign("generator", joined(values), tuple(values))


def iterator_like(element: Value) -> Foreign:
    """An iterator of unknown length whose elements are like `element`."""
    return Foreign("generator", element)
