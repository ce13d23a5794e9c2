"""Over which loops a number varies: whose rounds bring about the values that it takes. In one round of all of these it is one number."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from mxlint.domain.members import Const, Kind, Loops, Member, Range


def loops_of(member: Member) -> Loops:
    """The loops over which a member varies: a constant over none; None if nobody says which."""
    if isinstance(member, Const):
        return frozenset()
    return member.loops if isinstance(member, (Range, Kind)) else None


def united(found: Iterable[Loops]) -> Loops:
    """The loops over which something varies that is made of several; None if that is not known of one of them."""
    together: frozenset[Hashable] = frozenset()
    for loops in found:
        if loops is None:
            return None
        together |= loops
    return together


def over(member: Member, loops: Loops) -> Member:
    """The same number, varying over these loops; what varies over none stays."""
    if isinstance(member, Range):
        return member if member.loops == loops else Range(member.low, member.high, member.stride, loops)
    if isinstance(member, Kind) and member.cause == "varying" and member.type != "bool":
        return member if member.loops == loops else Kind(member.type, member.cause, loops)
    return member


def also_over(member: Member, loop: Hashable) -> Member:
    """The same number, varying over one more loop, if the others are known."""
    loops = loops_of(member)
    return member if loops is None else over(member, loops | {loop})
