"""Which arrays stand in a call where others stood in an earlier one: what a summary says of those holds of these.

Two calls correspond if what the first one read is the same in the second but for the identity of arrays, and if the arrays stand in each
other's places one to one: what is one array in one call is one array in the other, and what is two is two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from mxlint.domain.arrays import Array, Operands
from mxlint.domain.heap import Heap, Location
from mxlint.domain.members import Member, Union, Value
from mxlint.domain.parts import FLAT, each_part, referred, rename
from mxlint.domain.size import Size


class Nameless(Member):
    """Arrays by the order of their first use, and not by identity; what else distinguishes them."""

    __slots__ = ("_key",)

    def __init__(self, *key: object) -> None:
        self._key = key

    def key(self) -> tuple[object, ...]:
        return self._key


def nameless(value: Value, used: dict[int, Array | None]) -> Value:
    """A value with its arrays by the order of first use. `used`: those of values before it, in order; None where only the number is known."""

    def number(ident: int, array: Array | None) -> int:
        if used.get(ident) is None:
            used[ident] = array
        return next(n for n, other in enumerate(used) if other == ident)

    def change(member: Member) -> Member:
        if isinstance(member, Array):
            origins = tuple(size.origins for size in member.shape or () if isinstance(size, Size))
            return Nameless(number(member.ident, member), *member.key()[1:], origins)
        if isinstance(member, Operands) and member.idents is not None:
            return Nameless(*[number(ident, None) for ident in member.idents])
        return member

    return rename(value, change)


class Correspondence:
    """The arrays of one call, and those of another that stand in their places."""

    __slots__ = ("_then", "arrays", "now")

    def __init__(self, pairs: Iterable[tuple[Array, Array]]) -> None:
        self.now: dict[int, int] = {}
        """Of each array of the first call the number of the one that stands in its place."""
        self._then: dict[int, int] = {}
        self.arrays: dict[int, Array] = {}
        """Those that stand in a place, where more is known than the number, by the number of the first call."""
        for then, now in pairs:
            self._bind(then.ident, now.ident)
            self.arrays[then.ident] = now

    def _bind(self, then: int, now: int) -> bool:
        return self.now.setdefault(then, now) == now and self._then.setdefault(now, then) == then

    @property
    def used(self) -> Collection[int]:
        """The numbers of the objects and arrays that stand in a place."""
        return self._then

    def corresponds(self, then: object, now: object) -> bool:
        """Whether what was read in the first call, a value, the fields of an object or nothing, is what is read in the other."""
        if isinstance(then, Mapping) and isinstance(now, Mapping):
            return then.keys() == now.keys() and all(self.corresponds(value, now[field]) for field, value in then.items())
        if not isinstance(then, (Member, Union)) or not isinstance(now, (Member, Union)):
            return then == now
        if then is now or then == now:
            if type(then) in FLAT and type(then) is not Operands:
                return True
            return all(self._bind(number, number) for number in mentioned(then))
        before: dict[int, Array | None] = {}
        after: dict[int, Array | None] = {}
        if type(then) is not type(now) or nameless(then, before) != nameless(now, after):
            return False
        for old, new in zip(before, after):
            array = after[new]
            if array is not None:
                self.arrays.setdefault(old, array)
        return all(map(self._bind, before, after))

    def reads(self, heap: Heap, reads: Mapping[Location, object], arrays: frozenset[int]) -> bool:
        """Whether what the first call read is the same now. `arrays`: the numbers there that are those of arrays."""
        todo = reads
        while todo:
            # What lies at an array is looked up where the array is found in whose place it stands.
            known = {at: held for at, held in todo.items() if at[0] not in arrays or at[0] in self.now}
            left = {at: held for at, held in todo.items() if at not in known} if known else {}
            for (oid, field), held in (known or todo).items():
                there = self.now.get(oid, oid)
                if not self._bind(oid, there) or not self.corresponds(held, heap.holds(there, field)):
                    return False
            todo = left
        return True


def mentioned(value: Value) -> frozenset[int]:
    """The numbers of the objects and arrays in a value, and of the arrays that it says something is computed from."""
    operands = [part.idents for part in each_part(value) if isinstance(part, Operands) and part.idents is not None]
    return referred(value).union(*operands)
