"""Whether what comes into a container may be one of the items that are in it."""

from __future__ import annotations

from mxlint.domain.members import FALSE, Const, Member, Range, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.containers import membership
from mxlint.interpreter.machine.core import Interpreter


def is_all(before: Value, added: Tuple | None) -> bool:
    """Whether all items of a container are one constant, and so is what is put in the place of one."""
    parts = each_item(before)
    return len(parts) == 1 and isinstance(parts[0], Const) and added in (None, Tuple((parts[0],)))


def are_new(i: Interpreter, added: Tuple, before: Value, place: Place) -> bool:
    """Whether something that comes into a container surely is none of its items."""
    return any(not any(may_be(i, member, part, place) for part in members(before) for member in members(item)) for item in added.parts)


def may_be(i: Interpreter, item: Member, content: Member, place: Place) -> bool:
    """Whether one thing may be among some items."""
    if not isinstance(content, Tuple):
        return True
    return any(_may_equal(i, item, member, place) for part in content.parts for member in members(part))


def _may_equal(i: Interpreter, one: Member, other: Member, place: Place) -> bool:
    if isinstance(other, Range) and isinstance(one, Const) and isinstance(one.value, (int, float)):
        return (other.low is None or other.low <= one.value) and (other.high is None or one.value <= other.high)
    return membership.among(i, one, Tuple((other,)), place) != FALSE


def each_item(content: Value) -> list[Member]:
    """What each item of a container may be."""
    found = [part for member in members(content) if isinstance(member, Tuple) for part in member.parts]
    return list(dict.fromkeys(member for part in found for member in members(part)))


def shortest(content: Value) -> int:
    """How many items there surely are."""
    return min((member.shortest or 0 if isinstance(member, Tuple) else 0 for member in members(content)), default=0)
