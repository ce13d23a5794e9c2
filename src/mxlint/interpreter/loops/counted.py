"""How many rounds a `while` loop of a traced body has, which tests a number that goes on by equal steps or by one factor.

`while n < 5000: n += 1` has 5,000 rounds if `n` begins at 0. Its first rounds, which are run one by one, show the step. MX307 asks for the number.
"""

from __future__ import annotations

from itertools import pairwise
from math import isclose, isfinite
from typing import Final

from mxlint.domain.members import Const, Member
from mxlint.interpreter.expressions.arithmetic import FOLD
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.statements.narrowing import constant
from mxlint.syntax import ir

MAX_COUNTED: Final = 1_000_000
"""Rounds beyond which a loop is not counted: what it does in a trace never comes to an end."""
ORDERS: Final = frozenset(("<", "<=", ">", ">=", "!="))


class Counted:
    """What a loop tests before each of its rounds, and how many operations the trace had there."""

    def __init__(self, i: Interpreter, test: ir.Expr, frame: Frame) -> None:
        self._i = i
        self._frame = frame
        self._test = test if isinstance(test, ir.Compare) and len(test.ops) == 1 and test.ops[0] in ORDERS else None
        self._sides: list[tuple[float, float]] = []
        self._operations: list[int] = []

    def round(self) -> None:
        """A round begins."""
        if self._test is None or self._i.trace is None:
            return
        left, right = (_number(constant(self._i, side, self._frame)) for side in (self._test.left, self._test.rights[0]))
        if left is None or right is None:
            self._test = None
            return
        self._sides.append((left, right))
        self._operations.append(self._i.trace.operations)

    def total(self) -> tuple[int, int] | None:
        """The rounds, and the operations of all of them: as many each time as the least of those that were run had. None if that is not known."""
        if self._test is None or len(self._sides) < 3:
            return None
        lefts, rights = zip(*self._sides)
        side = 0 if len(set(rights)) == 1 else 1 if len(set(lefts)) == 1 else None
        if side is None:
            return None
        moved = (lefts, rights)[side]
        rounds = _rounds_left(moved, (lefts, rights)[1 - side][0], self._test.ops[0], side)
        each = min(b - a for a, b in pairwise(self._operations))
        return None if rounds is None else (len(moved) - 1 + rounds, each * (len(moved) - 1 + rounds))


def _number(found: Member | None) -> float | None:
    value = found.value if isinstance(found, Const) else None
    return value if isinstance(value, (int, float)) and isfinite(value) else None


def _rounds_left(values: tuple[float, ...], bound: float, op: str, side: int) -> int | None:
    """How many rounds there are from the last of some values on, as far as they go on as they did."""
    steps = [b - a for a, b in pairwise(values)]
    factors = [b / a for a, b in pairwise(values) if a]
    value, count = values[-1], 0
    if _equal(steps) and steps[0]:
        step, factor = steps[0], 1.0
    elif len(factors) == len(steps) and _equal(factors) and factors[0] != 1:
        step, factor = 0, factors[0]
    else:
        return None
    while FOLD[op](*((value, bound) if side == 0 else (bound, value))):
        if count > MAX_COUNTED or not isfinite(value):
            return None
        value, count = value * factor + step, count + 1
    return count


def _equal(numbers: list[float]) -> bool:
    return all(isclose(number, numbers[0], rel_tol=1e-6) for number in numbers)
