"""Lists that are so many items of another at most, as `tokens[-8:]`, and arrays that are made of one: their lengths come to an end."""

from __future__ import annotations

from collections.abc import Sequence

from mxlint.domain.arrays import Array
from mxlint.domain.members import Ref, Tuple, Value, members
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.machine.reach import arrays_in


class Windows:
    """Lists and arrays that have so many lengths at most, by their numbers."""

    __slots__ = ("most",)

    def __init__(self) -> None:
        self.most: dict[int, int] = {}


def keep(i: Interpreter, number: int, most: int | None) -> None:
    """A list was cut out of another, or an array made: it has `most` lengths, None for any number."""
    known = i.ledger.of(Windows).most
    if most:
        known[number] = most
    else:
        known.pop(number, None)


def made(i: Interpreter, ident: int, operands: Sequence[Value]) -> None:
    """Host code made an array of values, of which one alone has a length that is not fixed if it is a window."""
    if i.trace is None and i.ledger.of(Windows).most:
        arrays: list[Value] = [array for value in operands for array in arrays_in(i, value)]
        sources = arrays or [
            member if at_most(i, member) else _only_row(i, member)
            for value in operands
            for member in members(value)
            if isinstance(member, Ref)
        ]
        keep(i, ident, at_most(i, sources[0]) if len(sources) == 1 else None)


def _only_row(i: Interpreter, rows: Ref) -> Value:
    """The one item of a list of one, else the list."""
    content = i.heap.get(rows.oid, ITEMS)
    return content.items[0] if isinstance(content, Tuple) and content.items is not None and len(content.items) == 1 else rows


def at_most(i: Interpreter, value: Value) -> int:
    """How many lengths a list or array has that is a window, or each of several; 0 if it may have any number."""
    numbers = [m.ident if isinstance(m, Array) else m.oid if isinstance(m, Ref) else None for m in members(value)]
    found = [i.ledger.of(Windows).most.get(number, 0) if number is not None else 0 for number in numbers]
    return max(found) if all(found) else 0
