"""The rows of an array, which is what iterating over it gives: in a trace one by one where their number is known."""

from __future__ import annotations

from math import inf
from typing import Final

from mxlint.domain import size as sizes
from mxlint.domain.arrays import Array
from mxlint.domain.members import Tuple, Value
from mxlint.domain.place import Place
from mxlint.interpreter.containers.elements import UNROLLED
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame

ITER: Final = "mlx.core.array.__iter__"


def number_of_rows(array: Array) -> tuple[int, int | None]:
    """The fewest and the most rows that an array may have; None: nobody says."""
    length = array.shape[0] if array.shape else None
    if not isinstance(length, sizes.Size):
        return 0, None
    low, high = sizes.bounds(length)
    return max(int(low), 0) if low > -inf else 0, int(high) if high < inf else None


def rows_of(i: Interpreter, array: Array, place: Place, frame: Frame) -> tuple[Value, ...] | None:
    """The rows one by one; None where nobody says how many there are, or where they are too many to be told apart. In host code an array is data, of which
    each round takes another row, also where a program in sight gives as few as it needs to be tried out."""
    fewest, most = number_of_rows(array)
    if i.trace is None or most is None or fewest != most or most > UNROLLED:
        return None
    found: list[Value] = []
    for number in range(most):
        with i.within((place, ("row", number))):
            found.append(any_row(i, array, place, frame))
    return tuple(found)


def any_row(i: Interpreter, array: Array, place: Place, frame: Frame) -> Value:
    """What each row may be."""
    return i.operations.array(i, ITER, (array,), place, frame)


def any_number_of_rows(array: Array, row: Value) -> Tuple:
    """As many of one row as an array has."""
    fewest, most = number_of_rows(array)
    return Tuple(None, row, least=fewest, given="" if fewest == most else "whole")


def in_rows(i: Interpreter, value: Value, place: Place, frame: Frame) -> Value:
    """What an iterator goes over: of an array its rows, where they are known."""
    rows = rows_of(i, value, place, frame) if isinstance(value, Array) else None
    return value if rows is None else Tuple(rows)
