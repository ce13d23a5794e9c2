"""Compiled objects that lie in a dict under what their traces have read: whoever finds one by a key has that there again.

A cache of compiled functions that is keyed by an attribute, `self.cache[self.scale]`, hands out what was traced with a scale only where the scale is equal
to that again. The key may be one of several things, and what is found under it one object: so what each of them equals then is kept here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mxlint.domain.guards import Literal_
from mxlint.domain.members import Const, Member, Ref, Symbolic, Tuple, Value, members
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS


class Keys:
    """By the number of a compiled object: what keys by which it was found equal, part by part."""

    __slots__ = ("equal",)

    def __init__(self) -> None:
        self.equal: dict[int, set[tuple[Symbolic, Const | Symbolic]]] = {}


def found_under(i: Interpreter, by: Member, entries: Sequence[tuple[Member | None, Value]]) -> None:
    """Entries of a dict are found by a key."""
    for key, value in entries:
        for member in members(value):
            if isinstance(member, Ref) and i.info(member.oid).kind == "compiled":
                i.ledger.of(Keys).equal.setdefault(member.oid, set()).update(_equal_parts(by, key))


def _equal_parts(by: Value, key: Value | None) -> Iterator[tuple[Symbolic, Const | Symbolic]]:
    for part in members(by):
        if isinstance(part, Symbolic) and isinstance(key, (Const, Symbolic)):
            yield part, key
        elif isinstance(part, Tuple) and isinstance(key, Tuple) and len(part.items or ()) == len(key.items or ()):
            for inner, other in zip(part.items or (), key.items or ()):
                yield from _equal_parts(inner, other)


def finds_equal(i: Interpreter, ref: Ref, before: Value, now: Member) -> bool:
    """Whether a compiled object that lies nowhere but under keys is called where `now` equals what was there `before`: by such a key it was found."""
    if not isinstance(now, Symbolic) or not isinstance(before, (Const, Symbolic)):
        return False
    if (now, before) not in i.ledger.of(Keys).equal.get(ref.oid, ()):
        return False
    if isinstance(before, Const) and i.outcome(Literal_(("==", now.identity, before), True)) is False:
        return False
    return all(i.info(oid).kind == "frame" or _is_entry(field) for oid, field in i.heap.who_holds(ref.oid) if field != ITEMS)


def _is_entry(field: object) -> bool:
    return isinstance(field, tuple) and field[0] in ("k", "#")
