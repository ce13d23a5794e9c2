"""What captures add to the cache key: how many arrays inputs= hands over, and their shapes.

What nobody in sight gives may hold any number of arrays. It holds at least one, and as many at each call: where something is captured besides, it is another key.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import reduce
from typing import Any, Final, NamedTuple

from mxlint.domain.arrays import Array
from mxlint.domain.exclusion import contradict
from mxlint.domain.guards import Guard, opposite
from mxlint.domain.members import NONE, Const, Member, Ref, Symbolic, Tuple, Union, Unknown, Value, members, options
from mxlint.domain.place import Place
from mxlint.domain.size import provably_different
from mxlint.interpreter.compiled.captures import captured, container_of, contents, numbers
from mxlint.interpreter.containers import unlisted
from mxlint.interpreter.loops.lengths import longer_each_time
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS, MANY, MORE
from mxlint.interpreter.machine.paths import Condition
from mxlint.interpreter.open_world import installed

CAPTURED: Final = "captured"
"""Begins the part of a key that says what is captured."""
MAX_LITERALS: Final = 16
"""Conditions of captured things that are asked one by one."""


class Count(NamedTuple):
    """How many items a container has by its cells: as many as when something stood there first, and so many `more`."""

    oid: int
    many: Value
    more: Value


class Held(NamedTuple):
    """How many arrays something holds, at least and at most, beside those of things that nobody in sight gives: `surely` those, and those that it may hold.
    `counts`: of containers whose items are not known one by one, what their cells say of how many these are."""

    least: float = 0
    most: float = 0
    surely: frozenset[object] = frozenset()
    perhaps: frozenset[object] = frozenset()
    counts: frozenset[Count] = frozenset()

    def __repr__(self) -> str:
        """The same text for the same things: a set has no order."""
        return f"{self.least} to {self.most}, " + ", ".join(
            str(sorted(map(repr, part))) for part in (self.surely, self.perhaps, self.counts)
        )

    def and_(self, other: Held) -> Held:
        """What two things hold together."""
        return Held(
            self.least + other.least,
            self.most + other.most,
            self.surely | other.surely,
            self.perhaps | other.perhaps,
            self.counts | other.counts,
        )

    def or_(self, other: Held) -> Held:
        """What one of two things holds."""
        return Held(
            min(self.least, other.least),
            max(self.most, other.most),
            self.surely & other.surely,
            self.perhaps | other.perhaps,
            self.counts & other.counts,
        )


class Capture(NamedTuple):
    """The part of a key. `grows`: each round of a loop that runs hands over more; `known`: the shapes of arrays, by where they lie."""

    kind: str
    held: Held
    grows: bool
    known: tuple[tuple[int, object, tuple[Any, ...]], ...]


def captured_key(i: Interpreter, ref: Ref) -> tuple[Capture, ...]:
    """What a call of a compiled object that captures something hands over."""
    inputs = i.heap.get(ref.oid, "inputs")
    if inputs is None:
        return ()
    oids, _, _ = captured(i, inputs)
    held = ((oid, field, value) for oid in oids if not i.info(oid).summary for field, value in i.heap.fields(oid).items())
    known = tuple((oid, field, value.shape) for oid, field, value in held if isinstance(value, Array) and value.shape is not None)
    grows = any(longer_each_time(i, oid) and numbers(i.heap.get(oid, ITEMS) or NONE)[1] for oid in oids)
    return (Capture(CAPTURED, _held(i, i.live(inputs), (), set()), grows, known),)


def _held(i: Interpreter, value: Value, under: Guard, counted: set[int]) -> Held:
    """What lies in a captured thing where some literals hold. `counted`: the containers that were counted: each is once."""
    if not isinstance(value, Union):
        return _of_member(i, value, under, counted)
    ways = [(option.member, set(counted)) for option in value.options if not contradict(option.guard, under)]
    found = [_of_member(i, member, under, seen) for member, seen in ways]
    for _, seen in ways:
        counted |= seen
    return reduce(Held.or_, found) if found else Held()


def _of_member(i: Interpreter, member: Member, under: Guard, counted: set[int]) -> Held:
    whole, parts = Held(), list[Value]()
    if isinstance(member, Array):
        whole = Held(1, 1)
    elif isinstance(member, Symbolic):
        whole = Held(0, 0, frozenset((member.identity,)), frozenset((member.identity,)))
        put = installed.held(i, member)
        parts = [] if put is None else [put]
    elif isinstance(member, Unknown):
        whole = Held(0, math.inf)
    elif isinstance(member, Tuple) and member.items is None:
        return _of_any_length(i, member, under, counted)
    elif isinstance(member, Tuple):
        parts = list(member.items or ())
    elif isinstance(member, Ref) and (oid := container_of(i, member)) is not None and oid not in counted:
        counted.add(oid)
        parts = list(contents(i, oid))
        if unlisted.is_unlisted(content := i.heap.get(oid, ITEMS)) and content is not None and _each_holds_arrays(i, content, under):
            whole = Held(counts=frozenset((Count(oid, unlisted.cell(i, oid, MANY), unlisted.cell(i, oid, MORE)),)))
    return reduce(Held.and_, (_held(i, part, under, counted) for part in parts), whole)


def _each_holds_arrays(i: Interpreter, content: Value, under: Guard) -> bool:
    """Whether each item of a container of unknown length surely holds an array: only then is one more item another key."""
    elements = [member.element for member in members(content) if isinstance(member, Tuple) and member.items is None]
    return all(element is not None and (held := _held(i, element, under, set())).least + len(held.surely) > 0 for element in elements)


def _of_any_length(i: Interpreter, member: Tuple, under: Guard, counted: set[int]) -> Held:
    """What a list holds of which nobody says how long it is."""
    if member.element is None:
        return Held(0, math.inf)
    each, least = _held(i, member.element, under, counted), member.least or 0
    return Held(least * each.least, math.inf if each.most or each.perhaps else 0, each.surely if least else frozenset(), each.perhaps)


def agree_captured(before: Capture, now: Capture) -> bool | None:
    """Whether two calls hand over as many arrays of the same shapes, as far as a key says it."""
    shapes = {(oid, field): shape for oid, field, shape in before.known}
    if before.grows or any(_other_shape(shapes.get((oid, field)), shape) for oid, field, shape in now.known):
        return False
    return _agree(before.held, now.held)


def _agree(before: Held, now: Held) -> bool | None:
    if _is_more(now, before) or _is_more(before, now):
        return False
    if any(_counts_otherwise(one, other) for one in before.counts for other in now.counts):
        return False
    if not before.perhaps and not now.perhaps and (now.most < before.least or before.most < now.least):
        return False
    return True if before == now else None


def _counts_otherwise(one: Count, other: Count) -> bool:
    """Whether a container surely has another number of items than it had."""
    return (
        (one.oid, one.many) == (other.oid, other.many)
        and isinstance(one.more, Const)
        and isinstance(other.more, Const)
        and one.more != other.more
    )


def _is_more(one: Held, other: Held) -> bool:
    """Whether one thing surely holds more arrays than another: all that this holds, and some besides. What both may hold, they hold alike."""
    if not other.perhaps <= one.perhaps:
        return False
    besides = not one.surely <= other.perhaps
    return one.least > other.most or besides and one.least >= other.least and one.most >= other.most


def _other_shape(before: tuple[Any, ...] | None, now: tuple[Any, ...]) -> bool:
    """Whether two shapes differ for certain: in their ranks, or in the length of an axis. None: not known."""
    return before is not None and (len(before) != len(now) or any(provably_different(p, q) for p, q in zip(before, now)))


def where_it_agrees(i: Interpreter, ref: Ref, before: tuple[object, ...], place: Place) -> Iterator[Condition]:
    """What surely is not so where a call that may use a trace does: under it more is captured, or less, than that has found."""
    inputs = i.heap.get(ref.oid, "inputs")
    held = before[-1].held if before and isinstance(before[-1], Capture) else None
    if inputs is None or held is None:
        return
    oids, _, _ = captured(i, inputs)
    values = (value for oid in oids for value in i.heap.fields(oid).values())
    literals = dict.fromkeys(literal for value in values for option in options(i.live(value)) for literal in option.guard)
    for literal in list(literals)[:MAX_LITERALS]:
        if i.outcome(literal) is None and _agree(held, _held(i, inputs, (literal,), set())) is False:
            yield Condition(None, place, opposite(literal))
