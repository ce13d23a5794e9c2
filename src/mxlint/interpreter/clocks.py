"""Clocks around calls of compiled functions: what is still to be computed when a clock is read again.

The state of object 0 holds the last reading and the last compiled call since, with whether something forced its result. A reading keeps what it
found; the difference of two successive readings is a measurement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from mxlint.domain.place import Place
from mxlint.domain.value import NONE, Const, Member, Symbolic
from mxlint.facts import events
from mxlint.interpreter.core import Interpreter
from mxlint.interpreter.journal import loops, modality, note, where

READING: Final = ("#", "clock")
CALL: Final = ("#", "timed call")


class Timed(NamedTuple):
    """A call of a compiled object: whether it is provably the first, and whether its result was forced."""

    object: int
    first: bool
    forced: bool


def read(i: Interpreter, place: Place) -> None:
    """A clock is read by host code."""
    readings: dict[Place, tuple[object, object]] = i.extra.setdefault("clock readings", {})
    readings[place] = (i.heap.get(0, READING), i.heap.get(0, CALL))
    i.heap.set(0, READING, Const(("reading", place)))
    i.heap.set(0, CALL, NONE)


def called(i: Interpreter, oid: int, outcome: str) -> None:
    """A compiled object is called by host code."""
    if i.heap.get(0, READING) is not None:
        first = outcome == "traced" and not any(loops(i)) and not i.extra.get("entered alone")
        i.heap.set(0, CALL, Const(Timed(oid, first, False)))


def forced(i: Interpreter) -> None:
    """Something waits for results, or may."""
    call = i.heap.get(0, CALL)
    if isinstance(call, Const) and isinstance(call.value, Timed):
        i.heap.set(0, CALL, Const(call.value._replace(forced=True)))


def subtracted(i: Interpreter, operation: str, parts: Sequence[Member], place: Place) -> None:
    """Note a measurement: one reading less the reading before."""
    if operation != "-" or len(parts) != 2 or i.trace is not None:
        return
    end, start = (_place(part) for part in parts)
    found = i.extra.get("clock readings", {}).get(end)
    if found is None or start is None or end is None:
        return
    before, call = found
    if before != Const(("reading", start)) or not isinstance(call, Const) or not isinstance(call.value, Timed):
        return
    m = modality(i, 0)
    timed = call.value
    if m is not None and not m.conditions and (timed.first or not timed.forced):
        kind = "first call timed" if timed.forced else "timed without evaluation"
        note(i, events.Note(kind, where(end), "", timed.object, m))


def _place(part: Any) -> Place | None:
    """Where a value that comes from a clock was read."""
    return next((p for p in part.identity if isinstance(p, Place)), None) if isinstance(part, Symbolic) and part.source == "clock" else None
