"""Numbers that are computed from one of which all values are known: one by one, so that how many there are stays known.

What rounds, masks or compares makes one number of many. Of a `Kind` that comes of a step of integers its `values` are kept, each once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from mxlint.domain.join import join
from mxlint.domain.members import Const, Kind, Loops, Member, Range, Value

MOST: Final = 1_024
"""So many values are computed one by one."""


def each(member: Member) -> tuple[object, ...] | None:
    """All values of a number; None if they are not known, or too many."""
    if isinstance(member, Const):
        return (member.value,)
    if isinstance(member, Range):
        known = member.low is not None and member.high is not None and (member.high - member.low) // member.stride < MOST
        return tuple(range(member.low, member.high + 1, member.stride)) if known else None  # type: ignore[arg-type, operator]
    if isinstance(member, Kind) and member.cause == "varying":
        return (False, True) if member.type == "bool" else member.values
    return None


def computed(function: Callable[..., object], operands: Sequence[Value], loops: Loops) -> Value | None:
    """What a function gives for each value of the operands, of which one takes several; None where that is not known, is no number, or raises."""
    values = [each(operand) if isinstance(operand, Member) else None for operand in operands]
    several = [number for number, found in enumerate(values) if not isinstance(operands[number], Const)]
    if len(several) != 1 or any(found is None for found in values):
        return None
    given = [found[0] for found in values if found]
    results: dict[tuple[type, object], None] = {}
    for value in values[several[0]] or ():
        given[several[0]] = value
        try:
            result = function(*given)
        except (ArithmeticError, LookupError, TypeError, ValueError):
            return None
        results[type(result), result] = None
    integers = sorted(value for _, value in results if type(value) is int)
    floats = [value for _, value in results if type(value) is float and math.isfinite(value)]
    if len(integers) + len(floats) < len(results):
        return None
    return join([*_integers(integers, loops), *_floats(floats, loops)])


def _integers(values: Sequence[int], loops: Loops) -> Iterator[Member]:
    stride = math.gcd(*(value - values[0] for value in values))
    if len(values) == 1:
        yield Const(values[0])
    elif values and (values[-1] - values[0]) // stride == len(values) - 1:
        yield Range(values[0], values[-1], stride, loops)
    elif values:
        yield Kind("int", "varying", loops, tuple(values))


def _floats(values: Sequence[float], loops: Loops) -> Iterator[Member]:
    if len(values) == 1:
        yield Const(values[0])
    elif values:
        yield Kind("float", "varying", loops, tuple(values))
