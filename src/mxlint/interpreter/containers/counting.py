"""How many elements an iterable has, without running anything."""

from __future__ import annotations

from typing import Final

from mxlint.domain.join import length_of
from mxlint.domain.members import Const, Member, RangeObject, Ref, Tuple
from mxlint.interpreter.containers.elements import UNROLLED, known_items, position_of
from mxlint.interpreter.generators.iterators import ITERABLES, parts_of
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS

AS_LONG: Final = frozenset(("enumerate", "iter", "map", "reversed", "zip"))
"""Iterators that give an element for each of what they go over."""


def number_of_rounds(i: Interpreter, member: Member) -> int | None:
    """How many elements an iterable has, at least; None if that is not known."""
    if isinstance(member, RangeObject):
        bounds = [
            bound.value for bound in (member.start, member.stop, member.step) if isinstance(bound, Const) and isinstance(bound.value, int)
        ]
        return length_of(range(*bounds)) if len(bounds) == 3 and bounds[2] else None
    if isinstance(member, Ref) and i.info(member.oid).kind == "iterator":
        return _rounds_of_iterator(i, member)
    items = known_items(i, member)
    if items is not None:
        return len(items)
    content = i.heap.get(member.oid, ITEMS) if isinstance(member, Ref) and i.info(member.oid).kind == "list" else member
    return content.least if isinstance(content, Tuple) and (content.least or 0) > UNROLLED else None


def _rounds_of_iterator(i: Interpreter, ref: Ref) -> int | None:
    """How many elements an iterator has left: as many as the shortest of what it goes over."""
    kind, position = i.info(ref.oid).payload, position_of(i, ref)
    if kind not in AS_LONG or position is None:
        return None
    over = parts_of(i, ref)[ITERABLES[kind]]
    known: list[int] = []
    for part in over:
        rounds = number_of_rounds(i, part) if isinstance(part, Member) else None
        if rounds is None:
            return None
        # Another iterator has moved by itself, and gives to all that ask it in turn.
        moves = isinstance(part, Ref) and i.info(part.oid).kind == "iterator"
        known.append(rounds // over.count(part) if moves else max(rounds - position, 0))
    return min(known, default=None)


def whole_number(i: Interpreter, ref: Ref) -> int | None:
    """How many elements an iterator gives in all, if it goes over what holds them; None if that is not known."""
    kind = i.info(ref.oid).payload
    if kind not in AS_LONG:
        return None
    known: list[int] = []
    for part in parts_of(i, ref)[ITERABLES[kind]]:
        moves = isinstance(part, Ref) and i.info(part.oid).kind == "iterator"
        rounds = number_of_rounds(i, part) if isinstance(part, Member) and not moves else None
        if rounds is None:
            return None
        known.append(rounds)
    return min(known, default=None)
