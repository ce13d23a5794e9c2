"""Single elements of an array of a library, by their index: whether a write at another index can change one.

`a[0, 1]` names a cell. A write at `a[0]` changes it, one at `a[1]` does not, and one at `a[i]` may.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final, TypeAlias

from mxlint.domain.members import NONE, Const, Slice, Tuple, Value

Cell: TypeAlias = tuple[int, ...]
"""The indices along the axes; those that count from the end are negative, where nothing says how long the axis is."""
_WHOLE: Final = Slice(NONE, NONE, NONE)


def cell(index: Value, shape: Sequence[int]) -> Cell | None:
    """What an index of constants names. `shape`: the lengths of the first axes, as far as they are known."""
    items = index.items if isinstance(index, Tuple) else (index,)
    numbers = [item.value for item in items or () if isinstance(item, Const) and type(item.value) is int]
    if not items or len(numbers) < len(items):
        return None
    return tuple(_from_the_front(number, length) for number, length in zip_longest(numbers, shape[: len(numbers)]))


def meets(at: Cell, index: Value, shape: Sequence[int]) -> bool | None:
    """Whether what is written at an index is at a cell, too, or in what lies there; None if nothing says it."""
    items = index.items if isinstance(index, Tuple) and index.items is not None else (index,)
    found = [
        _meets(number, item, shape[axis] if axis < len(shape) else None) for axis, (number, item) in enumerate(zip(at, items))
    ] if _is_plain(items) else [None]  # fmt: skip
    return False if False in found else None if None in found else True


def _is_plain(items: Sequence[Value]) -> bool:
    """Whether each index takes one axis, as far as they are known."""
    return all(isinstance(item, Slice) or isinstance(item, Const) and type(item.value) is int for item in items)


def _from_the_front(number: int, length: int | None) -> int:
    return number + length if number < 0 and length is not None and number + length >= 0 else number


def _meets(number: int, item: Value, length: int | None) -> bool | None:
    """Whether an index along one axis is, or takes in, a number on it; None if nothing says it. `length`: of the axis."""
    if isinstance(item, Const) and isinstance(item.value, int):
        other = _from_the_front(item.value, length)
        return number == other if (number < 0) == (other < 0) else None
    if not isinstance(item, Slice) or item.step not in (NONE, Const(1)):
        return None
    if item == _WHOLE:
        return True
    bounds = [bound.value if isinstance(bound, Const) else ... for bound in (item.lower, item.upper)]
    if not all(bound is None or type(bound) is int for bound in bounds):
        return None
    lower, upper = (None if bound is None else _from_the_front(bound, length) for bound in bounds)  # type: ignore[arg-type]
    if number == -1 and upper is None:
        return True  # nobody writes what is empty
    known = [bound for bound in (lower, upper, number) if bound is not None]
    if any(bound < 0 for bound in known):
        return None
    return (lower is None or lower <= number) and (upper is None or number < upper)
