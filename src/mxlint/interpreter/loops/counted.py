"""How many rounds a `while` loop of a traced body has, which tests a number that goes on by equal steps or by one factor, from any number on.

`while n < 5000: n += 1` has 5,000 rounds if `n` begins at 0. Its first rounds, which are run one by one, show the step. MX307 asks for the number. So has a
loop that tests nothing, and that a `break` under such a test alone leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import isclose, isfinite
from typing import Final

from mxlint.domain.members import Const, Member, Symbolic, Value, members, scalar_type
from mxlint.interpreter.expressions.arithmetic import FOLD
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.statements.narrowing import constant, location
from mxlint.syntax import ir

MAX_COUNTED: Final = 1_000_000
"""Rounds beyond which a loop is not counted: what it does in a trace never comes to an end."""
COUNTED: Final = "counted"
"""Begins the name of a number of which a round is to show how it goes on."""
MOVES: Final = frozenset("+-*/")
ORDERS: Final = frozenset(("<", "<=", ">", ">=", "!="))
NEGATED: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!="}
"""Under what a loop goes on that a comparison leaves."""


class Counted:
    """What a loop tests before each of its rounds, and how many operations the trace had there."""

    def __init__(self, i: Interpreter, loop: ir.While, frame: Frame) -> None:
        self._i = i
        self._frame = frame
        self._test = _as_comparison(loop.test) if not isinstance(loop.test, ir.Const) else _left_under(loop.body)
        self._sides: list[tuple[float, float]] = []
        self._operations: list[int] = []
        self._least = MAX_COUNTED

    def round(self) -> None:
        """A round begins."""
        if self._test is None or self._i.trace is None:
            return
        left, right = (_number(constant(self._i, side, self._frame)) for side in (self._test.left, self._test.rights[0]))
        if left is None or right is None:
            self._test = None
            return
        self._sides.append((left, right))
        self._operations.append(self._i.trace.fewest)

    def goes_on(self, step: Callable[[], object]) -> bool:
        """Whether a round moves the number that is tested as those before did, whatever it is: rounds that are run for this alone, each with a number
        of which nothing is known, do one thing with it. The second finds what the first may have left."""
        i, test, trace = self._i, self._test, self._i.trace
        if self.total() is None or test is None or trace is None:
            return False
        tested = {at for side in (test.left, test.rights[0]) if (at := location(i, side, self._frame)) is not None}
        mark, path, checkpoint = i.heap.mark(), i.path, i.checkpoint()
        counts, full = (trace.operations, trace.surplus), trace.full
        place = self._frame.place(test)
        try:
            for _ in range(2):
                for oid, field in tested:
                    held = members(i.heap.get(oid, field) or Const(None))
                    kinds = frozenset(filter(None, map(scalar_type, held)))
                    i.heap.set(oid, field, i.symbolic(place, f"{COUNTED} {field}", kinds=kinds))
                begun, least = {at: i.heap.get(*at) for at in tested}, trace.fewest
                with i.within((place, COUNTED)):
                    step()
                self._least = min(self._least, trace.fewest - least)
                if not all(_moved_once(value, i.heap.get(*at)) for at, value in begun.items()):
                    return False
            return True
        except Halt:
            return False
        finally:
            i.heap.undo(mark)
            i.path = path
            i.forget(checkpoint)
            (trace.operations, trace.surplus), trace.full = counts, full

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
        each = min(self._least, *(b - a for a, b in pairwise(self._operations)))
        return None if rounds is None else (len(moved) - 1 + rounds, each * (len(moved) - 1 + rounds))


def _as_comparison(test: ir.Expr) -> ir.Compare | None:
    """A test as a comparison of two sides: of a number that is tested itself with zero."""
    if isinstance(test, (ir.Name, ir.Attr)):
        return ir.Compare(test.start, test.end, test, ("!=",), (ir.Const(test.start, test.end, 0),))
    return test if isinstance(test, ir.Compare) and len(test.ops) == 1 and test.ops[0] in ORDERS else None


def _left_under(body: ir.Body) -> ir.Compare | None:
    """Under what a loop without a test goes on, if a `break` under a comparison, or where that does not hold, is all that its body says of leaving it."""
    tests = [(part, leaves) for part in body if isinstance(part, ir.If) for leaves in (part.body, part.orelse) if _breaks(leaves)]
    if len(tests) != 1 or _exits(body) != 1:
        return None
    [(choice, leaves)] = tests
    test, goes_on = choice.test, leaves is not choice.body
    while isinstance(test, ir.Unary) and test.op == "not":
        test, goes_on = test.operand, not goes_on
    if goes_on:
        return _as_comparison(test)
    if not isinstance(test, ir.Compare) or len(test.ops) != 1 or test.ops[0] not in NEGATED:
        return None
    return ir.Compare(test.start, test.end, test.left, (NEGATED[test.ops[0]],), test.rights)


def _breaks(part: ir.Body) -> bool:
    """Whether a block ends with `break`."""
    return bool(part) and isinstance(part[-1], ir.Flow) and part[-1].kind == "break"


def _exits(part: object, *, inner: bool = False) -> int:
    """How often the body of a loop says that the round, the loop or the function is left. `inner`: in a loop in it."""
    if isinstance(part, tuple):
        return sum(_exits(each, inner=inner) for each in part)
    if isinstance(part, (ir.For, ir.While)):
        return _exits(part.body, inner=True) + _exits(part.orelse, inner=inner)
    if isinstance(part, (ir.Expr, ir.FuncDef, ir.ClassDef)) or not isinstance(part, ir.Node):
        return 0
    if isinstance(part, ir.Flow):
        return 0 if inner or part.kind == "pass" else 1
    return 1 if isinstance(part, (ir.Return, ir.Raise)) else sum(_exits(getattr(part, field), inner=inner) for field in part.__match_args__)


def _moved_once(before: Value | None, after: Value | None) -> bool:
    """Whether a number is the one that it was, or what one operation makes of that and a constant."""
    if before == after:
        return True
    if not isinstance(before, Symbolic) or not isinstance(after, Symbolic) or len(after.identity) != 3:
        return False
    op, *sides = after.identity
    return op in MOVES and any(
        side in (before, before.identity) and isinstance(other, Const) for side, other in (sides, reversed(sides) if op in "+*" else sides)
    )


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
