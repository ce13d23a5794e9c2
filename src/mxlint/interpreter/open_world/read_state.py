"""What traces have read of objects, by names: of an object that there is, and of one that an entry has made and that is undone with it.

Others have such an object, or another one that stands for it, and set the same on it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from mxlint.domain.heap import ALIVE, Location
from mxlint.domain.members import NONE, Ref, members
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.objects.lookup import CLASS
from mxlint.interpreter.open_world.keeping_names import MUTABLE

NAMING: Final = frozenset(("class", "instance"))
"""Kinds of objects that hold others under names of attributes."""


class State(NamedTuple):
    """What traces have read of some objects: the names of its `attributes`, and those `under` which it lies in what is changed in place. `classes`: those of the
    objects, and those that were read themselves."""

    attributes: frozenset[str] = frozenset()
    under: frozenset[str] = frozenset()
    classes: frozenset[Ref] = frozenset()


class Undone:
    """What traces have read of objects that are undone."""

    __slots__ = ("states",)

    def __init__(self) -> None:
        self.states: dict[int, State] = {}


def note(i: Interpreter, mark: int) -> None:
    """Keep what traces have read of the objects that were made since a mark, before these are undone."""
    made = {oid for (oid, field), before in i.heap.trail[mark:] if field == ALIVE and before is None}
    read: dict[int, list[Location]] = {}
    for location in i.traced if made else ():
        if location[0] in made:
            read.setdefault(location[0], []).append(location)
    states = i.ledger.of(Undone).states
    for oid, locations in read.items():
        states[oid] = _united((states.get(oid, State()), _state(i, locations)))


def state_of(i: Interpreter, objects: Collection[int]) -> State:
    """What traces have read of some objects."""
    states = i.ledger.of(Undone).states
    found = _state(i, [location for location in i.traced if location[0] in objects and i.heap.exists(location[0])])
    return _united((found, *(states[oid] for oid in objects if oid in states)))


def _state(i: Interpreter, read: Collection[Location]) -> State:
    """What traces have read at some locations of objects that there are."""
    attributes = {field for oid, field in read if isinstance(field, str) and i.info(oid).kind in NAMING}
    todo = list(dict.fromkeys(oid for oid, _ in read))
    seen, under, classes = set(todo), set[str](), set[Ref]()
    for oid in todo:
        kind = i.info(oid).kind
        if kind == "class":
            classes.add(Ref(oid))
            continue
        if kind == "instance":
            classes |= classes_of(i, oid)
        for holder, field in i.heap.who_holds(oid):
            held_by = i.info(holder).kind
            if held_by in NAMING and isinstance(field, str) and kind != "instance":
                under.add(field)
            if held_by in MUTABLE and holder not in seen:
                seen.add(holder)
                todo.append(holder)
    return State(frozenset(attributes), frozenset(under), frozenset(classes))


def _united(states: Iterable[State]) -> State:
    return State(*(frozenset().union(*parts) for parts in zip(*states, strict=True)))


def classes_of(i: Interpreter, number: int) -> frozenset[Ref]:
    """The classes of the program of which an object may be."""
    return frozenset(cls for cls in members(i.heap.get(number, CLASS) or NONE) if isinstance(cls, Ref))
