"""What holds by default: conditions on what nobody in sight gives, where the program says what it is if nobody does.

Callers out of sight may give anything, so such a condition is open. But one that holds with the defaults holds for whoever leaves them as they are.
"""

from __future__ import annotations

from typing import Any, Final

from mxlint.domain.guards import JOINED, Identity, Literal_
from mxlint.domain.members import Const, Symbolic, Value
from mxlint.interpreter.expressions.arithmetic import COMPARISONS, FOLD
from mxlint.interpreter.machine.core import Interpreter

NUMERIC: Final = frozenset(("+", "-", "*", "/", "//", "%"))
"""Operators that are computed of numbers."""


class Defaults:
    """What the program says that symbolic values and conditions are, if nobody gives them."""

    __slots__ = ("values",)

    def __init__(self) -> None:
        self.values: dict[Identity, Const] = {}


def keep(i: Interpreter, value: Value, default: Value | None) -> Value:
    """A symbolic value, with what the program says that it is if nobody gives it."""
    if isinstance(value, Symbolic) and isinstance(default, Const):
        i.ledger.of(Defaults).values[value.identity] = default
    return value


def holds(i: Interpreter, literal: Literal_ | None) -> bool:
    """Whether a condition is, by default, what a literal says."""
    found = value(i, literal.condition) if literal is not None else None
    return found is not None and literal is not None and bool(found.value) is literal.outcome


def left(i: Interpreter) -> bool:
    """Whether callers have to leave the defaults to come to this point: some condition of the path does not hold by default."""
    return any(holds(i, condition.opposite) for condition in i.path)


def value(i: Interpreter, part: object) -> Const | None:
    """What a value, or what an identity names, is by default; None if nothing says so."""
    if isinstance(part, Const):
        return part
    identity = part.identity if isinstance(part, Symbolic) else part
    if not isinstance(identity, tuple) or not i.ledger.of(Defaults).values:
        return None
    known = i.ledger.of(Defaults).values.get(identity)
    if known is not None or not identity:
        return known
    operation, *operands = identity
    if operation == JOINED:
        return _joined(i, operands)
    if operation not in FOLD and operation != "not":
        return None
    values = [value(i, operand) for operand in operands]
    return _computed(str(operation), [value.value for value in values if value is not None]) if None not in values else None


def _computed(operation: str, values: list[Any]) -> Const | None:
    if operation == "not" and len(values) == 1:
        return Const(not values[0])
    numbers = all(isinstance(value, (int, float)) for value in values)
    if len(values) != 2 or not (operation in COMPARISONS or operation in NUMERIC and numbers):
        return None
    try:
        return Const(FOLD[operation](*values))
    except (ArithmeticError, TypeError):
        return None


def _joined(i: Interpreter, parts: list[Any]) -> Const | None:
    """A test of a value that is one of several: of the one that it is by default."""
    for guard, condition, outcome in parts:
        if all(holds(i, Literal_(literal, expected)) for literal, expected in guard):
            asked: Const | None = value(i, condition) if condition else Const(True)
            return Const(bool(asked.value) is outcome) if asked is not None else None
    return None
