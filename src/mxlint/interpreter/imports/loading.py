"""Loading a module of the project: once for all states, whichever of them first asks for it.

What a module makes is there from then on: no branch, round or entry undoes it, nor what was noted. Where loading a module changes what was there before, the
change is part of the state. A state without that change runs the module again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mxlint.interpreter.compiled.writes import note_kept
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.modes import Modes


@contextmanager
def loading(i: Interpreter) -> Iterator[None]:
    """Run a module: in no context, round, mode or trace of its importer, so that all importers share its objects. `Halt` if an exception ends it:
    that goes to the handlers of the importer."""
    mark = i.heap.mark()
    noted = i.journal.mark() if i.journal is not None else ()
    outer = i.context, i.path, i.trace, i.silent, i.unrolled, i.starts, i.limit, i.modes, i.invariants, i.approximations
    recording, path = i.heap.recording, i.path
    handlers = i.tries[-1].arrived if i.tries else []
    arrived = len(handlers)
    while i.context.parent is not None:
        i.context = i.context.parent
    i.path, i.trace, i.silent, i.unrolled, i.starts, i.limit, i.modes, i.invariants, i.approximations = (
        (),
        None,
        0,
        1,
        [],
        0,
        Modes(),
        None,
        {},
    )
    i.heap.recording = None
    try:
        yield
    finally:
        i.context, i.path, i.trace, i.silent, i.unrolled, i.starts, i.limit, i.modes, i.invariants, i.approximations = outer
        i.heap.recording = recording
        handlers[arrived:] = [(delta, error, (*path, *way)) for delta, error, way in handlers[arrived:]]
        while recording is not None:
            recording.valid = False  # the next call finds the module loaded
            recording = recording.outer
    if i.journal is not None:
        note_kept(i, mark)
        i.journal.settle(noted)
    if not _changes_older(i, mark):
        i.heap.settle(mark)


def _changes_older(i: Interpreter, mark: int) -> bool:
    """Whether anything was written since a mark in an object that was there before."""
    before: dict[int, dict[object, object]] = {}
    for (oid, field), held in i.heap.trail[mark:]:
        before.setdefault(oid, {}).setdefault(field, held)
    return any(
        any(held is not None for held in fields.values()) or any(field not in fields for field in i.heap.fields(oid))
        for oid, fields in before.items()
    )
