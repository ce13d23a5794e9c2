"""The rows of an array, which is what iterating over it gives: in a trace one by one where their number is known."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final

from mxlint.domain import size as sizes
from mxlint.domain.arrays import Array
from mxlint.domain.members import Const, Ref, Tuple, Union, Value, scalar_type
from mxlint.domain.place import Place
from mxlint.interpreter.containers.elements import UNROLLED, known_items
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


def rows_of(i: Interpreter, array: Array, place: Place, frame: Frame, *, named: bool = False) -> tuple[Value, ...] | None:
    """The rows one by one; None where nobody says how many there are, or where they are too many to be told apart. In host code an array is data, of which
    each round takes another row, also where a program in sight gives as few as it needs to be tried out: unless they are `named`: the program
    writes out a name for each."""
    fewest, most = number_of_rows(array)
    if i.trace is None and not named or most is None or fewest != most or most > UNROLLED:
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


def in_rows(i: Interpreter, value: Value, place: Place, frame: Frame, *, named: bool = False) -> Value:
    """What an iterator goes over: of an array its rows, where they are known."""
    rows = rows_of(i, value, place, frame, named=named) if isinstance(value, Array) else None
    return value if rows is None else Tuple(rows)


def are_named(i: Interpreter, others: Sequence[Value]) -> bool:
    """Whether one of the iterables that `zip` goes over has a name for each row, as in `zip("qkv", mx.random.split(key, 3))`. Numbers beside an array are data as
    its rows are."""
    found = [known_items(i, part) or () for part in others if isinstance(part, (Const, Tuple, Ref))]
    return any(
        0 < len(items) <= UNROLLED and all(scalar_type(item) == "str" for item in items if not isinstance(item, Union)) for items in found
    )
