"""Placeholders that a trace leaves in an older object, and that the caller puts right: `self.h = self._step(x, self.h)`, where the body sets `self.h` as well.

Where a trace leaves one, the state keeps that. Whoever writes there next puts it right. Whoever reads there first finds the placeholder, and so may whoever comes
when the entry is over.
"""

from __future__ import annotations

from typing import Final

from mxlint.domain.heap import Location
from mxlint.domain.members import UNBOUND, Const, members
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.journal import journal, note, where

HOLDERS: Final = frozenset(("instance", "frame", "module"))
"""Objects that are read by the names of what they hold. What a list or dict holds is also read as a whole."""
LEFT: Final = "left by a trace"


class Left:
    """What traces have left behind: by a number the compiled object, and where it was written."""

    __slots__ = ("locations", "writes")

    def __init__(self) -> None:
        self.writes: list[tuple[int, events.Where]] = []
        self.locations: set[Location] = set()


def left(i: Interpreter, location: Location, fact: events.Write) -> None:
    """A trace ends, and a placeholder lies where it has written."""
    oid, field = location
    known = i.ledger.of(Left)
    write = (fact.object, fact.where)
    if i.info(oid).kind not in HOLDERS or i.info(oid).summary or not isinstance(field, str):
        journal(i).found_placeholders.add(write)
        return
    known.locations.add(location)
    known.writes.append(write)
    i.heap.set(oid, ("#", LEFT, field), Const(len(known.writes) - 1))


def written(i: Interpreter, oid: int, field: object, place: Place) -> None:
    """Something else is put in a place."""
    if (oid, field) not in i.ledger.of(Left).locations:
        return
    for compiled, at in _there(i, oid, field):
        if i.info(oid).summary:
            journal(i).found_placeholders.add((compiled, at))
        else:
            note(i, events.Note(events.PUT_RIGHT, where(place), "", compiled, events.Modality(), (at,)))
    if not i.info(oid).summary:
        i.heap.set(oid, ("#", LEFT, field), UNBOUND)


def found(i: Interpreter, oid: int, field: object) -> None:
    """A place is read, or nobody says what comes next."""
    if (oid, field) in i.ledger.of(Left).locations:
        journal(i).found_placeholders.update(_there(i, oid, field))


def _there(i: Interpreter, oid: int, field: object) -> list[tuple[int, events.Where]]:
    """The writes of which a placeholder may lie in a place."""
    marks = members(i.heap.get(oid, ("#", LEFT, field)) or UNBOUND)
    return [i.ledger.of(Left).writes[mark.value] for mark in marks if isinstance(mark, Const) and isinstance(mark.value, int)]
