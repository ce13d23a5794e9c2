"""What a function returns that is differentiated: MLX takes a scalar array, or a tuple whose first item is one, and raises for anything else.

Of a function that nobody in sight gives it is taken to be the array. Where a tuple is asked for, by unpacking it or by an index, it is the first item.
"""

from __future__ import annotations

from typing import Final

from mxlint.domain.arrays import Array, Chain
from mxlint.domain.members import Const, Symbolic, Value
from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.open_world.results import source

RETURNED: Final = ("#", "returned")
"""The field of a scalar that may be the first item of a tuple: what the function returned."""


def scalar(i: Interpreter, result: Value, place: Place) -> Value:
    """What a differentiated function returns, where all that is known of it is that MLX takes it. In a trace it is computed from placeholders if some
    argument of the call is one that gave it, or gave what it is taken out of; nothing else is said of a result that is computed from none."""
    if not isinstance(result, Symbolic):
        return result
    if i.trace is not None and source(i, (result,)) is None:
        return result
    trace = i.trace.number if i.trace is not None else None
    array = Array(i.ident(place, "loss"), trace, (), None, Chain(place, "call"))
    i.heap.set(array.ident, RETURNED, result)
    return array


def may_be_tuple(i: Interpreter, array: Array) -> bool:
    """Whether a scalar stands for a tuple as well of which it is the first item."""
    return i.heap.get(array.ident, RETURNED) is not None


def item(i: Interpreter, array: Array, number: int, place: Place) -> Value | None:
    """An item of the tuple of which a scalar may be the first; None if it is none."""
    returned = i.heap.get(array.ident, RETURNED)
    if not isinstance(returned, Symbolic):
        return None
    if number == 0:
        return array.but(ident=i.ident(place, "first"))
    return i.derived("unpacked", (returned, Const(number)), None, place)


__all__ = ["item", "may_be_tuple", "scalar"]
