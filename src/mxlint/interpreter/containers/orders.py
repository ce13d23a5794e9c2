"""Lists whose items a library has put in another order: what a trace has made of all items need not hang on where each of them lies."""

from __future__ import annotations

from collections.abc import Iterable

from mxlint.domain.members import UNBOUND, Member, Tuple, Value, members
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS, REORDERED


def reordered(i: Interpreter, oid: int, left: Tuple) -> None:
    """Note that what a list holds now is what it held, in another order."""
    i.heap.set(oid, REORDERED, left)


def same_items(i: Interpreter, oid: int, before: Value) -> bool:
    """Whether a list holds what it held in a trace, as a library has put it in order since."""
    now, orders = i.heap.get(oid, ITEMS), members(i.heap.get(oid, REORDERED) or UNBOUND)
    return now is not None and all(
        any(part == old or part in orders and _are_the_same(part, old) for old in members(before)) for part in members(now)
    )


def _are_the_same(one: Member, other: Member) -> bool:
    if not isinstance(one, Tuple) or not isinstance(other, Tuple) or one.items is None or other.items is None:
        return False
    return len(one.items) == len(other.items) and _each(one.items) == _each(other.items)


def _each(items: Iterable[Value]) -> frozenset[Member]:
    return frozenset(member for item in items for member in members(item))
