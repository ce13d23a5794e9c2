"""Whether one location that a trace has read is stale at a later call: a write came since, and the value is not provably the same.

What differs is the fact `Stale`, with the conditions under which it does. If it is not known whether it differs, the site is not full.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.exclusion import together
from mxlint.domain.guards import Guard, Literal_, closed
from mxlint.domain.heap import Location
from mxlint.domain.join import bound, join
from mxlint.domain.members import (
    NONE,
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
    Unknown,
    Value,
    members,
    options,
)
from mxlint.domain.parts import each_part
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.facts import values as described
from mxlint.interpreter.compiled import recipes
from mxlint.interpreter.compiled.beginnings import begins_alike
from mxlint.interpreter.compiled.captures import keeping
from mxlint.interpreter.compiled.hanging import open_conditions
from mxlint.interpreter.compiled.keyed import finds_equal, is_said_equal, said_equal
from mxlint.interpreter.compiled.making import target
from mxlint.interpreter.compiled.rehearsals import Rehearsal
from mxlint.interpreter.compiled.sameness import (
    as_good,
    differs_where_unknown,
    of_an_earlier_round,
    part_that_differs,
    reads_the_same,
    surely_same,
    where_it_holds,
    wraps,
)
from mxlint.interpreter.compiled.shape_keys import is_computed_key
from mxlint.interpreter.compiled.state import BEFORE_OTHERS, FROZEN, Entry, count, held, only_filled, value_kind, with_unfrozen, writer
from mxlint.interpreter.compiled.texts import is_text
from mxlint.interpreter.compiled.traces import Seen
from mxlint.interpreter.containers import aspects, unlisted
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.costs import Costs
from mxlint.interpreter.machine.frames import FrameInfo
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.journal import (
    describe,
    imprecise,
    modality,
    note,
    where,
)
from mxlint.interpreter.machine.locations import DISTINCT, ITEMS, REST, UNORDERED, WHOLE, scalar_at
from mxlint.interpreter.machine.writing import Writes
from mxlint.interpreter.open_world.dispatch import Dispatched
from mxlint.interpreter.open_world.mentions import attributes_of
from mxlint.interpreter.open_world.presumptions import are_arrays, of_iterable
from mxlint.interpreter.open_world.shadows import Shadows
from mxlint.interpreter.open_world.unseen_layers import NOT_IN_SIGHT, UNSEEN_MODE
from mxlint.interpreter.statements.binding import Deleted
from mxlint.syntax.binds import once

NOT_FOLLOWED: Final = "a value that was not followed lies where a trace read"
"""Why it is not known whether something is stale."""


def compare(
    i: Interpreter,
    ref: Ref,
    location: Location,
    found: Seen,
    now: Value | None,
    place: Place,
    entry: Entry | None = None,
    again: Rehearsal | None = None,
) -> None:
    """Compare what a trace has read at a location with what lies there `now`, at a call of the compiled object `ref` that uses the trace again. `entry` is
    that trace, `again` what its body would do at this call; without them, what is read is an earlier trace's or a call's that is not followed."""
    is_dict = bool(found.cells) and i.info(location[0]).kind == "dict"
    if count(i, location) == found.count or _is_bound_once(i, location) and not isinstance(found.value, Unbound):
        if is_dict:
            _compare_cells(i, ref, location, found, UNBOUND, place, entry, again)
        return
    if entry is not None and _is_only_filled(i, location, found, entry):
        return
    if found.count == BEFORE_OTHERS:
        if count(i, location):
            unfollowed(i, ref, place, "a name of an earlier call that is assigned again")
        return
    now = _lies_there(i, location, found, now)
    if found.cells and not is_dict:
        _compare_cells(i, ref, location, found, now, place, entry, again)
        return
    if location[1] == aspects.LENGTH and isinstance(found.value, Range):
        unfollowed(i, ref, place, "a length that was not followed")
        return
    present = i.live(now)
    if isinstance(found.value, Array) and isinstance(present, Array):
        present = i.live(recipes.by_content(i, found.value, present))
    if again is not None and any(wraps(i, member, part) for member in members(present) for part in members(found.value)):
        repeats = again.computes_the_same
        if repeats is None:
            unfollowed(i, ref, place, "whether what takes the place of a function computes the same")
        if repeats is not False:
            return
    different, hang = _differences(i, location, found, present, entry, again)
    different = tuple(member for member in different if not finds_equal(i, ref, found.value, member))
    if different and _finds_equal_scalar(i, ref, location, found):
        return
    if different and location[1] == UNSEEN_MODE:
        unfollowed(i, ref, i.place or place, NOT_IN_SIGHT)
        return
    captured = _is_captured(location, entry)
    followed = tuple(
        member
        for member in different
        if not _is_approximated(i, member, found, entry, captured) and not _is_blurred(i, location, member, found)
    )
    if different and (not followed or isinstance(found.value, Unknown)):
        unfollowed(i, ref, place, NOT_FOLLOWED)
    elif different:
        note_stale(i, ref, location, found, now, followed, hang, place, entry)
    elif is_dict:
        _compare_cells(i, ref, location, found, now, place, entry, again)


def _compare_cells(
    i: Interpreter, ref: Ref, location: Location, found: Seen, now: Value, place: Place, entry: Entry | None, again: Rehearsal | None
) -> None:
    """Compare what stands for what a trace has read of a container whose items are not known one by one. What lies at one place is compared itself, too."""
    oid, field = location
    ways: list[tuple[Member, tuple[events.Condition, ...]]] = []
    for at, before in found.cells.items():
        if at != ITEMS and (way := _changed_cell(i, found, before, i.live(unlisted.cell(i, oid, at)))) is not None:
            ways.append(way)
    if not ways:
        return
    changed, hang = min(ways, key=lambda way: _asked(way[1]))
    is_place = unlisted.is_place(field)
    if is_place:
        different, also = _differences(i, location, found, i.live(now), entry, again)
    else:
        now = held(i, oid, ITEMS) or UNBOUND if field in (ITEMS, UNORDERED, DISTINCT) else found.value
        different, also = tuple(members(now)), ()
    captured = _is_captured(location, entry)
    if (
        isinstance(changed, Unknown)
        or is_place
        and different
        and all(_is_approximated(i, each, found, entry, captured) for each in different)
    ):
        unfollowed(i, ref, place, NOT_FOLLOWED)
    elif different:
        note_stale(
            i, ref, location, found, now, different, tuple(dict.fromkeys((*hang, *also))), place, entry, unlisted.changed_at(changed)
        )


def _changed_cell(i: Interpreter, found: Seen, before: Value, present: Value) -> tuple[Member, tuple[events.Condition, ...]] | None:
    """What stands in a cell now that did not when a trace read it, and the conditions under which it does; None if nothing else stands there. One of several
    things that stood there is not another one."""
    known, read_where = members(before), _read_where(i, found)
    new = [option for option in options(present) if option.member not in known and _may_hold(read_where, option.guard)]
    if not new:
        return None
    stays = len(new) < len(options(present))
    return min(
        ((option.member, tuple(open_conditions(i, option.guard)) if stays else ()) for option in new), key=lambda way: _asked(way[1])
    )


def _read_where(i: Interpreter, found: Seen) -> Guard:
    """What held where a trace has read something, with what the path says; nothing if that hung on nothing."""
    return (*found.under, *closed(_said(i))) if found.under else ()


def _may_hold(read_where: Guard, guard: Guard) -> bool:
    """Whether a guard may hold where a trace has read something: elsewhere it did not read it."""
    return not read_where or together((*read_where, *guard))


def _said(i: Interpreter) -> Iterator[Literal_]:
    """The literals of the path."""
    return (condition.literal for condition in i.path if condition.literal is not None)


def _is_approximated(i: Interpreter, member: Member, found: Seen, entry: Entry | None, captured: bool) -> bool:
    """Whether something is any value at all, or what a call gave that was not followed, or made of such a one, or an object that differs in nothing else."""
    if isinstance(member, Ref) and entry is not None:
        return differs_where_unknown(i, found.value, member, entry, captured)
    given_up = i.ledger.of(Costs).given_up
    todo: list[object] = [member.identity if isinstance(member, Symbolic) else member]
    while todo:
        part = todo.pop()
        if isinstance(part, Unknown):
            return True
        if isinstance(part, tuple):
            if part in given_up:
                return True
            todo.extend(part)
    return False


def _is_blurred(i: Interpreter, location: Location, member: Member, found: Seen) -> bool:
    """Whether one array stands for those that traces have put somewhere, one after the other, and for the one that was read: how each was made is not known any more."""
    of_many = (
        isinstance(member, Array) and member.several and any(isinstance(o, Array) and o.ident == member.ident for o in members(found.value))
    )
    at = writer(i, *location)
    return of_many and at is not None and (location[0], at) in i.ledger.of(Writes).traced


def _is_captured(location: Location, entry: Entry | None) -> bool:
    """Whether a location lies in what a trace captures, so that a call finds the arrays of what lies there anew."""
    return entry is not None and location[0] in entry.captured_in


def _finds_equal_scalar(i: Interpreter, ref: Ref, location: Location, found: Seen) -> bool:
    """Whether a call finds its compiled object by the scalar of which operators made what the trace has used: that one is equal then."""
    if found.whole is None:
        return False
    now = options(i.live(held(i, *scalar_at(location)) or UNBOUND))
    return all(
        o.member == found.whole or finds_equal(i, ref, found.whole, o.member) or _is_equal(i, found.whole, o.member, o.guard) for o in now
    )


def _lies_there(i: Interpreter, location: Location, found: Seen, now: Value | None) -> Value:
    """What lies at a location at a call, `UNBOUND` for nothing."""
    value = UNBOUND if now is None else now
    if location[1] == FROZEN:
        return with_unfrozen(value)
    if i.info(location[0]).kind == "frame" and location not in i.ledger.of(Deleted).names:
        return bound(value) or found.value  # another activation has not come to where it binds the name
    return value


def _differences(
    i: Interpreter, location: Location, found: Seen, present: Value, entry: Entry | None, again: Rehearsal | None
) -> tuple[tuple[Member, ...], tuple[events.Condition, ...]]:
    """The members that may lie at a location and differ from what the trace has read, and the conditions under which one of them lies there."""
    if not isinstance(present, Union):
        same = _is_the_same(i, found, present, entry, again) or _has_filled(i, location, found, present, entry)
        return (() if same else (present,)), ()
    captured = _is_captured(location, entry)
    different: list[Member] = []
    ways: list[list[events.Condition]] = []
    same = False
    kept = not is_computed_key(location[1]) and not {option.member for option in present.options}.isdisjoint(members(found.value))
    read_where = _read_where(i, found)
    for option in present.options:
        if not _may_hold(read_where, option.guard):
            continue
        if (
            captured
            and entry is not None
            and as_good(i, found.value, option.member, entry)
            or _option_is_the_same(i, location, found, option, entry, again, kept)
            or _has_filled(i, location, found, option.member, entry)
        ):
            same = True
        else:
            different.append(option.member)
            if _is_approximated(i, option.member, found, entry, captured):
                same = True  # it may be so
            else:
                ways.append(open_conditions(i, option.guard))
    # One way to another value is enough.
    return tuple(different), tuple(dict.fromkeys(min(ways, key=_asked))) if same and ways else ()


def _is_the_same(i: Interpreter, found: Seen, present: Member, entry: Entry | None, again: Rehearsal | None) -> bool:
    """Whether the one thing that lies at a location is what the trace has read there."""
    if found.behind and isinstance(present, Unbound):
        return True  # there is nothing again, and what lies behind it is a location of its own
    same_value = (
        surely_same(i, found.value, present)
        or (wraps(i, present, found.value) if again is None else again.same_key.gives(found.value, present))
        or _is_equal(i, found.value, present)
    )
    if same_value and (entry is None or not of_an_earlier_round(i, found.value, entry)):
        return True
    return entry is not None and (
        reads_the_same(i, found.value, present, entry, again.same_key if again is not None else None)
        or begins_alike(i, found.value, present, entry)
    )


def _option_is_the_same(
    i: Interpreter, location: Location, found: Seen, option: Option, entry: Entry | None, again: Rehearsal | None, kept: bool
) -> bool:
    """Whether one of the things that may lie at a location is what the trace has read there where its guard holds. `kept`: what the trace has read may lie
    there still."""
    if isinstance(option.member, Unbound) and (found.behind or _given_out_of_sight(i, location, found.value)):
        return True
    before = where_it_holds(found.value, option.guard)
    if surely_same(i, before, option.member):
        return True
    if (
        wraps(i, option.member, found.value)
        if again is None
        else again.same_key.gives(found.value if kept else before, option.member, option.guard, kept=kept)
    ):
        return True
    if _is_equal(i, found.value, option.member, option.guard):
        return True
    return entry is not None and (
        reads_the_same(i, found.value, option.member, entry, again.same_key if again is not None else None)
        or begins_alike(i, before, option.member, entry)
    )


def _is_equal(i: Interpreter, before: Value, now: Member, guard: Guard = ()) -> bool:
    """Whether the path says that what was there equals what is there where a guard holds, as one that has tested whether to compile again does."""
    if not isinstance(before, (Symbolic, Const)) or not isinstance(now, (Symbolic, Const)):
        return False
    said = closed((*_said(i), *guard))
    return is_said_equal(said_equal(i, said), before, now)


def note_stale(
    i: Interpreter,
    ref: Ref,
    location: Location,
    found: Seen,
    now: Value,
    different: tuple[Member, ...],
    hang: tuple[events.Condition, ...],
    place: Place,
    entry: Entry | None,
    changed_at: Place | None = None,
) -> None:
    """Note that what a trace has read lies there no more, under conditions on which that hangs. `changed_at`: where it was changed, if that is known better
    than where it was written last."""
    oid, field = location
    written, m = changed_at or writer(i, oid, field), modality(i, 0, of=ref.oid)
    if written is None or m is None:
        return
    before = found.value
    # What is put in place of something symbolic is taken to be of its kind.
    kind = found.kind if found.kind not in ("symbolic", "absent") else value_kind(bound(join(different)) or UNBOUND)
    if kind == "object" and (all(is_tree_of_arrays(i, value) for value in (before, *different)) or _reads_arrays(i, before, entry)):
        kind = "array"  # it is these that the trace keeps
    part = (
        part_that_differs(i, before, different[0], entry, _is_captured(location, entry))
        if kind == "object" and entry is not None and len(different) == 1
        else None
    )
    if part is not None:
        found, kind, (oid, field) = part.seen, "python", part.location
        different, hang_too = _differences(i, part.location, part.seen, part.now, entry, None)
        different, hang = different or tuple(members(part.now)), tuple(dict.fromkeys((*hang, *hang_too)))
    presumed = _presumed(i, (oid, field), written, hang)
    if kind == "symbolic" and is_text(i, before):
        kind = "python"
    elif kind == "symbolic" and are_arrays(i, before):
        kind = "array"
    elif kind == "symbolic" and of_iterable(before) and of_iterable(now) and not _has_attributes(i, ref, found.name):
        kind, presumed = "array", (*presumed, f"`{found.name}` is an array")
    shown = _shown(i, (oid if part is None else part.other, field), found, join(different))
    places = found.where, where(written), where(place)
    hangs = events.Modality(hang, presumed)
    note(i, events.Stale(ref.oid, (oid, str(field)), found.name, kind, *places, *shown, found.calls, hangs, found.container))


def _reads_arrays(i: Interpreter, before: Value, entry: Entry | None) -> bool:
    """Whether all that a trace has read in a container are arrays, also such as only its use shows to be so."""
    inside = [seen for (oid, _), seen in entry.reads.items() if seen.used and Ref(oid) == before] if entry is not None else []
    return bool(inside) and all(seen.kind == "array" or seen.kind == "symbolic" and are_arrays(i, seen.value) for seen in inside)


def _shown(i: Interpreter, location: Location, found: Seen, now: Value) -> tuple[described.Value, described.Value]:
    """What is shown of a location, at the trace and now: of what operators make of a scalar, that scalar."""
    if found.whole is None:
        return describe(i, found.value), describe(i, now)
    return describe(i, found.whole), describe(i, held(i, *scalar_at(location)) or UNBOUND)


def _asked(conditions: Iterable[events.Condition]) -> tuple[int, int]:
    """How many conditions there are that do not hold by default, and how many in all."""
    asked = [condition.default for condition in conditions]
    return asked.count(False), len(asked)


def _has_attributes(i: Interpreter, ref: Ref, name: str) -> bool:
    """Whether a compiled function reads an attribute of what a name holds that no array has."""
    function, _, _ = target(i, i.heap.get(ref.oid, "fun") or NONE)
    info = i.info(function.oid).payload if function is not None else None
    return isinstance(info, FunctionInfo) and any(not i.mlx.has(f"mlx.core.array.{read}") for read in attributes_of(info.node, name))


def _lies_in(place: Place, around: Place) -> bool:
    return place.source is around.source and around.start <= place.start and place.end <= around.end


def _presumed(i: Interpreter, location: Location, written: Place, conditions: tuple[events.Condition, ...]) -> tuple[str, ...]:
    """What a stale read rests on: that something symbolic keeps what is written on it, or that a method nobody in sight calls is called again. Where that is
    presumed, it goes without saying that what has items keeps what is put there."""
    oid, field = location
    again = i.modes.client
    dispatched = [words for around, words in i.ledger.of(Dispatched).methods.items() if _lies_in(written, around)]
    has_items = field in WHOLE or written in i.ledger.of(Shadows).items
    kept = () if again and has_items else keeping(i, oid)
    return (*kept, *dispatched, *((again,) if again and not conditions else ()))


def _is_bound_once(i: Interpreter, location: Location) -> bool:
    """Whether a location is a variable that its function binds once in each activation, so that a closure over it never sees another value."""
    frame = i.info(location[0]).payload
    return isinstance(frame, FrameInfo) and frame.function is not None and location[1] in once(frame.function)


def _is_only_filled(i: Interpreter, location: Location, found: Seen, entry: Entry) -> bool:
    """Whether what was written since a trace has found something somewhere, or has put something there where nothing was, only fills what is empty."""
    if not only_filled(i, location, found.count):
        return False
    empty = any(isinstance(member, Unbound) or member == NONE for member in members(found.value))
    return not empty or location in entry.written and i.ledger.of(Writes).filling.get(entry.written[location], False)


def _has_filled(i: Interpreter, location: Location, found: Seen, present: Member, entry: Entry | None) -> bool:
    """Whether a trace has found nothing somewhere and put there what lies there now, arrays that it has made: with or without these, as after a `clear`, its
    body comes to the same."""
    at = entry.written.get(location) if entry is not None else None
    if entry is None or at is None or not i.ledger.of(Writes).filling.get(at, False):
        return False
    own = (isinstance(part, Array) and i.info(part.ident).trace == entry.number for part in each_part(present, Tuple))
    return all(isinstance(member, Unbound) or member == NONE for member in members(found.value)) and all(own)


def _given_out_of_sight(i: Interpreter, location: Location, before: Value) -> bool:
    """Whether what a trace has read is what an object out of sight, or a base out of sight, gives where the program has put nothing."""
    oid, _ = location
    return isinstance(before, Symbolic) and any(part == i.info(oid).payload or part == Ref(oid) for part in before.identity[1:])


def unfollowed(i: Interpreter, ref: Ref, place: Place, reason: str) -> None:
    """Note that it could not be followed whether a compiled object is stale at a later call."""
    imprecise(i, place, reason)
    note(i, events.Note(events.UNFOLLOWED, where(place), reason, ref.oid, events.Modality()))


def is_tree_of_arrays(i: Interpreter, value: Value) -> bool:
    """Whether a value is a list, tuple or dict that holds arrays and nothing else, at any depth."""
    todo, seen, arrays = list(members(value)), set[int](), 0
    if any(isinstance(member, Array) for member in todo):
        return False
    while todo:
        member = todo.pop()
        held: Iterable[Value] = ()
        if isinstance(member, Tuple):
            held = member.items if member.items is not None else (member.element or UNBOUND,)
        elif isinstance(member, Ref) and i.info(member.oid).kind in ("list", "dict"):
            if member.oid not in seen:
                seen.add(member.oid)
                held = [part for field, part in i.heap.fields(member.oid).items() if field in (ITEMS, REST) or field[0] in ("k", "item")]  # type: ignore[index]
        elif isinstance(member, Array):
            arrays += 1
        elif not isinstance(member, Unbound):
            return False
        todo += [inner for part in held for inner in members(part)]
    return arrays > 0
