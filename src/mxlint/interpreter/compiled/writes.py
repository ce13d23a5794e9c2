"""Writes: what a trace writes on the program around it, which no replay does again, and what the program writes where a trace has read.

`self.count += 1` in a traced body is done at the first call alone. `self.scale = 2` between two calls makes the read of `self.scale` stale.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.heap import Field, Location
from mxlint.domain.join import of
from mxlint.domain.members import (
    UNBOUND,
    Const,
    Option,
    Ref,
    Symbolic,
    Unbound,
    Value,
    members,
    options,
    scalar_type,
)
from mxlint.domain.parts import each_part
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.interpreter.calls.moving import is_inside
from mxlint.interpreter.compiled import fallbacks, put_right, rebinding
from mxlint.interpreter.compiled.captures import is_covered, keeping, under_other_names
from mxlint.interpreter.compiled.growing import is_found_again, is_new
from mxlint.interpreter.compiled.lifetimes import Stored, is_alive
from mxlint.interpreter.compiled.reads import MAY_OUTLIVE, keepers, label
from mxlint.interpreter.compiled.returning import arrays_kept
from mxlint.interpreter.compiled.sinks import event
from mxlint.interpreter.compiled.state import Changes, container, older, value_kind
from mxlint.interpreter.compiled.traces import Seen, Trace
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.journal import (
    call_places,
    describe,
    journal,
    modality,
    note,
    open_literals,
    qualname,
    where,
    wheres,
)
from mxlint.interpreter.machine.locations import ADDED, ANY, CHANGED, ITEMS, TAKEN
from mxlint.interpreter.machine.writing import Writes, count_write
from mxlint.interpreter.objects.lookup import is_cached_property
from mxlint.interpreter.open_world import results
from mxlint.interpreter.open_world.presumptions import GIVEN, PRESUMED, root, words
from mxlint.syntax import ir
from mxlint.syntax.filling import fillings
from mxlint.syntax.liveness import unasked


def on_write(i: Interpreter, oid: int, field: object, value: Value, place: Place | None, frame: Frame, how: str = "") -> None:
    """Note a write: who wrote last where, and what a running trace writes that is older than itself."""
    if place is None:
        return
    filling, kind = i.ledger.of(Writes).filling, i.info(oid).kind
    if kind in FILLED and place not in filling:
        block = _filled_block(i, place, frame.node, frame) if isinstance(frame.node, ir.FuncDef) else None
        filling[place] = block is not None
        if block is not None:
            i.ledger.of(Writes).where_empty[place] = block
    count_write(i, oid, field, place)
    if field == ANY or isinstance(field, tuple) and field[0] == "k" and not _is_array(value):
        count_write(i, oid, TAKEN, place)
    rebinding.changed(i, oid, field)
    rebinding.stored(i, oid, field, value)
    if field == ADDED:
        field = ITEMS
    if kind != "frame" or oid != frame.oid:
        _note_stored(i, oid, field, value, place, frame)
    trace = i.trace
    if trace is None:
        _overwritten(i, oid, field, place)
        put_right.written(i, oid, field, place)
        if kind == "symbolic":
            fallbacks.put_into(i, i.info(oid).payload)  # type: ignore[arg-type]
        return
    argument = i.heap.get(oid, ("#", "argument"))
    if argument is not None and i.info(oid).trace == trace.number:
        _mutated(i, trace, oid, field, argument, place, frame)
        return
    holders = {oid} if older(i, oid) else keepers(i, oid) if kind in MAY_OUTLIVE else set()
    if not holders or _is_own_name(i, oid, frame) and not older(i, oid):
        return
    if kind in ("iterator", "generator"):
        if _is_unasked(i, place, frame):  # who asks the iterator afterwards relies on the step
            _written_outside(i, trace, (oid, field), holders, value, place, frame, STEPS)
        else:
            event(i, "effect", place, "next()", frame, note_="counter")
    elif oid not in trace.refused:
        _written_outside(i, trace, (oid, field), holders, value, place, frame, how)


def _is_array(value: Value) -> bool:
    """Whether a value that is put somewhere is an array, as far as anybody knows. It may be put there on some paths alone."""
    return not isinstance(value, Unbound) and all(isinstance(member, (Array, Symbolic, Unbound)) for member in members(value))


def _note_stored(i: Interpreter, oid: int, field: Field, value: Value, place: Place, frame: Frame) -> None:
    """Note what of it matters that something is stored where it is: compiled objects that are kept, methods, weights."""
    kind = i.info(oid).kind
    if oid != frame.oid and kind != "compiled" and not _bound_in_rounds(i, oid, value):
        escaping(i, value, holder=oid)
    if kind in ("instance", "symbolic"):
        i.ledger.of(Stored).objects |= _compiled(i, value)
        i.mlx.assigned(i, oid, field, value, place, frame)
        for compiled in sorted(_compiled(i, value)) if field == "__call__" else ():
            note(i, events.Note("call on an instance", where(place), "", compiled, events.Modality()))
    elif kind == "class":
        _note_methods(i, field, value)


def _is_own_name(i: Interpreter, oid: int, frame: Frame) -> bool:
    """Whether a write binds a name of the activation that runs."""
    return i.info(oid).kind == "frame" and frame.oid == oid


def _written_outside(
    i: Interpreter, trace: Trace, location: Location, holders: set[int], value: Value, place: Place, frame: Frame, how: str
) -> None:
    """A trace writes what is older than itself, or what something older holds (`holders`)."""
    oid, field = location
    # What lies in an older object was noted when it was put there.
    arrays = arrays_kept(i, value, enters=lambda inner: not older(i, inner))
    placeholders = [array for array in arrays if array.trace is not None and trace.holds(array.trace)]
    call = results.source(i, (value,)) if not placeholders else None
    traced = bool(placeholders) or call is not None
    unheld = oid not in holders and not (field == ITEMS and is_found_again(i, trace, oid, place))
    if not traced and (i.modes.memoised or unheld or _is_own_name(i, oid, frame)):
        return  # that a generator goes on is said where it is asked to
    caught = trace.captures
    out_of_sight = traced and i.info(oid).kind == "symbolic" and not is_covered(i, caught.symbolic_out, oid)
    if out_of_sight and under_other_names(caught.symbolic_out):
        i.imprecise("the state of an object that is not in sight", place)
        return
    before = trace.read_of(location)
    trace.written[location] = place
    presumed = [words(i, array) for array in placeholders if i.heap.get(root(array) or 0, GIVEN) is not None]
    if call is not None:
        presumed = [words for words in (results.words(i, call),) if words]
    m = modality(i, trace.path, presumed=(*keeping(i, oid), *(presumed[:1] if len(presumed) >= len(placeholders) else ())))
    if m is None:
        return
    how = how or _how(i, oid, field)
    calls = wheres(call_places(i, trace.depth + 1))
    i.ledger.of(Changes).whole[location] = (trace.oid, where(place))
    beside = how == "property"
    fact = events.Write(
        trace.oid, trace.number, (oid, str(field)), label(i, oid, field, place), where(place), calls, how, value_kind(value), describe(i, value), traced,
        not beside and not holders.isdisjoint(caught.ins) or is_covered(i, caught.symbolic_in, oid) or trace.leaves.get(oid, ("argument",))[0] != "argument",
        not beside and not holders.isdisjoint(caught.outs) or is_covered(i, caught.symbolic_out, oid) or oid in caught.leaves_out, is_new(i, trace, oid, field, place), m, before is not None, container(i, trace, oid),
    )  # fmt: skip
    if m.conditions:
        journal(i).hanging[fact] = open_literals(i, trace.path, m)
    if traced and how != "content" or fact.new and how == "items":
        trace.kept.append((location, fact))
    else:
        note(i, fact)
    trace.changes_python = trace.changes_python or not traced
    if before is not None and not i.silent:
        _counted(trace, location, before, value, place, fact)


def _counted(trace: Trace, location: Location, before: Seen, value: Value, place: Place, fact: events.Write) -> None:
    """A trace changes a number or flag that it has read: at the next call it is another one."""
    found = before.value if before.whole is None else before.whole
    if found == value or not all(
        scalar_type(member) is not None or isinstance(member, Unbound) for part in (found, value) for member in members(part)
    ):
        return
    trace.scalars.counts.setdefault(location, fact.where)
    if location in trace.scalars.last_use and place not in trace.scalars.literals:
        trace.scalars.fed.add(trace.scalars.last_use[location])


def _is_unasked(i: Interpreter, place: Place, frame: Frame) -> bool:
    """Whether nothing uses what an expression gives: later calls keep nothing of it."""
    return isinstance(frame.node, ir.FuncDef) and (place.start, place.end) in i.project.once(frame.source).of(unasked, frame.node)


STEPS: Final = "steps"
"""How a trace writes an iterator of which it asks the next element, and does not use that."""
FILLED: Final = frozenset(("instance", "class", "module", "dict"))
"""Kinds of objects of which an attribute or entry may be put there once."""


def _filled_block(i: Interpreter, place: Place, function: ir.FuncDef, frame: Frame) -> Place | None:
    """What runs only where a test has found empty what an assignment fills; None of any other assignment."""
    span = i.project.once(frame.source).of(fillings, function).get((place.start, place.end))
    return None if span is None else Place(frame.source, *span)


def _overwritten(i: Interpreter, oid: int, field: object, place: Place) -> None:
    """Host code writes what a trace has changed: what was there is gone. The same code run without a trace relies on nothing."""
    changed = i.ledger.of(Changes).whole
    if not changed:
        return
    changed.pop((oid, field), None)
    for change in members(i.live(i.heap.get(oid, CHANGED) or UNBOUND)):
        if not isinstance(change, Const):
            continue
        if changed[change.value][1] == where(place):
            i.heap.drop(oid, CHANGED)
            relied_on = journal(i).relied
            for key in [key for key in relied_on if key[0] == ("argument", oid)]:
                del relied_on[key]
            return
        if isinstance(field, tuple) and field[0] in ("k", "item"):
            _put_back(i, oid, field, change)


def _put_back(i: Interpreter, oid: int, field: tuple[object, ...], change: Const) -> None:
    """Host code puts something in the place of an entry of an argument that a trace has changed: who reads that relies on nothing, but on the others."""
    key = str(change.value)
    left: Const | Unbound = UNBOUND
    others = {other: change for other, change in i.ledger.of(Changes).fields.get(key, {}).items() if other != field}
    if others and field not in i.ledger.of(Changes).fields[key]:
        return
    if others:
        rest = f"{key} {field!r}"
        i.ledger.of(Changes).fields[rest] = others
        i.ledger.of(Changes).whole[rest] = list(others.values())[-1]
        left = Const(rest)
    found = options(i.heap.get(oid, CHANGED) or UNBOUND)
    kept = of([Option(left, option.guard) if option.member == change else option for option in found])
    if isinstance(kept, Unbound):
        i.heap.drop(oid, CHANGED)
    else:
        i.heap.set(oid, CHANGED, kept, each=True)


HOLDING: Final = frozenset(("list", "dict", "set", "instance", "partial", "iterator", "frame", "cached", "function", "generator"))
"""Kinds of objects that keep what is in them for as long as they are kept."""


def escaping(i: Interpreter, *values: Value, into: set[int] | None = None, holder: int | None = None) -> None:
    """Note the compiled objects that values keep: they are stored in something older than the activation. `into`: what else of them is noted there, as
    that they are returned. `holder`: what they are stored in, which the activation may have made itself."""
    facts = journal(i)
    kept = facts.escaped if into is None else into
    if len(kept) == len(facts.compiled):
        return
    if not _may_keep(i, values, facts.compiled.keys() - kept):
        return
    todo, seen = list(values), set()
    while todo:
        for member in each_part(todo.pop()):
            if isinstance(member, Ref) and member.oid not in seen:
                seen.add(member.oid)
                kind = i.info(member.oid).kind
                if kind == "compiled":
                    (facts.carried if holder is not None and _makes_both(i, member.oid, holder) else kept).add(member.oid)
                elif kind == "function":
                    around = members(i.heap.get(member.oid, ("#", "parent")) or UNBOUND)
                    todo += (env for env in around if isinstance(env, Ref) and i.info(env.oid).kind == "frame")
                elif kind == "generator":
                    env = i.heap.get(member.oid, ("#", "parent"))
                    for local in i.heap.fields(env.oid).values() if isinstance(env, Ref) else ():
                        # What a later round of the generator's own loop replaces, its frame does not keep.
                        parts = (part for part in each_part(local) if isinstance(part, Ref))
                        todo.extend(part for part in parts if part.oid not in facts.compiled or not facts.compiled[part.oid].loops)
                elif kind in HOLDING:
                    todo.extend(held for name, held in i.heap.fields(member.oid).items() if name not in (("#", "class"), ("#", "alive")))


def _makes_both(i: Interpreter, compiled: int, holder: int) -> bool:
    """Whether the call that makes a compiled object makes what holds it as well: that lives on where it is returned, or stored in turn."""
    made, around = i.made_in.get(compiled), i.made_in.get(holder)
    return made is not None and made.parent is not None and around is not None and is_inside(around, made)


def _bound_in_rounds(i: Interpreter, oid: int, value: Value) -> bool:
    """Whether a name of a module is bound to a compiled object that a loop makes: the next round replaces it, as it does a name of the function."""
    fact = journal(i).compiled.get(value.oid) if isinstance(value, Ref) and i.info(oid).kind == "module" else None
    return fact is not None and bool(fact.loops)


def _may_keep(i: Interpreter, values: Iterable[Value], wanted: Iterable[int]) -> bool:
    """Whether a way may lead from values to one of some objects. It is looked for from those objects: few things hold a compiled one."""
    refs = (part.oid for value in values for part in each_part(value) if isinstance(part, Ref))
    parts = {oid for oid in refs if i.info(oid).kind == "compiled" or i.info(oid).kind in HOLDING}
    reached = set(wanted) if parts else set()
    todo = list(reached)
    while todo and parts.isdisjoint(reached):
        found = {holder for holder, _ in i.heap.holders(todo.pop()) if i.info(holder).kind in HOLDING} - reached
        reached |= found
        todo.extend(found)
    return not parts.isdisjoint(reached)


def note_kept(i: Interpreter, mark: int) -> None:
    """Note the compiled objects that containers or objects hold at the end of an entry, as far as it wrote them; and those with a public name."""
    facts = journal(i)
    for oid, field in i.ledger.of(put_right.Left).locations:
        put_right.found(i, oid, field)
    if len(facts.escaped) == len(facts.compiled):
        return
    kept: list[Value] = []
    for oid, field in dict.fromkeys(location for location, _ in i.heap.trail[mark:]):
        value = i.heap.get(oid, field)
        kind = i.info(oid).kind
        if value is None or kind == "compiled":
            continue
        if kind == "class":
            _note_methods(i, field, value)
        if kind not in ("frame", "module", "function", "partial", "iterator", "generator", "coroutine"):
            kept.append(value)
        elif kind == "module" and isinstance(field, str):
            held = _compiled(i, value) - facts.public
            # What begins with `_` is private to its module by convention; a file that imports it is evidence to the contrary.
            source = i.info(oid).payload.source  # type: ignore[attr-defined]
            if held and (not field.startswith("_") or i.project.used_elsewhere(field, source, attribute=False)):
                facts.public |= held
    found = set(facts.escaped)
    escaping(i, *kept, into=found)
    facts.escaped |= {number for number in found if number not in facts.carried or number in facts.escaped or is_alive(i, number)}


def _note_methods(i: Interpreter, field: Field, value: Value) -> None:
    """Note the compiled objects that a class holds, with the names under which it does."""
    if isinstance(field, str):
        for number in _compiled(i, value):
            journal(i).methods.setdefault(number, set()).add(field)


def _compiled(i: Interpreter, value: Value) -> set[int]:
    """The compiled objects that a value may be."""
    return {member.oid for member in members(value) if isinstance(member, Ref) and i.info(member.oid).kind == "compiled"}


def _mutated(i: Interpreter, trace: Trace, oid: int, field: object, argument: Value, place: Place, frame: Frame) -> None:
    """Note that a trace changes an argument, which is a copy of the caller's."""
    presumed = i.heap.get(oid, PRESUMED) if oid not in journal(i).arrays else None
    m = modality(i, trace.path, presumed=(str(presumed.value),) if isinstance(presumed, Const) and presumed.value is not None else ())
    if m is None:
        return
    original = i.heap.get(oid, ("#", "original"))
    if isinstance(original, (Const, Ref)):
        key = f"{trace.oid} {place.start} {place.end}"
        i.ledger.of(Changes).whole[key] = (trace.oid, where(place))
        number = original.oid if isinstance(original, Ref) else original.value
        assert isinstance(number, int)
        before = trace.given.mutated.get(number)
        fields = i.ledger.of(Changes).fields.setdefault(key, {})
        fields.update(i.ledger.of(Changes).fields[before.value] if before is not None else {})
        fields[field] = (trace.oid, where(place))
        trace.given.mutated[number] = Const(key)
        i.heap.set(number, CHANGED, Const(key))
    name = str(argument.value) if isinstance(argument, Const) else ""
    calls = wheres(call_places(i, trace.depth + 1))
    note(i, events.Event(trace.oid, trace.number, "mutate", where(place), _how(i, oid, field), name, qualname(frame), calls, (), (), m))


def _how(i: Interpreter, oid: int, field: object) -> str:
    if i.info(oid).kind in ("frame", "module"):
        return "name"
    if isinstance(field, str):
        return "property" if i.mlx.object_kind(i, Ref(oid)) == "module" and is_cached_property(i, oid, field) else "attribute"
    return "items" if field == ITEMS else "content" if i.info(oid).kind == "array" else "item"
