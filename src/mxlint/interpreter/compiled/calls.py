"""Calls of compiled objects.

A call from host code whose cache key no trace has runs the body in trace mode: arrays among the arguments and in captured containers are
placeholders, numbers and strings stay what they are. A call with a known key replays: its result is fresh, what the body did on the way does not
happen again.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from mxlint.domain.arrays import Array
from mxlint.domain.heap import Field, Location
from mxlint.domain.members import TRUE, Ref, Symbolic, Unbound, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.interpreter.compiled import clocks
from mxlint.interpreter.compiled.captured_key import captured_key, where_it_agrees
from mxlint.interpreter.compiled.keys import agree, cache_key, flat_shapes, identities, key_text, numbered
from mxlint.interpreter.compiled.lifetimes import is_alive, kept_in, overwritten, overwritten_since, shares_traces, taken
from mxlint.interpreter.compiled.making import target
from mxlint.interpreter.compiled.placeholders import given_again, taken_for_arrays
from mxlint.interpreter.compiled.rebinding import beside, called_first
from mxlint.interpreter.compiled.refusals import argument, spread
from mxlint.interpreter.compiled.replays import replay
from mxlint.interpreter.compiled.restoring import called_again
from mxlint.interpreter.compiled.staleness import compare, unfollowed
from mxlint.interpreter.compiled.state import MAX_TRACES, TRACES, CompiledInfo, Entry, all_entries, cache_of, held
from mxlint.interpreter.compiled.tracing import trace_call
from mxlint.interpreter.loops import draws, lengthening
from mxlint.interpreter.loops.ends import Ends
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.frames import Context, Frame, within
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.garbage import Called
from mxlint.interpreter.machine.journal import (
    call_places,
    journal,
    loops,
    modality,
    note,
    qualname,
    recursions,
    where,
)
from mxlint.interpreter.machine.locations import NEW, USED
from mxlint.interpreter.machine.paths import Condition
from mxlint.interpreter.machine.reach import arrays_in, each_place
from mxlint.interpreter.open_world.spreading import spread_out


class Stored:
    """The compiled objects of each site that were called, where they were stored then, and how often was written there (None: in nothing older than what made them).
    `replaceable`: those that lie where another one of their site may lie. `since`: how often something was put in the place of something when what makes one
    was called after others, which may have let go of older ones."""

    __slots__ = ("at", "replaceable", "since")

    def __init__(self) -> None:
        self.at: dict[Place, dict[int, tuple[tuple[Location, int], ...] | None]] = {}
        self.replaceable: set[int] = set()
        self.since: dict[Location, int] | None = None


class InPlace:
    """The compiled objects whose functions run in place of a trace, each with how many activations are around it."""

    __slots__ = ("calls",)

    def __init__(self) -> None:
        self.calls: set[tuple[int, int]] = set()


def call(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    """Call a compiled object."""
    function = i.heap.get(ref.oid, "fun") or Unknown("compiled")
    i.ledger.of(Called).objects.add(ref.oid)
    _outlive(i, ref, place)
    if i.trace is not None:
        _note_call(i, ref, args, place, frame, "inlined", i.trace.path)
        return _run_itself(i, ref, function, args, place, frame)
    if i.heap.get(0, "compile disabled") == TRUE and i.info(ref.oid).payload.form != events.EXPORT:  # type: ignore[attr-defined]
        _note_call(i, ref, args, place, frame, "disabled", 0)
        return _run_itself(i, ref, function, args, place, frame)
    if i.modes.differentiating and not _is_apart(i, ref, args):
        _note_call(i, ref, args, place, frame, "differentiated", 0)
        return _run_itself(i, ref, function, args, place, frame)
    shapeless = i.heap.get(ref.oid, "shapeless") == TRUE
    args = spread_out(i, function, args, place)
    given_again(i, args, place)
    called_again(i, ref, place)
    key = (*cache_key(i, args, shapeless, place, taken_for_arrays(i, function)), *captured_key(i, ref))
    cache = cache_of(ref, function)
    held = i.heap.get(cache, TRACES)
    made = [entry for entry in all_entries(held) if shares_traces(i, ref, entry.by)]
    entries = [entry for entry in made if entry.thread == i.modes.cache]
    others = (entry for entry in all_entries(held) if entry.thread == i.modes.cache and entry not in made)
    if any(entry.by in journal(i).handed for entry in others):
        unfollowed(i, ref, place, "whether what was given another compiled object of the function keeps it")
    maybe_none = held is None or any(isinstance(m, Unbound) for m in members(held))
    if not made:
        called_first(i, ref)
    try:
        return _run(i, ref, function, key, entries, maybe_none, args, place, frame)
    finally:
        if _temporary(i, ref, args, place):
            i.heap.drop(cache, TRACES)


def _is_apart(i: Interpreter, ref: Ref, args: Arguments) -> bool:
    """Whether surely nothing that a compiled object is given comes from what is differentiated around its call: only arrays that are older than that, and
    none of those."""
    if i.modes.differentiated is None or i.heap.get(ref.oid, "inputs") is not None or args.star is not None or args.kwstar is not None:
        return False
    around, given = i.modes.differentiated
    body = next((step for step in i.context.around if step.parent is around), None)
    found = [member for _, _, member in each_place(i, args.values)]
    return body is not None and all(
        member.ident not in given and _is_made_outside(i, member.ident, body)
        if isinstance(member, Array)
        else not isinstance(member, (Symbolic, Unknown))
        for member in found
    )


def _is_made_outside(i: Interpreter, ident: int, body: Context) -> bool:
    """Whether an array surely was made before a body began that runs."""
    info = i.info(ident)
    return not info.summary and isinstance(info.payload, Context) and not within(info.payload, body)


def _run_itself(i: Interpreter, ref: Ref, function: Value, args: Arguments, place: Place, frame: Frame) -> Value:
    """Run the function of a compiled object in place of a trace. That it takes what it is given is noted of one that a class holds: it was given self, if it asks for that.

    One that stands for several may hold itself, where a loop compiles what it has compiled. Each of them comes to what lies at the end of its chain, so it is
    enough to run what else it holds.
    """
    under_way = i.ledger.of(InPlace).calls
    call_ = ref.oid, len(i.stack)
    if call_ in under_way:
        raise Halt
    under_way.add(call_)
    try:
        value = i.call(function, args, place, frame)
    finally:
        under_way.discard(call_)
    if ref.oid in journal(i).methods:
        note(i, events.Note(events.RAN, where(place), "", ref.oid, events.Modality()))
    return value


def _outlive(i: Interpreter, ref: Ref, place: Place) -> None:
    """Keep where an object is stored, and look which older ones of the same site it has outlived: in older objects it has taken their place, and what
    else holds them is gone."""
    info = i.info(ref.oid).payload
    assert isinstance(info, CompiledInfo)
    stored = i.ledger.of(Stored)
    made = stored.at.setdefault(info.site, {})
    i.heap.set(0, _called(ref.oid), TRUE)
    i.heap.set(0, (*USED, info.site, info.context.loop), TRUE)
    if i.silent:
        return
    if ref.oid not in made:
        _look_around(i, ref, made, stored)
    if ref.oid in stored.replaceable:
        unfollowed(i, ref, place, "whether a compiled object takes the place of another one")


def _look_around(i: Interpreter, ref: Ref, made: dict[int, tuple[tuple[Location, int], ...] | None], stored: Stored) -> None:
    """Look at the older objects of the site of one that is called for the first time."""
    found = journal(i)
    for other, places in made.items():
        if other in found.outlived or not _may_be_called(i, other) or places is not None and not taken(i, places, ref.oid):
            continue
        if not is_alive(i, other):
            if places is None or stored.since is None or overwritten_since(i, places, stored.since):
                found.outlived.add(other)
        elif places and overwritten(i, places):
            stored.replaceable.add(ref.oid)
    made[ref.oid] = kept_in(i, ref.oid) if ref.oid in found.escaped or ref.oid in found.carried else None


def _called(number: int) -> Field:
    """Where it is kept that a compiled object was called. It is a part of the state: in another branch or entry the object may never have been made, and
    what was never made is not dead."""
    return ("#", "called", number)


def _may_be_called(i: Interpreter, number: int) -> bool:
    """Whether a compiled object may have been called on the way to the present state."""
    value = i.heap.get(0, _called(number))
    return value is not None and any(not isinstance(member, Unbound) for member in members(i.live(value)))


def _temporary(i: Interpreter, ref: Ref, args: Arguments, place: Place) -> bool:
    """Whether the object is called where it is made, and dies with the call."""
    info = i.info(ref.oid).payload
    assert isinstance(info, CompiledInfo)
    written = args.node.func if args.node is not None else None
    return written is not None and info.site == Place(place.source, written.start, written.end)


def _run(
    i: Interpreter,
    ref: Ref,
    function: Value,
    key: tuple[object, ...],
    entries: list[Entry],
    maybe_none: bool,
    args: Arguments,
    place: Place,
    frame: Frame,
) -> Value:
    """Trace, or replay a trace whose key is that of the call, or both."""
    same = [entry for entry in entries if agree(key, entry.key) is True]
    open_ = [entry for entry in entries if agree(key, entry.key) is None]
    if same and not maybe_none:
        _note_call(i, ref, args, place, frame, "replayed", 0, key)
        return replay(i, ref, same[-1], args, place, frame)
    candidates = same or open_
    if candidates:
        _note_call(i, ref, args, place, frame, "either", 0, key)
        agreeing = tuple(where_it_agrees(i, ref, candidates[-1].key, place))
        return i.fork([
            ((Condition("varying", place, None),), lambda: _trace(i, ref, function, args, key, place, frame)),
            ((Condition("varying", place, None), *agreeing), lambda: replay(i, ref, candidates[-1], args, place, frame)),
        ])  # fmt: skip
    _note_call(i, ref, args, place, frame, "traced", 0, key)
    for entry in entries:
        for location, seen in entry.reads.items():
            if seen.kind == "captured":
                compare(i, ref, location, seen, held(i, *location), place)
    if len(entries) >= MAX_TRACES:
        unfollowed(i, ref, place, "more keys than are told apart")
    _misfit(i, ref, function, args, place, frame)
    return _trace(i, ref, function, args, key, place, frame)


def _trace(i: Interpreter, ref: Ref, function: Value, args: Arguments, key: tuple[object, ...], place: Place, frame: Frame) -> Value:
    """Trace a compiled object, which finds what lies beside it."""
    with beside(i, ref):
        return trace_call(i, ref, function, args, key, place, frame)


def _note_call(
    i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame, outcome: str, start: int, key: tuple[object, ...] | None = None
) -> None:
    if outcome in ("traced", "replayed", "either"):
        clocks.called(i, ref.oid, outcome)
    if i.silent:
        return
    arrays = {array.ident for value in args.values for array in arrays_in(i, value)}
    lengthening.given(i, args.values, arrays)
    draws.given(i, args.values)
    stars = {frame.place(arg.value) for arg in args.node.args if arg.star} if args.node is not None else set()
    given: list[events.Argument] = []
    for number, value in enumerate(args.args):
        at = args.place(number, "", place)
        given.append(argument(i, ref, str(number), at, value, arrays, starred=at in stars))
    for name, value in args.keywords.items():
        at = args.keyword_places.get(name, place)
        given.append(argument(i, ref, name, at, value, arrays, starred=at in stars))
    given.extend(spread(i, ref, at, value) for value, at in args.spread)
    flat, exact = (key_text(key, flat, identities(i, args)) for flat in (True, False)) if key is not None else ("", "")
    forms = ("", "")
    if key is not None and i.modes.entered_alone:
        forms = (key_text(key, True, numbered(identities(i, args))), key_text(key, False, numbered(identities(i, args))))
    anew = _is_made_here(i, ref.oid)
    i.finding(
        partial(
            _find_call, i, ref.oid, place, tuple(given), outcome, start, qualname(frame), flat, exact, flat_shapes(i, args), anew, forms
        )
    )


def _find_call(
    i: Interpreter,
    oid: int,
    place: Place,
    given: tuple[events.Argument, ...],
    outcome: str,
    start: int,
    within: str,
    flat: str,
    exact: str,
    shapes: tuple[tuple[Any, ...] | None, ...],
    anew: bool,
    forms: tuple[str, str],
) -> events.Call | None:
    """Note a call from where it is: what it depends on, the loops and calls around. `anew`: what is done again with it makes the object."""
    again = i.modes.client
    m = modality(i, start, presumed=(again,) if again else ())
    if m is None:
        return None
    own, outer = loops(i)
    around = tuple(events.Where(where(loop).span, round_) for loop, round_ in (*recursions(i), *outer, *own))
    thread = i.modes.thread
    finite = tuple(
        events.Where(where(loop).span, round_) for loop, round_ in (*outer, *own) if loop in i.ledger.of(Ends).finite and round_.isdecimal()
    )
    fact = events.Call(
        oid, where(place), given, outcome, within, around, tuple(p.span for p in call_places(i)), m, flat, exact,
        where(thread[0]) if thread is not None else None, shapes, finite, thread[1] if thread is not None else 0,
        i.modes.entered_alone, not anew and _is_older(i, oid), forms,
    )  # fmt: skip
    note(i, fact)
    return fact


def _is_older(i: Interpreter, oid: int) -> bool:
    """Whether a compiled object may have been made in an earlier round of the loops around what makes it."""
    info = i.info(oid).payload
    assert isinstance(info, CompiledInfo)
    new = i.heap.get(0, (*NEW, info.site, info.context.loop))
    return new is None or any(isinstance(member, Unbound) for member in members(i.live(new)))


def _is_made_here(i: Interpreter, oid: int) -> bool:
    """Whether the stretch that is recorded has made a compiled object before it calls that, so that it does so whenever it is done again: where it ends, also
    the states lie that an exception left before."""
    recording, i.heap.recording = i.heap.recording, None
    try:
        return recording is not None and oid in recording.fresh and not _is_older(i, oid)
    finally:
        i.heap.recording = recording


def _misfit(i: Interpreter, ref: Ref, function: Value, args: Arguments, place: Place, frame: Frame) -> None:
    """Note a call that the function's parameters do not take: the trace raises before the body runs."""
    found, bound, _ = target(i, function)
    info = i.info(found.oid).payload if found is not None else None
    if not isinstance(info, FunctionInfo) or args.star is not None or args.kwstar is not None:
        return
    params = info.node.params[bound:]
    named = [p for p in params if not p.star]
    places = [p for p in named if not p.kwonly]
    stars = {p.star for p in params}
    too_many = len(args.args) > len(places) and "*" not in stars
    unknown = set(args.keywords) - {p.name for p in named} and "**" not in stars
    if not too_many and not unknown:
        return
    m = modality(i, i.chosen, of=ref.oid)
    if m is not None:
        note(i, events.Event(ref.oid, 0, "misfit", where(place), "", "", qualname(frame), (), (), (), m))
