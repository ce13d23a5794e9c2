"""Last axes that no call changes, of arrays of which nobody says how many axes they have.

The last axis of `self.project(x)` is as long as the weight of the layer says, whatever `x` is. A shapeless trace asks for it where an operation goes wrong if the
last axis changes. The models of MLX's results say it: they are asked with arrays of two and of three axes in the place of such operands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from mxlint.domain.arrays import Array
from mxlint.domain.members import Const, Length, Measure, Symbolic, Value
from mxlint.domain.size import Origin, Size, number, symbol
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.journal import depends
from mxlint.interpreter.machine.locations import LAST_LENGTH
from mxlint.interpreter.mlx import descriptions
from mxlint.interpreter.open_world import ranks
from mxlint.interpreter.open_world.presumptions import are_arrays
from mxlint.interpreter.open_world.ranks import keep_origins_of_last, origins_of_last
from mxlint.models.mlx.arguments import ArrayType

RANKS: Final = (2, 3)
"""Of so many axes each the operands are taken to be."""


def keep(i: Interpreter, made: Value, args: Sequence[Value], result: Callable[[Sequence[Any]], Any], *, has_weights: bool = False) -> None:
    """Keep whether the last axis of what an operation makes in a trace is as long at each call, and how long it is. `result`: what it makes of described
    operands. `has_weights`: it is a layer, which computes with its own."""
    if i.trace is None or not isinstance(made, Array) or made.shape is not None:
        return
    asked = any(map(_is_open, args)) and (has_weights or i.trace.shapeless or any(_may_decide(i, value) for value in args))
    lasts = [_last(result([_described(i, value, rank) for value in args])) for rank in RANKS] if asked else [None]
    origins = [last.origins for last in lasts if last is not None]
    if i.trace.shapeless and len(origins) == len(lasts):
        keep_origins_of_last(i, made.ident, frozenset[Origin]().union(*origins))
    elif origins_of_last(i, made.ident) is not None:
        keep_origins_of_last(i, made.ident, None)
    known = {None if last is None or last.origins else last.number for last in lasts}
    _set_length(i, made, known.pop() if len(known) == 1 else None)


def changed(i: Interpreter, array: Array, made: Array) -> None:
    """An array has become what is made: its last axis is as long as that one's."""
    _set_length(i, array, ranks.shape_of(i, made).last)


def _set_length(i: Interpreter, array: Array, length: int | None) -> None:
    if length is not None or i.heap.get(array.ident, LAST_LENGTH) is not None:
        i.heap.set(array.ident, LAST_LENGTH, Const(length))


def _may_decide(i: Interpreter, value: Value) -> bool:
    """Whether an operand has a last axis whose length is known: that of weights, or what they gave to another."""
    return isinstance(value, Array) and (bool(value.shape) or ranks.shape_of(i, value).last is not None)


def is_kept(i: Interpreter, array: Array) -> bool:
    """Whether the last axis of an array is as long at each call."""
    return origins_of_last(i, array.ident) == frozenset()


def of_weights(weights: Mapping[str, ArrayType | None]) -> dict[str, ArrayType | None]:
    """The weights of a layer, with a name for each length that is not known: calls do not change it."""
    return {
        name: ArrayType(tuple(symbol((name, axis)) if size is None else size for axis, size in enumerate(array.shape)), array.dtype)
        if array is not None and array.shape is not None
        else array
        for name, array in weights.items()
    }


def _is_open(value: Value) -> bool:
    """Whether nobody says how many axes an array has."""
    return isinstance(value, Array) and value.shape is None


def _described(i: Interpreter, value: Value, rank: int) -> Any:
    """An operand as the models want it; one of unknown shape as an array of so many axes, whose lengths the calls change. Those of an array that is no part of
    what the calls give are as long at each."""
    known = isinstance(value, Array) and value.shape is not None
    if i.trace is None or known or not (isinstance(value, Array) or isinstance(value, Symbolic) and are_arrays(i, value)):
        return descriptions.describe(i, value)
    if not depends(value, i.trace):
        name, dtype = (value.ident, value.dtype) if isinstance(value, Array) else (value.identity, None)
        return ArrayType(tuple(symbol(("axis", name, axis)) for axis in range(rank)), dtype)
    if isinstance(value, Symbolic):
        return descriptions.describe(i, value)
    if not value.origin:
        return ArrayType(None, value.dtype)
    shape, last = ranks.shape_of(i, value), origins_of_last(i, value.ident)
    axes = [symbol(("axis", value.ident, axis), 0, _origins(shape.axis(None))) for axis in range(rank - 1)]
    origins = _origins(shape.axis(-1)) if last is None else last
    return ArrayType((*axes, number(shape.last) if shape.last is not None else symbol(("axis", value.ident, -1), 0, origins)), value.dtype)


def _origins(length: Length | Measure | Const) -> frozenset[Origin]:
    """The axes of arguments that a length comes from."""
    return length.size.origins if isinstance(length, Length) else length.origins if isinstance(length, Measure) else frozenset()


def _last(result: Any) -> Size | None:
    """The length of the last axis of a result; None if nothing is known of it."""
    last = result.shape[-1] if isinstance(result, ArrayType) and result.shape else None
    return last if isinstance(last, Size) else None
