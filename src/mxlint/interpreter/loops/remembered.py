"""Summaries of inner loops: a loop in a loop that ascends to its fixpoint is not run again where it would find what it found in the last round.

The batches of an epoch are made as those of the last one were. A loop is known by its place and context, and its summary holds as that of a call does
(`calls/summaries.py`). It notes no facts: all that is noted while a loop ascends is forgotten. In the last round, whose facts stay, inner loops run in full.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from mxlint.domain.heap import Delta
from mxlint.domain.members import NONE, Value
from mxlint.interpreter.calls import summaries
from mxlint.interpreter.calls.summaries import Call, Key, Summary
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.garbage import PLAIN
from mxlint.interpreter.machine.targets import Departure, Departures

MAX_REMEMBERED: Final = 4
"""Runs of one loop that are kept, which differ in what was read."""
KINDS: Final = PLAIN - {"generator", "coroutine"}
"""Kinds of objects that a loop may make: what is made of others is also known outside of the heap."""


class RememberedLoops:
    """What loops did in loops that ascend."""

    __slots__ = ("kept",)

    def __init__(self) -> None:
        self.kept: dict[tuple[object, ...], list[Remembered]] = {}


class Remembered(NamedTuple):
    """What a loop did. `ended`: the state after its rounds, None if no round comes to its end; `arrived`: what left it for targets around, by their number;
    `possible`: the states from which an exception may lead to such a one."""

    summary: Summary
    ended: Delta | None
    arrived: tuple[tuple[int, Delta, Departure], ...]
    possible: tuple[tuple[int, Delta, str | None], ...]


class Run:
    """A loop that runs."""

    __slots__ = ("call", "departures")

    def __init__(self, i: Interpreter, loop: object) -> None:
        transforms = tuple(i.trace.transforms) if i.trace is not None else ()
        key: Key = (loop, i.trace, transforms, bool(i.silent), i.modes.key(), len(i.targets), len(i.tries), i.context)
        self.call = Call(i, key, (), ())
        self.departures = Departures(i.targets, self.call.mark, self.call.path)
        i.departures.append(self.departures)


def once(i: Interpreter, loop: object, ascend: Callable[[], Delta | None]) -> Delta | None:
    """Run a loop from the present state, or do what it did where it found what is there now; the state after its rounds."""
    run = Run(i, loop)
    known = find(i, run)
    if known is not None:
        return _again(i, run, known)
    try:
        ended = ascend()
    except BaseException:
        i.departures.remove(run.departures)
        summaries.abandon(i, run.call)
        raise
    _keep(i, run, ended)
    return ended


def find(i: Interpreter, run: Run) -> Remembered | None:
    """What the loop did where it found what is there now; None if that is not known."""
    kept = i.ledger.of(RememberedLoops).kept.get(run.call.key)
    if not kept:
        return None
    recording, i.heap.recording = i.heap.recording, None
    try:
        return next((known for known in kept if summaries.holds_here(i, known.summary, run.call, i.context)), None)
    finally:
        i.heap.recording = recording


def _again(i: Interpreter, run: Run, known: Remembered) -> Delta | None:
    """Do what the loop did; the state after its rounds."""
    i.departures.remove(run.departures)
    i.heap.recording = run.call.recording.outer
    i.steps -= 1
    mark, path, summary = run.call.mark, run.call.path, known.summary
    summaries.depend(i, summary, tuple(summary.reads))
    summaries.make_again(i, summary)
    for number, delta, (value, way, thrown) in known.arrived:
        i.heap.apply(delta)
        i.path = (*path, *way)
        if thrown:
            _throw(i, value)
        else:
            i.reach(run.departures.targets[number], value)
        i.heap.undo(mark)
    i.path = path
    for number, delta, error in known.possible:
        i.heap.apply(delta)
        i.may_reach(run.departures.targets[number], error)
        i.heap.undo(mark)
    if i.trace is not None:
        i.trace.adds(summary.operations, summary.fewest)
        i.trace.computes_again(summary.computed)
        i.trace.read_again(i, list(summary.reads))
        i.trace.computes_with(i, set(summary.content))
    summaries.may_raise_again(i, summary)
    return known.ended


def _throw(i: Interpreter, exception: Value) -> None:
    try:
        i.throw(exception)
    except Halt:
        pass


def _keep(i: Interpreter, run: Run, ended: Delta | None) -> None:
    """End a loop, and keep what it did if that can be done again."""
    call, recording = run.call, run.call.recording
    i.departures.remove(run.departures)
    i.heap.recording = None
    i.path = call.path
    if _can_be_kept(i, run):
        summary = Summary(i, call, NONE, ended or {}, set(recording.fresh), i.context, False, {}, i.trace)
        kept = i.ledger.of(RememberedLoops).kept.setdefault(call.key, [])
        kept.insert(0, Remembered(summary, ended, tuple(run.departures.arrived), tuple(run.departures.possible)))
        del kept[MAX_REMEMBERED:]
    i.heap.recording = recording.outer
    recording.close()


def _can_be_kept(i: Interpreter, run: Run) -> bool:
    recording = run.call.recording
    return (
        recording.valid
        and not (recording.facts or recording.again or recording.recursions)
        and run.departures.is_whole()
        and {i.info(oid).kind for oid in recording.fresh} <= KINDS
        and len(recording.reads) <= summaries.MAX_READS
    )
