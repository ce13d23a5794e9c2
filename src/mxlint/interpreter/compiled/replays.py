"""Calls that replay a trace: each location that the trace read is compared with what lies there now.

In `step(x); w = mx.zeros(2); step(x)` the second call runs no Python, so it computes with the old `w`: the fact `Stale`. `staleness.py` compares one location.
"""

from __future__ import annotations

from collections.abc import Collection

from mxlint.domain.arrays import Array
from mxlint.domain.exclusion import together
from mxlint.domain.heap import Location
from mxlint.domain.join import of
from mxlint.domain.members import (
    NONE,
    TRUE,
    UNBOUND,
    Const,
    Member,
    Option,
    Range,
    Ref,
    Symbolic,
    Tuple,
    Unbound,
    Union,
    Value,
    members,
    options,
    scalar_type,
)
from mxlint.domain.parts import each_part, referred
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.interpreter.compiled.also_given import is_given
from mxlint.interpreter.compiled.attributes_of_arrays import compare_asked
from mxlint.interpreter.compiled.captures import arrays_out
from mxlint.interpreter.compiled.placeholders import changed, parts_at
from mxlint.interpreter.compiled.reads import NUMBERS, relied_argument
from mxlint.interpreter.compiled.rebinding import unwritten
from mxlint.interpreter.compiled.rehearsals import Rehearsal
from mxlint.interpreter.compiled.sameness import as_good, reads_the_same
from mxlint.interpreter.compiled.shape_keys import held_now
from mxlint.interpreter.compiled.staleness import compare, is_tree_of_arrays, unfollowed
from mxlint.interpreter.compiled.state import Changes, Entry, count, held, writer
from mxlint.interpreter.compiled.tracing import fresh, shapes_of
from mxlint.interpreter.compiled.unevaluated import leave
from mxlint.interpreter.containers import aspects, orders
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.journal import (
    modality,
    note,
    where,
)
from mxlint.interpreter.machine.locations import ITEMS, KEYS, REORDERED, TAKEN, scalar_at, whole
from mxlint.interpreter.machine.writing import Writes, count_write


def replay(i: Interpreter, ref: Ref, entry: Entry, args: Arguments, place: Place, frame: Frame) -> Value:
    """A call that uses a trace again: what the trace read may hold something else now."""
    _note_outgrown(i, ref, entry, place)
    replaced: dict[int, bool] = {}
    again = Rehearsal(i, ref, entry, args, frame)
    function = i.heap.get(ref.oid, "fun") or NONE
    for location, read in entry.reads.items():
        oid = location[0]
        if oid in entry.captured_in and read.kind == "array":
            continue
        own = _is_own(i, entry, location)
        if not read.used and read.asked and not own:
            compare_asked(i, ref, location, read, place, entry, again)
        if not read.used or own and not _changes_again(i, location) and (read.kind != "array" or read.value == NONE):
            continue
        if read.kind != "array" and (own or _is_written_while_tracing(i, location)):
            repeats = again.repeats
            if repeats:
                continue
            if repeats is None and entry.changes_python:
                unfollowed(i, ref, place, "whether the body computes the same after what a trace has changed")
                continue
        if location in entry.also_given and is_given(i, function, args, location, read, entry.also_given[location]):
            continue
        now = held_now(i, location, again.same_key)
        if oid in entry.captured_in and (as_good(i, read.value, now, entry) or now is not None and _both_arrays(i, oid, read.value, now)):
            continue  # the arrays under a capture are found anew at each call
        if _has_its_keys(i, entry, location, read.value):
            continue
        if _reads_all_items(i, entry, location):
            unfollowed(i, ref, place, "whether it matters in which order a library has put the items of a list")
            continue
        if count(i, location) != read.count and _is_replaced(i, ref, entry, oid, replaced):
            continue  # what is there now is of no object that this call comes to
        if count(i, location) != read.count and not own and unwritten(i, ref, location):
            continue
        if isinstance(now, Union):
            now = _where_it_is_reached(i, ref, entry, oid, now)
        compare(i, ref, location, read, now, place, entry, again)
    for location in entry.counted:
        _note_counted(i, ref, entry, location, place, again)
    if again.open_ended:
        unfollowed(i, ref, place, "what the body does after many more runs")

    for location, read in entry.reads.items() if i.ledger.of(Changes).whole else ():
        for number in parts_at(i, location, held(i, *location)) if read.used else ():
            relied_argument(i, number, read.where)
    changed(i, entry.changes, args, entry.reads.items(), lambda location, _: held(i, *location))

    writes = entry.by == ref.oid or i.heap.get(ref.oid, "outputs") == i.heap.get(entry.by, "outputs")
    for location, written in entry.written.items() if writes else ():
        value = i.heap.get(*location) if location[0] in entry.captured_out else None
        if value is not None and any(isinstance(part, Array) for part in each_part(value)):
            i.heap._put(*location, _anew(i, value, place, location))
            count_write(i, *location, written)
    leave(i, ref.oid, entry.aside)
    reshaped = i.heap.get(ref.oid, "shapeless") == TRUE and shapes_of(i, args) != entry.shapes
    return fresh(i, entry.result, place, entry.number, ref, args, entry.given, reshaped=reshaped)


