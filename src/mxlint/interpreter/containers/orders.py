"""Lists whose items a library has put in another order, as `random.shuffle(xs)` does: what does not depend on the order is what it was before.

A trace that has read all items one by one need not depend on where each of them lies.
"""

from __future__ import annotations

from collections.abc import Iterable

from mxlint.domain.members import UNBOUND, Member, Tuple, Value, members
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS, REORDERED


def reorder(i: Interpreter, oid: int, left: Tuple) -> None:
    """Put the items of a list in another order."""
    before = i.heap.get(oid, ITEMS)
    if isinstance(before, Tuple):
        i.heap.set(oid, REORDERED, Tuple((left, before_all(i, oid, before))))
    i.heap.set(oid, ITEMS, left)


def before_all(i: Interpreter, oid: int, content: Member) -> Value:
    """What a list held before a library put it in the order in which it holds it now; what it holds, if none did."""
    for member in members(i.heap.get(oid, REORDERED) or UNBOUND):
        if isinstance(member, Tuple) and member.items is not None and member.items[0] == content:
            return member.items[1]
    return content


def same_items(i: Interpreter, oid: int, before: Value) -> bool:
    """Whether a list holds what it held in a trace, as a library has put it in order since."""
    now = i.heap.get(oid, ITEMS)
    return now is not None and all(
        any(part == old or _are_the_same(before_all(i, oid, part), old) for old in members(before)) for part in members(now)
    )


def _are_the_same(one: Value, other: Member) -> bool:
    if not isinstance(one, Tuple) or not isinstance(other, Tuple) or one.items is None or other.items is None:
        return False
    return len(one.items) == len(other.items) and _each(one.items) == _each(other.items)


def _each(items: Iterable[Value]) -> frozenset[Member]:
    return frozenset(member for item in items for member in members(item))
