"""Whether the rounds of a `while` loop come nearer to an end: each leaves something that only one more round can have made, as a counter or a list that grows."""

from __future__ import annotations

from typing import Final, TypeAlias

from mxlint.domain.arrays import Array
from mxlint.domain.heap import ALIVE
from mxlint.domain.members import Member, Ref, Symbolic, Tuple, Value, members
from mxlint.interpreter.machine.core import Interpreter

Shape: TypeAlias = frozenset[object]
DEPTH: Final = 4
"""Objects that the loop made, one in the other, which are distinguished by what they hold."""


def is_nearer(i: Interpreter, begin: int, round: int) -> bool:
    """Whether what was there when a round began holds something else since: another number, string or older object, or more or fewer elements, as deep
    as it lies in objects that the loop made. One array is told from no other, and one thing that nothing in sight gives from no other. `begin`: the
    mark at the begin of the loop, `round`: of its last round."""
    before: dict[tuple[int, object], Value | None] = {}
    for at, value in i.heap.trail[round:]:
        before.setdefault(at, value)
    made = {oid for (oid, field), value in before.items() if field == ALIVE and value is None}
    fresh = {oid for (oid, field), value in i.heap.trail[begin:] if field == ALIVE and value is None}
    return any(
        _shape(i, value, fresh, DEPTH) != _shape(i, i.heap.get(*at), fresh, DEPTH)
        for at, value in before.items()
        if at[0] not in made and i.info(at[0]).kind != "array"
    )


def _shape(i: Interpreter, value: Value | None, fresh: set[int], depth: int) -> Shape:
    return frozenset(_of_member(i, member, fresh, depth) for member in members(value)) if value is not None else frozenset()


def _of_member(i: Interpreter, member: Member, fresh: set[int], depth: int) -> object:
    if isinstance(member, (Array, Symbolic)):
        return type(member)
    if isinstance(member, Ref) and member.oid in fresh:
        fields = i.heap.fields(member.oid).items() if depth else ()
        return i.info(member.oid).kind, frozenset((field, _shape(i, held, fresh, depth - 1)) for field, held in fields)
    if isinstance(member, Tuple):
        return tuple(_shape(i, part, fresh, depth) for part in member.parts)
    return member
