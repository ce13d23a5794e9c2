"""What a value leads to, through tuples, containers and objects. Each object is entered once, as there are far more ways than objects."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.heap import ALIVE, Field
from mxlint.domain.members import Member, Ref, Tuple, Value, members
from mxlint.domain.parts import referred
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import COPIED, TREE

CONTAINERS: Final = frozenset(("list", "dict"))
"""What MLX looks into, besides tuples."""
HOLDERS: Final = CONTAINERS | {"set", "instance"}
_ABOUT: Final = frozenset((ALIVE, ("#", "class"), ("#", "parent"), ("#", "factory"), ("#", "copy of"), COPIED, TREE))
"""Fields of an object that are no part of what it holds."""


def each_place(
    i: Interpreter,
    values: Iterable[Value],
    into: Collection[str] = HOLDERS,
    *,
    referring: bool = False,
    enters: Callable[[int], bool] = lambda oid: True,
) -> Iterator[tuple[int | None, Field, Member]]:
    """Each member of some values, of the tuples in them and of the fields of objects of some kinds in them, in order, with the object and field
    where it lies (None: it lies in the values). `referring`: only where there are references to objects or arrays.
    `enters`: whether to look into an object."""
    todo: list[tuple[int | None, Field, Value]] = [(None, None, value) for value in values]
    todo.reverse()
    objects: set[int] = set()
    tuples: dict[int, Tuple] = {}
    while todo:
        oid, field, value = todo.pop()
        if referring and not referred(value):
            continue
        inner: list[tuple[int | None, Field, Value]] = []
        for member in members(value):
            yield oid, field, member
            if isinstance(member, Tuple):
                if id(member) not in tuples:
                    tuples[id(member)] = member
                    inner += [(oid, field, part) for part in member.parts]
            elif isinstance(member, Ref) and member.oid not in objects:
                objects.add(member.oid)
                if i.info(member.oid).kind in into and enters(member.oid):
                    inner += [(member.oid, name, held) for name, held in i.heap.fields(member.oid).items() if name not in _ABOUT]
        inner.reverse()
        todo += inner


def each_leaf(i: Interpreter, value: Value) -> Iterator[tuple[int, Field, Member]]:
    """Each member that lies in a field of an object that a value leads to."""
    for oid, field, member in each_place(i, (value,)):
        if oid is not None:
            yield oid, field, member


def arrays_in(i: Interpreter, *values: Value, enters: Callable[[int], bool] = lambda oid: True) -> Iterator[Array]:
    """Each array that values lead to. `enters`: whether to look into an object."""
    holding = [value for value in values if referred(value)]
    if all(type(value) is Array for value in holding):  # nearly always
        yield from holding  # type: ignore[misc]
        return
    for _, _, member in each_place(i, holding, referring=True, enters=enters):
        if isinstance(member, Array):
            yield member


def each_array(i: Interpreter, value: Value, seen: dict[int, Member] | None = None) -> Iterator[Array]:
    """Each array that a value leads to; what happens to it depends on the tests that put it there."""
    seen = {} if seen is None else seen
    if not referred(value):
        return
    for member in i.each(value):
        if isinstance(member, Array):
            yield member
        elif isinstance(member, Tuple) and id(member) not in seen:
            seen[id(member)] = member
            for part in member.parts:
                yield from each_array(i, part, seen)
        elif isinstance(member, Ref) and -member.oid - 1 not in seen:
            seen[-member.oid - 1] = member
            if i.info(member.oid).kind in HOLDERS:
                for field, held in list(i.heap.fields(member.oid).items()):
                    if field not in _ABOUT:
                        yield from each_array(i, held, seen)
