"""How many axes a placeholder has whose shape nobody in sight gives: what unpacks its shape goes on only where there are so many, and a test says it.

Arrays outside of traces stay as they are: a shape that is only known by its use says nothing of which calls have one key.
"""

from __future__ import annotations

from mxlint.domain.arrays import Array, Part, ShapeOf, unranked
from mxlint.domain.members import Length, Member, Symbolic, Value
from mxlint.interpreter.machine.core import Interpreter


def unpacked(i: Interpreter, shape: ShapeOf, count: int) -> tuple[Value, ...]:
    """The lengths that `count` targets take, where a shape has no more."""
    around = _around(shape.part)
    if around is None:
        return tuple(map(shape.axis, range(count)))
    before, behind = around
    number = before + count + behind
    learn(i, shape.ident, number)
    lengths = ShapeOf(shape.ident, shape.origin, shape.exact).with_rank(number)
    return tuple(map(Length, lengths[before : before + count]))


def _around(part: Part) -> tuple[int, int] | None:
    """How many axes lie before and behind a part of a shape; None if it says nothing of how many there are."""
    if part is None:
        return None
    lower, upper = part
    return (lower, -(upper or 0)) if lower >= 0 >= (upper or 0) and upper != 0 else None


def subject(value: Value | None) -> int | None:
    """The array of which a number is the rank."""
    if isinstance(value, Symbolic) and len(value.identity) == 2:
        operation, of = value.identity
        if operation == "ndim" and isinstance(of, Array) or operation == "len" and isinstance(of, ShapeOf) and of.is_whole:
            return of.ident
    return None


def learn(i: Interpreter, ident: int, number: int) -> None:
    """Give an array so many axes, wherever it is held."""
    trace = i.trace
    if number < 0 or trace is None or i.info(ident).trace != trace.number or i.info(ident).summary:
        return

    def change(member: Member) -> Member:
        if not isinstance(member, Array) or member.ident != ident or member.shape is not None or not trace.holds(member.trace):
            return member
        return member.but(shape=unranked(member).with_rank(number))

    i.heap.replace(ident, change)
