"""From which axes of placeholders a value is computed, also by way of objects that hold it: `np.array(x.shape)` is computed from all axes of `x`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mxlint.domain.arrays import ShapeOf
from mxlint.domain.join import join
from mxlint.domain.members import Const, Measure, Ref, Tuple, Value, from_lengths, members
from mxlint.interpreter.expressions.arithmetic import origins
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS

MEASURED: Final = ("#", "measured")
"""Of an object of a library, or a list: the lengths of axes that it, or the number of its items, is computed from, as a `Measure`."""
_DEPTH: Final = 3


def axes_in(i: Interpreter, value: Value, depth: int = _DEPTH) -> frozenset[tuple[int, int | None]]:
    """The axes that a value is computed from: a number, a shape, a tuple or list of them, an object that a library made of them."""
    found: frozenset[tuple[int, int | None]] = frozenset()
    for member in members(value):
        found |= origins(member)
        if isinstance(member, ShapeOf):
            found |= {(number, None) for number in member.origin}
        elif isinstance(member, Ref):
            held = (i.heap.get(member.oid, field) for field in (MEASURED, ITEMS))
            parts = [part for part in held if part is not None]
            found = found.union(*(axes_in(i, part, depth - 1) for part in parts)) if depth else found
        elif isinstance(member, Tuple) and depth:
            inner = member.items if member.items is not None else (member.element,)
            found = found.union(*(axes_in(i, part, depth - 1) for part in inner if part is not None))
    return found


def length_of_list(i: Interpreter, ref: Ref) -> Measure | None:
    """The axes that say how long a list is; None of anything else."""
    found = i.heap.get(ref.oid, MEASURED) if i.info(ref.oid).kind == "list" else None
    return found if isinstance(found, Measure) else None


def counted(i: Interpreter, ref: Ref, number: Value) -> Value:
    """How many items a list has: a number that comes from the axes that say so."""
    axes = length_of_list(i, ref)
    if axes is None:
        return number
    return join([from_lengths(m.value, axes.origins) if isinstance(m, Const) else Measure("int", axes.origins) for m in members(number)])


def as_long_as(i: Interpreter, made: Ref, value: Value) -> Ref:
    """Keep that a list has as many items as another one that it was made of; return the list."""
    return measured(i, made, [axes for m in members(value) if isinstance(m, Ref) and (axes := length_of_list(i, m)) is not None])


def measured(i: Interpreter, made: Ref, given: Iterable[Value]) -> Ref:
    """Keep that an object is computed from the axes of what a library has made it of, or a list from the axes of what says how long it is; return the
    object."""
    axes = frozenset(axis for value in given for axis in axes_in(i, value))
    if axes:
        i.heap.set(made.oid, MEASURED, Measure("number", axes))  # type: ignore[arg-type]
    return made
