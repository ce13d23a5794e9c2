"""Calls that replay a trace: each location that the trace read is compared with what lies there now. What differs, or may, is the fact `Stale`."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from mxlint.domain.arrays import Array
from mxlint.domain.guards import Guard, Literal_
from mxlint.domain.heap import Location
from mxlint.domain.join import bound, join, of
from mxlint.domain.members import (
    NONE,
    TRUE,
    UNBOUND,
    Bound,
    Const,
    External,
    Kind,
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
    scalar_type,
)
from mxlint.domain.parts import each_part, referred
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.facts import values as described
from mxlint.interpreter.compiled import recipes
from mxlint.interpreter.compiled.captures import arrays_out, keeping
from mxlint.interpreter.compiled.making import target
from mxlint.interpreter.compiled.placeholders import changed, parts_at
from mxlint.interpreter.compiled.reads import NUMBERS, relied_argument
from mxlint.interpreter.compiled.rehearsals import Rehearsal
from mxlint.interpreter.compiled.state import BEFORE_OTHERS, ITEMS, Changes, Entry, Seen, count, held, only_filled, value_kind, writer
from mxlint.interpreter.compiled.tracing import fresh, shapes_of
from mxlint.interpreter.compiled.trees import tree
from mxlint.interpreter.containers import aspects, orders
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame, FrameInfo, Rounds
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.journal import (
    describe,
    imprecise,
    modality,
    note,
    where,
)
from mxlint.interpreter.machine.locations import CONTENTS, KEYS, PART, REORDERED, scalar_at, whole
from mxlint.interpreter.machine.paths import CLIENT
from mxlint.interpreter.machine.writing import Writes, count_write
from mxlint.interpreter.objects.lookup import CLASS
from mxlint.interpreter.open_world import defaults
from mxlint.interpreter.open_world.dispatch import Dispatched
from mxlint.interpreter.open_world.presumptions import of_iterable, round_of
from mxlint.interpreter.open_world.uses import attributes_of
from mxlint.interpreter.statements.binding import Deleted
from mxlint.syntax.binds import once


class Texts:
    """What is compared with texts."""

    __slots__ = ("asked", "compared")

    def __init__(self) -> None:
        self.compared: set[object] = set()
        """What is compared with texts, by identity, as far as the conditions have been gone through: the first `asked`."""
        self.asked: int = 0


def replay(i: Interpreter, ref: Ref, entry: Entry, args: Arguments, place: Place, frame: Frame) -> Value:
    """A call that uses a trace again: what the trace read may hold something else now."""
    _note_outgrown(i, ref, entry, place)
    replaced: dict[int, bool] = {}
    again = Rehearsal(i, ref, entry, args, frame)
    for location, read in entry.reads.items():
        oid, field = location
        if oid in entry.captured_in and read.kind == "array":
            continue
        own = _is_own(i, entry, location)
        if not read.used or own and not _changes_again(i, location) and (read.kind != "array" or read.value == NONE):
            continue
        if own and read.kind != "array" and again.repeats:
            continue
        now = held(i, oid, field)
        if oid in entry.captured_in and (
            _same_class(i, read.value, now) or _is_tree(i, read.value) and now is not None and _is_tree(i, now)
        ):
            continue  # the arrays under a capture are found anew at each call
        if _reads_all_items(i, entry, location):
            _unfollowed(i, ref, i.place or place, "whether it matters in which order a library has put the items of a list")
            continue
        if count(i, location) != read.count and _is_replaced(i, ref, entry, oid, replaced):
            continue  # what is there now is of no object that this call comes to
        compare(i, ref, location, read, held(i, oid, field), place, entry, again)
    for location in entry.counted:
        _note_counted(i, ref, entry, location, place, again)

    for location, read in entry.reads.items() if i.ledger.of(Changes).whole else ():
        for number in parts_at(i, location, held(i, *location)) if read.used else ():
            relied_argument(i, number, read.where)
    changed(i, entry.changes, args, entry.reads.items(), lambda location, _: held(i, *location))

    for location, written in entry.written.items():
        value = i.heap.get(*location) if location[0] in entry.captured_out else None
        if value is not None and any(isinstance(part, Array) for part in each_part(value)):
            i.heap._put(*location, _anew(i, value, place, location))
            count_write(i, *location, written)
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
    m = modality(i, 0)
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


def _unfollowed(i: Interpreter, ref: Ref, place: Place, reason: str) -> None:
    """Note that it could not be followed whether a compiled object is stale at a later call."""
    imprecise(i, place, reason)
    note(i, events.Note(events.UNFOLLOWED, where(place), reason, ref.oid, events.Modality()))


def _reads_all_items(i: Interpreter, entry: Entry, location: Location) -> bool:
    """Whether a trace has read all items of a list, one by one, that a library has put in another order since: nothing says whether what it made of them
    hangs on the order."""
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
    read, now, m = entry.reads.get(known), held(i, *at), modality(i, 0)
    if read is None or now is None or m is None or read.used and not _is_own(i, entry, location):
        return
    before = read.value if at == known else aspects.made(i, at, read.value if read.whole is None else read.whole)
    found = set(members(now))
    if not found <= set(members(before)) or any(isinstance(member, Range) for member in found):
        numbers = all(scalar_type(member) in NUMBERS for member in found)
        if again.repeats is None and (not numbers or isinstance(before, Unbound) or _decides_otherwise(i, entry, scalar)):
            _unfollowed(i, ref, i.place or place, "whether each run of the body changes a number again")
            return
        if again.repeats:
            return
        used, calls, written = entry.counted[location]
        kind = "number" if numbers else "value"
        note(i, events.Event(ref.oid, entry.number, "counted", used, read.name, kind, "", calls, (), (), m, written=written))


def _decides_otherwise(i: Interpreter, entry: Entry, scalar: Location) -> bool:
    """Whether a test of the trace comes out otherwise by now, as the trace itself has changed what it asks: the next run may leave out what this one did.
    What a number decides by itself is not meant."""
    asked = ((at, seen.value) for at, seen in entry.reads.items() if aspects.is_test(at[1]) or aspects.is_asked_for(at[1]))
    return any(held(i, *at) != value and scalar_at(at) != scalar and _is_own(i, entry, at) for at, value in asked)


def _is_tree(i: Interpreter, value: Value) -> bool:
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
                held = [part for field, part in i.heap.fields(member.oid).items() if field == ITEMS or field[0] in ("k", "item")]  # type: ignore[index]
        elif isinstance(member, Array):
            arrays += 1
        else:
            return False
        todo += [inner for part in held for inner in members(part)]
    return arrays > 0


def _same_class(i: Interpreter, before: Value, now: Value | None) -> bool:
    """Whether two objects of one class lie there into which MLX looks: of what is captured only the arrays count."""
    if not isinstance(before, Ref) or not isinstance(now, Ref) or not (tree(i, before) or i.mlx.object_kind(i, before) is not None):
        return False
    cls = i.heap.get(before.oid, ("#", "class"))
    return cls is not None and cls == i.heap.get(now.oid, ("#", "class"))


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
    oid, field = location
    before = found.value
    written_since = count(i, location)
    if written_since == found.count or _is_bound_once(i, location) and not isinstance(before, Unbound):
        return
    if entry is not None and _is_only_filled(i, location, found, entry):
        return
    if found.count == BEFORE_OTHERS:
        if written_since:
            _unfollowed(i, ref, i.place or place, "a name of an earlier call that is assigned again")
        return
    if now is None:
        now = UNBOUND
    if i.info(oid).kind == "frame" and location not in i.ledger.of(Deleted).names:
        now = bound(now) or before  # another activation has not come to where it binds the name
    if field == aspects.LENGTH and isinstance(before, Range):
        _unfollowed(i, ref, i.place or place, "a length that was not followed")
        return
    different: list[Member] = []
    ways: list[list[events.Condition]] = []
    present = i.live(now)
    if isinstance(before, Array) and isinstance(present, Array):
        present = i.live(recipes.by_content(i, before, present))
    if again is not None and any(_wraps(i, member, part) for member in members(present) for part in members(before)):
        repeats = again.computes_the_same
        if repeats is None:
            _unfollowed(i, ref, i.place or place, "whether what takes the place of a function computes the same")
        if repeats is not False:
            return
    parts = present.options if isinstance(present, Union) else None
    same = 0
    for option in parts or ():
        if any(Literal_(literal.condition, not literal.outcome) in found.under for literal in option.guard):
            continue  # where it holds that, the trace did not read it
        untouched = isinstance(option.member, Unbound) and (found.behind or _given_out_of_sight(i, location, before))
        if (
            untouched
            or _surely_same(i, _where(before, option.guard), option.member)
            or again is None
            and _wraps(i, option.member, before)
            or entry is not None
            and _reads_the_same(i, before, option.member, entry)
        ):
            same += 1
            continue
        different.append(option.member)
        conditions: list[events.Condition] = []
        ways.append(conditions)
        for literal in option.guard:
            cause, at = i.why(literal.condition)
            if cause == "open" and at is not None:
                client = literal.condition[0] == CLIENT
                if client and not literal.outcome:
                    continue  # whoever calls one method need not call another
                if client and isinstance(literal.condition[1], Place):
                    at = literal.condition[1]  # it may have been tested since
                way, outcome = i.way(literal)
                conditions.append(
                    events.Condition(where(at), "client" if client else "open", outcome, default=defaults.holds(i, literal), way=way)
                )
    if parts is None:
        if found.behind and isinstance(present, Unbound):
            return  # there is nothing again, and what lies behind it is a location of its own
        same_name = _surely_same(i, before, present) or again is None and _wraps(i, present, before)  # type: ignore[arg-type]
        same_name = same_name and not (entry is not None and _of_an_earlier_round(i, before, entry))
        if same_name or entry is not None and _reads_the_same(i, before, present, entry):
            return
        different.append(present)  # type: ignore[arg-type]
    if not different:
        return
    if any(isinstance(member, Unknown) for member in different) or isinstance(before, Unknown):
        _unfollowed(i, ref, i.place or place, "a value that was not followed lies where a trace read")
        return
    written = writer(i, oid, field)
    if written is None:
        return
    m = modality(i, 0)
    if m is None:
        return
    # One way to another value is enough.
    hang = tuple(dict.fromkeys(min(ways, key=_asked))) if same and ways else ()
    # What is put in place of something symbolic is taken to be of its kind.
    kind = found.kind if found.kind not in ("symbolic", "absent") else value_kind(join(different))
    if kind == "object" and all(_is_tree(i, value) for value in (before, *different)):
        kind = "array"  # a list or dict of arrays: it is these that the trace keeps
    part = _part_that_differs(i, before, different[0], entry) if kind == "object" and entry is not None and len(different) == 1 else None
    if part is not None:
        found, kind, different = part.seen, "python", list(members(part.now))
        oid, field = part.location
    presumed = _presumed(i, oid, written, hang)
    if kind == "symbolic" and _is_text(i, before):
        kind = "python"
    elif kind == "symbolic" and of_iterable(before) and of_iterable(now) and not _has_attributes(i, ref, found.name):
        kind, presumed = "array", (*presumed, f"`{found.name}` is an array")
    note(i, events.Stale(
        ref.oid, (oid, str(field)), found.name, kind, found.where, where(written), where(place), *_shown(i, (oid if part is None else part.other, field), found, join(different)),
        found.calls, events.Modality(hang, presumed), found.container,
    ))  # fmt: skip


def _shown(i: Interpreter, location: Location, found: Seen, now: Value) -> tuple[described.Value, described.Value]:
    """What is shown of a location, at the trace and now: of what operators make of a scalar, that scalar."""
    _, field = location
    if found.whole is None or not isinstance(field, tuple) or field[0] != PART:
        return describe(i, found.value), describe(i, now)
    return describe(i, found.whole), describe(i, held(i, *scalar_at(location)) or UNBOUND)


def _asked(conditions: Iterable[events.Condition]) -> tuple[int, int]:
    """How many conditions there are that do not hold by default, and how many in all."""
    asked = [condition.default for condition in conditions]
    return asked.count(False), len(asked)


def _is_text(i: Interpreter, value: Value) -> bool:
    """Whether a symbolic value is looked up or compared among texts, which an array is never equal to. Conditions only become more: of them those are
    gone through that came into being since the last question."""
    texts = i.ledger.of(Texts).compared
    for condition in islice(reversed(i.causes), len(i.causes) - i.ledger.of(Texts).asked):
        if condition[0] == "==" and _text(condition[2:]):
            texts.add(condition[1])
    i.ledger.of(Texts).asked = len(i.causes)
    return any(isinstance(member, Symbolic) and member.identity in texts for member in each_part(value, Tuple))


def _text(others: tuple[object, ...]) -> bool:
    return len(others) == 1 and isinstance(others[0], Const) and isinstance(others[0].value, str)


def _has_attributes(i: Interpreter, ref: Ref, name: str) -> bool:
    """Whether a compiled function reads an attribute of what a name holds that no array has."""
    function, _, _ = target(i, i.heap.get(ref.oid, "fun") or NONE)
    info = i.info(function.oid).payload if function is not None else None
    return isinstance(info, FunctionInfo) and any(not i.mlx.has(f"mlx.core.array.{read}") for read in attributes_of(info.node, name))


def _lies_in(place: Place, around: Place) -> bool:
    return place.source is around.source and around.start <= place.start and place.end <= around.end


def _presumed(i: Interpreter, oid: int, written: Place, conditions: tuple[events.Condition, ...]) -> tuple[str, ...]:
    """What a stale read rests on: that something symbolic keeps what is written on it, or that a method nobody in sight calls is called again."""
    again = i.modes.client
    dispatched = [words for around, words in i.ledger.of(Dispatched).methods.items() if _lies_in(written, around)]
    return (*keeping(i, oid), *dispatched, *((again,) if again and not conditions else ()))


def _wraps(i: Interpreter, now: Value, before: Value) -> bool:
    """Whether a function was replaced by one that is made of it: compiled, or closed over it. It may compute the same."""
    if not isinstance(now, Ref):
        return False
    kind = i.info(now.oid).kind
    if kind == "compiled":
        return i.heap.get(now.oid, "fun") == before
    env = i.heap.get(now.oid, ("#", "parent")) if kind == "function" else None
    if not isinstance(env, Ref) or i.info(env.oid).kind != "frame":
        return False
    return any(held == before or isinstance(held, Bound) and held.function == before for held in i.heap.fields(env.oid).values())


def _is_bound_once(i: Interpreter, location: Location) -> bool:
    """Whether a location is a variable that its function binds once in each activation, so that a closure over it never sees another value."""
    frame = i.info(location[0]).payload
    return isinstance(frame, FrameInfo) and frame.function is not None and location[1] in once(frame.function)


def _of_an_earlier_round(i: Interpreter, value: Value, entry: Entry) -> bool:
    """Whether a value is an element of an iterable, and the trace was made in an earlier round of the loop that goes over it: there it was another one."""
    context = round_of(value)
    while context is not None and context not in i.ledger.of(Rounds).last:
        context = context.parent
    return context is not None and entry.made < i.ledger.of(Rounds).last[context] and context.step[1] == "rest"  # type: ignore[index]


def _where(before: Value, guard: Guard) -> Value:
    """What a trace has read where a guard holds: of which the literals name values, which were the same then."""
    others = {Literal_(literal.condition, not literal.outcome) for literal in guard}
    if not others or not isinstance(before, Union):
        return before
    held = [option for option in before.options if others.isdisjoint(option.guard)]
    return of(held) if held else before


def _surely_same(i: Interpreter, before: Value, now: Member) -> bool:
    if isinstance(before, Union):
        return all(_surely_same(i, member, now) for member in members(before))
    if isinstance(before, Array) and isinstance(now, Array):
        return before.ident == now.ident and not now.several and not i.info(now.ident).summary or recipes.alike(i, before, now)
    if isinstance(before, Ref) and isinstance(now, Ref):
        return before.oid == now.oid and not i.info(now.oid).summary
    if isinstance(before, (Range, Kind)):
        return False
    return before == now


def _is_only_filled(i: Interpreter, location: Location, found: Seen, entry: Entry) -> bool:
    """Whether what was written since a trace has found something somewhere, or has put something there where nothing was, only fills what is empty."""
    if not only_filled(i, location, found.count):
        return False
    empty = any(isinstance(member, Unbound) or member == NONE for member in members(found.value))
    return not empty or location in entry.written and i.ledger.of(Writes).filling.get(entry.written[location], False)


def _given_out_of_sight(i: Interpreter, location: Location, before: Value) -> bool:
    """Whether what a trace has read is what an object out of sight, or a base out of sight, gives where the program has put nothing."""
    oid, _ = location
    return isinstance(before, Symbolic) and any(part == i.info(oid).payload or part == Ref(oid) for part in before.identity[1:])


def _reads_the_same(i: Interpreter, before: Value, now: Value, entry: Entry, depth: int = 4) -> bool:
    """Whether another object of the class holds, in each attribute or entry that the trace read of the first one, what it read there."""
    if not isinstance(before, Ref) or not isinstance(now, Ref) or before == now or not depth or i.info(now.oid).summary:
        return False
    kind, cls = i.info(before.oid).kind, i.heap.get(before.oid, CLASS)
    if i.info(now.oid).kind != kind or i.heap.get(now.oid, CLASS) != cls or kind not in ("instance", "dict", "list", "set"):
        return False
    read = {field: seen for (oid, field), seen in entry.reads.items() if oid == before.oid}
    written = any(oid == before.oid for oid, _ in entry.written)
    if CONTENTS in read:
        return not written and isinstance(cls, External) and _is_made_alike(i, before, now)
    return (
        bool(read)
        and not written
        and all(_holds_the_same(i, seen, held(i, now.oid, field) or UNBOUND, entry, depth) for field, seen in read.items())
    )


def _is_made_alike(i: Interpreter, before: Ref, now: Ref) -> bool:
    """Whether two objects of a class of a library, which the trace has only called, hold the same: layers of equal settings, without weights or with
    such as each constructor fills in the same way."""
    first, second = i.heap.fields(before.oid), i.heap.fields(now.oid)
    return first.keys() == second.keys() and all(
        isinstance(value, (Const, External, Array)) and isinstance(other, Member) and _surely_same(i, value, other)
        for value, other in ((value, second[field]) for field, value in first.items())
    )


def _is_replaced(i: Interpreter, ref: Ref, entry: Entry, oid: int, known: dict[int, bool]) -> bool:
    """Whether a call no longer comes to an object that the trace has read: each way that led to it leads to another one, which holds what was read."""
    function = i.heap.get(ref.oid, "fun")
    if oid in known or not isinstance(function, Ref) or i.info(function.oid).kind != "function":
        return known.get(oid, False)  # a method holds its object
    known[oid] = False  # so is what is come to through itself
    ways = [(location, read) for location, read in entry.reads.items() if oid in referred(read.value)]
    known[oid] = bool(ways) and all(
        _reads_the_same(i, read.value, held(i, *location) or UNBOUND, entry) or _is_replaced(i, ref, entry, location[0], known)
        for location, read in ways
    )
    return known[oid]


class _Part(NamedTuple):
    """What a trace read in an object in whose place another one lies, which that is, and what lies there in that one."""

    location: Location
    seen: Seen
    other: int
    now: Value


def _part_that_differs(i: Interpreter, before: Value, now: Member, entry: Entry, depth: int = 4) -> _Part | None:
    """The first number, flag or text that a trace read in an object, or in one that this holds, and that is another in the object in its place; None if
    anything else differs before it."""
    if not isinstance(before, Ref) or not isinstance(now, Ref) or not depth or i.info(now.oid).summary:
        return None
    cls = i.heap.get(before.oid, CLASS)
    if i.info(before.oid).kind != "instance" or cls is None or cls != i.heap.get(now.oid, CLASS):
        return None
    for location, seen in entry.reads.items():
        if location[0] != before.oid or not seen.used:
            continue
        value = held(i, now.oid, location[1]) or UNBOUND
        if not _holds_the_same(i, seen, value, entry, depth):
            if seen.kind == "python" and all(scalar_type(member) is not None for member in members(value)):
                return _Part(location, seen, now.oid, value)
            return _part_that_differs(i, seen.value, value, entry, depth - 1) if isinstance(value, Member) else None
    return None


def _holds_the_same(i: Interpreter, seen: Seen, value: Value, entry: Entry, depth: int) -> bool:
    if isinstance(value, Union):
        return False
    return _surely_same(i, seen.value, value) or _reads_the_same(i, seen.value, value, entry, depth - 1)
