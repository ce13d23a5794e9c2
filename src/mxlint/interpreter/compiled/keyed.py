"""Compiled objects that lie in a dict under what their traces have read: whoever finds one by a key has that there again.

A cache of compiled functions that is keyed by an attribute, `self.cache[self.scale]`, hands out what was traced with a scale only where the scale is equal
to that again. The key may be one of several things, and what is found under it one object: so what each of them equals then is kept here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from mxlint.domain.guards import Identity, Literal_, opposite, possible
from mxlint.domain.members import Const, Member, Ref, Symbolic, Tuple, Value, members
from mxlint.domain.texts import JOINED, TEMPLATE
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS


class Keys:
    """By the number of a compiled object: what keys by which it was found equal, part by part."""

    __slots__ = ("equal", "texts")

    def __init__(self) -> None:
        self.equal: dict[int, set[tuple[object, object]]] = {}
        self.texts: dict[tuple[object, object], Sequence[Value]] = {}
        """The texts of which a template has made another that is known, by the template and that."""


def found_as_new(i: Interpreter, number: int, older: int | None) -> None:
    """A compiled object is made: no key has found it yet. What its number stood for is one of the `older` ones of the place, if these are there; else
    that was in another entry."""
    keys = i.ledger.of(Keys).equal
    before = keys.pop(number, set())
    if older is not None:
        keys.setdefault(older, set()).update(before)


SHOWN: Final = "shown"
"""Begins what stands for the text of something, where that text is known."""
PLAIN: Final = Const("")
ONE_TO_ONE: Final = frozenset(("builtins.hash", "builtins.id", TEMPLATE, "text", JOINED))
"""Operations that are taken to give the same only of the same, as the program does that uses what they give as a key."""


def found_under(i: Interpreter, owner: int, by: Member, entries: Sequence[tuple[Member | None, Value]]) -> None:
    """Entries of a dict are found by a key. What lies in a dict that is found so is found by both keys."""
    equal = i.ledger.of(Keys).equal
    around = equal.get(owner, set()) if _lies_under_keys(i, owner) else set()
    for key, value in entries:
        for member in members(value):
            if isinstance(member, Ref) and i.info(member.oid).kind in ("compiled", "dict"):
                pairs = (pair for part in members(by) if key is not None for pair in equal_parts(i, named(part), named(key)))
                equal.setdefault(member.oid, set()).update(pairs, around)


ALL: Final = "and"
"""Begins the name of what holds if all of some conditions do."""


def equalities(condition: Identity) -> Iterator[tuple[object, object]]:
    """What is equal where a condition holds."""
    if condition[:1] in (("==",), ("is",)):
        yield condition[1], condition[2]
    elif condition[:1] == (ALL,):
        for part in condition[1:]:
            if isinstance(part, tuple):
                yield from equalities(part)


def said_equal(i: Interpreter, held: Collection[Literal_]) -> set[tuple[object, object]]:
    """What is equal where some literals hold, both ways round, part by part."""
    known = frozenset(held)
    return {pair for literal in known for pair in _says_equal(i, literal, known)}


def _says_equal(i: Interpreter, literal: Literal_, held: frozenset[Literal_]) -> set[tuple[object, object]]:
    """What is equal where a literal holds beside others: of a value that is one of several, what is so of each member that it may be."""
    if ways := possible(literal):
        left = [(*guard, *own) for guard, own in ways if not any(opposite(part) in held for part in (*guard, *own))]
        said = [{pair for part in way for pair in _says_equal(i, part, held)} for way in left]
        return set.intersection(*said) if said else set()
    pairs = equalities(literal.condition) if literal.outcome else ()
    return {part for by, key in pairs for ways in ((by, key), (key, by)) for part in equal_parts(i, *ways)}


def named(part: object) -> object:
    """What stands for a part of a key: the identity of what is symbolic, which says what it was made of."""
    return part.identity if isinstance(part, Symbolic) else part


def text_made(i: Interpreter, template: Const, text: Const, parts: Sequence[Value]) -> None:
    """A template makes a text that is known of others."""
    i.ledger.of(Keys).texts[template, text] = parts


def equal_parts(i: Interpreter, by: object, key: object) -> Iterator[tuple[object, object]]:
    """What is equal where two keys are: they, the items of tuples, and what one operation was given of which both are made."""
    if isinstance(by, Tuple) and isinstance(key, Tuple):
        for inner, other in zip(by.items or (), key.items or ()):
            for part in members(inner) if len(by.items or ()) == len(key.items or ()) else ():
                yield from equal_parts(i, named(part), named(other))
    elif _is_one(by) and _is_one(key):
        yield by, key
        for text, shown in ((by, key), (key, by)):
            if isinstance(text, Const) and isinstance(shown, tuple) and shown[0] == "text" and (of := _operands(i, shown)) is not None:
                yield (SHOWN, of[0]), text
        operands = [_operands(i, name, other) for name, other in ((by, key), (key, by))]
        if operands[0] is not None and operands[1] is not None and len(operands[0]) == len(operands[1]):
            for inner, other in zip(*operands):
                yield from equal_parts(i, inner, other)


def _is_one(name: object) -> bool:
    """Whether a name stands for one thing: something symbolic, a constant, an object."""
    return isinstance(name, (tuple, Const, Ref))


def _operands(i: Interpreter, identity: object, other: object = None) -> list[object] | None:
    """What something was made of by an operation that gives the same only of the same; `other`: what that gave in the place of a text that is known."""
    if isinstance(identity, Const) and isinstance(other, tuple) and other[0] == TEMPLATE:
        start = _operands(i, other)
        parts = i.ledger.of(Keys).texts.get((start[0], identity)) if start else None
        return [start[0], *parts] if start and parts is not None else None
    if not isinstance(identity, tuple) or identity[0] not in ONE_TO_ONE:
        return None
    made_of = i.comes_from.get(identity)
    if made_of is not None:
        return [named(part) for part in made_of]
    operands = [*identity[1:]]
    return operands if identity[0] != "text" or operands[2:] in ([], [PLAIN]) else None


def is_said_equal(equal: Collection[tuple[object, object]], before: Value, now: Member) -> bool:
    """Whether what is known to be equal says so of what was there `before` and what is there `now`: of both, or of their texts."""
    if isinstance(before, Const) and ((SHOWN, named(now)), Const(str(before.value))) in equal:
        return True
    return isinstance(before, (Const, Symbolic, Ref)) and (named(now), named(before)) in equal


def finds_equal(i: Interpreter, ref: Ref, before: Value, now: Member) -> bool:
    """Whether a compiled object that lies nowhere but under keys is called where `now` equals what was there `before`: by such a key it was found."""
    equal = i.ledger.of(Keys).equal.get(ref.oid, set())
    if not is_said_equal(equal, before, now):
        return False
    if isinstance(now, Symbolic) and isinstance(before, Const) and i.outcome(Literal_(("==", now.identity, before), True)) is False:
        return False
    return _lies_under_keys(i, ref.oid)


def _lies_under_keys(i: Interpreter, number: int) -> bool:
    """Whether an object lies nowhere but under keys of dicts, and in names of calls."""
    return all(i.info(oid).kind == "frame" or _is_entry(field) for oid, field in i.heap.who_holds(number) if field != ITEMS)


def _is_entry(field: object) -> bool:
    return isinstance(field, tuple) and field[0] in ("k", "#")
