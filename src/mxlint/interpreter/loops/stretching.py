"""Arrays that have another length in each round, and those whose lengths a test asks for: these may come to rest."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from mxlint.domain.arrays import GOING_ON, Array
from mxlint.domain.guards import Literal_
from mxlint.domain.guards import parts as literals
from mxlint.domain.members import (
    Length,
    Member,
    Symbolic,
    Tuple,
    Union,
    Value,
    members,
)
from mxlint.domain.ordering import comparison
from mxlint.domain.shape import surely_unlike
from mxlint.domain.size import symbols
from mxlint.facts.rows import AGAIN
from mxlint.interpreter.machine.core import Interpreter


class Lengthening:
    """Arrays that rounds of loops make longer, or otherwise of another length, each time."""

    __slots__ = ("arrays", "asked", "bounded")

    def __init__(self) -> None:
        self.arrays: dict[int, tuple[frozenset[Hashable], frozenset[int]]] = {}
        """Which loops do so, and which axis it is, counted from either end."""
        self.asked: dict[Literal_, frozenset[int]] = {}
        """The arrays whose lengths literals ask for."""
        self.bounded: set[int] = set()
        """Arrays whose lengths decide in a round whether they go on or something else takes their place, as `if len(x) > 8: x = x[-8:]` does: these may
        come to rest."""


def may_rest(i: Interpreter, state: Iterable[Value]) -> None:
    """A round of a loop has come to its end, and left these values."""
    for value in state:
        if not isinstance(value, Union):
            continue
        arrays = {ident for m in members(value) if isinstance(m, Array) for ident in (m.ident, i.heap.older(m.ident))}
        guards = {literal for option in value.options for literal in option.guard} if arrays else ()
        if any(not arrays.isdisjoint(_asked(i, one)) for literal in guards for one in (literal, *literals(literal))):
            i.ledger.of(Lengthening).bounded |= arrays


def _asked(i: Interpreter, literal: Literal_) -> frozenset[int]:
    """The arrays whose lengths a literal asks for, found once: each round asks it of all literals that stand then."""
    known = i.ledger.of(Lengthening).asked
    found = known.get(literal)
    if found is None:
        found = known[literal] = frozenset(measured(literal.condition))
    return found


def measured(part: object) -> Iterator[int]:
    """The arrays whose lengths a condition asks for; what compares one with more than few leaves many lengths."""
    if isinstance(part, Length):
        yield from (name[1] for name in symbols(part.size) if isinstance(name, tuple) and name[0] == "axis")
    elif isinstance(part, tuple) and part[:1] == ("size",) and isinstance(part[1], Array):
        yield part[1].ident
    elif isinstance(part, tuple) and not ((compared := comparison(part)) is not None and compared[2] > AGAIN):
        for inner in part:
            yield from measured(inner.identity if isinstance(inner, Symbolic) else inner)


def lengthens(i: Interpreter, array: Array, axis: object) -> None:
    """An array was made in host code. `axis`: the one along which its shape differs from round to round, if it does; None if nobody says."""
    if i.trace is not None or array.grows not in GOING_ON or not array.loops:
        return
    if array.shape is not None and array.shape.count(None) == 1:
        axis = array.shape.index(None)
    if type(axis) is int:
        ways = (axis,) if array.shape is None else (axis % len(array.shape), axis % len(array.shape) - len(array.shape))
        found = i.ledger.of(Lengthening).arrays
        found[array.ident] = found[i.heap.older(array.ident)] = array.loops, frozenset(ways)


def stretching(found: Sequence[Member]) -> bool:
    """Whether an array, or an item of a tuple, has one length after another, with no end: it has several that are known, and is then made of
    itself."""
    todo: list[Sequence[Member]] = [found]
    seen: set[tuple[int, ...]] = set()  # parts that are shared are looked at once
    while todo:
        parts = todo.pop()
        key = tuple(map(id, parts))
        if key in seen:
            continue
        seen.add(key)
        if _stretches(parts):
            return True
        tuples = [member.items for member in parts if isinstance(member, Tuple) and member.items is not None]
        if len({len(items) for items in tuples}) == 1:
            todo.extend([m for item in column for m in members(item)] for column in zip(*tuples))
    return False


def _stretches(found: Sequence[Member]) -> bool:
    shapes = [(member.shape, member.grows) for member in found if isinstance(member, Array) and member.shape is not None]
    return any(
        any(map(surely_unlike, lengths, lengths[1:]))
        for shape, grows in shapes
        if grows == "differs"
        for axis, size in enumerate(shape)
        if size is None
        for lengths in ([other[axis] for other, _ in shapes if len(other) == len(shape) and other[axis] is not None],)
    )
