"""New lists, sets and dicts, and entries that are put into them: `[a, b]`, `a + b`, `table[key] = value`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from mxlint.domain.heap import Field
from mxlint.domain.join import bound, join
from mxlint.domain.members import (
    NONE,
    UNBOUND,
    Const,
    External,
    Given,
    Length,
    Member,
    Ref,
    Symbolic,
    Tuple,
    Unbound,
    Union,
    Unknown,
    Value,
    members,
)
from mxlint.domain.parts import is_one
from mxlint.domain.place import Place
from mxlint.domain.varying import united
from mxlint.domain.widening import MAX_FRONT
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS, REST, REST_KEY, TREE
from mxlint.interpreter.objects.lookup import special


def new_list(i: Interpreter, content: Value, place: Place, tag: object = None, cls: str = "builtins.list") -> Ref:
    """A new list (or deque) with the items of a tuple."""
    oid = i.allocate("list", cls, place, tag)
    i.heap.set(oid, ITEMS, content)
    return Ref(oid)


def new_set(i: Interpreter, content: Value, place: Place, tag: object = None, cls: str = "builtins.set") -> Ref:
    """A new set (or frozenset) with the items of a tuple; equal constants are one. How many differ of numbers that are not known, nobody says."""
    if isinstance(content, Tuple) and content.items is not None:
        counted = len(content.items) < 2 or all(map(is_one, content.items))
        content = Tuple(tuple(dict.fromkeys(content.items))) if counted else Tuple(None, join(content.items))
    oid = i.allocate("set", cls, place, tag)
    i.heap.set(oid, ITEMS, content)
    return Ref(oid)


def any_number(element: Value) -> Tuple:
    """So many of one element as what nobody in sight gives has. If nothing is known of the element, nothing is of their number."""
    if any(isinstance(member, Unknown) for member in members(element)):
        return Tuple(None, element)
    return Tuple(None, element, least=0, given="whole")


def as_many(content: Value, element: Value) -> Tuple:
    """So many of one element as there are in the content of a container."""
    found = [member for member in members(content) if isinstance(member, Tuple)]
    lengths = [member.shortest for member in found]
    if len(found) < len(members(content)) or None in lengths:
        return Tuple(None, element, loops=united(member.loops for member in found))
    given: Given = found[0].given if len(found) == 1 else "" if _brought_about(found) else "part"
    if given == "whole" and element != found[0].element:
        given = "part"
    least = min(length for length in lengths if length is not None)
    return Tuple(None, element, least=least, given=given, loops=united(member.loops for member in found))


def _brought_about(found: Sequence[Tuple]) -> bool:
    """Whether the program in sight brings about all lengths from the least of several contents on, none between them left out."""
    lengths = sorted({member.shortest or 0 for member in found})
    return not any(member.given for member in found) and all(b - a == 1 for a, b in pairwise(lengths))


def concatenated(a: Tuple, b: Tuple) -> Tuple:
    """`a + b` of tuples."""
    if a.items is not None and b.items is not None and len(a.items) + len(b.items) <= 256:
        return Tuple((*a.items, *b.items))
    parts = [p for t in (a, b) for p in (t.items if t.items is not None else (t.element,)) if p is not None]
    least = None if a.shortest is None or b.shortest is None else a.shortest + b.shortest
    if not parts:
        return Tuple(())
    # Two lengths that are not known may add up to one that is the same each time.
    loops = a.loops if b.items is not None else b.loops if a.items is not None else frozenset()
    front = (a.beginning if a.items is None else (*a.items, *b.beginning))[:MAX_FRONT] if least is not None else ()
    return Tuple(None, join(parts), least=least, given="part" if a.given or b.given else "", loops=loops, front=front)


def _is_fixed(content: Value) -> bool:
    """Whether the content of a list has one length that is known."""
    lengths = {len(member.items) if isinstance(member, Tuple) and member.items is not None else None for member in members(content)}
    return len(lengths) == 1 and None not in lengths


def joined_content(values: list[Value]) -> Value:
    """The contents of lists that are put together, one after the other."""
    result: Value = Tuple(())
    for value in values:
        found: list[Member] = []
        for x in members(result):
            for y in members(value):
                if isinstance(x, Tuple) and isinstance(y, Tuple):
                    both = concatenated(x, y)
                    found.append(both if _is_fixed(result) or _is_fixed(value) else both.longer(frozenset()))
                else:
                    found.append(x if not isinstance(x, Tuple) else y)
        result = join(found)
    return result


def hashed(i: Interpreter, value: Value, place: Place, frame: Frame) -> None:
    """A value becomes or is looked up as a key: `__hash__` of objects of the program runs, and of containers that change Python raises TypeError."""
    refused = 0
    for member in members(value):
        if isinstance(member, Tuple):
            for item in member.parts:
                hashed(i, item, place, frame)
        elif isinstance(member, Ref) and i.info(member.oid).kind == "instance":
            method = special(i, member, "__hash__", place, frame)
            if method is not None and method != NONE:
                i.call(method, Arguments(), place, frame)
        elif isinstance(member, Ref):
            info = i.info(member.oid)
            refused += info.kind in ("list", "dict") or info.payload == "builtins.set"
    if refused == len(members(value)):
        throw_named(i, "builtins.TypeError", place)
    if refused:
        i.may_raise("builtins.TypeError")


def copy_dict(i: Interpreter, source: int, target: int) -> None:
    """Put the entries of a dict into another."""
    for key, value in i.heap.entries(source):
        there = entry(i, target, key)
        present = i.heap.get(target, there)
        if any(isinstance(m, Unbound) for m in members(value)):
            value = join([bound(value) or UNBOUND, present if present is not None else UNBOUND])
        i.heap.set(target, there, value)
    for field in (REST, REST_KEY, TREE):
        more, present = i.heap.get(source, field), i.heap.get(target, field)
        if more is not None:
            i.heap.set(target, field, more if present is None else join((present, more)))


def entry(i: Interpreter, oid: int, key: Value) -> Field:
    """The location of what a dict has under a key: 1, 1.0 and True are one key, which stays what it was first."""
    key = as_key(key) if isinstance(key, Member) else key
    field: Field = ("k", key)
    if isinstance(key, Const) and isinstance(key.value, (int, float, complex)) and i.heap.get(oid, field) is None:
        for other in _as_numbers(key.value):
            if i.heap.get(oid, ("k", other)) is not None:
                return "k", other
    return field


def entries(i: Interpreter, oid: int, key: Value) -> tuple[Field, ...]:
    """The locations that `put` writes under a key: of one that is not known, that of any."""
    if is_key(key):
        return (entry(i, oid, key),)
    found = members(key)
    return tuple(entry(i, oid, member) for member in found) if all(map(is_key, found)) else (REST,)


def every_entry(i: Interpreter, oid: int) -> list[Field]:
    """The locations of all that a dict holds, under known keys and others."""
    return [field for field in i.heap.fields(oid) if isinstance(field, tuple) and (field[0] == "k" or field in (REST, REST_KEY))]


def as_key(key: Member) -> Member:
    """A key in which a length that is known is that number, whichever axis it comes from."""
    if isinstance(key, Length):
        return Const(key.size.number) if key.size.number is not None else key
    if isinstance(key, Tuple) and key.items is not None and any(isinstance(item, (Length, Tuple)) for item in key.items):
        return key.holding(tuple(as_key(item) if isinstance(item, Member) else item for item in key.items))
    return key


def _as_numbers(number: Any) -> Iterator[Const]:
    """The numbers of other types that are equal to a number, and the other zero."""
    kinds: tuple[type, ...] = (bool, int, float, complex)
    for kind in kinds:
        try:
            same = kind(number)
        except (TypeError, ValueError, OverflowError):
            continue
        if same == number:
            yield Const(same)
    if number == 0:
        yield Const(-0.0)


def put(i: Interpreter, oid: int, key: Value, value: Value) -> None:
    """`dict[key] = value`: one entry if the key is known, else any."""
    if is_key(key):
        if isinstance(key, (Ref, Tuple)):
            i.mlx.given(i, (key,))  # no location says that a dict holds its keys
        i.heap.set(oid, entry(i, oid, key), value)
        return
    if isinstance(key, Union) and all(is_key(member) for member in members(key)):
        for member in members(key):
            field = entry(i, oid, member)
            present = i.heap.get(oid, field)
            i.heap.set(oid, field, join((value, present if present is not None else Unbound())))
        return
    put_any(i, oid, key, value)


def put_any(i: Interpreter, oid: int, key: Value, value: Value) -> None:
    """Put a value into a dict under some key."""
    for field, name in ((REST, value), (REST_KEY, key)):
        present = i.heap.get(oid, field)
        i.heap.set(oid, field, name if present is None or isinstance(present, Unbound) else join((present, name)))


def is_key(key: Value) -> bool:
    """Whether a dict keeps an entry of its own for a key: it is one particular thing, or a tuple of such."""
    if isinstance(key, Tuple):
        return key.items is not None and all(is_key(item) for item in key.items)
    return isinstance(key, (Const, Ref, External, Symbolic, Length))
