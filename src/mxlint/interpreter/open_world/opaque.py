"""What a program changes in modules whose layers are not in sight, and what it is given of these: something of which nothing is known."""

from __future__ import annotations

from mxlint.domain.arrays import Array
from mxlint.domain.members import Ref, Symbolic, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.compiled import writes
from mxlint.interpreter.containers.elements import Elements
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.mlx.kinds import kind
from mxlint.interpreter.open_world.unseen_layers import WEIGHTS


def changed(i: Interpreter, ref: Ref, place: Place, frame: Frame) -> None:
    """Such a module may have other layers from now on: nobody in sight says whether it uses them. What a trace puts there is said of the attribute."""
    present = i.heap.get(ref.oid, WEIGHTS)
    if i.trace is None and present is not None:
        new = Array(i.ident(place, ("weights", ref.oid)), None, None, None)
        value = choices.any_of(i, (present, new), place, "weights")
        i.heap.set(ref.oid, WEIGHTS, value)
        writes.on_write(i, ref.oid, WEIGHTS, value, place, frame, "update")


def put_in(i: Interpreter, into: object, place: Place, frame: Frame) -> None:
    """Layers are put into such a module, or into what it gives by its attributes and items: by the name of that."""
    todo, seen = [into], set[object]()
    while todo:
        part = todo.pop()
        if isinstance(part, tuple) and part not in seen:
            seen.add(part)
            todo += (*part[1:2], i.ledger.of(Elements).iterables.get(part))  # what it is an attribute or item of, not its index
        elif isinstance(part, Ref):
            changed(i, part, place, frame)


def holds_layers(i: Interpreter, value: Value) -> bool:
    """Whether a module that is given a value may have other layers. Arrays and lists say nothing of it: it may only keep them."""
    return any(isinstance(member, Ref) and kind(i, member) == "module" for member in members(value))


def layer(i: Interpreter, ref: Ref, place: Place) -> Symbolic:
    """Some layer of such a module."""
    return i.derived("layer", (ref,), None, place, "layer")
