"""What a loop leaves of numbers: one that has as many rounds each time, from the same on, leaves the same numbers whenever it is run."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from mxlint.domain.heap import Location
from mxlint.domain.join import of
from mxlint.domain.members import NONE, Const, Kind, Loops, Member, Option, Range, RangeObject, Ref, Tuple, Unbound, Value, members, options
from mxlint.domain.place import Place
from mxlint.domain.varying import Chance, Past, loops_of, over, united
from mxlint.interpreter.loops.ends import Ends
from mxlint.interpreter.loops.lengths import Lengths, rounds_over, stays
from mxlint.interpreter.loops.novelty import moving
from mxlint.interpreter.loops.running import rounds_around
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Context, within
from mxlint.interpreter.machine.locations import ITEMS


def begins(i: Interpreter, loop: tuple[Place, str]) -> None:
    """A loop begins: what it leaves is not known yet."""
    if i.trace is None:
        around = i.context.inner(loop).loop
        i.ledger.of(Ends).moved.pop(around, None)
        i.ledger.of(Ends).asked.pop(around, None)


def asks(i: Interpreter, left: Value, op: str, right: Value) -> None:
    """A comparison of numbers comes out both ways: what the loops around leave varies over the loops of these."""
    numbers = (*members(left), *(_numbers(i, right) if op in ("in", "not in") else members(right)))
    loops = frozenset[Hashable]().union(*(loops_of(member) or () for member in numbers))
    for around in rounds_around(i) if loops else ():
        i.ledger.of(Ends).asked.setdefault(around.loop, set()).update(loops)


def _numbers(i: Interpreter, value: Value) -> Iterator[Member]:
    """The numbers in a container."""
    for member in members(value):
        if isinstance(member, Ref):
            yield from _numbers(i, i.heap.get(member.oid, ITEMS) or NONE)
        elif isinstance(member, Tuple):
            for part in member.parts:
                yield from _numbers(i, part)
        else:
            yield member


def ended(i: Interpreter, mark: int, loop: tuple[Place, str], moved: Loops) -> None:
    """A loop is over, since a mark, each way to its end: the numbers that its rounds have changed are those of its last round. One that goes on from an earlier
    run of the loop is another one each time. `moved`: the loops in each of whose rounds it has others, None if that is not known."""
    if moved is None or i.trace is not None:
        return
    ends, around = i.ledger.of(Ends), i.context.inner(loop).loop
    moved = frozenset(one for one in moved | ends.asked.get(around, set()) if one != around)
    ends.moved[around] = moved
    before: dict[Location, Value | None] = {}
    for at, value in i.heap.trail[mark:]:
        before.setdefault(at, value)
    for at, begun in before.items():
        held = i.heap.get(*at)
        if held is None or not any(isinstance(member, (Range, Kind, Tuple)) for member in members(held)):
            continue
        if at[1] == ITEMS and _lengths(begun) != _lengths(held):
            continue  # what a list was given has its own rounds
        anew, known = _is_given_anew(begun, None), _is_given_anew(begun, around)
        if anew or known:
            now = _when_over(held, around, ends, goes_on=not anew)
            if now != held:
                i.heap.set(*at, now)


def _is_given_anew(begun: Value | None, loop: Context | None) -> bool:
    """Whether what a loop begins with is the same each time that it is run: a constant, or nothing, or what an earlier run of the `loop` has left."""
    return begun is None or all(
        isinstance(member, (Const, Unbound))
        or isinstance(member, Tuple)
        and all(_is_given_anew(item, loop) for item in member.items or ())
        or loop is not None
        and Past(loop) in (loops_of(member) or ())
        for member in members(begun)
    )


def moved_by(i: Interpreter, iterable: Value, *, counted: bool) -> Loops:
    """The loops in each of whose rounds a loop over something has other rounds. `counted`: without such it has as many each time; so has one over a list that
    no round around changes, and over what drops what is too much, once that is full."""
    if isinstance(iterable, RangeObject):
        return united(moving(i, bound) for bound in iterable.parts)
    same = isinstance(iterable, Ref) and (iterable.oid in i.ledger.of(Lengths).bounded or stays(i, iterable))
    return rounds_over(i, iterable) if counted or same else None


def _lengths(content: Value | None) -> set[int | None]:
    """The lengths that a list may have."""
    found = members(content) if content is not None else ()
    return {len(member.items) if isinstance(member, Tuple) and member.items is not None else None for member in found}


def _when_over(value: Value, loop: Context, ends: Ends, *, goes_on: bool) -> Value:
    """`goes_on`: what an earlier run of the loop has left, and is still there, was changed further."""
    found = options(value)
    now = [_member(option.member, loop, ends, goes_on=goes_on) for option in found]
    if all(new is option.member for new, option in zip(now, found)):
        return value
    return of(Option(new, option.guard) for new, option in zip(now, found))


def _member(member: Member, loop: Context, ends: Ends, *, goes_on: bool) -> Member:
    if isinstance(member, Tuple) and member.items is not None:
        items = tuple(_when_over(item, loop, ends, goes_on=goes_on) for item in member.items)
        return member if all(a is b for a, b in zip(items, member.items)) else member.holding(items)
    loops = loops_of(member)
    if not loops or all(one not in ends.moved and one != Past(loop) for one in loops):
        return member
    if goes_on and Past(loop) in loops:
        return over(member, loops - {Past(loop)} | {loop})
    left: set[Hashable] = {Past(loop)} if loop in loops and Chance(loop) not in loops else set()
    for one in loops:
        moved = ends.moved.get(one) if isinstance(one, Context) and within(one, loop) and Chance(one) not in loops else None
        left |= {one} if moved is None else {by for by in moved if not isinstance(by, Context) or not within(by, loop)}
    return over(member, frozenset(left)) if left != loops else member
