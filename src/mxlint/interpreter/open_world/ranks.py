"""How many axes a placeholder has whose shape nobody in sight gives: what unpacks its shape goes on only where there are so many, and a test says it.

Arrays outside of traces keep no shape of that: one that is only known by its use says nothing of which calls have one key. What a test of an argument has said
there holds of its placeholder.
"""

from __future__ import annotations

from typing import Final

from mxlint.domain.arrays import Array, Part, ShapeOf, unranked
from mxlint.domain.exclusion import contradict
from mxlint.domain.guards import Guard
from mxlint.domain.members import NONE, Const, Length, Measure, Member, Symbolic, Tuple, Value, as_constant, options
from mxlint.domain.place import Place
from mxlint.domain.size import Origin, symbol
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import LAST_AXIS, LAST_LENGTH
from mxlint.interpreter.machine.paths import AXES
from mxlint.interpreter.open_world.failing import may_fail

TESTED: Final = ("#", "axes by a test")
"""Of an array outside of traces whose shape nobody in sight gives: how many axes it has where a test lets the program go on."""


def shape_of(i: Interpreter, array: Array) -> ShapeOf:
    """The shape of an array of unknown rank, with the length of its last axis if that is known."""
    held = i.heap.get(array.ident, LAST_LENGTH)
    return unranked(array, held.value if isinstance(held, Const) and not i.info(array.ident).summary else None)  # type: ignore[arg-type]


def unpacked(i: Interpreter, shape: ShapeOf, count: int) -> tuple[Value, ...]:
    """The lengths that `count` targets take, where a shape has no more."""
    around = _around(shape.part)
    if around is None:
        return tuple(map(shape.axis, range(count)))
    before, behind = around
    number = before + count + behind
    learn(i, shape.ident, number)
    lengths = [*map(Length, ShapeOf(shape.ident, shape.origin, shape.exact, last=shape.last).with_rank(number))]
    if number > 1 and shape.last is None:
        lengths[-1] = _last(i, shape) or lengths[-1]
    return tuple(map(as_constant, lengths[before : before + count]))


def axis(i: Interpreter, shape: ShapeOf, number: Value) -> Length | Measure | Const:
    """The length of an axis of a shape of unknown rank: of the last one, with what is known of where it comes from."""
    if isinstance(number, Symbolic):
        return shape.named(number.identity)
    found = shape.axis(number.value if isinstance(number, Const) and isinstance(number.value, int) else None)
    return _last(i, shape) or found if found == ShapeOf(shape.ident, shape.origin, shape.exact).axis(-1) else found


def _last(i: Interpreter, shape: ShapeOf) -> Length | None:
    """The length of the last axis of an array, if it is known where it comes from."""
    known = origins_of_last(i, shape.ident)
    return None if known is None else Length(symbol(("axis", shape.ident, -1), 0, known))


def origins_of_last(i: Interpreter, array: int) -> frozenset[Origin] | None:
    """The axes of arguments that the last axis of an array comes from; None if nobody says."""
    known = i.heap.get(array, LAST_AXIS)
    if not isinstance(known, Tuple) or known.items is None:
        return None
    pairs = (tuple(part.value for part in item.parts if isinstance(part, Const)) for item in known.items if isinstance(item, Tuple))
    return frozenset(pairs)  # type: ignore[arg-type]


def keep_origins_of_last(i: Interpreter, array: int, origins: frozenset[Origin] | None) -> None:
    """Keep which axes of arguments the last axis of an array comes from; None: nobody says."""
    listed = NONE if origins is None else Tuple(tuple(Tuple(tuple(map(Const, origin))) for origin in sorted(origins, key=repr)))
    i.heap.set(array, LAST_AXIS, listed)


def may_lack(i: Interpreter, shape: ShapeOf, error: str, place: Place, frame: Frame) -> None:
    """A shape may have other axes than it is asked for, which raises."""
    may_fail(i, error, shape, place, frame, AXES)


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
    """Give an array so many axes, wherever it is held. Outside of traces it is kept for its placeholders alone."""
    trace = i.trace
    if trace is None and number >= 0 and not i.info(ident).summary:
        i.heap.set(ident, TESTED, Const(number))
    if number < 0 or trace is None or i.info(ident).trace != trace.number or i.info(ident).summary:
        return

    def change(member: Member) -> Member:
        if not isinstance(member, Array) or member.ident != ident or member.shape is not None or not trace.holds(member.trace):
            return member
        return member.but(shape=shape_of(i, member).with_rank(number))

    i.heap.replace(ident, change)


def of_argument(i: Interpreter, argument: int, under: Guard, placeholder: Array) -> Array:
    """A placeholder with as many axes as a test has found that its argument has, if it has no shape itself. `argument`: the object that stands for it; `under`: what
    holds where it is given."""
    tested = i.heap.get(argument, TESTED) if placeholder.shape is None else None
    found = {option.member for option in options(tested) if not contradict(option.guard, under)} if tested is not None else ()
    number = next(iter(found)) if len(found) == 1 else None
    return placeholder.but(shape=unranked(placeholder).with_rank(number.value)) if isinstance(number, Const) else placeholder  # type: ignore[arg-type]
