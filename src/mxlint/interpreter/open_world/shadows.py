"""What the program writes on a symbolic object: the object of the heap that stands for it.

A `Symbolic` is one particular thing, so an attribute that was written is there when it is read. One that was not is derived from the object: the
same each time.
"""

from __future__ import annotations

from mxlint.domain.guards import Identity, Literal_
from mxlint.domain.heap import Field, Info
from mxlint.domain.join import bound, of
from mxlint.domain.members import Const, Option, Symbolic, Unbound, Value, options
from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Context, Frame


class Shadows:
    """The objects that hold what the program writes on symbolic values."""

    __slots__ = ("items", "objects")

    def __init__(self) -> None:
        self.objects: dict[Identity, int] = {}
        self.items: set[Place] = set()
        """Where something is put into one by an index or key, `owner[index] = value`: what has items keeps them."""


def shadow(i: Interpreter, owner: Symbolic, place: Place) -> int:
    """The object that stands for a symbolic one."""
    known = i.ledger.of(Shadows).objects
    oid = known.get(owner.identity)
    if oid is None:
        trace = i.trace.number if i.trace is not None and _made_in(owner.identity, i.trace.number) else 0
        oid = known[owner.identity] = i.heap.new(Info("symbolic", owner.identity, place, trace, label=owner.label))
    return oid


def read(i: Interpreter, owner: Symbolic, name: str, otherwise: Symbolic, place: Place, frame: Frame) -> Value:
    """`owner.name`: what was written there, else `otherwise`."""
    return _read(i, owner, name, otherwise, place, frame)


def read_item(
    i: Interpreter, owner: Symbolic, index: Const, otherwise: Value, place: Place, frame: Frame, there: Literal_ | None = None
) -> Value:
    """`owner[index]`: what was put there, else `otherwise`. `there`: what holds behind a read that raises where nothing lies, as a trace then knows."""
    value = _read(i, owner, ("k", index), otherwise, place, frame)
    seen = i.trace.reads.get((shadow(i, owner, place), ("k", index))) if i.trace is not None and there is not None else None
    if seen is not None and there is not None:
        seen.under |= {there}
    return value


def _read(i: Interpreter, owner: Symbolic, field: Field, otherwise: Value, place: Place, frame: Frame) -> Value:
    oid = shadow(i, owner, place)
    held = i.heap.get(oid, field)
    value: Value = otherwise
    if held is not None:
        held = i.live(held)
        absent = [
            Option(option.member, part.guard) for part in options(held) if isinstance(part.member, Unbound) for option in options(otherwise)
        ]
        there = bound(held)
        value = of([*(options(there) if there is not None else ()), *absent])
    i.operations.read(i, oid, field, value, place, frame)
    return value


def write_item(i: Interpreter, owner: Symbolic, index: Const, value: Value, place: Place, frame: Frame) -> None:
    """`owner[index] = value`."""
    write_field(i, owner, ("k", index), value, place, frame)


def items(i: Interpreter, owner: Symbolic) -> list[tuple[Const, Value]]:
    """What was put into a symbolic object, by index or key."""
    oid = i.ledger.of(Shadows).objects.get(owner.identity)
    found = [(key, bound(i.live(value))) for key, value in (i.heap.entries(oid) if oid is not None else ())]
    return [(key, value) for key, value in found if isinstance(key, Const) and value is not None]


def write(i: Interpreter, owner: Symbolic, name: str, value: Value, place: Place, frame: Frame) -> None:
    """`owner.name = value`."""
    write_field(i, owner, name, value, place, frame)


def write_field(i: Interpreter, owner: Symbolic, field: Field, value: Value, place: Place, frame: Frame) -> None:
    """Put something at a location of what stands for a symbolic object."""
    oid = shadow(i, owner, place)
    i.heap.set(oid, field, value)
    if owner.source != "argument":  # what a trace is given is no state of the program
        i.operations.written(i, oid, field, value, place, frame)


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
