"""Going on at module level after an exception that only the analysis may raise, or that ends a cell of a notebook.

Models and values are known only in part, so an exception that no `raise` in sight causes may be none under Python. It must not end a module: the run goes on behind
the statement, and no site of the file is full. A session goes on with its next cell after any exception; what it lacks may come from cells that were run in another
order.
"""

from __future__ import annotations

from collections.abc import Callable

from mxlint.domain.members import Ref, Unknown, Value, members
from mxlint.interpreter.machine.core import OWN, Halt, Interpreter
from mxlint.interpreter.machine.exceptions import CLASS, ends_cell, never_raised
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.targets import Recovery, Target
from mxlint.interpreter.statements.binding import assign, store
from mxlint.syntax import binds, ir


def recovered(i: Interpreter, node: ir.Stmt, frame: Frame, run: Callable[[Interpreter, ir.Stmt, Frame], None]) -> None:
    """Run a statement. Where nothing but such exceptions leaves it, go on behind it: what it would have bound is not known then. One that stands under a condition ends
    the path on which that holds, as long as there is another one."""
    outer = i.recovery
    assert outer is not None
    if i.path != outer.path:
        run(i, node, frame)
        return
    target, path = Target(i.heap.mark()), i.path
    i.recovery = Recovery(target, outer.tries, outer.path, outer.session)
    i.targets.append(target)
    try:
        run(i, node, frame)
    except Halt:
        if not target.arrived:
            raise
    else:
        return
    finally:
        i.recovery = outer
        i.targets.remove(target)
    i.heap.undo(target.mark)
    i.path = path
    error = i.arrive(target)
    _say(i, error, frame)
    _forget(i, node, frame)


def _say(i: Interpreter, error: Value, frame: Frame) -> None:
    """List what was raised, and where. It may be that compiled functions of this file are called in what was not run."""
    for member in members(error):
        place = i.info(member.oid).place if isinstance(member, Ref) else None
        cls = i.heap.get(member.oid, CLASS) if isinstance(member, Ref) else None
        doubtful = isinstance(member, Ref) and i.info(member.oid).payload is OWN
        reason = never_raised(i, place, cls) if doubtful else ends_cell(i, place, cls)
        if i.journal is not None and not i.silent and place is not None:
            (i.journal.gap if frame.source is i.main else i.journal.doubt)(place, reason)


def _forget(i: Interpreter, node: ir.Stmt, frame: Frame) -> None:
    """Bind what a statement would have bound to something unknown."""
    unknown = Unknown("not run to its end")
    for name in dict.fromkeys(binds.names(node)):
        if name == "*":
            i.heap.set(frame.module, ("#", "star"), unknown)
        else:
            store(i, name, unknown, frame)
    for target in binds.targets(node):
        if not isinstance(target, ir.Name):
            mark = i.heap.mark()
            try:
                assign(i, target, unknown, frame)
            except Halt:
                i.heap.undo(mark)