def _anew(i: Interpreter, value: Value, place: Place, where: object) -> Value:
    """What a replay puts where a captured value lies: at each place of it one new array, whichever it was."""
    found: list[Option] = []
    ident: int | None = None
    for option in options(value):
        member = option.member
        if isinstance(member, Array):
            ident = i.ident(place, ("captured", where)) if ident is None else ident
            member = Array(ident, None, member.shape, member.dtype, member.chain)
        elif isinstance(member, Tuple):
            member = member.holding(tuple(_anew(i, part, place, (where, n)) for n, part in enumerate(member.parts)))
        found.append(Option(member, option.guard))
    return of(found)


def _note_outgrown(i: Interpreter, ref: Ref, entry: Entry, place: Place) -> None:
    """More arrays lie where outputs= leads to than the trace gives: MLX goes on reading behind its last one."""
    now = arrays_out(i, ref)
    if sum(least for least, _ in now.values()) <= sum(most for _, most in entry.out.values()):
        return
    grown = [location for location, (least, _) in now.items() if least > entry.out.get(location, (0, 0))[1]]
    written = next((at for at in (writer(i, *location) for location in grown) if at is not None), None)
    m = modality(i, 0, of=ref.oid)
    if written is not None and m is not None:
        note(i, events.Note("outgrown", where(written), "", ref.oid, m, (where(place),)))


def _changes_again(i: Interpreter, location: Location) -> bool:
    """Whether what a trace has put somewhere each run would put there again: a list becomes longer each time, a dict or set has it then."""
    if aspects.is_test(location[1]):
        return False  # the number is another one, which may come out otherwise
    oid, field = location
    return field in (ITEMS, KEYS) or aspects.is_of_all(whole(location)[1]) and i.info(oid).kind == "list"


def _is_own(i: Interpreter, entry: Entry, location: Location) -> bool:
    """Whether the trace itself wrote last what lies at a location."""
    oid, field = location = whole(location)
    if aspects.is_aspect(field):
        last = writer(i, oid, field)
        return any(number == oid and place == last for (number, _), place in entry.written.items())
    return location in entry.written and writer(i, oid, field) == entry.written[location]


def _is_written_while_tracing(i: Interpreter, location: Location) -> bool:
    """Whether a trace wrote last what lies at a location."""
    at = writer(i, *location)
    return at is not None and (location[0], at) in i.ledger.of(Writes).traced


def _has_its_keys(i: Interpreter, entry: Entry, location: Location, found: Value) -> bool:
    """Whether what a trace asked of the keys of a captured dict, or found missing there, is so still: there are as many arrays as it found, or it would not be
    used, and nothing was ever taken out of what is captured. So none was put under a key that was not there."""
    oid, field = whole(location)
    if oid not in entry.captured_in or i.info(oid).kind != "dict" or not (aspects.is_aspect(field) or isinstance(found, Unbound)):
        return False
    return all(writer(i, captured, TAKEN) is None for captured in entry.captured_in)


def _reads_all_items(i: Interpreter, entry: Entry, location: Location) -> bool:
    """Whether a trace has read all items of a list, one by one, that a library has put in another order since: nothing says whether what it made of them
    depends on the order."""
    oid, field = whole(location)
    if i.heap.get(oid, REORDERED) is None or not isinstance(field, tuple):
        return False
    if field == ITEMS:
        found = [seen.value for place, seen in entry.reads.items() if place == (oid, ITEMS)]
        return bool(found) and orders.same_items(i, oid, found[0])
    if field[0] != "item":
        return False
    read = [(whole(place)[1], seen) for place, seen in entry.reads.items() if place[0] == oid and seen.used]
    items = {at[1]: seen.value if seen.whole is None else seen.whole for at, seen in read if isinstance(at, tuple) and at[0] == "item"}
    numbers = range(len(items))
    return items.keys() == set(numbers) and orders.same_items(i, oid, Tuple(tuple(items[number] for number in numbers)))


