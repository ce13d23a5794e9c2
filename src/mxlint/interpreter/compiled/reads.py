"""What a trace reads of the program around it, to be compared at each later call.

In `def step(x): return x * model.scale` the trace reads the name `model` and the attribute `scale`. A read is of a location that is older than the trace, and
counts only if the trace uses what it found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from mxlint.domain.arrays import Array, Operands
from mxlint.domain.exclusion import together
from mxlint.domain.guards import EARLIER, JOINED, TOGETHER, Guard, Literal_
from mxlint.domain.heap import Field, Location
from mxlint.domain.join import itemwise
from mxlint.domain.members import (
    TRUE,
    UNBOUND,
    Bound,
    Const,
    Member,
    Option,
    Ref,
    Spot,
    Symbolic,
    Tuple,
    Unbound,
    Value,
    members,
    options,
    scalar_type,
)
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.interpreter.compiled import put_right
from mxlint.interpreter.compiled.hanging import open_conditions
from mxlint.interpreter.compiled.state import CONTENT, FROZEN, TRACES, Changes, CompiledInfo, container, count, held, older, value_kind
from mxlint.interpreter.compiled.traces import Seen, Trace, under
from mxlint.interpreter.containers import aspects, unlisted
from mxlint.interpreter.loops import entrywise
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.journal import (
    call_places,
    describe,
    journal,
    modality,
    note,
    where,
    wheres,
)
from mxlint.interpreter.machine.locations import CHANGED, ITEMS, LAZY, OF, OPERANDS, UNSIZED, part, unapplied, whole
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.open_world import presumptions
from mxlint.interpreter.open_world.shadows import Shadows
from mxlint.interpreter.open_world.unseen_layers import UNSEEN_MODE
from mxlint.syntax.inline import in_one_line

ALWAYS: Final = events.Modality()
"""The modality of what depends on nothing."""


def python_read(i: Interpreter, oid: int, field: object, value: Value, place: Place, frame: Frame) -> None:
    """Python code reads a location: what is in an array there is part of a trace only if the trace computes with it."""
    on_read(i, oid, field, value, place, frame, used=False)


def read_through(i: Interpreter, oid: int, field: object, value: Value, place: Place, frame: Frame) -> None:
    """Python code reads a location that holds nothing, and finds the value behind it: what is put there later is another one."""
    on_read(i, oid, field, value, place, frame, used=False, here=False)


def read_spot(i: Interpreter, spot: Spot, at: Place | None, frame: Frame) -> None:
    """A trace reads what it had come to before, and uses it at a place: a tuple, a scalar, or what operators make of one."""
    field, value = part(spot.field, spot.path), aspects.value_at(i, spot)
    on_read(i, spot.oid, field, value, spot.place, frame, used=False, here=spot.here, spot=spot, at=at)


def on_read(
    i: Interpreter,
    oid: int,
    field: object,
    value: Value,
    place: Place,
    frame: Frame,
    *,
    name: str = "",
    used: bool = True,
    here: bool = True,
    spot: Spot | None = None,
    at: Place | None = None,
) -> None:
    """Note that a running trace reads a location older than itself; that host code reads what a trace wrote. `here`: the value lies there. `spot`: where
    the trace came to it, if it did so before, and `at` where it uses it, if that is somewhere else."""
    trace = i.trace
    if trace is None or older(i, oid):
        relied(i, oid, field, value, place)
        put_right.found(i, oid, field)
    memoised = i.modes.memoised
    if trace is None or i.modes.reads_unused or memoised and value_kind(value) != "array":
        return
    if not here:
        trace.absent.setdefault((oid, field), place)
    calls = call_places(i, trace.depth + 1) if spot is None else spot.calls
    if not memoised:
        entrywise.read(i, trace, (oid, field), value, frame)
        if whole((oid, field)) == (oid, field):
            reach(i, trace, oid, field, value)
        used_scalar(i, trace, (oid, field), value, place, calls, at or place)
        _read_content(i, trace, oid, field, value, place, used)
    view = i.heap.get(oid, OF) is not None
    if view or not older(i, oid):
        for source, copied, original in list(aspects.original(i, oid, field)):
            on_read(
                i, source, copied, UNBOUND if original is None else original, place, frame, name=name, used=used, here=original is not None
            )
        if here and not view:
            _read_inside(i, trace, oid, field, value, place)
        return
    if spot is None and _wrote(trace, oid, field):
        _measured(i, trace, oid, field, place, calls)
        return
    if i.info(oid).kind == "frame" and i.info(oid).trace == trace.number:
        return
    if oid == frame.oid and frame.kind == "function":
        return  # a generator that is older than the trace goes on: that the trace takes its next element is a fact of its own
    location = (oid, field)
    if location in trace.reads:
        seen = trace.reads[location]
        seen.under &= _under(i, trace, spot)
        if used or seen.kind != "array":
            seen.late |= trace.given.mutated.keys()
    elif oid not in trace.refused:
        seen = _seen(i, trace, location, value, place, name, calls, spot, here=here)
        _keep(i, trace, location, value, seen, used=used)
        if seen.kind != "other" and here:
            _note_read(i, trace, location, value, seen)


def _keep(i: Interpreter, trace: Trace, location: Location, value: Value, seen: Seen, *, used: bool) -> None:
    """Keep what a trace reads at a location for the first time, to be compared at later calls. `used`: as of `on_read`."""
    if used or seen.kind != "array":
        seen.late = frozenset(trace.given.mutated)
    if not i.modes.memoised:  # what lies there later is read by nobody; the array itself may be an argument, or captured
        trace.reads[location] = seen
        i.traced.add(whole(location))
        if seen.cells:
            unlisted.note_read(i, location[0])
        if whole(location) != location:
            trace.portions.setdefault(whole(location), set()).add(location)
    if seen.kind == "array" and not used:
        seen.used = False
        for array in arrays_in(i, value):
            trace.by_ident.setdefault(array.ident, []).append(seen)


def _seen(
    i: Interpreter,
    trace: Trace,
    location: Location,
    value: Value,
    place: Place,
    name: str,
    calls: Iterable[Place],
    spot: Spot | None,
    *,
    here: bool,
) -> Seen:
    """What a trace reads at a location for the first time; the rest as for `on_read`."""
    oid, field = location
    kind = _read_kind(i, trace, oid, field, value, spot) if here or not isinstance(value, Unbound) else "absent"
    before = trace.captures.originals.get(location, value)
    seen = Seen(before, where(place), name or label(i, oid, field, place), kind, wheres(calls), container(i, trace, oid))
    seen.whole = None if spot is None else aspects.value_at(i, replace(spot, path=unapplied(spot.path)))
    seen.count = count(i, location)
    if spot is not None and _wrote(trace, oid, field) and held(i, oid, field) != value:
        seen.count -= 1  # the trace has written there since it came to what it uses now
    seen.under = _under(i, trace, spot)
    seen.behind = not here
    seen.cells = unlisted.cells(i, oid, whole(location)[1])
    return seen


def _under(i: Interpreter, trace: Trace, spot: Spot | None) -> frozenset[Literal_]:
    """The literals under which a trace reads something: where it came to it, and where it uses it."""
    return under(i, trace) if spot is None else under(i, trace) | spot.under


def _note_read(i: Interpreter, trace: Trace, location: Location, value: Value, seen: Seen) -> None:
    """Note a read, at once or, of an array that nothing uses so far, once the trace ends."""
    m = modality(i, trace.path)
    if m is None:
        return
    oid, field = location
    captured = oid in trace.captures.ins
    lazy = seen.kind == "array" and not captured and _lazy(i, value)
    unsized = _unsized(i, value) if lazy and trace.shapeless else ""
    default = isinstance(field, tuple) and field[0] == "default"
    other = _other_names(i, trace, oid, value)
    read = (
        trace.oid,
        trace.number,
        (oid, str(field)),
        seen.name,
        seen.where,
        seen.calls,
        seen.kind,
        describe(i, value),
        captured,
        m,
        seen.container,
    )
    fact = events.Read(*read, *other, lazy, unsized, default)
    if seen.kind == "captured" and isinstance(value, Symbolic) and presumptions.is_given(value.identity):
        trace.captures.reads.append((value, fact))
    elif seen.used and not unsized:
        note(i, fact)
    else:
        trace.array_reads.append((seen, fact))
    if seen.used and unsized and isinstance(value, Array):
        trace.by_ident.setdefault(value.ident, []).append(seen)


def note_captured(i: Interpreter, trace: Trace) -> None:
    """Note what a trace reads by its own name that it captures, and nobody in sight gives. It is an array where the trace computes with it as with one."""
    compiled = journal(i).compiled.get(trace.oid)
    source = None if compiled is None or compiled.inputs is None else compiled.inputs.where
    for value, fact in trace.captures.reads:
        if source is not None and value.identity in trace.captures.computed:
            presumed = f"`{value.label or fact.name}` is an array"
            fact = fact.but(alias="captured", source=source, modality=fact.modality.but(presumed=(*fact.modality.presumed, presumed)))
        note(i, fact)


MAY_OUTLIVE: Final = frozenset(("instance", "list", "dict", "set", "class"))
"""Kinds of objects that a trace makes and somebody may keep."""


def _read_inside(i: Interpreter, trace: Trace, oid: int, field: object, value: Value, place: Place) -> None:
    """Keep that a trace reads a value of Python in an object that it made."""
    if (oid, field) in trace.inside or i.info(oid).kind not in MAY_OUTLIVE or value_kind(value) != "python":
        return
    calls = wheres(call_places(i, trace.depth + 1))
    trace.inside[oid, field] = Seen(value, where(place), label(i, oid, field, place), "python", calls, "")


def keepers(i: Interpreter, oid: int) -> set[int]:
    """The objects older than the running trace that hold an object which it made, directly or through others that it made."""
    found: set[int] = set()
    seen, todo = {oid}, [oid]
    while todo:
        for holder, field in i.heap.holders(todo.pop()):
            if field == TRACES:  # the result of an earlier run of the same trace
                continue
            if older(i, holder):
                found.add(holder)
            elif holder not in seen:
                seen.add(holder)
                todo.append(holder)
    return found


def outlived(i: Interpreter, trace: Trace) -> None:
    """At the end of a trace: what it read of objects that it made and that something older holds now."""
    for location, seen in trace.inside.items():
        if keepers(i, location[0]):
            seen.count = count(i, location)
            trace.reads[location] = seen
            i.traced.add(location)


def _wrote(trace: Trace, oid: int, field: object) -> bool:
    """Whether a trace has written what it reads now, or a part of that."""
    oid, field = whole((oid, field))
    if (oid, field) in trace.written:
        return True
    if aspects.is_aspect(field):
        return any(other == oid for other, _ in trace.written)
    return isinstance(field, tuple) and field[0] == "item" and (oid, ITEMS) in trace.written


def _measured(i: Interpreter, trace: Trace, oid: int, field: object, place: Place, calls: Sequence[Place]) -> None:
    """Keep how long a list was that a trace asks for its length after it has changed it: longer when the trace ends is longer again at the next call."""
    location, changed = (oid, aspects.LENGTH), trace.written.get((oid, ITEMS))
    if field != aspects.LENGTH or changed is None or i.info(oid).kind != "list" or oid in trace.captures.ins or oid in trace.captures.outs:
        return
    before = trace.before(i, oid, ITEMS, None)
    if location in trace.scalars.counts or not isinstance(before, Tuple) or before.items is None:
        return
    trace.scalars.counts[location] = where(changed)
    if location not in trace.reads:
        seen = Seen(Const(len(before.items)), where(place), label(i, oid, field, place), "python", wheres(calls), container(i, trace, oid))
        seen.used = False
        trace.reads[location] = seen


def _read_content(i: Interpreter, trace: Trace, oid: int, field: object, value: Value, place: Place, used: bool) -> None:
    """Note that a trace reads what is in arrays that are older, which may be changed in place."""
    if i.info(oid).kind == "partial":
        return  # what it hands on is read by the name of a parameter
    items = [item for member in members(value) for item in (member.items or () if isinstance(member, Tuple) else (member,))]
    for member in (m for item in items for m in members(item)):
        if not isinstance(member, Array) or (member.ident, CONTENT) in trace.reads:
            continue
        if not trace.holds(member.trace) and member.ident not in trace.leaves and older(i, member.ident):
            before = i.heap.get(member.ident, CONTENT)
            calls = wheres(call_places(i, trace.depth + 1))
            content = Seen(
                before if before is not None else UNBOUND,
                where(place),
                label(i, oid, field, place),
                "array",
                calls,
                container(i, trace, oid),
            )
            content.count = count(i, (member.ident, CONTENT))
            content.used = used
            trace.reads[member.ident, CONTENT] = content
            i.traced.add((member.ident, CONTENT))
            i.ledger.of(Changes).read_contents = True
            trace.by_ident.setdefault(member.ident, []).append(content)


def _read_kind(i: Interpreter, trace: Trace, oid: int, field: object, value: Value, spot: Spot | None) -> str:
    if field == FROZEN:
        return "frozen"
    if field == UNSEEN_MODE:
        return "other"  # it is no state that a capture could name
    if whole((oid, field))[1] == "training" and i.info(oid).kind == "instance" and i.mlx.object_kind(i, Ref(oid)) == "module":
        return "mode"
    # Of an object the outcome may be read that a comparison by identity has.
    kind = "object" if spot is not None and all(isinstance(member, Ref) for member in members(spot.found)) else value_kind(value)
    if oid not in trace.captures.ins and any(_is_captured(trace, kind, member) for member in members(value)):
        return "captured"
    return kind


def _is_captured(trace: Trace, kind: str, member: Member) -> bool:
    """Whether something that a trace reads is what it captures: an object, or what somebody gives."""
    if isinstance(member, Ref):
        return kind == "object" and member.oid in trace.captures.ins
    return isinstance(member, Symbolic) and kind == "symbolic" and member.identity in trace.captures.symbolic_in


def _other_names(i: Interpreter, trace: Trace, oid: int, value: Value) -> tuple[str, events.Where | None, int | None]:
    """Whether an array that is read is an argument or captured as well, or still to be computed from such a one, and where."""
    if isinstance(value, Array) and oid not in trace.captures.ins and not trace.holds(value.trace):
        todo = [value.ident]
        for _ in range(OPERATIONS_DEPTH * 4):
            if not todo:
                break
            ident = todo.pop(0)
            if ident in trace.leaves:
                what, source, holder = trace.leaves[ident]
                return (OPERAND if ident != value.ident and holder is not None else what), source, holder
            origin = i.heap.get(ident, OPERANDS) if i.heap.get(ident, LAZY) == TRUE else None
            todo.extend(origin.idents or () if isinstance(origin, Operands) else ())
    return "", None, None


def _lazy(i: Interpreter, value: Value) -> bool:
    """Whether an array was surely never computed."""
    return isinstance(value, Array) and value.trace is None and i.heap.get(value.ident, LAZY) == TRUE


def _unsized(i: Interpreter, value: Value) -> str:
    """Which operation that cannot infer a shape an array is still to be computed by."""
    todo = [value.ident] if isinstance(value, Array) else []
    for _ in range(OPERATIONS_DEPTH * 4):
        if not todo:
            break
        ident = todo.pop(0)
        if i.heap.get(ident, LAZY) == TRUE:
            made = i.heap.get(ident, UNSIZED)
            if isinstance(made, Const):
                return str(made.value)
            origin = i.heap.get(ident, OPERANDS)
            todo.extend(origin.idents or () if isinstance(origin, Operands) else ())
    return ""


OPERAND: Final = "operand"
OPERATIONS_DEPTH: Final = 4
"""How many operations back what an array is still to be computed from is looked for."""
NUMBERS: Final = ("int", "float", "number")


def used_scalar(i: Interpreter, trace: Trace, location: Location, value: Value, place: Place, calls: Sequence[Place], at: Place) -> None:
    """Note where a trace uses a number, flag or string, which it may tell, and numbers change. `place`: where it came to it, by some calls."""
    if older(i, location[0]) and not i.silent and all(scalar_type(member) is not None for member in members(value)):
        trace.scalars.uses.setdefault(location, {}).setdefault(where(at), (where(place), wheres(calls)))
        trace.scalars.last_use[whole(location)] = location, where(at)


def named(i: Interpreter, trace: Trace, ref: Ref, function: Value) -> None:
    """Keep by which name the object is known whose method, or which itself, is compiled."""
    info = i.info(ref.oid).payload
    assert isinstance(info, CompiledInfo)
    for member in members(function):
        owner, name = (member.owner, info.text.rpartition(".")[0]) if isinstance(member, Bound) else (member, info.text)
        if isinstance(owner, Ref) and i.info(owner.oid).kind == "instance" and name and all(map(str.isidentifier, name.split("."))):
            trace.reached[owner.oid] = name


def reach(i: Interpreter, trace: Trace, oid: int, field: object, value: Value) -> None:
    """Note how a trace comes to the objects that it reads: by which name, through which attributes. What a module, list or dict holds is
    captured with it."""
    for member in members(value):
        if not isinstance(member, Ref) or member.oid in trace.reached:
            continue
        kind = i.info(oid).kind
        if kind in ("frame", "module"):
            if older(i, oid):  # a name within the trace says nothing where captures are given
                trace.reached[member.oid] = str(field)
        elif kind == "instance" and isinstance(field, str) and i.mlx.object_kind(i, Ref(oid)) is None:
            if (owner := trace.reached.get(oid)) is not None:  # the attribute of what has no name has none
                trace.reached[member.oid] = f"{owner}.{field}"
        elif kind == "class" and isinstance(field, str):
            trace.reached[member.oid] = f"{i.info(oid).label}.{field}"
        elif oid in trace.reached:
            trace.reached[member.oid] = trace.reached[oid]


def relied(i: Interpreter, oid: int, field: object, value: Value, place: Place) -> None:
    """Note that host code, or another trace, reads what a trace wrote, or an argument that a trace changed a copy of."""
    changed = i.ledger.of(Changes).whole
    if not changed or i.silent or i.modes.putting:
        return
    found: dict[object, object] = {(oid, field): (oid, field)}
    another = _may_be_another(i, value)
    for option in options(value):
        member = option.member
        if isinstance(member, Ref):
            found[member.oid, ITEMS] = (member.oid, ITEMS)
        number = _number(i, member)
        if number is not None and not another:
            relied_argument(i, number, where(place), under=option.guard)
        elif number is not None and not _is_several(member) and _is_open(i, option.guard):
            relied_argument(i, number, where(place), events.Modality(tuple(open_conditions(i, option.guard))), option.guard)
    for among in (value, *(itemwise(value) or ())):
        for number in _numbers(i, among) if _may_be_another(i, among) else ():
            i.ledger.of(Changes).unsure.setdefault(number, {})[place] = None
    for key, at in found.items():
        change = changed.get(at)
        if change is not None and (i.trace is None or change[0] != i.trace.oid):
            journal(i).relied[key, where(place)] = events.Note("relied", where(place), "", change[0], ALWAYS, (change[1],))


def _number(i: Interpreter, member: Member) -> int | None:
    """The number of an array or object, or of what stands for something symbolic."""
    if isinstance(member, Symbolic):
        return i.ledger.of(Shadows).objects.get(member.identity)
    return member.oid if isinstance(member, Ref) else member.ident if isinstance(member, Array) else None


def given_anew(i: Interpreter, values: Iterable[Value]) -> None:
    """Arrays and what nobody in sight gives are given to a call: they are others than those of the call before, of which a trace may have changed a copy."""
    for value in values:
        for member in members(value):
            if not isinstance(member, Ref) and (number := _number(i, member)) is not None:
                i.heap.drop(number, CHANGED)


def _numbers(i: Interpreter, value: Value) -> list[int]:
    """The arrays and objects that a value may be."""
    return [number for member in members(value) if (number := _number(i, member)) is not None]


def _may_be_another(i: Interpreter, value: Value) -> bool:
    """Whether what is read may be an array or container that no trace has changed a copy of: what the caller put in the place of one, in some rounds."""
    numbers = _numbers(i, value)
    return any(map(_is_several, members(value))) or len(numbers) > 1 and any(i.heap.get(number, CHANGED) is None for number in numbers)


def _is_several(member: Member) -> bool:
    """Whether something stands for several arrays, of which a trace need not have changed each."""
    return isinstance(member, Array) and member.several


def _is_open(i: Interpreter, guard: Guard) -> bool:
    """Whether nothing but what nobody in sight decides says that a value is this member: nobody need decide otherwise."""
    return bool(guard) and all(i.why(literal.condition)[0] == "open" for literal in guard)


def relied_argument(i: Interpreter, number: int, at: events.Where, depends_on: events.Modality = ALWAYS, under: Guard = ()) -> None:
    """Note that an array or object is read of which a trace changed a copy. `depends_on`: what decides that it is this one that is read, and `under` which
    outcomes of tests it is: where these rule out that the trace ran, it has changed nothing that is read."""
    for last in _changes(i, number, under) if not i.silent else ():
        change = _taken(i, i.ledger.of(Changes).fields.get(last.value, {}), i.ledger.of(Changes).whole.get(last.value))
        if change is None:
            continue
        known = journal(i).relied.get((("argument", number), at))
        if known is None or depends_on.steps <= known.modality.steps:
            journal(i).relied[("argument", number), at] = events.Note("relied", at, "", change[0], depends_on, (change[1],))


def _changes(i: Interpreter, number: int, under: Guard) -> list[Const]:
    """The last change that a trace made of a copy of something. Where tests that nobody in sight decides say whether it made one, as where an option
    compiles, it is one: whether a compiled function is called lowers nothing, and what it hangs on in the trace the change says itself. Of what was changed
    in some rounds alone, or is one of several that may have been changed, nothing says that it is the one that is read."""
    found = i.live_under(under, i.heap.get(number, CHANGED) or UNBOUND)
    ways = options(found)
    surely = (way.member for way in ways if len(ways) == 1 or _is_chosen(i, way.guard) and _is_alone(way, ways))
    return [member for member in surely if isinstance(member, Const)]


def _is_alone(way: Option, ways: Sequence[Option]) -> bool:
    """Whether a value is one member, and no other, where the guard of that holds: of the others each contradicts it. Beside one that a test alone decides, what
    has no guard is left of a round before."""
    joined = any(literal.condition[0] in (JOINED, TOGETHER) for literal in way.guard)
    return not any((other.guard or joined) and together((*way.guard, *other.guard)) for other in ways if other is not way)


def _is_chosen(i: Interpreter, guard: Guard) -> bool:
    """Whether nothing but tests that nobody in sight decides says that a value is this member, and none of an earlier round."""
    return _is_open(i, guard) and all(i.way(literal)[0] == "test" and literal.condition[0] != EARLIER for literal in guard)


def relied_content(i: Interpreter, number: int, place: Place) -> None:
    """Note that host code needs what an array holds, of which a trace changed a copy. It may have got to it by a container, none of whose items it reads
    by itself: `print(d)`. Who took it out relies on it there, and who took out one of several relies on none of them."""
    if i.heap.get(number, CHANGED) is None or any(key[0] == ("argument", number) for key in journal(i).relied):
        return
    if not any(place.contains(taken) for taken in i.ledger.of(Changes).unsure.get(number, ())):
        relied_argument(i, number, where(place))


Change = tuple[int, events.Where]
"""Which compiled object changed something, and where."""


def _taken(i: Interpreter, changed: Mapping[Field, Change], last: Change | None) -> Change | None:
    """The change of the entry that host code takes out of a dict, None if only others were changed; the last change where more is read."""
    taken = i.modes.taking
    keys = {field[1]: change for field, change in changed.items() if isinstance(field, tuple) and field[0] == "k"}
    if taken is None or i.trace is not None or not changed or len(keys) < len(changed) or not all(isinstance(key, Const) for key in keys):
        return last
    return next((change for key, change in keys.items() if isinstance(key, Const) and key.value == taken.value), None)


def label(i: Interpreter, oid: int, field: object, place: Place) -> str:
    """What a location is called: as the program reads it, or by the class in which an operator or a call finds it."""
    if i.info(oid).kind in ("frame", "module") and isinstance(field, str):
        return field
    if i.info(oid).kind in ("class", "library") and isinstance(field, str) and not place.text.endswith(field):
        return f"{i.info(oid).label}.{field}"
    return in_one_line(place.text)[:60]
