"""What changes a container in place whose items are not known one by one, and which of its cells (`unlisted.py`) that puts anew: surely, or perhaps.

`xs.append(1)` surely makes another number of items, `xs.sort()` perhaps another order, and `xs[0] = 1` perhaps other items.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from mxlint.domain.guards import MAX_GUARD, Identity, Literal_
from mxlint.domain.heap import Field
from mxlint.domain.join import join, of
from mxlint.domain.members import (
    NONE,
    Const,
    Member,
    Option,
    Range,
    Symbolic,
    Tuple,
    Value,
    options,
)
from mxlint.domain.place import Place
from mxlint.interpreter.containers import unlisted
from mxlint.interpreter.containers.deques import MAXLEN
from mxlint.interpreter.containers.newness import are_new, each_item, is_all, may_be, shortest
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import (
    BACK,
    FILLING,
    FRONT,
    ITEMS,
    MANY,
    MORE,
    ONE,
    ORDER,
    TAKEN_OF,
    WHICH,
)
from mxlint.models.schema import Model, Mutation

SURELY, PERHAPS = True, False
CHANGES: Final[Mapping[str, Mapping[Field, bool]]] = {
    "adds": {MANY: SURELY, WHICH: SURELY, FRONT: SURELY, BACK: SURELY, FILLING: PERHAPS},
    "removes": {MANY: SURELY, WHICH: SURELY, FRONT: SURELY, BACK: SURELY, FILLING: PERHAPS},
    "reorders": {ORDER: PERHAPS, FRONT: PERHAPS, BACK: PERHAPS},
    "replaces": {WHICH: PERHAPS, FRONT: PERHAPS, BACK: PERHAPS},
    "repeats": {MANY: SURELY, WHICH: SURELY, FILLING: PERHAPS},
    "renews": {MANY: SURELY, WHICH: SURELY, ORDER: SURELY, FRONT: SURELY, BACK: SURELY, FILLING: PERHAPS},
}
"""The cells that each way to change a container changes, by the words of the models (`mutates`), and whether it surely does. `repeats`: all is there
more often; `renews`: all that was there goes, as by a slice."""
STAYS: Final[Mapping[str, Field]] = {"first": BACK, "last": FRONT}
"""What stays as it is where something comes or goes at one end."""


def change_by(
    i: Interpreter,
    oid: int,
    found: Model,
    mutations: Collection[Mutation],
    before: Value | None,
    place: Place,
    added: Tuple | None,
    index: Value | None,
) -> None:
    """A call changes a container in the ways that a model says. `before`: what it held; `added`: what comes into it, or goes, if that is known; `index`: where, if it
    is told."""
    after = i.heap.get(oid, ITEMS)
    if before is None or after is None or not _has_cells(i, oid, before, after) or added == Tuple(()):
        return
    is_set, bounded = i.info(oid).kind == "set", i.heap.get(oid, MAXLEN) is not None
    adds = any(mutation.how == "adds" for mutation in mutations)
    # What is put at one end of a deque takes something out at the other one only if that is of a greatest length.
    pushes_out = adds and (bounded or added is None or i.info(oid).kind != "list")
    for mutation in mutations:
        if mutation.how not in CHANGES or mutation.how == "removes" and adds and not pushes_out:
            continue
        end = mutation.end or _end(index, mutation.how)
        # A set may have it already, or lack it; what raises where nothing is there has taken something out.
        unsure = is_set and not found.raises and after != Tuple(()) and (added is None or not are_new(i, added, before, place))
        perhaps = CHANGES[mutation.how].keys() if unsure else (MANY, FRONT) if bounded and adds else ()
        count = None if is_set or bounded and adds or mutation.how == "removes" and after == Tuple(()) else counted(found, mutation, added)
        changed(i, oid, mutation.how, before, place, end=end, perhaps=perhaps, added=added, count=count)


def _has_cells(i: Interpreter, oid: int, before: Value, after: Value) -> bool:
    """Whether cells stand for a container: a trace has read it, and what it held or holds is not known one by one."""
    return unlisted.is_read(i, oid) and (unlisted.is_unlisted(before) or unlisted.is_unlisted(after))


def counted(found: Model, mutation: Mutation, added: Tuple | None) -> int | None:
    """How many items a call adds, or takes out (below 0); None if it does not say."""
    if mutation.how == "removes":
        return -1 if found.raises else None
    return len(added.parts) if mutation.how == "adds" and added is not None else None


def changed(
    i: Interpreter,
    oid: int,
    how: str,
    before: Value | None,
    place: Place,
    *,
    end: str = "",
    perhaps: Collection[Field] = (),
    added: Tuple | None = None,
    count: int | None = None,
) -> None:
    """Something changes a container in place, in one of the ways of `CHANGES`. `before`: what it held; `end`: where things come and go; `perhaps`: the cells
    that it may leave as they are; `added`: what comes into it, or goes; `count`: how many more items there are behind it, if that is known."""
    after = i.heap.get(oid, ITEMS)
    if before is None or after is None or not _has_cells(i, oid, before, after):
        return
    if how in ("reorders", "replaces") and is_all(before, added):
        return  # in any order that is the same
    new = i.symbolic(place, unlisted.CHANGED)
    for at, surely in CHANGES[how].items():
        if at == STAYS.get(end) or at == FILLING and shortest(before) and shortest(after):
            continue
        if at == MANY and count is not None:
            _count(i, oid, count)
            continue
        if at == FILLING:
            surely = shortest(before) > 0 and after == Tuple(())
        elif at in (FRONT, BACK) and how in ("adds", "removes"):
            # What comes or goes in between moves those behind it alone, and what comes may be what lay there.
            surely = (bool(end) or after == Tuple(())) and (added is None or how == "removes" or are_new(i, added, before, place))
        elif at == WHICH and how == "replaces" and added is not None:
            surely = are_new(i, added, before, place)
        elif at == WHICH and _puts_back(i, oid, how, before, added, count):
            i.heap.set(oid, at, _either(i, i.heap.get(oid, TAKEN_OF) or NONE, new, place))
            continue
        _put(i, oid, at, new, place, surely and at not in perhaps)
    for asked in _asked(i, oid) if WHICH in CHANGES[how] else ():
        if how not in ("adds", "removes") or added is None or may_be(i, asked[1], added, place):
            _put(i, oid, (ONE, asked), new, place, False)


def taken_from_dict(i: Interpreter, oid: int, key: Value | None, place: Place, *, surely: bool) -> None:
    """What lies in a dict under a key is taken out, of which nothing says what it is; `key`: None for any. `surely`: it was there."""
    if not unlisted.is_read(i, oid) or not unlisted.is_open_dict(i, oid):
        return
    new = i.symbolic(place, unlisted.CHANGED)
    _put(i, oid, WHICH, new, place, surely)
    for at in sorted((field for other, field in i.traced if other == oid and isinstance(field, tuple) and field[0] == "k"), key=repr):
        if not isinstance(key, Const) or at[1] == key:
            _put(i, oid, (ONE, at), new, place, surely and at[1] == key)


def changed_out_of_sight(i: Interpreter, oid: int, how: str, place: Place, surely: bool | None = None, count: int | None = None) -> None:
    """Something changes a container that nobody in sight gives, for which an object stands."""
    new = i.symbolic(place, unlisted.CHANGED)
    for at, is_sure in CHANGES[how].items():
        if at == MANY and count is not None:
            _count(i, oid, count)
        elif at in _ASKED_OF_ALL:
            _put(i, oid, at, new, place, is_sure if surely is None else surely)


_ASKED_OF_ALL: Final = (MANY, WHICH, ORDER)
"""The cells of a container that nobody in sight gives: what lies at a place of it is a location of its own."""


def _puts_back(i: Interpreter, oid: int, how: str, before: Value, added: Tuple | None, count: int | None) -> bool:
    """Whether what comes into a list may be what was taken out of it just before, as in `xs.append(xs.pop(0))`. It is kept what is taken out."""
    last = i.heap.get(oid, TAKEN_OF)
    takes = how == "removes" and count == -1
    if takes:
        i.heap.set(oid, TAKEN_OF, unlisted.cell(i, oid, WHICH))
    elif last is not None:
        i.heap.drop(oid, TAKEN_OF)
    if last is None or takes or how != "adds" or count != 1 or added is None:
        return False
    i.heap.set(oid, TAKEN_OF, last)
    return added.parts[0] == join(each_item(before))


def put_at(i: Interpreter, oid: int, number: int, before: Value, value: Value, place: Place) -> None:
    """Something is put at a place of a container that is a constant: `xs[0] = 1`."""
    if unlisted.is_read(i, oid) and unlisted.is_unlisted(before) and not is_all(before, Tuple((value,))):
        new, surely = i.symbolic(place, unlisted.CHANGED), are_new(i, Tuple((value,)), before, place)
        _put(i, oid, (ONE, ("item", number)), new, place, surely)
        _put(i, oid, WHICH, new, place, surely)
        i.heap.drop(oid, TAKEN_OF)
        for asked in _asked(i, oid):
            _put(i, oid, (ONE, asked), new, place, False)


def _end(index: Value | None, how: str) -> str:
    """At which end something comes or goes that is told by an index."""
    return "first" if index == Const(0) else "last" if index == Const(-1) and how == "removes" else ""


def _put(i: Interpreter, oid: int, at: Field, new: Symbolic, place: Place, surely: bool) -> None:
    """Put something else into a cell: surely, or on an open condition."""
    i.heap.set(oid, at, new if surely else _either(i, unlisted.cell(i, oid, at), new, place))


def _either(i: Interpreter, before: Value, new: Symbolic, place: Place) -> Value:
    """What stood in a cell, or something else, by a change that may leave the container as it is."""
    condition: Identity = ("choice", place, i.context, unlisted.CHANGED)
    if condition not in i.causes:
        i.causes[condition] = ("open", place)
        i.choices.add(condition)
    kept = [Option(option.member, (*option.guard, Literal_(condition, False))[-MAX_GUARD:]) for option in options(before)]
    return of([*kept, Option(new, (Literal_(condition, True),))])


def _count(i: Interpreter, oid: int, number: int) -> None:
    """So many more items are there: as many come as go in `xs.append(new)` and `xs.pop(0)`."""

    def one(member: Member) -> Member:
        match member:
            case Const(value=int(more)):
                return Const(more + number)
            case Range(low=low, high=high):
                return Range(None if low is None else low + number, None if high is None else high + number, member.stride, member.loops)
        return member

    i.heap.set(oid, MORE, of(Option(one(option.member), option.guard) for option in options(unlisted.cell(i, oid, MORE))))


def _asked(i: Interpreter, oid: int) -> Iterator[tuple[str, Member]]:
    """The locations of a container by which traces have asked whether one thing is in it."""
    yield from sorted((field for at, field in i.traced if at == oid and isinstance(field, tuple) and field[0] == unlisted.IN), key=repr)