def _note_counted(i: Interpreter, ref: Ref, entry: Entry, location: Location, place: Place, again: Rehearsal) -> None:
    """A number or flag that the trace itself changed, and uses: at this call it is another one, which the trace does not see. It may have read more of
    it, or less, before it changed it."""
    scalar = scalar_at(location)
    known = location if location in entry.reads else next((other for other in entry.reads if scalar_at(other) == scalar), location)
    at = known if location == scalar else location
    read, now, m = entry.reads.get(known), held(i, *at), modality(i, 0, of=ref.oid)
    if read is None or now is None or m is None or read.used and not _is_own(i, entry, location):
        return
    before = read.value if at == known else aspects.made(i, at, read.value if read.whole is None else read.whole)
    found = set(members(now))
    if not found <= set(members(before)) or any(isinstance(member, Range) for member in found):
        numbers = all(scalar_type(member) in NUMBERS for member in found)
        if again.repeats is None and (
            not numbers or isinstance(before, Unbound) or _are_equal(before, found) or _decides_otherwise(i, entry, scalar)
        ):
            unfollowed(i, ref, place, "whether each run of the body changes a number again")
            return
        if again.repeats:
            return
        if i.modes.client and not m.conditions:
            m = m.but(presumed=(i.modes.client,))
        used, calls, written = entry.counted[location]
        kind = "number" if numbers else "value"
        note(i, events.Event(ref.oid, entry.number, "counted", used, read.name, kind, "", calls, (), (), m, written=written))


def _are_equal(before: Value, found: Collection[Member]) -> bool:
    """Whether numbers equal what lay there, of whatever type: to arrays of floats 2 is 2.0."""
    numbers = {member.value for member in members(before) if isinstance(member, Const)}
    return all(isinstance(member, Const) and member.value in numbers for member in found)


def _decides_otherwise(i: Interpreter, entry: Entry, scalar: Location) -> bool:
    """Whether a test of the trace comes out otherwise by now, as the trace itself has changed what it asks: the next run may leave out what this one did.
    What a number decides by itself is not meant."""
    asked = ((at, seen.value) for at, seen in entry.reads.items() if aspects.is_test(at[1]) or aspects.is_asked_for(at[1]))
    return any(held(i, *at) != value and scalar_at(at) != scalar and _is_own(i, entry, at) for at, value in asked)


def _both_arrays(i: Interpreter, oid: int, before: Value, now: Value) -> bool:
    """Whether arrays lie there before and now, of which nobody in sight may give some or all: what is captured is meant to hold arrays. In the state of something
    that is not in sight, whether nothing else is known to."""
    lying = [member for value in (before, now) for member in members(value)]
    if all(isinstance(member, (Array, Symbolic, Unbound)) for member in lying):
        kinds = (member.kinds for member in lying if isinstance(member, Symbolic))
        return i.info(oid).kind == "symbolic" or all(of in (None, {"array"}) for of in kinds)
    return is_tree_of_arrays(i, before) and is_tree_of_arrays(i, now)


def _where_it_is_reached(i: Interpreter, ref: Ref, entry: Entry, oid: int, now: Union) -> Value:
    """What lies in an object in the states in which a call comes to it: under conditions, another one lies where a way that the trace took led to it."""
    if oid in referred(i.heap.get(ref.oid, "fun") or NONE):
        return now
    ways = [location for location, read in entry.reads.items() if oid in referred(read.value)]
    guards = [option.guard for way in ways for option in options(held(i, *way) or UNBOUND) if oid in referred(option.member)]
    kept = [option for option in now.options if any(together((*option.guard, *guard)) for guard in guards)]
    return of(kept) if kept else now


def _is_replaced(i: Interpreter, ref: Ref, entry: Entry, oid: int, known: dict[int, bool]) -> bool:
    """Whether a call no longer comes to an object that the trace has read: each way that led to it leads to another one, which holds what was read."""
    if oid in known or oid in referred(i.heap.get(ref.oid, "fun") or NONE):
        return known.get(oid, False)  # a method holds its object
    known[oid] = False  # so is what is come to through itself
    ways = [(location, read) for location, read in entry.reads.items() if oid in referred(read.value)]
    known[oid] = bool(ways) and all(
        all(reads_the_same(i, read.value, now, entry) for now in members(held(i, *location) or UNBOUND))
        or _is_replaced(i, ref, entry, location[0], known)
        for location, read in ways
    )
    return known[oid]
