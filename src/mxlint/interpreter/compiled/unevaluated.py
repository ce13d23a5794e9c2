"""What a thread leaves unevaluated in captured state: it belongs to a stream of that thread, and raises in another one that asks for it.

A worker calls `total = step(x).item()`. That evaluates the result and what it is computed from. What the trace has put into `outputs=` besides is not evaluated
yet, so `state["w"].item()` raises in the main thread, after `mx.eval(state)` in the worker it does not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.heap import Location
from mxlint.domain.members import Const, Value
from mxlint.domain.parts import each_part
from mxlint.facts import events
from mxlint.interpreter.compiled.state import older
from mxlint.interpreter.compiled.traces import Trace
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.journal import modality, note, where
from mxlint.interpreter.machine.reach import arrays_in

LEFT_BY: Final = ("#", "left by a thread")
"""Of an array that a thread has not evaluated: its group, where it was started, and the compiled object."""


def computed_from(i: Interpreter, made: Iterable[Array], operands: Iterable[Value]) -> None:
    """Keep what arrays of a running trace are computed from. What one operation makes is evaluated together."""
    trace = i.trace
    if trace is None or i.modes.thread is None:
        return
    together = frozenset(array.ident for array in made)
    behind = together.union(array.ident for array in arrays_in(i, *operands))
    for ident in together:
        trace.behind[ident] = trace.behind.get(ident, frozenset()) | behind


def aside(i: Interpreter, trace: Trace, result: Value) -> frozenset[Location]:
    """Where a trace has put arrays into `outputs=` that surely nothing of its result is computed from."""
    if i.modes.thread is None:
        return frozenset()
    seen: set[int] = set()
    idents = [array.ident for array in arrays_in(i, result)]
    while idents:
        ident = idents.pop()
        if ident in seen:
            continue
        if not _is_followed(i, trace, ident):
            return frozenset()
        seen.add(ident)
        idents.extend(trace.behind.get(ident, ()))
    return frozenset(
        location for location in trace.written if location[0] in trace.captures.outs and _is_aside(i.heap.get(*location), trace, seen)
    )


def _is_followed(i: Interpreter, trace: Trace, ident: int) -> bool:
    """Whether it is known what an array is computed from: it is computed, a placeholder of the trace, or older than that."""
    return ident in trace.behind or ident in trace.leaves or ident in trace.given.placeholders or older(i, ident)


def _is_aside(value: Value | None, trace: Trace, seen: Collection[int]) -> bool:
    arrays = [part for part in each_part(value) if isinstance(part, Array)] if value is not None else []
    return bool(arrays) and all(array.trace == trace.number and array.ident in trace.behind and array.ident not in seen for array in arrays)


def leave(i: Interpreter, number: int, locations: Iterable[Location]) -> None:
    """Mark what the thread that runs has put into captured state and does not evaluate with the result. `number`: of the compiled object."""
    thread = i.modes.thread
    for location in locations if thread is not None else ():
        value = i.heap.get(*location)
        for array in each_part(value) if value is not None else ():
            if isinstance(array, Array) and thread is not None:
                i.heap.set(array.ident, LEFT_BY, Const((thread[2], thread[0], number)))


def asked_for(i: Interpreter, ident: int) -> None:
    """An array is evaluated now: it is no longer left, or it raises as another thread has left it."""
    left = i.heap.get(ident, LEFT_BY)
    if not isinstance(left, Const) or not isinstance(left.value, tuple):
        return
    group, started, number = left.value
    i.heap.drop(ident, LEFT_BY)
    m = modality(i, 0)
    if group != i.modes.group and m is not None and i.place is not None:
        note(i, events.Note(events.LEFT_UNEVALUATED, where(started), "", number, m, (where(i.place),)))
