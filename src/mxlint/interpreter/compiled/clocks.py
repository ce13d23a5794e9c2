"""Clocks around calls of compiled functions: what is still to be computed when a clock is read again.

The state of object 0 holds the last reading, the last compiled call since, whether something forced its result, and whether a loop since the reading
forced its own. A reading keeps what it found; the difference of two successive readings is a measurement. Calls ask whether any clock was read, and
not which: so what they do depends on no reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from mxlint.domain.members import FALSE, NONE, TRUE, Const, Member, Symbolic, Value, members
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.interpreter.loops.running import rounds_around
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import HANDLING
from mxlint.interpreter.machine.journal import in_loop, modality, note, where
from mxlint.interpreter.machine.paths import ROUNDS, Condition

READING: Final = ("#", "clock")
RUNNING: Final = ("#", "a clock was read")
CALL: Final = ("#", "timed call")
FORCED: Final = ("#", "forced")
AROUND: Final = ("#", "loops around the clock")
"""How many loops run where the clock was read."""
WORKED: Final = ("#", "a loop has forced its calls")
"""Since the reading, and no loop has left calls behind that nothing forced."""


class Readings:
    """What each reading of a clock found: the reading before, the compiled call since, whether something waited for it."""

    __slots__ = ("at",)

    def __init__(self) -> None:
        self.at: dict[Place, tuple[Value | None, Value | None, Value | None, Value | None]] = {}


class Timed(NamedTuple):
    """A call of a compiled object, and whether it is provably the first."""

    object: int
    first: bool


def read(i: Interpreter, place: Place) -> None:
    """A clock is read by host code. Where an exception is under way nothing was measured that anybody asks for: what it cut short is not compared."""
    readings = i.ledger.of(Readings).at
    if any(i.heap.get(frame.oid, HANDLING) is not None for frame in i.stack):
        return
    readings[place] = (i.heap.get(0, READING), i.heap.get(0, CALL), i.heap.get(0, FORCED), i.heap.get(0, WORKED))
    i.heap.set(0, READING, Const(("reading", place)))
    i.heap.set(0, RUNNING, TRUE)
    i.heap.set(0, CALL, NONE)
    i.heap.set(0, WORKED, FALSE)
    i.heap.set(0, AROUND, Const(_around(i)))


def called(i: Interpreter, oid: int, outcome: str) -> None:
    """A compiled object is called by host code."""
    if i.heap.get(0, RUNNING) is not None:
        first = outcome == "traced" and not in_loop(i) and not i.modes.entered_alone
        i.heap.set(0, CALL, Const(Timed(oid, first)))
        i.heap.set(0, FORCED, FALSE)
        if _in_timed_loop(i):
            i.heap.set(0, WORKED, FALSE)


def forced(i: Interpreter) -> None:
    """Something waits for results, or may."""
    if i.heap.get(0, RUNNING) is not None:
        i.heap.set(0, FORCED, TRUE)
        if _in_timed_loop(i) and i.heap.get(0, CALL) != NONE:
            i.heap.set(0, WORKED, TRUE)


def waits_for_nothing(i: Interpreter, before: tuple[Value | None, Value | None]) -> None:
    """What seemed to wait for results only starts their computation: it is as it was `before`."""
    for field, value in zip((FORCED, WORKED), before, strict=True):
        if value is not None:
            i.heap.set(0, field, value)


def so_far(i: Interpreter) -> tuple[Value | None, Value | None]:
    """What results were waited for until now."""
    return i.heap.get(0, FORCED), i.heap.get(0, WORKED)


def _around(i: Interpreter) -> int:
    """How many loops run here."""
    if i.heap.recording is not None:
        i.heap.recording.around = True
    return len(rounds_around(i))


def _in_timed_loop(i: Interpreter) -> bool:
    """Whether a loop runs that has begun since the clock was read."""
    around = i.heap.get(0, AROUND)
    return isinstance(around, Const) and isinstance(around.value, int) and _around(i) > around.value


def subtracted(i: Interpreter, operation: str, parts: Sequence[Member], place: Place) -> None:
    """Note a measurement: one reading less the reading before."""
    if operation != "-" or len(parts) != 2 or i.trace is not None:
        return
    end, start = (_place(part) for part in parts)
    if end is None or start is None or end not in i.ledger.of(Readings).at:
        return
    before, call, waited, worked = i.ledger.of(Readings).at[end]
    if before != Const(("reading", start)) or call is None or waited is None:
        return
    base = i.path
    for member in i.each(call):
        if isinstance(member, Const) and isinstance(member.value, Timed):
            found = i.live(waited)
            # A measurement of a loop without rounds measures nothing.
            i.path = (*base, *[condition for condition in i.path[len(base) :] if not _is_of_rounds(condition)])
            # What is left over beside a loop that waits for what it computes is one call of many.
            done = found == TRUE or worked is not None and TRUE in members(worked)
            _measured(i, len(base), member.value, found, done, end)


def _measured(i: Interpreter, start: int, timed: Timed, waited: Value, done: bool, end: Place) -> None:
    """Note what is wrong with a measurement of one call; what that call alone depends on begins at position `start` of the path."""
    if not timed.first and (waited != FALSE or done):
        return
    m = modality(i, start, of=timed.object)
    if m is not None:
        kind = "first call timed" if done else "timed without evaluation"
        note(i, events.Note(kind, where(end), "", timed.object, m))


def _is_of_rounds(condition: Condition) -> bool:
    """Whether a condition is that a loop has a round."""
    return condition.literal is not None and condition.literal.condition[0] == ROUNDS


def _place(part: Any) -> Place | None:
    """Where a value that comes from a clock was read."""
    return next((p for p in part.identity if isinstance(p, Place)), None) if isinstance(part, Symbolic) and part.source == "clock" else None
