"""Objects that several paths have made alike: behind the paths they are one object, which holds what any of theirs holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any

from mxlint.tracing.heap import Journal, joined, merged
from mxlint.tracing.values import (
    MISSING,
    UNKNOWN,
    BoundV,
    Choice,
    External,
    Heap,
    Instance,
    ListV,
    Scalar,
    StateV,
    Tup,
    Value,
    made_since,
    options,
    same,
)

MAX_DEPTH = 8
"""Objects within objects that are looked into."""
LOOKED_INTO = (Instance, Tup, BoundV, StateV)
"""What may be an object, or lead to one."""
_MANY = frozenset([*LOOKED_INTO, Choice])


class Alike:
    """The ends of one fork: what is younger than `since` was made on one of its paths."""

    def __init__(self, journal: Journal, since: int) -> None:
        self._journal = journal
        self._since = since
        self._made_of: dict[int, tuple[Value, ...]] = {}
        self._joined: dict[tuple[int, ...], tuple[list[Value], Value]] = {}  # with the values, so that no identity is used twice

    def content(self, target: Heap, key: Any, contents: Sequence[Any], depth: int = MAX_DEPTH) -> Any:
        """One content of a field for those that the paths have left there."""
        first, *others = contents
        if not _MANY.isdisjoint(map(type, contents)) and not any(content is MISSING for content in contents):
            return self.joined(contents, depth)
        for other in others:
            first = merged(target, key, first, other)
        return first

    def joined(self, values: Iterable[Value], depth: int = MAX_DEPTH) -> Value:
        """One value for those that the paths have come to."""
        found = [option for value in values for option in options(value)]
        key = (depth, *map(id, found))
        if key not in self._joined:
            kinds: dict[Any, dict[int, Value]] = {}
            for option in found:
                kinds.setdefault(_kind(option), {})[id(option)] = option
            self._joined[key] = found, reduce(joined, (self._of_one_kind(tuple(alike.values()), depth) for alike in kinds.values()))
        return self._joined[key][1]

    def _of_one_kind(self, values: tuple[Value, ...], depth: int) -> Value:
        one = self._one(values, depth - 1) if depth and len(values) > 1 and isinstance(values[0], LOOKED_INTO) else None
        return one if one is not None else reduce(joined, values)

    def _one(self, values: tuple[Any, ...], depth: int) -> Value | None:
        """The same for values of one kind; None where they have nothing more in common."""
        first = values[0]
        if isinstance(first, Instance):
            return self._object(values, depth) if self._may_be_one(values) else None
        if isinstance(first, Tup):
            lengths = {len(value.items) for value in values}
            return (
                Tup(tuple(self.joined(items, depth) for items in zip(*(v.items for v in values))), first.cls) if len(lengths) == 1 else None
            )
        if isinstance(first, BoundV):
            owner = self.joined([value.owner for value in values], depth)
            return BoundV(owner, first.function) if all(value.function is first.function for value in values) else None
        owner = self.joined([value.owner for value in values], depth)
        return StateV(owner) if isinstance(owner, Heap) and owner is not UNKNOWN else None

    def _may_be_one(self, objects: tuple[Instance, ...]) -> bool:
        """Whether these are different new objects of one class, whose constructors were given the same arguments by name."""
        first = objects[0]
        known = self._made_of.get(id(first), objects)
        return (
            len(set(map(id, objects))) == len(objects) == len(known)
            and all(a is b for a, b in zip(known, objects))
            and all(
                made_since(self._since, other.born)
                and other.cls == first.cls
                and len(_arguments(other)) == len(_arguments(first))
                and other.keywords.keys() == first.keywords.keys()
                for other in objects
            )
        )

    def _object(self, objects: tuple[Instance, ...], depth: int) -> Instance:
        """The first of them, made to stand for all."""
        first = objects[0]
        if id(first) not in self._made_of:
            self._made_of[id(first)] = objects
            first.args = tuple(map(_one_of, zip(*map(_arguments, objects))))
            first.keywords = {name: _one_of([o.keywords[name] for o in objects]) for name in first.keywords}
            for key in dict.fromkeys(key for o in objects for key in o.fields):
                self._journal.store(first, key, self._field(objects, key, depth))
        return first

    def _field(self, objects: tuple[Instance, ...], key: Any, depth: int) -> Any:
        contents = [o.fields.get(key, MISSING) for o in objects]
        if all(isinstance(content, ListV) and made_since(self._since, content.born) for content in contents):
            return self._list(contents, depth)
        return self.content(objects[0], key, contents, depth)

    def _list(self, lists: list[ListV], depth: int) -> ListV:
        """The first of them, made to stand for all: item by item if they have the same length."""
        first = lists[0]
        known = [given.items for given in lists]
        rows = list(zip(*known)) if None not in known and len(set(map(len, known))) == 1 else None  # type: ignore[arg-type]
        if rows is not None:
            self._journal.store(first, "items", tuple(self.joined(row, depth) for row in rows))
        else:
            items = [item for given in lists for item in (given.items if given.items is not None else (given.element,))]
            self._journal.store(first, "element", self.joined(items, depth) if items else UNKNOWN)
            self._journal.store(first, "items", None)
        return first


def _kind(value: Value) -> Any:
    """What tells apart the values that may have something in common."""
    if isinstance(value, Instance):
        return value.cls
    return type(value) if isinstance(value, LOOKED_INTO) else value.kind == "None" if isinstance(value, Scalar) else None


def _arguments(owner: Instance) -> tuple[Value, ...]:
    """What an object was made with, if it does not simply hold it."""
    return () if owner.cls == External("mlx.nn.Sequential") else owner.args


def _one_of(values: Sequence[Value]) -> Value:
    """An argument with which a layer was made: what all its values are is known of it."""
    first, *others = values
    if all(same(first, other) for other in others):
        return first
    if all(isinstance(value, Scalar) and value.known for value in values):
        return Choice(tuple(values))
    for other in others:
        first = joined(first, other)
    return first
