"""Containers whose items are not known one by one: a list that is as long as a file has lines, `[0] * n`.

Such a list looks the same before and after `xs.pop()`, `xs.reverse()` or `xs.sort()`. So a few cells stand for what may be asked of it: how many items there are,
which, in which order, what lies at a place. What changes the container in place puts something else into the cells that it changes: surely, or on an open
condition, where it may leave them as they are. A trace keeps the cells of what it reads, and a later call compares these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mxlint.domain.heap import Field
from mxlint.domain.join import of
from mxlint.domain.members import (
    NONE,
    UNBOUND,
    Const,
    Member,
    Option,
    Ref,
    Symbolic,
    Tuple,
    Unbound,
    Unknown,
    Value,
    members,
    options,
)
from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import (
    ANY,
    BACK,
    DISTINCT,
    FILLING,
    FRONT,
    HELD,
    HELD_COUNT,
    HELD_UNORDERED,
    ITEMS,
    KEYS,
    MANY,
    MORE,
    ONE,
    ORDER,
    PART,
    REORDERED_OF,
    REST,
    UNORDERED,
    WHICH,
    WHOLE,
)
from mxlint.interpreter.machine.writing import Writes

LENGTH: Final = ("#", "length")
FILLED: Final = ("#", "filled")
IN: Final = "in"
CHANGED: Final = "changed"
"""Begins the name of what stands for a container behind a change, which the place of the change follows."""

READS: Final[Mapping[Field, tuple[Field, ...]]] = {
    ITEMS: (WHICH, ORDER),
    UNORDERED: (WHICH,),
    DISTINCT: (WHICH,),
    LENGTH: (MANY, MORE),
    FILLED: (FILLING,),
    HELD: (WHICH, ORDER),
    HELD_UNORDERED: (WHICH,),
    HELD_COUNT: (MANY, MORE),
}
"""The cells of what is asked of a container as a whole."""

OF_DICT: Final[Mapping[Field, Field]] = {KEYS: WHICH, UNORDERED: WHICH, REST: WHICH, LENGTH: WHICH}
"""The cell of what is asked of a dict of which not all keys are known. It says what was taken out: what is put in shows in what lies there."""


class _Read:
    """The containers of which traces have read something that cells stand for: what becomes of others, no call asks."""

    __slots__ = ("oids",)

    def __init__(self) -> None:
        self.oids: set[int] = set()


def note_read(i: Interpreter, oid: int) -> None:
    """A trace reads what cells stand for."""
    i.ledger.of(_Read).oids.add(oid)


def is_read(i: Interpreter, oid: int) -> bool:
    """Whether a trace has read what cells of a container stand for."""
    return oid in i.ledger.of(_Read).oids


def is_unlisted(content: Value | None) -> bool:
    """Whether a container holds items that are not known one by one, on some paths at least, and something is known of all that it may hold."""
    return (
        content is not None
        and any(isinstance(member, Tuple) and member.items is None for member in members(content))
        and not any(isinstance(member, Unknown) for member in members(content))
    )


def cell(i: Interpreter, oid: int, field: Field) -> Value:
    """What stands in a cell; nothing has changed what it is about where that is None, or 0."""
    found, begin = i.heap.get(oid, field), Const(0) if field == MORE else NONE
    return begin if found is None else of(Option(begin if isinstance(o.member, Unbound) else o.member, o.guard) for o in options(found))


def cells(i: Interpreter, oid: int, field: Field) -> dict[Field, Value]:
    """The cells of what a trace reads at a location of a container, and what stands there, also what the container holds if that is read as a whole; none
    where the items are known, or something else is read."""
    if field in WHOLE:
        return {at: cell(i, oid, at) for at in READS[field]}
    if i.info(oid).kind == "dict":
        asked = OF_DICT.get(field, (ONE, field) if isinstance(field, tuple) and field[0] == "k" else None)
        return {} if asked is None or not is_open_dict(i, oid) else {asked: cell(i, oid, asked)}
    content = i.heap.get(oid, ITEMS)
    if content is None or not is_unlisted(content):
        return {}
    if isinstance(field, tuple) and field[0] == "item":
        return {at: cell(i, oid, at) for at in (BACK if field[1] < 0 else FRONT, (ONE, field))}
    of = ((ONE, field),) if isinstance(field, tuple) and field[0] == IN else READS.get(field, ())
    return {**{at: cell(i, oid, at) for at in of}, ITEMS: content} if of else {}


def changed_at(standing: Member) -> Place | None:
    """Where a container was changed, by what stands in a cell."""
    match standing:
        case Symbolic(identity=(str(word), Place() as place, _)) if word == CHANGED:
            return place
    return None


def keep_items(i: Interpreter, made: int, source: Value) -> None:
    """Keep that a new list holds the items of another container in another order: it may be put in the place of those."""
    if isinstance(source, Ref) and is_read(i, source.oid) and is_unlisted(i.heap.get(source.oid, ITEMS)):
        i.heap.set(made, REORDERED_OF, _items_of(i, made, source.oid))


def has_items_of(i: Interpreter, made: Value, oid: int) -> bool:
    """Whether something holds the items that a container has, in another order."""
    return isinstance(made, Ref) and i.heap.get(made.oid, REORDERED_OF) == _items_of(i, made.oid, oid)


def _items_of(i: Interpreter, made: int, oid: int) -> Tuple:
    """What tells the items of a container from those that it had at another time, and how often what holds them was written."""
    written = Const(i.ledger.of(Writes).counts.get((made, ANY), 0))
    return Tuple((Const(oid), written, *(cell(i, oid, at) for at in (MANY, MORE, WHICH))))


def is_place(field: Field) -> bool:
    """Whether a location is one place of a container, or a part of what lies there."""
    return isinstance(field, tuple) and (field[1] if field[0] == PART else field)[0] == "item"


def same_in(i: Interpreter, found: Mapping[Field, Value], oid: int) -> bool:
    """Whether another container holds, as far as is known, what a trace has found."""
    return all((cell(i, oid, at) if at != ITEMS else i.heap.get(oid, at)) == value for at, value in found.items())


def is_open_dict(i: Interpreter, oid: int) -> bool:
    """Whether something that is known may lie in a dict under keys that are not."""
    return any(not isinstance(member, (Unbound, Unknown)) for member in members(i.heap.get(oid, REST) or UNBOUND))
