"""How long lists and tuples of unknown length are: in which loops each round finds another length.

A list has another length from round to round if it is older than the loop and the rounds make it longer alone, or shorter alone; or if each round makes
it of the last one and more, or of a part of that. What is made of it, item by item or with so much more, is as long as it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeGuard

from mxlint.domain.join import bound, of
from mxlint.domain.members import (
    NONE,
    UNBOUND,
    Const,
    Kind,
    Loops,
    Member,
    Option,
    Range,
    RangeObject,
    Ref,
    Symbolic,
    Tuple,
    Value,
    members,
    options,
    scalar_type,
)
from mxlint.domain.place import Place
from mxlint.domain.varying import Falling, also_over, even, over, united
from mxlint.interpreter.containers.elements import known_items
from mxlint.interpreter.generators.iterators import parts_of
from mxlint.interpreter.loops import looked
from mxlint.interpreter.loops.ends import Ends
from mxlint.interpreter.loops.novelty import moving
from mxlint.interpreter.loops.running import NO_LOOPS, rounds, rounds_around
from mxlint.interpreter.loops.slices import cut
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Context, is_round, within
from mxlint.interpreter.machine.locations import ITEMS, REMADE, REST
from mxlint.interpreter.machine.paths import Condition

STAYING: Final = frozenset(("list", "set", "dict"))
"""Kinds of containers that hold the same after something has gone over them."""


FEW_BEFORE: Final = 8
"""Things in a dict or set before a loop beside which those that its rounds put there are more, even if some of them are equal."""
VIEWS: Final = ("keys", "values", "items")
"""Views of a dict, as kinds of iterators."""
UNKNOWN: Final = ("imprecise", "open")
"""Why a length is not known: it was not followed, or nobody in sight says it."""


class Change(NamedTuple):
    """A container becomes longer (True) or shorter (False), in a context; None: perhaps either. `since`: in the rounds of loops within that, nothing tells
    whether it does; in those around it may come to rest."""

    at: Context
    longer: bool | None
    since: Context | None


class Lengths:
    """How containers change their lengths."""

    __slots__ = ("asked", "bounded", "changed", "few", "parts")

    def __init__(self) -> None:
        self.changed: dict[int, set[Change]] = {}
        self.asked: dict[int, set[Condition]] = {}
        """Of containers, the conditions that ask for their lengths."""
        self.bounded: set[int] = set()
        """Containers that drop what is too much."""
        self.few: dict[tuple[int, Context], bool] = {}
        """Whether a dict or set holds few things before a loop."""
        self.parts: set[int] = set()
        """Lists that are made of a part of another."""


def resized(i: Interpreter, oid: int, longer: bool | None) -> None:
    """A container becomes longer or shorter here, or perhaps either (None). What makes it shorter under a condition may do so until that holds no more, as
    `if len(xs) > 3: xs.pop()` does; and so may what makes it longer where its length is asked for."""
    since: Context | None = None
    for around in rounds_around(i):
        if _is_decided(i, oid, around, longer=bool(longer)):
            longer = longer if since is not None else None
            break
        since = around
    else:
        since = None
    i.ledger.of(Lengths).changed.setdefault(oid, set()).add(Change(i.context, longer, since))


def _is_decided(i: Interpreter, oid: int, around: Context, *, longer: bool) -> bool:
    """Whether a condition of a round decides that a container gets shorter; or, where that makes it longer, a condition that asks for its length."""
    asked, begun = i.ledger.of(Lengths).asked.get(oid, set()), len(i.ledger.of(Ends).paths.get(around, ()))
    conditions = [condition for condition in i.path[begun:] if condition.cause is not None]
    return any(not longer or condition in asked for condition in conditions) or looked.asks(i, conditions, (oid,))


def keyed(i: Interpreter, oid: int, key: Value, longer: bool) -> None:
    """Something is put under a key of a dict, or into a set, or taken out where it is. Only where a key is another one in each round it is one more each time,
    or one less; any other may be there already. So may each of them in what holds many things before the loop."""
    around = next((one for one in rounds_around(i) if is_round(one.step) and not isinstance(one.step[1], int)), None)
    if around is None or i.trace is not None:
        return
    parts = [part for member in members(key) for part in (member.items or () if isinstance(member, Tuple) else (member,))]
    loops, few = united(moving(i, part) for part in parts), i.ledger.of(Lengths).few
    if around.step[-1] == "first":  # type: ignore[index]
        few[oid, around.loop] = few.get((oid, around.loop), True) and _holds_few(i, oid)
    moves = loops is None or around.loop in loops
    if moves or not longer:
        resized(i, oid, longer if moves and (not longer or few.get((oid, around.loop), False)) else None)


def _holds_few(i: Interpreter, oid: int) -> bool:
    """Whether a dict or set holds few things, which are known."""
    if i.info(oid).kind != "dict":
        content = i.heap.get(oid, ITEMS)
        return isinstance(content, Tuple) and content.items is not None and len(content.items) <= FEW_BEFORE
    entries = i.heap.entries(oid)
    return i.heap.get(oid, REST) is None and len(entries) <= FEW_BEFORE and all(isinstance(key, (Const, Tuple)) for key, _ in entries)


def asked(i: Interpreter, value: Value | None) -> None:
    """The last condition of the path asks how long a container is."""
    for member in members(value) if value is not None and i.path else ():
        if isinstance(member, Ref):
            i.ledger.of(Lengths).asked.setdefault(member.oid, set()).add(i.path[-1])


def _ways(i: Interpreter, oid: int, around: Context) -> set[bool | None]:
    """What the rounds of a loop do to the length of a container."""
    found = (change for change in i.ledger.of(Lengths).changed.get(oid, ()) if within(change.at, around))
    return {change.longer if change.since is None or within(around, change.since) else None for change in found}


def remade(i: Interpreter, oid: int, operands: Iterable[Value], *, shorter: bool = False) -> None:
    """A list was made of others, one after the other, or (`shorter`) of a fixed number of items less of another. What an earlier round of the loop made here
    has another length each time."""
    if shorter:
        i.ledger.of(Lengths).parts.add(oid)
    running = rounds_around(i) if i.trace is None else ()
    if not running or running[0].parent is None:
        return
    older = i.heap.older(oid)
    own = [member.oid for value in operands for member in members(value) if isinstance(member, Ref) and member.oid in (oid, older)]
    if own:
        decided = any(_is_decided(i, each, running[0], longer=not shorter) for each in own)
        i.heap.set(oid, REMADE, NONE if decided else Const(running[0].parent))


def growing(i: Interpreter, value: Value) -> frozenset[Context]:
    """The loops that run in each of whose rounds a list is longer, or shorter: one that is older than the loop, and that the rounds change one way; or one
    that each round makes of the last."""
    if i.trace is not None:
        return NO_LOOPS
    found = members(value)
    refs = [member.oid for member in found if isinstance(member, Ref)]
    if len(refs) < len(found):
        return _length_of(i, value)
    longer = [_grows(i, oid) or _length_of(i, i.heap.get(oid, ITEMS)) for oid in refs if oid not in i.ledger.of(Lengths).bounded]
    return NO_LOOPS.union(*longer) if len(longer) == len(refs) and all(longer) else _remade(i, refs)


def longer_each_time(i: Interpreter, oid: int) -> bool:
    """Whether a list is longer in each round of a loop that runs: in none does it stay as it is."""
    return bool(_length_of(i, i.heap.get(oid, ITEMS)))


def _length_of(i: Interpreter, value: Value | None) -> frozenset[Context]:
    """The loops that run and in each of whose rounds a tuple, or the content of a list, has another length."""
    found = members(value) if value is not None else ()
    tuples = [member for member in found if isinstance(member, Tuple)]
    loops = united(member.loops for member in tuples) if len(tuples) == len(found) else NO_LOOPS
    running = frozenset(around.loop for around in rounds_around(i)) if loops is None or loops else NO_LOOPS
    return running if loops is None else running & loops


def _remade(i: Interpreter, lists: Sequence[int]) -> frozenset[Context]:
    """The loops that run and whose rounds make one of some lists longer or shorter each time, where nothing else that they make takes its place, and
    none of the lists is changed besides."""
    held = ((oid, bound(i.heap.get(oid, REMADE) or UNBOUND)) for oid in lists)
    made = {oid: part.value for oid, part in held if isinstance(part, Const) and isinstance(part.value, Context)}
    around = {step.parent: step.loop for step in rounds_around(i)} if made else {}
    running = {oid: around[outside] for oid, outside in made.items() if outside in around}
    places, changed = {i.info(oid).place for oid in running}, i.ledger.of(Lengths).changed
    longer = bool(places) and all(
        i.info(oid).place in places
        and not any(within(change.at.loop, loop) for change in changed.get(oid, ()) for loop in running.values())
        or not any(within(i.made_in.get(oid), outside) for outside in made.values())
        for oid in lists
    )
    return frozenset(running.values()) if longer else NO_LOOPS


def _grows(i: Interpreter, oid: int) -> frozenset[Context]:
    made = i.made_in.get(oid)
    if made is None or oid in i.ledger.of(Lengths).bounded:
        return NO_LOOPS
    return frozenset(
        around.loop
        for around in rounds(i, made)
        if around.step[-1] == "rest"  # type: ignore[index]  # what others do is not known in one that is run by itself
        if _ways(i, oid, around) in ({True}, {False})
    )


def content(i: Interpreter, ref: Ref) -> Value:
    """The content of a list, which has another length in each round in which the list is longer."""
    found = i.heap.get(ref.oid, ITEMS) or Tuple(())
    loops = growing(i, ref)
    return _longer(found, loops) if loops else found


def measured(i: Interpreter, value: Value, length: Value, place: Place) -> Value:
    """The length of a container: it varies over the loops whose rounds make that longer, or shorter, and no other. Over those it is another number each time,
    also where nothing else is known of it."""
    if not any(isinstance(member, Range) or isinstance(member, Kind) and member.cause in UNKNOWN for member in members(length)):
        return length
    if not rounds_around(i):
        return of(Option(_left(option.member), option.guard) for option in options(length))
    if i.trace is not None:
        return length
    if any(isinstance(m, Ref) and i.heap.get(m.oid, ITEMS) is None and i.info(m.oid).kind != "dict" for m in members(value)):
        return length  # it is what a `__len__` of the program says
    loops = _changing(i, value)
    falling = frozenset(Falling(loop) for loop in loops or () if isinstance(loop, Context) and _shrinks(i, value, loop))
    return of(
        Option(also_over(over(_counting(i, option.member, loops, place), loops), falling), option.guard) for option in options(length)
    )


def _shrinks(i: Interpreter, value: Value, loop: Context) -> bool:
    """Whether the rounds of a loop make a list shorter, or one of a part of it."""
    found = i.ledger.of(Lengths)
    lists = [member.oid for member in members(value) if isinstance(member, Ref)]
    changed = {change.longer for oid in lists for change in found.changed.get(oid, ()) if within(change.at.loop, loop)}
    return changed <= {False} and (bool(changed) or not found.parts.isdisjoint(lists))


def _left(member: Member) -> Member:
    """A length behind the loop that changed it: one of those that it had there, not known which. A `Range` would say that it is each of them."""
    return Kind("int", "imprecise") if isinstance(member, Range) and member.high is None else member


def _counting(i: Interpreter, member: Member, loops: Loops, place: Place) -> Member:
    """A length that the rounds of loops change; where nobody in sight says where it begins, one particular number of this round."""
    if not isinstance(member, Kind) or member.cause not in UNKNOWN or not loops:
        return member
    if member.cause == "imprecise":
        return Range(0, None)
    running = rounds_around(i)[0].loop in loops
    return i.symbolic(place, "length", kinds=frozenset(("int",)), source="counter") if running else member


def _changing(i: Interpreter, value: Value) -> Loops:
    """The loops whose rounds change a length one way: all that they do to lists makes them longer, or all shorter. What does both, or is made anew, may come
    to rest, as what drops the oldest item for a new one."""
    found = members(value)
    lists = [member.oid for member in found if isinstance(member, Ref)]
    varying: dict[int | None, Loops] = {oid: _tuples_over(members(i.heap.get(oid, ITEMS) or NONE)) for oid in lists}
    if tuples := [member for member in found if isinstance(member, Tuple) and member.items is None]:
        varying[None] = _tuples_over(tuples)
    if None in varying.values():
        return None
    ends = united(cut(i, member) for member in found)
    return None if ends is None else ends | _remade(i, lists) | {around.loop for around in rounds_around(i) if _one_way(i, varying, around)}


def _tuples_over(found: Iterable[Member]) -> Loops:
    """The loops in each of whose rounds the tuples among some members have another length."""
    return united(member.loops for member in found if isinstance(member, Tuple))


def _one_way(i: Interpreter, varying: Mapping[int | None, Loops], around: Context) -> bool:
    """Whether the rounds of a loop change the lengths of lists (None: of tuples) one way."""
    ways: set[bool | None] = set()
    by_rounds = [around.loop in (loops or ()) for loops in varying.values()]
    for oid in (oid for oid, known in zip(varying, by_rounds) if not known):
        if oid is None or (made := i.made_in.get(oid)) is None or within(made, around):
            return False
        ways |= _ways(i, oid, around)
    return ways in ({True}, {False}) or any(by_rounds) and not ways - {True}


def stays(i: Interpreter, ref: Ref) -> bool:
    """Whether a list is older than the rounds of loops that run, and is as long in all rounds of those in each of which it is not longer."""
    if i.info(ref.oid).kind != "list" or (made := i.made_in.get(ref.oid)) is None:
        return False
    around, changed = rounds_around(i), i.ledger.of(Lengths).changed.get(ref.oid, ())
    longer = growing(i, ref)
    return len(around) == len(rounds(i, made)) and all(
        one.loop in longer or not any(within(change.at, one) for change in changed) for one in around
    )


def begins(i: Interpreter, loop: tuple[Place, str], loops: Loops, *, counted: bool) -> None:
    """A loop begins that has another number of rounds in each round of other loops. `counted`: without such, it has so many each time."""
    around, rounds = i.context.inner(loop).loop, i.ledger.of(Ends).rounds
    if counted and loops == NO_LOOPS or i.trace is not None:
        rounds.pop(around, None)
    else:
        rounds[around] = loops


def ended(i: Interpreter, mark: int, loop: tuple[Place, str]) -> None:
    """A loop is over, since a mark: what it has made longer is as long as it has rounds. What had another length each time before that may be filled up."""
    around, rounds = i.context.inner(loop).loop, i.ledger.of(Ends).rounds
    if around not in rounds:
        return
    changed = i.ledger.of(Lengths).changed
    for (oid, field), value in i.heap.changes(mark).items():
        if field == ITEMS and any(_is_open(member) and member.loops for member in members(value)):
            resized_here = any(within(change.at.loop, around) for change in changed.get(oid, ()))
            i.heap.set(oid, ITEMS, of(Option(_by_rounds(o.member, around, rounds[around], resized_here), o.guard) for o in options(value)))


def _by_rounds(member: Member, loop: Context, loops: Loops, resized_here: bool) -> Member:
    """The content of a list as the rounds of a loop leave it."""
    if not _is_open(member) or not member.loops:
        return member
    if loop not in member.loops:
        return member.longer(NO_LOOPS) if resized_here else member
    return member.longer(united((member.loops, loops)) if len(member.loops) == 1 else frozenset((loop,)))


def rounds_over(i: Interpreter, iterable: Value) -> Loops:
    """The loops in each of whose rounds a loop over something has another number of rounds."""
    found = members(iterable)
    return _rounds_over(i, found[0]) if len(found) == 1 else NO_LOOPS


def _rounds_over(i: Interpreter, member: Member) -> Loops:
    if isinstance(member, RangeObject):
        if moving(i, member.step) != NO_LOOPS:
            return NO_LOOPS  # it may grow with what it divides
        moved = [loops for bound in (member.start, member.stop) if (loops := moving(i, bound)) != NO_LOOPS]
        return moved[0] if len(moved) == 1 else NO_LOOPS  # what moves at both ends may be as long as before
    if isinstance(member, Tuple):
        return member.loops
    if isinstance(member, Ref) and i.info(member.oid).kind == "iterator" and i.info(member.oid).payload in VIEWS:
        return rounds_over(i, parts_of(i, member)[0])
    if isinstance(member, Ref) and i.info(member.oid).kind == "dict":
        return growing(i, member)
    if isinstance(member, Ref) and member.oid not in i.ledger.of(Lengths).bounded:
        return united(part.loops for part in members(content(i, member)) if isinstance(part, Tuple))
    return NO_LOOPS


def as_long_as(i: Interpreter, items: Value, iterable: Value) -> Value:
    """The content of a container that has an item for each element of an iterable."""
    loops = rounds_over(i, iterable)
    if loops != NO_LOOPS:
        return _longer(items, loops)
    count = _count(i, iterable)
    return items if count is None else of(Option(_counted(o.member, count), o.guard) for o in options(items))


def held(i: Interpreter, ref: Ref) -> Value | None:
    """The content of a container. One that drops what is too much is full from some round on: no loop makes that longer."""
    found = i.heap.get(ref.oid, ITEMS)
    if found is None or ref.oid not in i.ledger.of(Lengths).bounded:
        return found
    return of(Option(o.member.longer(NO_LOOPS) if _is_open(o.member) else o.member, o.guard) for o in options(found))


def cut_short(i: Interpreter, items: Value, iterable: Value) -> Value:
    """The content of a list that goes from a fixed item of another to its end, or to a fixed item before that. Where a test has asked how long that is, it may be
    cut to one length each time."""
    running = rounds_around(i)[:1]
    is_asked = any(_is_decided(i, m.oid, around, longer=True) for m in members(iterable) if isinstance(m, Ref) for around in running)
    loops = NO_LOOPS if is_asked else rounds_over(i, iterable)
    return items if loops == NO_LOOPS else _longer(items, loops)


def _count(i: Interpreter, iterable: Value) -> int | None:
    """How many items there are in what is not used up by iterating over it; None if that is not known."""
    if not isinstance(iterable, (Const, Tuple, RangeObject)) and not (isinstance(iterable, Ref) and i.info(iterable.oid).kind in STAYING):
        return None
    items = known_items(i, iterable)
    return None if items is None else len(items)


def _counted(member: Member, count: int) -> Member:
    """A tuple of unknown length as one of so many scalars, each of which is any of them. One object, array or symbolic value in several places would be
    the same in all of them."""
    if not _is_open(member) or member.element is None:
        return member
    if not all(scalar_type(part) is not None and not isinstance(part, Symbolic) for part in members(member.element)):
        return member
    return Tuple((member.element,) * count, None, member.cls, None, member.sources)


def _longer(found: Value, loops: Loops) -> Value:
    return of(
        Option(o.member.longer(united((even(o.member.loops), loops))) if _is_open(o.member) else o.member, o.guard) for o in options(found)
    )


def _is_open(member: Member) -> TypeGuard[Tuple]:
    """Whether a member is a tuple of unknown length."""
    return isinstance(member, Tuple) and member.items is None
