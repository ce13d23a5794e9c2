"""Indices and slices as Python means them: `2`, `-1`, `1:n`, and what a sequence asks of them before it gives an item.

`rows[x]` with an array `x` asks the array for its number. The index is a number or slice of Python if all its parts are constants, else it is not known.
"""

from __future__ import annotations

from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.members import (
    NONE,
    Const,
    Slice,
    Tuple,
    Value,
    members,
)
from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame


def needs_number(i: Interpreter, index: Value, place: Place, frame: Frame) -> None:
    """Python's own sequences ask the arrays in an index or a slice for their numbers."""
    for member in i.each(index):
        for part in (member.lower, member.upper, member.step) if isinstance(member, Slice) else (member,):
            for number in members(part):
                if isinstance(number, Array):
                    i.operations.use(i, "index", number, "[]", place, frame)


MISUSE: Final = (IndexError, ValueError, TypeError)
"""What Python raises for an index: out of range, a step of 0, bounds that are no integers."""


def as_index(index: Value) -> int | slice | None:
    """A constant index or slice as Python's own, None if it is not known."""
    if isinstance(index, Const) and isinstance(index.value, int):
        return int(index.value)
    if isinstance(index, Slice) and all(isinstance(part, Const) for part in (index.lower, index.upper, index.step)):
        return slice(index.lower.value, index.upper.value, index.step.value)  # type: ignore[union-attr]
    return None


def goes_to_the_end(index: Slice) -> bool:
    """Whether a slice takes all items from some position on, as `x[:]` and `x[2:]` do, of a sequence of whatever length."""
    lower, step = (part.value if isinstance(part, Const) else -1 for part in (index.lower, index.step))
    return index.upper == NONE and step in (None, 1) and (lower is None or isinstance(lower, int) and lower >= 0)


def leaves_out(index: Slice) -> bool:
    """Whether a slice takes all items of a sequence but so many at its ends, as `x[1:]` and `x[1:-1]` do."""
    lower, upper, step = (part.value if isinstance(part, Const) else "" for part in (index.lower, index.upper, index.step))
    if step not in (None, 1):
        return False
    from_front = lower is None or isinstance(lower, int) and lower >= 0
    to_end = upper is None or isinstance(upper, int) and upper < 0
    return from_front and to_end and bool(lower or upper)


def as_long(index: Slice) -> bool:
    """Whether a slice of a longer sequence has more items in the end: it begins at a fixed place from the front and ends at one from the end, as `x[1:]`,
    `x[:-1]` and `x[::2]` do."""
    lower, upper, step = (part.value if isinstance(part, Const) else "" for part in (index.lower, index.upper, index.step))
    begins = lower is None or isinstance(lower, int) and lower >= 0
    ends = upper is None or isinstance(upper, int) and upper < 0
    return begins and ends and (step is None or isinstance(step, int) and step > 0)


def most_in(index: Slice) -> int | None:
    """How many items a slice has at most, whatever it is a slice of; None if its ends are not both counted from one end of that."""
    low, high = whole(index.lower), whole(index.upper)
    if index.upper == NONE:
        return -low if low is not None and low < 0 else None
    low = 0 if index.lower == NONE else low
    return None if low is None or high is None or (low < 0) is not (high < 0) else max(0, high - low)


def whole(value: Value) -> int | None:
    """A whole number that is a constant."""
    return value.value if isinstance(value, Const) and type(value.value) is int else None


def at_front(content: Tuple, index: Value) -> bool:
    """Whether an index is that of an item that is known to lie at the front of a tuple of unknown length."""
    return content.items is None and isinstance(index, Const) and type(index.value) is int and 0 <= index.value < len(content.front)


def asks_for_end(index: int | slice, length: int) -> bool:
    """Whether what a tuple gives for an index depends on where it ends."""
    if isinstance(index, int):
        return not -length <= index < length
    if not all(bound is None or isinstance(bound, int) for bound in (index.start, index.stop, index.step)):
        return False  # Python refuses it
    return index.stop is None or not 0 <= index.stop <= length or min(index.start or 0, (index.step or 1) - 1) < 0
