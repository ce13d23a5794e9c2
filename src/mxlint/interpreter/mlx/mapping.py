"""`mx.vmap`: the function runs once, on arguments without the axis that it is mapped over; its results have that axis.

What an array in such a function is mapped over is a location of its own (`MAPPED`): the length of that axis. What is computed from a mapped
array is mapped as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from mxlint.domain.arrays import Array
from mxlint.domain.members import NONE, Const, Length, Member, Ref, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.domain.shape import axis_index
from mxlint.domain.size import Size
from mxlint.interpreter.containers.elements import known_items
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import MAPPED
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.mlx.trees import each_leaf

AxisLength: TypeAlias = int | Size | None
"""The length of an axis, None if it is not known."""


def without_axis(i: Interpreter, args: Arguments, axes: Value, place: Place) -> tuple[Arguments, AxisLength]:
    """The arguments as the mapped function sees them: arrays of their own, without the axis that `in_axes` names. And the length of that axis."""
    lengths: list[AxisLength] = []

    def leaf(member: Member, axis: Value, tag: object) -> Value:
        if not isinstance(member, Array) or axis == NONE:
            return member
        own = member.but(ident=i.ident(place, ("mapped", tag)), shape=None)
        number = _number(member, axis)
        if number is None or member.shape is None:
            return own
        size = member.shape[number]
        lengths.append(size if isinstance(size, (int, Size)) else None)
        i.heap.set(own.ident, MAPPED, Tuple((_held(size), Const(number))))
        return own.but(shape=(*member.shape[:number], *member.shape[number + 1 :]))

    given = [_along(i, value, _of_part(i, axes, args.args, n), leaf, place, n) for n, value in enumerate(args.args)]
    inner = Arguments(given, args.keywords, args.star, args.kwstar, args.places, args.keyword_places, args.node)
    return inner, next((length for length in lengths if length is not None), None)


def put_together(i: Interpreter, result: Value, length: AxisLength, axes: Value, place: Place) -> Value:
    """The results of a mapped function, with the axis that `out_axes` names."""

    def leaf(member: Member, axis: Value, tag: object) -> Value:
        if not isinstance(member, Array) or axis == NONE:
            return member
        if member.shape is None or not isinstance(axis, Const) or not isinstance(axis.value, int):
            return member.but(shape=None)
        number = axis_index(axis.value, len(member.shape) + 1)
        if number is None:
            return member.but(shape=None)
        return member.but(shape=(*member.shape[:number], length, *member.shape[number:]))

    items = result.items if isinstance(result, Tuple) else None
    if items is not None:
        return Tuple(tuple(_along(i, part, _of_part(i, axes, items, n), leaf, place, ("result", n)) for n, part in enumerate(items)))
    return _along(i, result, axes, leaf, place, "result")


def carried(i: Interpreter, ident: int, operands: Sequence[Value]) -> None:
    """An array is computed from operands: it is mapped if one of them is."""
    for array in arrays_in(i, *operands):
        held = i.heap.get(array.ident, MAPPED)
        if held is not None:
            i.heap.set(ident, MAPPED, held)
            return


def _along(i: Interpreter, value: Value, axes: Value, leaf: Callable[[Member, Value, object], Value], place: Place, tag: object) -> Value:
    """A tree with each leaf changed. `axes`: one for all leaves, or a tree of them."""
    whole = all(isinstance(member, Const) for member in members(axes))
    return each_leaf(
        i, lambda member, others, inner: leaf(member, axes if whole else others[0], (tag, inner)), value, () if whole else (axes,), place
    )


def _of_part(i: Interpreter, axes: Value, parts: Sequence[Value], number: int) -> Value:
    """The axes of one argument or result: those of all, or its own."""
    items = known_items(i, axes) if isinstance(axes, (Tuple, Ref)) else None
    return items[number] if items is not None and len(items) == len(parts) else axes


def _held(size: object) -> Value:
    return Const(size) if isinstance(size, int) else Length(size) if isinstance(size, Size) else NONE


def _number(array: Array, axis: Value) -> int | None:
    if array.shape is None or not isinstance(axis, Const) or not isinstance(axis.value, int):
        return None
    return axis_index(axis.value, len(array.shape))
