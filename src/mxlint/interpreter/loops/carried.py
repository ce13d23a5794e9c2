"""Values that each round of a loop makes of their own earlier value, as `x = x[1:]` does: one symbolic value stands for them, the one with which a round starts.

Named by the operations that made it, the value would be another one after each round, and the loop would become stable only when the name is too long.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from mxlint.domain.guards import Identity
from mxlint.domain.heap import Delta, Location
from mxlint.domain.join import join, of
from mxlint.domain.members import NONE, Composite, Const, Kind, Member, Option, Symbolic, Tuple, Value, members, options, scalar_type
from mxlint.domain.parts import each_part
from mxlint.domain.place import Place
from mxlint.facts.rows import AGAIN
from mxlint.interpreter.loops.contents import REWRITTEN
from mxlint.interpreter.loops.novelty import Steps
from mxlint.interpreter.machine.core import Interpreter


def carried(i: Interpreter, head: Delta, after: Delta, loop: tuple[Place, object]) -> Delta:
    """The state after a round of a loop: in each location, what was made of a symbolic value that was there before is one such value."""
    return {
        at: value if value is head.get(at) or not _has_symbolic(value) else _carried(i, head, at, head.get(at), value, loop)
        for at, value in after.items()
    }


def _has_symbolic(value: Value) -> bool:
    """Whether there is a symbolic value in a value or its tuples: without one nothing was made of one."""
    return any(isinstance(member, Symbolic) for member in each_part(value, Tuple))


def _carried(i: Interpreter, head: Delta, at: Location, before: Value | None, value: Value, loop: tuple[Place, object]) -> Value:
    if before is not None and any(isinstance(member, Tuple) and member.parts for member in members(value)):
        value = _item_by_item(i, head, at, before, value, loop)
    known = {member.identity for member in members(before) if isinstance(member, Symbolic)} if before is not None else set()
    if not known:
        return value
    grown = [
        member
        for member in members(value)
        if isinstance(member, Symbolic) and member.identity not in known and any(part in known for part in _parts(i, member.identity))
    ]
    grown = [member for member in grown if not _stood(i, head, at[0], member)]
    if not grown:
        return value
    changes = any(
        member.identity[0] == REWRITTEN
        or i.sources.get(member.identity) == "evaluated"
        or _changes(i, member.identity, members(before or NONE), known)
        for member in grown
    )  # what is read out of an array that is computed from a number is another one, as the array is
    start = _start(i, at, grown, changes, loop)
    _note_steps(i, start.identity, grown, known)
    return of(Option(start, option.guard) if option.member in grown else option for option in options(value))


def _note_steps(i: Interpreter, carried: Identity, grown: Collection[Symbolic], known: Collection[Identity]) -> None:
    """Keep by how much a number goes on at most, if each way through a round adds a whole constant to what was there."""
    added = [_added(member.identity, known) for member in grown]
    steps = [each for each in added if each is not None]
    most = i.ledger.of(Steps).known
    before = most.get(carried, 0)
    most[carried] = max(before, *steps) if before is not None and len(steps) == len(added) else None


def _added(identity: Identity, known: Collection[Identity]) -> int | None:
    """Return by how much a number is more or less than one of `known`; None if it is no such sum with a whole constant."""
    match identity:
        case ("+" | "-", part, Const(value=int(value))) if part in known:
            return abs(value)
    return None


def _item_by_item(i: Interpreter, head: Delta, at: Location, before: Value, value: Value, loop: tuple[Place, object]) -> Value:
    """The carried values of the items of a tuple, as of the state that a loop passes on in one. An item was made of what lay at its place in a tuple of that
    length, or of any item, where the length is not known."""
    oid, field = at
    earlier = [member for member in members(before) if isinstance(member, Tuple) and member.parts]

    def one(member: Member) -> Member:
        if not isinstance(member, Tuple) or not member.parts:
            return member
        of_class = [t for t in earlier if t.cls == member.cls]
        if member.items is None:
            columns = [[part for t in of_class for part in t.parts]] + [[]] * len(member.front)
        else:
            columns = [*zip(*(t.items for t in of_class if t.items is not None and len(t.items) == len(member.items)))]  # type: ignore[list-item]
        parts = tuple(
            _carried(i, head, (oid, (field, n)), join(column), part, loop) if column else part
            for n, (part, column) in enumerate(zip(member.parts, columns))
        )
        return member.holding(parts) if columns and any(new is not old for new, old in zip(parts, member.parts)) else member

    return of(Option(one(option.member), option.guard) for option in options(value))


def _stood(i: Interpreter, head: Delta, oid: int, member: Member) -> bool:
    """Whether something lay in the state before a round, as far as the loop changes it or it lies in one object: a round that only moves it makes nothing of it."""
    if any(member in each_part(value, Tuple) for value in head.values()):
        return True
    recording, i.heap.recording = i.heap.recording, None
    field = next((field for field, value in i.heap.fields(oid).items() if member in each_part(value, Tuple)), None)
    i.heap.recording = recording
    if recording is not None and field is not None:
        recording.reads.add((oid, field))
    return field is not None


CHANGES: Final = frozenset(("+", "-", "*", "/", "//", "**", "<<", ">>"))
"""Operations that, done again on what they gave, give another number."""
EITHER_SIDE: Final = frozenset(("+", "*"))
"""Those that do so on either side; of `1 - x` and `1 / x` there are two."""
BOUNDS: Final = frozenset(("%", "&", "min", "max"))
"""Operations whose results, done again and again, are few or stay the same."""
SATURATING: Final[Mapping[object, int]] = {"min": 1, "max": -1}
"""Of these, those that leave a number as it goes on until it comes to a bound, with the direction in which that has to lie."""


def _changes(i: Interpreter, identity: Identity, before: Collection[Member], known: Collection[Identity]) -> bool:
    """Whether such an operation leads from what was there before to a value, and none that bounds it is the last, or one that does so late."""
    return (identity[0] not in BOUNDS or _is_late(i, identity, before)) and any(
        _goes_on(i, whole, known) for whole in (identity, *_parts(i, identity)) if whole
    )


def _is_late(i: Interpreter, identity: Identity, before: Collection[Member]) -> bool:
    """Whether an operation bounds a number by constants that are far from where it begins: until it comes there it is another one each time."""
    side = SATURATING.get(identity[0])
    if side is None:
        return False
    bounds = [part.value for part in i.comes_from.get(identity, identity[1:]) if isinstance(part, Const)]
    pairs = [(bound, start) for bound in bounds for start in _starts(i, before)]
    return bool(pairs) and all(type(bound) is type(start) is int and side * (bound - start) > AGAIN for bound, start in pairs)


def _starts(i: Interpreter, before: Collection[Member]) -> Iterator[object]:
    """The constants that a number was, or that the first of the operations that go on with it began with."""
    for member in before:
        if isinstance(member, Const):
            yield member.value
        elif isinstance(member, Symbolic):
            for whole in (member.identity, *_parts(i, member.identity)):
                if whole and whole[0] in ("+", "-") and len(whole) == 3 and isinstance(whole[1], Const):
                    yield whole[1].value


def _goes_on(i: Interpreter, whole: Identity, known: Collection[Identity]) -> bool:
    """Whether an identity is that of an operation on a known one or on a part of it, as that of `x[1:]` is if `x` is known."""
    if len(whole) < 3 or whole[0] not in CHANGES:
        return False
    sides = (side.identity if isinstance(side, Symbolic) else side for side in (whole[1:] if whole[0] in EITHER_SIDE else whole[1:2]))
    return any(part in known for side in sides if isinstance(side, tuple) for part in (side, *_parts(i, side)))


def going_on(i: Interpreter, before: Value, after: Value) -> Value | None:
    """The numbers that a recursive function is given, if each call makes another one of its own, which nobody in sight gives: as many as there are calls.
    None if it is no such number."""
    made = members(after)
    known = {member.identity for member in members(before) if isinstance(member, Symbolic)}
    types = {scalar_type(member) for member in (*members(before), *made)}
    if not known or len(types) != 1 or not types <= {"int", "float"}:
        return None
    symbolic = [member for member in made if isinstance(member, Symbolic)]
    if not symbolic or not all(_changes(i, member.identity, members(before), known) for member in symbolic):
        return None
    return Kind("int" if types == {"int"} else "float", "varying")


def handed_down(i: Interpreter, before: Value, value: Value, at: Location, call: tuple[Place, object]) -> Value:
    """What a recursive function is given by its inner calls. What they make of what it was given itself, as the parts of a tree, is one symbolic value: that with which
    an inner call starts. `at`: its parameter."""
    return _carried(i, {}, at, before, value, call) if _has_symbolic(value) else value


def _start(i: Interpreter, at: Location, grown: Collection[Symbolic], changes: bool, loop: tuple[Place, object]) -> Symbolic:
    """What a location holds when a round starts."""
    place, _ = loop
    identity: Identity = ("carried", at, place, i.context.inner(loop))
    i.causes.setdefault(identity, ("open", place))
    if changes:
        i.sources[identity] = "carried"
    kinds = [member.kinds for member in grown]
    together = frozenset().union(*(each for each in kinds if each is not None)) if None not in kinds else None
    first = next(iter(grown))
    return Symbolic(identity, together, first.label, first.presumed, first.source)


def _parts(i: Interpreter, identity: Identity) -> Iterator[Identity]:
    """The identities that one was made of, each with all of its own; of one that is too long to name what it is made of, what is kept of that."""
    todo: list[object] = [*identity, *i.comes_from.get(identity, ())]
    followed = {identity}
    while todo:
        part = todo.pop()
        if isinstance(part, tuple):
            yield part
            todo.extend(part)
            if part in i.comes_from and part not in followed:
                followed.add(part)
                todo.extend(i.comes_from[part])
        elif isinstance(part, Symbolic):
            todo.append(part.identity)
        elif isinstance(part, Composite):
            todo.extend(member for value in part.parts for member in members(value))
