"""Over which loops a number varies: the loops whose rounds bring about the values that it takes.

In `for i in range(9): for j in range(9): n = i + 1`, `n` varies over the outer loop alone. Within one round of that it is one number.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from mxlint.domain.members import Const, Kind, Loops, Member, Range, Value, members
from mxlint.facts.rows import FEW


def loops_of(member: Member) -> Loops:
    """The loops over which a member varies: a constant over none; None if nobody says which."""
    if isinstance(member, Const):
        return frozenset()
    return member.loops if isinstance(member, (Range, Kind)) else None


MANY_ROUNDS: Final = 8
"""Rounds for which a number that is rounded to a bucket stays the same."""


def stays(op: object, step: int | None, by: object) -> bool:
    """Whether an operator makes of a number that goes on by whole steps one that stays the same for many rounds, as `n // 64` does, or few at all, as
    `n % 4`. `step`: at most by how much it goes on in a round; None if that is not known."""
    if step is None or not isinstance(by, Const) or type(by.value) is not int:
        return False
    return op == "//" and by.value >= MANY_ROUNDS * step or op == "%" and 0 < by.value <= FEW


@dataclass(frozen=True, slots=True)
class Doubled:
    """Among the loops of a number: one each of whose rounds at least doubles it. When that is over the number is one of few, however long it ran."""

    loop: Hashable


@dataclass(frozen=True, slots=True)
class Chance:
    """Among the loops of a number, beside a loop: what nobody in sight decides says how its rounds go on with the number, so that it may be another one
    each time when that is over."""

    loop: Hashable


@dataclass(frozen=True, slots=True)
class Past:
    """Among the loops of a number: one that is over and has left it. If another run of the loop goes on from it, the loop is one of them again."""

    loop: Hashable


@dataclass(frozen=True, slots=True)
class Falling:
    """Among the loops of a number, beside a loop: each round of that makes the number less, or leaves it."""

    loop: Hashable


@dataclass(frozen=True, slots=True)
class Rising:
    """Among the loops of a number, beside a loop: each round of that makes the number more, or leaves it, which its bounds do not show."""

    loop: Hashable


class Uneven(NamedTuple):
    """Among the loops of a tuple: one of which some rounds make it longer, and not all. What one round has shown no later one undoes."""

    loop: Hashable


MARKS: Final = (Chance, Doubled, Falling, Past, Rising)
"""What stands among the loops of a number and is none of them."""


def united(found: Iterable[Loops]) -> Loops:
    """The loops over which something varies that is made of several; None if that is not known of one of them."""
    together: frozenset[Hashable] = frozenset()
    for loops in found:
        if loops is None:
            return None
        together |= loops
    uneven = {one.loop for one in together if isinstance(one, Uneven)}
    return together - uneven if uneven else together


def even(loops: Loops) -> Loops:
    """The loops in each of whose rounds a tuple has another length, without those of which that is not so."""
    return None if loops is None else frozenset(loop for loop in loops if not isinstance(loop, Uneven))


def lengthened(loops: Loops, loop: Hashable, *, grows: bool) -> Loops:
    """The loops of a tuple, after the rounds of one more have made it longer or, if it does not grow, one of them has not."""
    if loops is None or grows and Uneven(loop) in loops or not grows and loop not in loops:
        return loops
    return loops | {loop} if grows else (loops - {loop}) | {Uneven(loop)}


def over(member: Member, loops: Loops) -> Member:
    """The same number, varying over these loops; what varies over none stays."""
    if isinstance(member, Range):
        return member if member.loops == loops else Range(member.low, member.high, member.stride, loops)
    if isinstance(member, Kind) and member.cause == "varying" and member.type != "bool":
        return member if member.loops == loops else Kind(member.type, member.cause, loops, member.values)
    return member


def also_over(member: Member, more: frozenset[Hashable]) -> Member:
    """The same number, varying over more loops, if the others are known."""
    loops = loops_of(member)
    return member if loops is None else over(member, loops | more)


def falls(value: Value, loop: Hashable) -> bool | None:
    """Whether a number becomes less in the rounds of a loop over which it varies, and not more; None if that is not known."""
    ways = {_falls(member, loop) for member in members(value) if loop in (loops_of(member) or ())}
    return ways.pop() if len(ways) == 1 else None


def _falls(member: Member, loop: Hashable) -> bool | None:
    loops = loops_of(member) or ()
    if Falling(loop) in loops or Rising(loop) in loops:
        return Falling(loop) in loops
    low, high = (member.low, member.high) if isinstance(member, Range) else (None, None)
    return None if (low is None) is (high is None) else low is None


def turned(loops: Loops) -> Loops:
    """The loops of what is the less, the more a number is."""
    if loops is None:
        return None
    return frozenset(
        Rising(one.loop) if isinstance(one, Falling) else Falling(one.loop) if isinstance(one, Rising) else one for one in loops
    )


def cancelled(op: object, a: Value, b: Value) -> frozenset[Hashable]:
    """The loops that move two numbers, and of which it is not known that they move what an operator makes of both: that may be the same each time, as what
    is left and what is done make the whole."""
    if op not in ("+", "-", "/", "//", "%", "^"):
        return frozenset()
    one, other = (united(map(loops_of, members(value))) for value in (a, b))
    common = (one or frozenset()) & (other or frozenset())
    return frozenset(loop for loop in common if not isinstance(loop, MARKS) and not _adds_up(op, falls(a, loop), falls(b, loop)))


def _adds_up(op: object, falling: bool | None, other: bool | None) -> bool:
    """Whether an operator is taken to make of two numbers that a loop moves one that moves as well: the sum of two that are not known to go opposite ways,
    the difference of two that are. How wide their steps are does not count. `falling`, `other`: whether each gets smaller; None if that is not known."""
    if op == "+":
        return None in (falling, other) or falling is other
    return op == "-" and None not in (falling, other) and falling is not other


def takes_many(member: Member) -> bool:
    """Whether a number is one of many that a loop brings."""
    if isinstance(member, Const) or isinstance(member, Kind) and (member.cause != "varying" or member.type == "bool"):
        return False
    count = how_many(member)
    return isinstance(member, (Range, Kind)) and (count is None or count > FEW)


def how_many(member: Member) -> int | None:
    """How many numbers a member stands for, None if there is no end to them."""
    if isinstance(member, Range):
        return None if member.low is None or member.high is None else (member.high - member.low) // member.stride + 1
    if isinstance(member, Kind):
        return None if member.values is None else len(member.values)
    return 1 if isinstance(member, Const) else None
