"""What code changes in place, as its symbol index tells, and what is left of a container when that happens out of sight."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from mxlint.domain.join import join
from mxlint.domain.members import UNBOUND, Bound, External, Range, Ref, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.builders import put_any
from mxlint.interpreter.core import Interpreter
from mxlint.interpreter.iterators import ITERABLES, ITERATED, PARTS, POSITION, new_iterator, parts_of
from mxlint.interpreter.locations import ITEMS
from mxlint.interpreter.lookup import EXTENDED, container
from mxlint.models.load import changers
from mxlint.syntax.code import Code, How

ADVANCED: Final = ("iterator", "generator")
"""Kinds of objects that whoever iterates over them changes."""


class InPlace:
    """What some blocks of code may change in place: by the variables and attributes that hold it, or anything at all."""

    __slots__ = ("_any", "_attributes", "_values")

    def __init__(self) -> None:
        self._any: set[How] = set()
        """What is done to containers of which nothing says whose they are: the class whose objects it changes, and how."""
        self._attributes: dict[str, set[How]] = {}
        self._values: list[tuple[Value, frozenset[How]]] = []

    def note(self, code: Code, held: Callable[[str], Value | None]) -> None:
        """Take in what the code of a function does. `held`: what a variable of another block holds."""
        for owner, does in code.changes:
            if owner.startswith("."):
                self._attributes.setdefault(owner[1:], set()).update(does)
            elif owner in code.bound:
                self._any |= does
            elif (value := held(owner)) is not None:
                self._values.append((value, does))

    def bound(self, method: Bound) -> None:
        """Take in that a bound method may be called."""
        if isinstance(method.function, External):
            self._values.append((method.owner, changers().get(method.function.name.rpartition(".")[2], frozenset())))

    def changed(self, i: Interpreter, objects: Iterable[int], holders: Iterable[int]) -> dict[int, frozenset[str]]:
        """The containers among `objects`, and those that attributes of `holders` hold, that may be changed, each with how; and the iterators."""
        found: dict[int, frozenset[str]] = {}
        for oid in objects:
            if i.info(oid).kind in ADVANCED:
                found[oid] = frozenset()
            elif self._any:
                _mark(i, Ref(oid), self._any, found)
        cells = i.heap.cells
        for oid in holders if self._attributes else ():
            for name in self._attributes.keys() & cells[oid].keys():
                _mark(i, cells[oid][name], self._attributes[name], found)
        for value, does in self._values:
            _mark(i, value, does, found)
        return found


def _mark(i: Interpreter, value: Value, does: Iterable[How], found: dict[int, frozenset[str]]) -> None:
    """Keep how a container may be changed, and those that lie in it."""
    todo, seen = [value], set()
    while todo:
        for member in members(todo.pop()):
            if isinstance(member, Tuple):
                todo += member.parts
            kind = container(i, member) if isinstance(member, Ref) else ""
            if not kind or not isinstance(member, Ref) or member.oid in seen:
                continue
            seen.add(member.oid)
            ways = frozenset(how for cls, how in does if not cls or EXTENDED.get(cls) == kind)
            if ways:
                found[member.oid] = found.get(member.oid, frozenset()) | ways
            todo += i.heap.cells[member.oid].values()


def overwrite(i: Interpreter, oid: int, ways: frozenset[str], value: Value, place: Place) -> None:
    """Let a container hold some `value` beside or in place of what it holds, or an iterator have come to any place."""
    kind = container(i, Ref(oid)) or i.info(oid).kind
    if kind in ("list", "set"):
        i.heap.set(oid, ITEMS, join((i.heap.get(oid, ITEMS) or Tuple(()), Tuple(None, value))))
    elif kind == "dict":
        for field, present in list(i.heap.fields(oid).items()):
            if isinstance(field, tuple) and field[0] == "k":
                i.heap.set(oid, field, join((present, value, UNBOUND) if "removes" in ways else (present, value)))
        put_any(i, oid, value, value)
    elif kind == "iterator":
        over = ITERABLES.get(str(i.info(oid).payload), slice(0))
        parts = list(parts_of(i, Ref(oid)))
        parts[over] = [Tuple(None, value) for _ in parts[over]]
        i.heap.set(oid, PARTS, Tuple(tuple(parts)))
        i.heap.set(oid, POSITION, Range(0, None))
    elif kind == "generator":
        i.heap.set(oid, ITERATED, new_iterator(i, "iter", (Tuple(None, value),), place))
