"""Whether the rounds of a loop come nearer to an end: each leaves something that only one more can have made, as a counter or a list that grows."""

from __future__ import annotations

from typing import TypeAlias

from mxlint.domain.arrays import Array
from mxlint.domain.heap import ALIVE
from mxlint.domain.members import Member, Ref, Symbolic, Tuple, Value, members
from mxlint.interpreter.machine.core import Interpreter

Shape: TypeAlias = frozenset[object]


def is_nearer(i: Interpreter, begin: int, round: int) -> bool:
    """Whether what was there when a round began holds something else since: another number, text or older object, or more or fewer elements. What the
    loop made itself is told from nothing of its kind, and one thing that nothing in sight gives from no other. `begin`: the mark at the begin of the loop, `round`: of its last round."""
    before: dict[tuple[int, object], Value | None] = {}
    for at, value in i.heap.trail[round:]:
        before.setdefault(at, value)
    fresh = {oid for (oid, field), value in i.heap.trail[begin:] if field == ALIVE and value is None}
    return any(
        _shape(i, value, fresh) != _shape(i, i.heap.get(*at), fresh)
        for at, value in before.items()
        if at[0] not in fresh and i.info(at[0]).kind != "array"
    )


def _shape(i: Interpreter, value: Value | None, fresh: set[int]) -> Shape:
    return frozenset(_of_member(i, member, fresh) for member in members(value)) if value is not None else frozenset()


def _of_member(i: Interpreter, member: Member, fresh: set[int]) -> object:
    if isinstance(member, (Array, Symbolic)):
        return type(member)
    if isinstance(member, Ref) and member.oid in fresh:
        return i.info(member.oid).kind
    if isinstance(member, Tuple):
        return tuple(_shape(i, part, fresh) for part in member.parts)
    return member
