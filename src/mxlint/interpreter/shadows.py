"""What the program writes on a symbolic object: the object of the heap that stands for it.

A `Symbolic` is one particular thing, so an attribute that was written is there when it is read. One that was not is derived from the object: the
same each time.
"""

from __future__ import annotations

from mxlint.domain.heap import Info
from mxlint.domain.join import bound, of
from mxlint.domain.members import UNBOUND, Const, Option, Symbolic, Unbound, Value, options
from mxlint.domain.place import Place
from mxlint.interpreter.core import Interpreter
from mxlint.interpreter.frames import Context, Frame


def shadow(i: Interpreter, owner: Symbolic, place: Place) -> int:
    """The object that stands for a symbolic one."""
    known = i.ledger.shadows
    oid = known.get(owner.identity)
    if oid is None:
        trace = i.trace.number if i.trace is not None and _made_in(owner.identity, i.trace.number) else 0
        oid = known[owner.identity] = i.heap.new(Info("symbolic", owner.identity, place, trace, label=owner.label))
    return oid


def read(i: Interpreter, owner: Symbolic, name: str, otherwise: Symbolic, place: Place, frame: Frame) -> Value:
    """`owner.name`: what was written there, else `otherwise`."""
    oid = shadow(i, owner, place)
    held = i.heap.get(oid, name)
    value: Value = otherwise
    if held is not None:
        held = i.live(held)
        absent = [Option(otherwise, option.guard) for option in options(held) if isinstance(option.member, Unbound)]
        there = bound(held)
        value = of([*(options(there) if there is not None else ()), *absent])
    i.operations.read(i, oid, name, value, place, frame)
    return value


def read_item(i: Interpreter, owner: Symbolic, index: Const, otherwise: Value) -> Value:
    """`owner[index]`: what was put there, else `otherwise`."""
    oid = i.ledger.shadows.get(owner.identity)
    held = i.live(i.heap.get(oid, ("k", index)) or UNBOUND) if oid is not None else UNBOUND
    there = bound(held)
    if there is None:
        return otherwise
    return there if there == held else of((*options(there), *options(otherwise)))


def write_item(i: Interpreter, owner: Symbolic, index: Const, value: Value, place: Place) -> None:
    """`owner[index] = value`."""
    i.heap.set(shadow(i, owner, place), ("k", index), value)


def items(i: Interpreter, owner: Symbolic) -> list[tuple[Const, Value]]:
    """What was put into a symbolic object, by index or key."""
    oid = i.ledger.shadows.get(owner.identity)
    fields = i.heap.fields(oid).items() if oid is not None else ()
    found = [(field[1], bound(i.live(value))) for field, value in fields if isinstance(field, tuple) and field[0] == "k"]
    return [(key, value) for key, value in found if isinstance(key, Const) and value is not None]


def write(i: Interpreter, owner: Symbolic, name: str, value: Value, place: Place, frame: Frame) -> None:
    """`owner.name = value`."""
    oid = shadow(i, owner, place)
    i.heap.set(oid, name, value)
    if owner.source != "argument":  # what a trace is given is no state of the program
        i.operations.written(i, oid, name, value, place, frame)


def _made_in(identity: object, trace: int) -> bool:
    """Whether something came into being in a trace."""
    if isinstance(identity, tuple):
        return any(_made_in(part, trace) for part in identity)
    context = identity if isinstance(identity, Context) else None
    while context is not None:
        step = context.step
        if isinstance(step, tuple) and step[-2:] == ("trace", trace):
            return True
        context = context.parent
    return False
