"""What a trace writes that was not there when it began, and whether its next run, if there were one, would find it and add to it again.

`log.append(1)` makes a list longer at each call of Python, and once per trace. So it does with a list that the trace itself has put where it found none, as
in `table.setdefault("seconds", []).append(1)`.
"""

from __future__ import annotations

from mxlint.domain.arrays import Array
from mxlint.domain.members import Member, Ref, Symbolic, Tuple, Unbound, Unknown, Value, members
from mxlint.domain.parts import each_part
from mxlint.interpreter.compiled.state import held, older
from mxlint.interpreter.compiled.traces import Trace
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS


def is_new(i: Interpreter, trace: Trace, oid: int, field: object) -> bool:
    """Whether a written location did not exist when the trace began; a list or set: whether it is longer, and the next run would make it longer again."""
    before = trace.before(i, oid, field, held(i, oid, field))
    if i.info(oid).kind == "symbolic":
        return False  # what nobody in sight put there was there
    if field != ITEMS:
        return (before is None or isinstance(before, Unbound)) and (oid, field) not in trace.surely_there
    made = before is None
    if made and not is_found_again(i, trace, oid) or _is_answered_anew(i, trace, oid):
        return False
    first, last = () if made else _items(before), _items(i.heap.get(oid, ITEMS))
    if not made and (first is None or last is None or len(first) >= len(last) or _was_emptied(i, trace, oid)):
        return False
    added = (part for item in last or () if item not in (first or ()) for part in each_part(item))
    return i.info(oid).kind != "set" or not all(_is_the_same_again(i, part) for part in added)


def _items(content: Value | None) -> tuple[Value, ...] | None:
    """The items of a list or set, None if they are not known one by one."""
    return content.items if isinstance(content, Tuple) else None


def is_found_again(i: Interpreter, trace: Trace, oid: int, within: tuple[int, ...] = ()) -> bool:
    """Whether the next run of a trace finds what this one has made, as it has put it where it looked for one: in something older, or in what is found again
    itself."""
    default = oid in trace.defaults
    return any(
        default or at in trace.reads
        if older(i, at[0])
        else default and at[0] not in within and is_found_again(i, trace, at[0], (*within, oid))
        for at in i.heap.holders(oid)
    )


def as_long_as_before(i: Interpreter, trace: Trace, oid: int) -> bool:
    """Whether a list that a trace has made longer surely is as long by now as it was when the trace began."""
    now = i.heap.get(oid, ITEMS)
    before = trace.before(i, oid, ITEMS, now) or Tuple(())
    if now is None:
        return False
    fewest, most = ([member.items for member in members(value) if isinstance(member, Tuple)] for value in (before, i.live(now)))
    known = [len(items) for items in (*fewest, *most) if items is not None]
    if len(known) < len(members(before)) + len(members(i.live(now))):
        return False
    return max(known[len(fewest) :]) <= min(known[: len(fewest)])


def _was_emptied(i: Interpreter, trace: Trace, oid: int) -> bool:
    """Whether a trace has taken all out of a list or set, and filled it anew since: the next run makes it as long."""
    held_before = [value for (other, field), value in i.heap.trail[trace.start :] if other == oid and field == ITEMS]
    return any(isinstance(value, Tuple) and value.items == () for value in held_before[1:])


def _is_the_same_again(i: Interpreter, part: Member) -> bool:
    """Whether the next run of a trace has this again, and no other like it: constants, sizes of its arguments, and what is older than the trace."""
    return older(i, part.oid) if isinstance(part, Ref) else not isinstance(part, (Array, Symbolic, Unknown))


def _is_answered_anew(i: Interpreter, trace: Trace, oid: int) -> bool:
    """Whether a trace has asked whether anything is in a list or set, or one thing is, and the next run is told otherwise: it need not add to it."""
    asked = [(field, seen.value) for (holder, field), seen in trace.reads.items() if holder == oid and aspects.is_asked_for(field)]
    asked += ((field, told) for (holder, field), told in trace.asked.items() if holder == oid)
    return any(aspects.at(i, oid, field) != answer for field, answer in asked)
