"""Which of the functions that may run between two calls are still to be asked: not those of which all has been said.

The client runs the same functions between the calls of many methods that come to the same compiled objects. Where it has found that such an object keeps the old
value of all that it has read of an object, by no more than one step of modality, each further way to that says the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from mxlint.facts import events
from mxlint.interpreter.compiled.staleness import NOT_FOLLOWED
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.journal import journal
from mxlint.interpreter.open_world.client_methods import Method


class Written:
    """The objects in which each function has written something, when the client ran it."""

    __slots__ = ("by",)

    def __init__(self) -> None:
        self.by: dict[Method, set[int]] = {}


def ran(i: Interpreter, method: Method, mark: int) -> None:
    """Keep in which objects a function has written since a mark."""
    fields = (location for location, _ in i.heap.trail[mark:])
    written = (oid for oid, field in fields if not (isinstance(field, tuple) and field[0] == "#"))
    i.ledger.of(Written).by.setdefault(method, set()).update(written)


def untold(i: Interpreter, compiled: Collection[int], others: Sequence[Method]) -> list[Method]:
    """The functions but for those that change objects of which compiled objects have read nothing that is not known to be old."""
    by = i.ledger.of(Written).by
    if not any(other in by for other in others):
        return list(others)
    read, open_ = _read(i, compiled)
    return [other for other in others if (written := by.get(other)) is None or read.isdisjoint(written) or not open_.isdisjoint(written)]


def one_by_one(i: Interpreter, compiled: Collection[int], others: Iterable[Method], since: tuple[int, ...]) -> Iterable[Method]:
    """The functions that are to run alone: together they have left so many values where a trace has read that these were not followed. Each is asked for
    once what the ones before have shown is known."""
    notes = (record for record in journal(i).since(since) if type(record) is events.Note and record.kind == events.UNFOLLOWED)
    if not any(note.object in compiled and note.what == NOT_FOLLOWED for note in notes):
        return
    for other in others:
        if not _read(i, compiled)[1].isdisjoint(i.ledger.of(Written).by.get(other, ())):
            yield other


def _read(i: Interpreter, compiled: Collection[int]) -> tuple[set[int], set[int]]:
    """The objects of which traces of compiled objects have read something, and those of which they have read what is not known to be old."""
    read: set[tuple[int, tuple[int, str]]] = set()
    old: set[tuple[int, tuple[int, str]]] = set()
    for record in journal(i).records:
        if type(record) is events.Read and record.object in compiled:
            read.add((record.object, record.location))
        elif type(record) is events.Stale and record.modality.steps <= 1:
            old.add((record.object, record.location))
    return {oid for _, (oid, _) in read}, {oid for _, (oid, _) in read - old}
