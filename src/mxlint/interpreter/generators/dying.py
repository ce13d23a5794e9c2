"""Generators that nothing refers to any more: Python, which counts references, closes them at once, so their `finally` runs there."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from mxlint.domain.heap import ALIVE
from mxlint.domain.members import NONE, TRUE, Const, Ref, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.generators.iterators import RESUME
from mxlint.interpreter.generators.sending import closed
from mxlint.interpreter.generators.stepping import Consumed, Generator, can_step
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.garbage import outliving
from mxlint.interpreter.machine.locations import KEPT
from mxlint.syntax.resuming import is_guarded


def let_go(i: Interpreter, made: Collection[int], mark: int, values: Iterable[Value], place: Place, frame: Frame) -> None:
    """Close the generators, of those that were made since a mark, which neither what is older nor some values refer to."""
    waiting = [oid for oid in dict.fromkeys(made) if _waits(i, oid)]
    if not waiting:
        return
    changes = i.heap.changes(mark)
    before = i.heap.held_before(mark, [at for at in changes if at[1] == ALIVE])
    fresh = {oid for (oid, _), value in before.items() if value is None}
    held = outliving((*values, *map(Ref, i.ledger.of(Consumed).generators)), changes, fresh)
    for oid in waiting:
        if oid in fresh and oid not in held:
            _close(i, Ref(oid), place, frame)


def dropped(i: Interpreter, value: Value, place: Place, frame: Frame) -> None:
    """Close a generator that a name held, if that was the last who did."""
    if (
        isinstance(value, Ref)
        and _waits(i, value.oid)
        and value.oid not in i.ledger.of(Consumed).generators
        and not i.heap.is_captured(value.oid)
    ):
        _close(i, value, place, frame)


def _waits(i: Interpreter, oid: int) -> bool:
    """Whether an object is a generator that stands at a yield, and closing it runs something."""
    info = i.info(oid)
    if info.kind != "generator" or info.summary or not i.heap.has(oid, ALIVE) or not can_step(i, Ref(oid)):
        return False
    if all(at in (NONE, TRUE) or not isinstance(at, Const) for at in members(i.heap.get(oid, RESUME) or NONE)):
        return False
    assert isinstance(info.payload, Generator)
    function, activation = info.payload.about
    return is_guarded(function.node) or any(
        isinstance(field, tuple)
        and field[0] == KEPT
        and any(isinstance(member, Ref) and _waits(i, member.oid) for member in members(value))
        for field, value in i.heap.fields(activation.oid).items()
    )


def _close(i: Interpreter, generator: Ref, place: Place, frame: Frame) -> None:
    """Close a generator. What that raises goes nowhere."""
    with i.leaving() as done:
        with i.trying() as ignored:
            closed(i, generator, place, frame)
            i.reach(done, NONE)
        done.arrived += ignored.arrived
    i.arrive(done)
