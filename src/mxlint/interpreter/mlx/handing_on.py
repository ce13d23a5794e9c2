"""Optimizers that hand the gradients on to others, as `optim.MultiOptimizer` does: each of these computes with hyperparameters and a state of its own."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.domain.members import NONE, Const, Ref, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.compiled import reads
from mxlint.interpreter.containers.builders import new_list, put
from mxlint.interpreter.containers.elements import known_items
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.mlx.kinds import CLASS, base_of, kind
from mxlint.models.mlx.traits import holds_optimizers


def others(i: Interpreter, optimizer: Ref) -> tuple[Ref, ...] | None:
    """The optimizers to which one hands the gradients on; None if it computes with them itself, or nobody says which they are."""
    held = _held(i, optimizer)
    items = known_items(i, held[1]) if held is not None and isinstance(held[1], (Tuple, Ref)) else None
    found = tuple(item for item in items or () if isinstance(item, Ref) and kind(i, item) == "optimizer")
    return found if items and len(found) == len(items) else None


def innermost(i: Interpreter, optimizer: Value, place: Place, frame: Frame) -> Iterator[Ref]:
    """The optimizers that compute new weights where one is called: the others to which it hands the gradients on, else itself."""
    for member in members(optimizer):
        if not isinstance(member, Ref):
            continue
        found = others(i, member)
        if found is None:
            yield member
            continue
        held = _held(i, member)
        if held is not None:
            reads.on_read(i, member.oid, held[0], held[1], place, frame)
            for part in members(held[1]):
                if isinstance(part, Ref):
                    reads.on_read(i, part.oid, ITEMS, i.heap.get(part.oid, ITEMS) or NONE, place, frame, name=held[0])
        for other in found:
            yield from innermost(i, other, place, frame)


def state(i: Interpreter, optimizer: Ref, place: Place, frame: Frame) -> Value | None:
    """`optimizer.state` of one that hands the gradients on: a new dict of the states of the others; None of any other optimizer."""
    found = others(i, optimizer)
    key = _key(i, optimizer)
    if found is None or key is None:
        return None
    made = i.allocate("dict", None, place, ("states", optimizer.oid))
    states = new_list(i, Tuple(tuple(i.attribute(other, "state", place, frame) for other in found)), place, ("states of", optimizer.oid))
    put(i, made, Const(key), states)
    return Ref(made)


def parts(i: Interpreter, optimizer: Ref, name: str, value: Value) -> tuple[tuple[Ref, Value], ...] | None:
    """What each of the others gets where an attribute is set of an optimizer that hands the gradients on; None of any other optimizer, or if it is not known:
    `optimizer.learning_rate = …` is the rate of each, and its state holds one for each."""
    found = others(i, optimizer)
    if found is None or name != "state":
        return None if found is None else tuple((other, value) for other in found)
    states = i.heap.get(value.oid, ("k", Const(_key(i, optimizer)))) if isinstance(value, Ref) else None
    items = known_items(i, states) if isinstance(states, (Tuple, Ref)) else None
    return tuple(zip(found, items)) if items is not None and len(items) == len(found) else None


def _held(i: Interpreter, optimizer: Ref) -> tuple[str, Value] | None:
    """The attribute in which an optimizer holds others, and what lies there."""
    names = _names(i, optimizer)
    held = i.heap.get(optimizer.oid, names[0]) if names is not None else None
    return (names[0], held) if names is not None and held is not None else None


def _key(i: Interpreter, optimizer: Ref) -> str | None:
    """The key in the state of an optimizer under which it has the states of others."""
    names = _names(i, optimizer)
    return names[1] if names is not None else None


def _names(i: Interpreter, optimizer: Ref) -> tuple[str, str] | None:
    cls = i.heap.get(optimizer.oid, CLASS)
    base = base_of(i, cls) if cls is not None else None
    return holds_optimizers(base) if base is not None else None
