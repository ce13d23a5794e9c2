"""Arrays that rounds of a loop make longer: what is joined with more of the same, again and again, has another shape each time, whatever it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mxlint.domain.arrays import Array
from mxlint.domain.members import Const, Ref, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.core import Interpreter
from mxlint.interpreter.frames import Context
from mxlint.interpreter.novelty import rounds_around, within

LONGER = "longer than "
"""What `Array.grows` begins with for what a trace makes of an array among its arguments and more; the numbers of what that may be, among them, follow."""
LENGTHENS = frozenset(("mlx.core.concatenate",))
"""What makes an array that is longer than each of its operands."""


def of_itself(i: Interpreter, name: str, ident: int, operands: Sequence[Value], place: Place) -> bool:
    """Whether an operation joins what it made itself in an earlier round with more: `ident` is what it makes. Nothing else that the loop makes may
    take its place, as what is cut back to a window does."""
    if name not in LENGTHENS or i.trace is not None:
        return False
    known = i.ledger.lengthened
    found = any(_goes_on(i, item, ident, place, known) for item in _items(i, operands))
    known[ident] = place
    return found


def lengthened(i: Interpreter, name: str, operands: Sequence[Value]) -> str:
    """What an operation in a trace joins with more, if that is an argument: what the caller takes back and gives again is longer each time."""
    if name in LENGTHENS and i.trace is not None:
        given: list[int] = list(i.trace.given)
        for item in _items(i, operands):
            originals = [i.heap.get(member.ident, ("#", "original")) if isinstance(member, Array) else None for member in members(item)]
            numbers = [given.index(o.value) for o in originals if isinstance(o, Const) and o.value in given]
            if numbers and len(numbers) == len(originals):
                return LONGER + ",".join(map(str, numbers))
    return ""


def given_back(i: Interpreter, array: Array, ident: int, given: Sequence[int]) -> str:
    """Why the shape of what a compiled call gives differs from round to round. An argument joined with more does, if in an earlier round it was made
    here. `ident` is what the call makes of an array of the trace, `given` what the trace was given."""
    if not array.grows.startswith(LONGER):
        return array.grows
    numbers = map(int, array.grows.removeprefix(LONGER).split(","))
    own = any(number < len(given) and given[number] in (ident, i.heap.older(ident)) for number in numbers)
    return "rounds" if own and rounds_around(i) else ""


def _items(i: Interpreter, operands: Sequence[Value]) -> Iterator[Value]:
    """The arrays that are joined, each with all that it may be."""
    for member in members(operands[0]) if operands else ():
        content = i.heap.get(member.oid, ("#", "items")) if isinstance(member, Ref) else member
        if isinstance(content, Tuple) and content.items is not None and len(content.items) > 1:
            yield from content.items


def _goes_on(i: Interpreter, item: Value, ident: int, place: Place, known: dict[int, Place]) -> bool:
    arrays = {member.ident for member in members(item) if isinstance(member, Array)}
    loop = next(iter(rounds_around(i)), None)
    own = {ident, i.heap.older(ident)}
    if loop is None or loop.parent is None or own.isdisjoint(arrays):
        return False
    return all(known.get(other) == place or not _made_in(i, other, loop.parent) for other in arrays - own)


def _made_in(i: Interpreter, ident: int, context: Context) -> bool:
    made = i.info(ident).payload
    return isinstance(made, Context) and within(made, context)
