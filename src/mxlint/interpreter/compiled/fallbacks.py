"""Fallbacks: host code that runs itself, uncompiled, what a trace has failed on, while captured state still holds the placeholders of that trace.

Of arrays in sight the placeholders are seen where code computes with them. What is captured and nobody in sight gives, as `inputs=model.state` of a parameter,
holds none that are seen: a location of the compiled object says while a trace may have left them there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mxlint.domain.arrays import Array
from mxlint.domain.guards import Identity
from mxlint.domain.members import Const, Symbolic, Value, members
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.interpreter.compiled.captures import covers
from mxlint.interpreter.compiled.making import target
from mxlint.interpreter.compiled.state import Capturing
from mxlint.interpreter.compiled.traces import Trace
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.journal import modality, note, where
from mxlint.interpreter.machine.locations import OPENED


def opened(i: Interpreter, trace: Trace) -> None:
    """A trace puts placeholders into what it captures and nobody in sight gives."""
    if trace.captures.symbolic_in:
        i.heap.set(trace.oid, OPENED, Const(trace.number))


def closed(i: Interpreter, trace: Trace) -> None:
    """They are gone: the trace has come to its end, or somebody may have put arrays in their place."""
    if i.heap.get(trace.oid, OPENED) is not None:
        i.heap.drop(trace.oid, OPENED)


def computes(i: Interpreter, values: Sequence[Value]) -> None:
    """Host code computes with some values: a placeholder among them is one that an exception has left."""
    if not (capturing := i.ledger.of(Capturing).traces):
        return
    for array in (array for value in values for array in i.each(value) if isinstance(array, Array)):
        if array.trace in capturing:
            trace, function, called = capturing[array.trace]
            if array.ident in trace.leaves and (at := _eager(i, function)) is not None:
                _note(i, trace, called, at)
    for trace, function, called in list(_left_open(i)):
        if _comes_to(i, trace, values) and (at := _eager(i, function)) is not None:
            _note(i, trace, called, at)


def calls(i: Interpreter, function: Symbolic, args: Arguments, place: Place) -> None:
    """Host code calls something symbolic. What is compiled, or runs in it, computes with what was captured; anything else that comes to that may put it right."""
    for trace, compiled, called in list(_left_open(i)):
        if function in members(compiled):
            _note(i, trace, called, place)
        elif _comes_to(i, trace, (function, *args.values)):
            at = _eager(i, compiled)
            if at is None:
                closed(i, trace)
            else:
                _note(i, trace, called, at)


def put_into(i: Interpreter, owner: Identity) -> None:
    """Host code puts something into what nobody in sight gives: it may put back what was captured."""
    for trace, _, _ in list(_left_open(i)):
        if covers(i, trace.captures.symbolic_in, owner):
            closed(i, trace)


def _left_open(i: Interpreter) -> Iterator[tuple[Trace, Value, Place]]:
    """The traces that have left placeholders in what nobody in sight gives, with what they are of and where they were called."""
    for number, found in i.ledger.of(Capturing).traces.items():
        if i.heap.get(found[0].oid, OPENED) == Const(number):
            yield found


def _comes_to(i: Interpreter, trace: Trace, values: Iterable[Value]) -> bool:
    """Whether some value is, or is a part of, what a trace captures and nobody in sight gives."""
    found = (member.identity for value in values for member in members(value) if isinstance(member, Symbolic))
    return any(covers(i, trace.captures.symbolic_in, identity) for identity in found)


def _eager(i: Interpreter, function: Value) -> Place | None:
    """Where host code has called what is compiled, if that is under way."""
    eager = target(i, function)[0]
    frames = (frame for frame in i.stack if eager is not None and frame.function == eager.oid)
    return next((frame.called_at for frame in frames), None)


def _note(i: Interpreter, trace: Trace, called: Place, at: Place) -> None:
    m = modality(i, 0, of=trace.oid)
    if m is not None:
        note(i, events.Note("fallback", where(called), "", trace.oid, m, (where(at),)))
