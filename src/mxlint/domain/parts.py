"""The parts that a value holds itself, not through the heap: those of tuples, slices, bound methods.

Also which objects and arrays these refer to, and the value with the references renamed. Of `(a, [b])` the parts are `a` and the list; `b` lies in the heap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from mxlint.domain.arrays import Array, Operands, Traces
from mxlint.domain.join import of
from mxlint.domain.members import (
    Composite,
    Const,
    External,
    Kind,
    Length,
    Measure,
    Member,
    Option,
    Range,
    Ref,
    Sourced,
    SourcedRef,
    Symbolic,
    Tuple,
    Unbound,
    Union,
    Unknown,
    Value,
    members,
    options,
)

NOTHING: Final[frozenset[int]] = frozenset()


def referred(value: Value) -> frozenset[int]:
    """The numbers of the objects and arrays that a value refers to itself, not through the heap."""
    kind = type(value)
    if kind is Ref or kind is SourcedRef:
        return frozenset((value.oid,))  # type: ignore[union-attr]
    if kind is Array:
        return frozenset((value.ident,))  # type: ignore[union-attr]
    if kind in FLAT:
        return NOTHING
    if isinstance(value, (Union, Composite)):
        if value._refers is None:
            parts = members(value) if isinstance(value, Union) else value.parts
            value._refers = NOTHING.union(*(referred(part) for part in parts if type(part) not in FLAT)) or NOTHING
        return value._refers
    if isinstance(value, Traces):
        return NOTHING.union(*(entry.refers for entry in value.entries))
    return NOTHING


def refers_to(value: Value, number: int) -> bool:
    """Whether a value refers itself to an object or array."""
    if isinstance(value, Traces):
        return any(number in entry.refers for entry in value.entries)
    return type(value) not in FLAT and number in referred(value)


FLAT: Final = frozenset((Const, Sourced, Unbound, Symbolic, Unknown, External, Kind, Range, Length, Operands))
"""Members that refer to nothing."""


def rename(value: Value, change: Callable[[Member], Member], number: int | None = None, done: dict[int, Member] | None = None) -> Value:
    """The value with each heap reference and array that `change` knows replaced; the same object if nothing changed. Each part is changed once. `number`:
    the only object or array that `change` knows: what does not refer to it stays as it is, and is not looked into."""
    if number is not None and not refers_to(value, number):
        return value
    if isinstance(value, Union):
        done = {} if done is None else done
        changed = [Option(_rename(option.member, change, number, done), option.guard) for option in value.options]
        if all(new.member is old.member for new, old in zip(changed, value.options)):
            return value
        return of(changed)
    return _rename(value, change, number, {} if done is None else done)


def _rename(member: Member, change: Callable[[Member], Member], number: int | None, done: dict[int, Member]) -> Member:
    if isinstance(member, SourcedRef):
        moved = change(Ref(member.oid))
        return member if moved == Ref(member.oid) or not isinstance(moved, Ref) else SourcedRef(moved.oid, member.sources)
    if isinstance(member, (Ref, Array, Operands)):
        return change(member)
    if isinstance(member, Traces):
        entries = tuple(entry.renamed(change, number) for entry in member.entries)
        same = all(a is b for a, b in zip(entries, member.entries))
        return member if same else Traces(member.oid, entries)
    if not isinstance(member, Composite) or not referred(member):
        return member
    found = done.get(id(member))
    if found is None:
        parts = tuple(rename(part, change, number, done) for part in member.parts)
        same = all(a is b for a, b in zip(parts, member.parts))
        found = done[id(member)] = member if same else member.holding(parts)
    return found


def each_option(value: Value, into: type[Composite] = Composite) -> Iterator[Option]:
    """Each member of a value and of what its members hold themselves, not through the heap, with its guard; what several hold counts once."""
    todo, seen = [value], set()
    while todo:
        for option in options(todo.pop()):
            yield option
            member = option.member
            if isinstance(member, into) and id(member) not in seen:
                seen.add(id(member))
                todo.extend(reversed(member.parts))


def each_part(value: Value, into: type[Composite] = Composite) -> Iterator[Member]:
    """Each member of a value and of what its members hold themselves, not through the heap; what several hold counts once."""
    if not isinstance(value, (Union, Composite)):
        return iter((value,))
    return (option.member for option in each_option(value, into))


def is_one(value: Value) -> bool:
    """Whether a value stands for one thing, the same wherever it lies: not one of several, nor any number of a type or within bounds."""
    todo, seen = [value], set[int]()
    while todo:
        found = members(todo.pop())
        if len(found) != 1 or isinstance(found[0], (Kind, Range, Measure, Unknown)):
            return False
        if isinstance(found[0], Tuple) and id(found[0]) not in seen:  # which several may share
            if found[0].items is None:
                return False
            seen.add(id(found[0]))
            todo += found[0].items
    return True
