"""What nobody can reach any more leaves the state: what a call made for itself, and what stood in the activations that an exception left.

A state that is joined or compared costs what it holds, so what is out of reach is taken out of it as soon as its activation is over.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final, TypeAlias

from mxlint.domain.arrays import Operands
from mxlint.domain.heap import ALIVE, Delta
from mxlint.domain.members import TRUE, Member, Ref, Value
from mxlint.domain.parts import FLAT, NOTHING, referred
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import LAZY, OPERANDS
from mxlint.interpreter.machine.paths import Path

Arrived: TypeAlias = tuple[Delta, Value, Path]
Possible: TypeAlias = tuple[Delta, str | None]

PLAIN: Final = frozenset(
    (
        "list", "dict", "set", "instance", "function", "iterator", "generator", "coroutine", "future", "manager", "descriptor", "array", "field",
        "frame", "kernel", "partial", "transform", "at", "super",
    )
)  # fmt: skip
"""Kinds of objects of which all that refers to another object lies in the heap."""
SWEPT: Final = PLAIN | {"compiled"}
"""These, and compiled objects, which stay as long as nothing has called them: they are traced at the end of the entry."""
MAX_OPERANDS: Final = 16
"""Arrays that an array is computed from, once those between are gone; of more nothing is known."""


class Called:
    """Compiled objects that something has called, on whatever path."""

    __slots__ = ("objects",)

    def __init__(self) -> None:
        self.objects: set[int] = set()


class CalledBack:
    """What functions gave that a library called back, by the library's function and the place."""

    __slots__ = ("results",)

    def __init__(self) -> None:
        self.results: dict[object, Value] = {}


def outliving(values: Iterable[Value], changes: Delta, fresh: Collection[int]) -> set[int]:
    """The fresh objects and arrays that are referred to by some values, or by what was written into older ones."""
    written: dict[int, list[int]] = {}
    todo = [number for value in values for number in referred(value)]
    for (oid, field), held in changes.items():
        numbers = referred(held) if type(held) not in FLAT else NOTHING
        if isinstance(field, tuple) and isinstance(field[-1], Member):
            numbers |= referred(field[-1])
        if not numbers:
            continue
        if oid in fresh:
            written.setdefault(oid, []).extend(numbers)
        else:
            todo.extend(numbers)
    found: set[int] = set()
    while todo:
        number = todo.pop()
        if number in fresh and number not in found:
            found.add(number)
            todo.extend(written.get(number, ()))
    return found


def uncalled(i: Interpreter, fresh: Iterable[int]) -> list[Value]:
    """The compiled objects among some that nothing has called."""
    return [Ref(oid) for oid in fresh if i.info(oid).kind == "compiled" and oid not in i.ledger.of(Called).objects]


def computed_from(operands: Value, gone: set[int], changes: Delta) -> Value:
    """What an array is computed from, without those between that are gone; of one that was computed nothing is computed any more."""
    if not isinstance(operands, Operands) or operands.idents is None or gone.isdisjoint(operands.idents):
        return operands
    found: dict[int, None] = {}
    seen: set[int] = set()
    todo = list(reversed(operands.idents))
    while todo:
        ident = todo.pop()
        if ident not in gone:
            found[ident] = None
        elif ident not in seen:
            seen.add(ident)
            origin = changes.get((ident, OPERANDS))
            if changes.get((ident, LAZY)) == TRUE and isinstance(origin, Operands):
                todo.extend(reversed(origin.idents or ()))
    return Operands(tuple(found) if len(found) <= MAX_OPERANDS else None)


def caught_states(i: Interpreter, arrived: Sequence[Arrived]) -> list[Arrived]:
    """States that exceptions brought to a handler, which begins where the present state stands, without what stood in the activations that they
    left."""
    return [(_reachable(i, delta, (error,)), error, path) for delta, error, path in arrived]


def possible_states(i: Interpreter, possible: Iterable[Possible]) -> list[Possible]:
    """States from which an exception of a class may have come, without what stood in the activations that it left; of equal ones that follow each other the
    first."""
    found: list[Possible] = []
    last: dict[str | None, Delta] = {}
    for delta, name in possible:
        left = _reachable(i, delta, ())
        if last.get(name) != left:
            last[name] = left
            found.append((left, name))
    return found


def _reachable(i: Interpreter, delta: Delta, values: Iterable[Value]) -> Delta:
    """A state relative to the present one without the objects that it made and that neither older ones nor some values refer to."""
    fresh = {oid for oid, field in delta if field == ALIVE and not i.heap.has(oid, ALIVE)}
    if not fresh or i.ledger.of(CalledBack).results or not {i.info(oid).kind for oid in fresh} <= SWEPT:
        return delta
    waiting = [Ref(oid) for oid in i.generators if oid in fresh]  # what an exception holds dies after it is handled
    gone = fresh - outliving((*values, *waiting, *uncalled(i, fresh)), delta, fresh)
    if not gone:
        return delta
    return {
        (oid, field): computed_from(held, gone, delta) if field == OPERANDS else held
        for (oid, field), held in delta.items()
        if oid not in gone
    }
