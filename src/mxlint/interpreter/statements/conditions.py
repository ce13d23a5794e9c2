"""Tests: `and`, `or` and conditions ask each operand once, in the order of Python, and stop at the one that decides."""

from __future__ import annotations

from collections.abc import Callable

from mxlint.domain.arrays import Array
from mxlint.domain.join import filtered, of
from mxlint.domain.members import Const, Option, Value, options
from mxlint.interpreter.compiled.portions import scalar
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.paths import Truth
from mxlint.interpreter.statements.narrowing import assume, may_be
from mxlint.syntax import ir

Evaluate = Callable[[ir.Expr, Frame], Value]


def tested(i: Interpreter, node: ir.Expr, frame: Frame) -> Truth:
    """The truth of a test. Each operand of `and` and `or` is asked once, where it stands."""
    return i.truth(_value(i, node, frame), frame.place(_last(node)), frame)


def _value(i: Interpreter, node: ir.Expr, frame: Frame) -> Value:
    """The value of a test; in the place of arrays that were asked already, what they answered."""

    def answered(i: Interpreter, value: Value, outcome: bool) -> Value:
        stopped = stopping(i, value, outcome)
        return of(Option(Const(outcome) if isinstance(part.member, Array) else part.member, part.guard) for part in options(stopped))

    if not isinstance(node, ir.BoolOp):
        return scalar(i, node, frame)
    value = bool_op(i, node, frame, lambda operand, frame: _value(i, operand, frame), answered)
    if i.observer is not None:
        i.observer.value(frame, node, value)
    return value


def _last(node: ir.Expr) -> ir.Expr:
    """The operand that decides if no other one did."""
    while isinstance(node, ir.BoolOp):
        node = node.right
    return node


def bool_op(
    i: Interpreter, node: ir.BoolOp, frame: Frame, evaluate: Evaluate, stopped: Callable[[Interpreter, Value, bool], Value]
) -> Value:
    """`and`, `or`: what `stopped` makes of the left operand where that decides, else the right one."""
    left = evaluate(node.left, frame)
    place = frame.place(_last(node.left))
    truth = i.truth(left, place, frame)
    goes_on = node.op == "and"

    def stay() -> Value:
        assume(i, node.left, not goes_on, frame)
        return stopped(i, left, not goes_on)

    def more() -> Value:
        assume(i, node.left, goes_on, frame)
        return evaluate(node.right, frame)

    return i.choose(truth, place, more, stay) if goes_on else i.choose(truth, place, stay, more)


def stopping(i: Interpreter, value: Value, outcome: bool) -> Value:
    """The members of the left operand with which `and` and `or` stop."""
    kept = filtered(value, lambda member: may_be(i, member, outcome))
    return kept if kept is not None else value
