"""Lists and sets that a trace leaves longer than it has found them, and that its next run would make longer again.

`times["step"].append(t)` with a `defaultdict(list)`: the trace makes the list, and each run of the body would find it and add to it.
"""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.domain.arrays import Array
from mxlint.domain.heap import Location
from mxlint.domain.members import NONE, Member, Ref, Symbolic, Tuple, Unbound, Unknown, Value, members
from mxlint.domain.parts import each_part
from mxlint.domain.place import Place
from mxlint.interpreter.compiled.state import held, older
from mxlint.interpreter.compiled.traces import Trace
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.journal import call_places
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.machine.writing import Writes


def is_new(i: Interpreter, trace: Trace, oid: int, field: object, place: Place) -> bool:
    """Whether a written location did not exist when the trace began; a list or set: whether it is longer, and the next run would make it longer again."""
    before = trace.before(i, oid, field, held(i, oid, field))
    if i.info(oid).kind == "symbolic":
        return False  # what nobody in sight put there was there
    if field != ITEMS:
        return (before is None or isinstance(before, Unbound)) and (oid, field) not in trace.surely_there
    if before is None and older(i, oid):
        return any(location in trace.reads for location in i.heap.holders(oid))
    if before is None and not is_found_again(i, trace, oid, place):
        return False
    now = i.heap.get(oid, ITEMS)
    if before is None:
        before = trace.grown.setdefault(oid, next(_held_before(i, trace, oid), now or NONE))
    known = [value.items for value in (before, now) if isinstance(value, Tuple) and value.items is not None]
    if len(known) < 2 or len(known[0]) >= len(known[1]) or _is_answered_anew(i, trace, oid) or _was_emptied(i, trace, oid):
        return False
    added = (part for item in known[1] if item not in known[0] for part in each_part(item))
    return i.info(oid).kind != "set" or not all(_is_the_same_again(i, part) for part in added)


def is_found_again(i: Interpreter, trace: Trace, oid: int, place: Place) -> bool:
    """Whether the next run of a trace finds something that this one has made, and comes to a place where this one changes it: it, or what holds it, was put
    where the trace had found nothing, and the place does not run in that case alone."""
    where_empty = i.ledger.of(Writes).where_empty
    ways = (place, *call_places(i, trace.depth + 1))
    seen, todo = {oid}, [oid]
    while todo:
        inner = todo.pop()
        holders = [*i.heap.holders(inner)]
        if inner in trace.defaults and not any(_was_asked_for(trace, location) for location in holders):
            return True
        for holder, field in holders:
            if older(i, holder):
                at = trace.written.get((holder, field))
                block = where_empty.get(at) if at is not None else None
                if block is not None and not any(map(block.contains, ways)):
                    return True
            elif holder not in seen:
                seen.add(holder)
                todo.append(holder)
    return False


def _was_asked_for(trace: Trace, location: Location) -> bool:
    """Whether a trace has asked for what lies at a location before it came to what puts something there by itself, as `setdefault` does: the next run is told
    otherwise, and need not come to it."""
    asked, put = trace.absent.get(location), trace.written.get(location)
    return asked is not None and put is not None and asked != put


def _held_before(i: Interpreter, trace: Trace, oid: int) -> Iterator[Value]:
    """What a list or set held before each change that a trace has made of it: at first what the trace has found there, or has made it with."""
    return (value for (other, field), value in i.heap.trail[trace.start :] if other == oid and field == ITEMS and value is not None)


def as_long_as_before(i: Interpreter, trace: Trace, oid: int) -> bool:
    """Whether a list that a trace has made longer surely is as long by now as it was when the trace began."""
    now = i.heap.get(oid, ITEMS)
    before = trace.before(i, oid, ITEMS, now)
    before = trace.grown.get(oid) if before is None else before
    if before is None or now is None:
        return False
    fewest, most = ([member.items for member in members(value) if isinstance(member, Tuple)] for value in (before, i.live(now)))
    known = [len(items) for items in (*fewest, *most) if items is not None]
    if len(known) < len(members(before)) + len(members(i.live(now))):
        return False
    return max(known[len(fewest) :]) <= min(known[: len(fewest)])


def _was_emptied(i: Interpreter, trace: Trace, oid: int) -> bool:
    """Whether a trace has taken all out of a list or set, and filled it anew since: the next run makes it as long."""
    _, *later = _held_before(i, trace, oid)
    return any(isinstance(value, Tuple) and value.items == () for value in later)


def _is_the_same_again(i: Interpreter, part: Member) -> bool:
    """Whether the next run of a trace has this again, and no other like it: constants, sizes of its arguments, and what is older than the trace."""
    return older(i, part.oid) if isinstance(part, Ref) else not isinstance(part, (Array, Symbolic, Unknown))


def _is_answered_anew(i: Interpreter, trace: Trace, oid: int) -> bool:
    """Whether a trace has asked whether anything is in a list or set, or one thing is, and the next run is told otherwise: it need not add to it."""
    asked = [(field, seen.value) for (holder, field), seen in trace.reads.items() if holder == oid and aspects.is_asked_for(field)]
    asked += [(field, answer) for (holder, field), answer in trace.asked.items() if holder == oid]
    return any(aspects.at(i, oid, field) != answer for field, answer in asked)
