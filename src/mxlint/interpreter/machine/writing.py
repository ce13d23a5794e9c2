"""How often each location was written, and by whom. A read of a trace keeps the count: another count at a later call means that a write came since."""

from __future__ import annotations

from mxlint.domain.heap import Location
from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ADDED, ANY, ITEMS, KEYS


class Writes:
    """Who wrote locations, and how often."""

    __slots__ = ("by", "counts", "filling", "last", "overwritten", "traced", "where_empty")

    def __init__(self) -> None:
        self.last: dict[Location, Place] = {}
        """Who wrote a location last."""
        self.by: set[tuple[int, Place]] = set()
        """Who wrote something in an object."""
        self.traced: set[tuple[int, Place]] = set()
        """Who wrote something in an object while it was traced."""
        self.counts: dict[Location, int] = {}
        """How often it was written."""
        self.filling: dict[Place, bool] = {}
        """Statements that have written something, and whether they only fill what a test has found empty."""
        self.where_empty: dict[Place, Place] = {}
        """What runs only where a test has found empty what such a statement fills."""
        self.overwritten: dict[Location, int] = {}
        """How often a location had been written when something last wrote it that does more than to fill it."""


def count_write(i: Interpreter, oid: int, field: object, place: Place) -> None:
    """Keep who wrote a location last, and that it was written once more."""
    if i.heap.recording is not None:
        i.heap.recording.write((oid, field, place))
    writes = i.ledger.of(Writes)
    writers, counts = writes.last, writes.counts
    writers[oid, field] = place
    writes.by.add((oid, place))
    if i.trace is not None:
        writes.traced.add((oid, place))
    counts[oid, field] = number = counts.get((oid, field), 0) + 1
    if not writes.filling.get(place):
        writes.overwritten[oid, field] = number
    if field in (ITEMS, ADDED) or isinstance(field, tuple) and field[0] == "item":
        counts[oid, ANY] = counts.get((oid, ANY), 0) + 1
        writers[oid, ANY] = place
    elif isinstance(field, str) or isinstance(field, tuple) and field[0] == "k":
        counts[oid, KEYS] = counts.get((oid, KEYS), 0) + 1
        writers[oid, KEYS] = place
