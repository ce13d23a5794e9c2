"""Objects that a loop made are folded into one once the loop is over.

A loop makes three abstract objects at a site: that of its first round, the newest, and one for those between. In a list of unknown length nothing distinguishes
them, as each item may be each of them. Those that only such a list holds become one, with what only they hold. So the layers of a model are one layer, and a
loop over them runs its body once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.heap import Location
from mxlint.domain.join import MAX_MEMBERS
from mxlint.domain.members import Ref, Tuple, Value, members
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS

_FOLDED: Final = frozenset(("instance", "list", "dict", "set"))
CLASS: Final = ("#", "class")


def fold(i: Interpreter, mark: int) -> None:
    """Fold what lists of unknown length hold that were written since a mark."""
    for (oid, field), value in i.heap.changes(mark).items():
        if field != ITEMS:
            continue
        for member in members(value):
            if isinstance(member, Tuple) and member.items is None and member.element is not None:
                _fold_items(i, (oid, field), member.element)


def make_room(i: Interpreter, at: Location) -> Value | None:
    """What lies where something keeps all that it is given, as a queue does, with room for one more: nothing distinguishes the objects that one piece of code made
    and that only this holds."""
    held = i.heap.get(*at)
    if held is None or len(members(held)) < MAX_MEMBERS - 1:
        return held
    _fold_items(i, at, held, _FOLDED)
    return i.heap.get(*at)


def _fold_items(i: Interpreter, at: Location, element: Value, kinds: Collection[str] = ("instance",)) -> None:
    alike: dict[object, list[int]] = {}
    for member in members(element):
        if isinstance(member, Ref) and i.info(member.oid).kind in kinds and i.heap.holders(member.oid) == {at}:
            alike.setdefault(_likeness(i, member.oid), []).append(member.oid)
    for numbers in alike.values():
        if len(numbers) > 1:
            _fold(i, numbers)


def _likeness(i: Interpreter, number: int) -> object:
    """What objects have in common that one piece of code made."""
    info = i.info(number)
    return (info.kind, info.place, i.heap.get(number, CLASS))


def _fold(i: Interpreter, numbers: Sequence[int]) -> None:
    """Make one object of several, and of those that they alone hold in the same field and that one piece of code made."""
    for field in dict.fromkeys(field for number in numbers for field in i.heap.fields(number)):
        alike: dict[object, list[int]] = {}
        for part in dict.fromkeys(part for number in numbers for part in _parts(i, number, field)):
            if i.heap.holders(part) <= {(number, field) for number in numbers}:
                alike.setdefault(_likeness(i, part), []).append(part)
        for found in alike.values():
            if len(found) > 1:
                _fold(i, found)
    whole = next((number for number in numbers if i.info(number).summary), None)
    i.heap.fold(numbers, whole)


def _parts(i: Interpreter, number: int, field: object) -> Iterator[int]:
    """The objects and arrays that may be in a field."""
    held = i.heap.get(number, field)
    for member in members(held) if held is not None else ():
        if isinstance(member, Ref) and i.info(member.oid).kind in _FOLDED:
            yield member.oid
        elif isinstance(member, Array):
            yield member.ident
