"""Running the body of a compiled function with placeholders, once for each key of its cache.

A trace runs in a context of its own, so that all calls of one key find one trace. What it returns are fresh arrays of the shapes of the placeholders.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from mxlint.domain.arrays import Array, Chain, Operands, Traces
from mxlint.domain.exclusion import contradict
from mxlint.domain.heap import ALIVE, Location
from mxlint.domain.join import join, of
from mxlint.domain.members import NONE, UNBOUND, Bound, Const, External, Length, Member, Option, Ref, Tuple, Value, members, options
from mxlint.domain.parts import referred, rename
from mxlint.domain.place import Place
from mxlint.domain.size import NO_ORIGINS, Size, settled, with_origins
from mxlint.facts import events
from mxlint.interpreter.calls import summaries
from mxlint.interpreter.compiled import fallbacks, put_right
from mxlint.interpreter.compiled.also_given import also_given
from mxlint.interpreter.compiled.by_shape import leaves
from mxlint.interpreter.compiled.captures import arrays_out, close_captures, is_covered, open_captures, parts_of
from mxlint.interpreter.compiled.growing import as_long_as_before
from mxlint.interpreter.compiled.lifetimes import Threaded
from mxlint.interpreter.compiled.placeholders import changed, handed, placeholders
from mxlint.interpreter.compiled.reads import MAY_OUTLIVE, keepers, named, note_captured, outlived
from mxlint.interpreter.compiled.returning import arrays_kept
from mxlint.interpreter.compiled.sinks import array_use
from mxlint.interpreter.compiled.state import (
    MAX_TRACES,
    NO_LEAVES,
    TRACES,
    Entry,
    all_entries,
    cache_of,
    capturing,
    count,
    held,
    older,
    only_if,
)
from mxlint.interpreter.compiled.traces import Lacking, Seen, Trace
from mxlint.interpreter.compiled.trees import tree
from mxlint.interpreter.compiled.unevaluated import aside, leave
from mxlint.interpreter.containers.aspects import LENGTH
from mxlint.interpreter.libraries import replaced
from mxlint.interpreter.loops import contents
from mxlint.interpreter.loops.lengthening import LONGER, given_back
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import never_raised
from mxlint.interpreter.machine.frames import Frame, Rounds
from mxlint.interpreter.machine.journal import (
    describe,
    journal,
    note,
)
from mxlint.interpreter.machine.locations import CHANGED, OPERANDS
from mxlint.interpreter.machine.paths import Truth
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.machine.traces import TraceNumbers
from mxlint.interpreter.objects.lookup import CLASS
from mxlint.interpreter.open_world import given_dicts, results
from mxlint.interpreter.open_world.presumptions import same_presumption, shown


def trace_call(i: Interpreter, ref: Ref, function: Value, args: Arguments, key: tuple[object, ...], place: Place, frame: Frame) -> Value:
    """Trace the function for a call, keep the trace, and return fresh arrays. A trace runs in a context of its own, so the same trace of another
    call makes the same objects, and may be done again from its summary."""
    number = _number(i, ref.oid, function, key)
    asked = i.heap.get(ref.oid, "shapeless")
    shapeless = i.truth(asked, place, frame) if asked is not None else Truth(False)
    trace = Trace(number, ref.oid, i, i.trace, shapeless, only_if(i, ref.oid, shapeless))
    step = ("call", place, ref.oid, "trace", number)
    made: set[int] = set()
    counts: Mapping[Location, int] = {}
    try:
        with i.within(step, detached=True):
            placed = placeholders(i, trace, args, place)
            made.update(trace.given.placeholders)
            under_way = summaries.begin_trace(
                i, ref, (number, function, place, args.places, tuple(args.keyword_places.items())), placed, trace.caller
            )
            found = summaries.find(i, under_way, i.context) if under_way is not None else None
            if found is not None and under_way is not None and found.summary.trace.agrees(i, trace):
                trace = found.summary.trace
                counts = {location: count(i, location) for location in trace.reads}
                result = summaries.replay(i, found, under_way, i.context)
                made.update(found.summary.fresh)
                capturing(i, trace, function, place)
            else:
                result = _run_trace(i, trace, ref, function, placed, place, frame, under_way)
                trace.end(dict(handed(i, args)))
                if under_way is not None:
                    made.update(under_way.recording.fresh)
    finally:
        with i.within(step):
            close_captures(i, trace, place)
            fallbacks.closed(i, trace)
    trace.captures.ins.update(oid for oid, _ in trace.reads if is_covered(i, trace.captures.symbolic_in, oid))
    _let_go(i, trace)
    with i.within(step):
        cache = cache_of(ref, function)
        i.ledger.of(Threaded).caches.setdefault(i.modes.cache, set()).add(cache)
        kept = tuple(other for other in all_entries(i.heap.get(cache, TRACES)) if other.number != number)
        if len(kept) < MAX_TRACES:
            activations = frozenset(oid for oid, _ in trace.reads if i.info(oid).kind == "frame")
            rehearsed = any(seen.asked and not seen.used or _is_replaceable(i, location, seen) for location, seen in trace.reads.items())
            entry = Entry(
                key,
                result,
                trace,
                _read_to_the_end(i, trace),
                counts,
                i.ledger.of(Rounds).begun,
                arrays_out(i, ref),
                activations,
                shapes_of(i, args),
                place,
                i.modes.cache,
                rehearsed,
                also_given(i, args, trace.reads),
                leaves(i, args) if shapeless.outcome is False else NO_LEAVES,
            )
            i.heap.set(cache, TRACES, Traces(cache, (*kept, entry)))
        value = fresh(i, result, place, number, ref, args, trace.given.arrays)
    leave(i, ref.oid, trace.aside)
    changed(i, trace.given.changes, args, trace.reads.items(), lambda _, seen: seen.value)
    _discard(i, made)
    return value


def _run_trace(
    i: Interpreter, trace: Trace, ref: Ref, function: Value, placed: Arguments, place: Place, frame: Frame, under_way: summaries.Call | None
) -> Value:
    """Run the body of a trace, and keep a summary of it. Its result, with the arrays numbered."""
    ended = False
    result: Value = NONE
    differentiating, memoised = i.modes.differentiating, i.modes.memoised
    i.trace, i.modes.memoised = trace, False
    ranks = tuple(len(array.shape) if array.shape is not None else None for array in arrays_in(i, *placed.values))
    try:
        try:
            open_captures(i, trace, ref)
            fallbacks.opened(i, trace)
            named(i, trace, ref, function)
            capturing(i, trace, function, place)
            result = i.call(function, placed, place, frame)
            trace.computes(i, "return", place, (result,))
            trace.aside = aside(i, trace, result)
            ended = True
            i.ledger.of(Lacking).found.extend(_lacking(trace))
        finally:
            if not ended and trace.doubtful is not None:
                never_raised(i, *trace.doubtful)
            _note_trace(i, trace, result if ended else NONE, ended, ranks)
            i.trace = trace.outer
            i.modes.differentiating, i.modes.memoised = differentiating, memoised
    except BaseException:
        if under_way is not None:
            summaries.abandon(i, under_way)
        raise
    result = _numbered(result)
    if under_way is not None:
        summaries.keep(i, under_way, result, i.context, trace)
    return result


NO_ITEMS: Final = Const(0)


def _lacking(trace: Trace) -> Iterator[Location | None]:
    """Where a trace has found None in an attribute, or has asked how much lies in a list or dict, as who goes over it does, and nothing does; None if a way
    ends where Python raises."""
    if trace.doubtful is not None:
        yield None
    for location, seen in trace.reads.items():
        if seen.value == (NONE if isinstance(location[1], str) else NO_ITEMS if location[1] == LENGTH else UNBOUND):
            yield location


def _read_to_the_end(i: Interpreter, trace: Trace) -> dict[Location, Seen]:
    """What a trace has read, on the ways on which it came to its end: none of them is one on which it found None and took an item of that."""
    left = ((location, seen, i.live(seen.value)) for location, seen in trace.reads.items())
    return {location: seen if value is seen.value else seen.of(value) for location, seen, value in left}


def _is_replaceable(i: Interpreter, location: Location, found: Seen) -> bool:
    """Whether a trace has read a function under a name that some file in sight sets."""
    _, field = location

    def calls(member: Member) -> bool:
        return isinstance(member, (External, Bound)) or isinstance(member, Ref) and i.info(member.oid).kind in ("function", "compiled")

    return isinstance(field, str) and any(map(calls, members(found.value))) and replaced.may_be(i, field)


def _numbered(result: Value) -> Value:
    """What a trace returns, with its arrays numbered in their order: which they were says nothing after the trace."""
    numbers: dict[int, int] = {}

    def one(member: Member) -> Member:
        return member.but(ident=numbers.setdefault(member.ident, -1 - len(numbers))) if isinstance(member, Array) else member

    return rename(result, one)


def _discard(i: Interpreter, made: set[int]) -> None:
    """Take what a trace made and nobody holds any more out of the state."""
    while gone := {oid for oid in made if not i.heap.is_captured(oid)}:
        for oid in gone:
            i.heap.clear(oid)
        made = made - gone


def _number(i: Interpreter, oid: int, function: Value, key: tuple[object, ...]) -> int:
    """The number of a trace. In another run that of an object may stand for one that another function was compiled to."""
    numbers = i.ledger.of(TraceNumbers).numbers
    return int(numbers.setdefault((oid, repr(function), repr(key), i.modes.cache), len(numbers) + 1))


def _note_trace(i: Interpreter, trace: Trace, result: Value, ended: bool, ranks: tuple[int | None, ...]) -> None:
    note_kept_placeholders(i, trace, ended)
    trace.scalars.drop_output_reads(trace.reads)
    outlived(i, trace)
    for array in arrays_in(i, result, *map(Ref, trace.captures.outs)):
        if array.ident in trace.broadcasts.stretched:
            trace.broadcasts.stretched[array.ident]()
        trace.computes_with(i, (array.ident,) if array.ident in trace.gradients.brought else ())
    for of_gradient in dict.fromkeys(fact for ident in sorted(trace.gradients.used) for fact in trace.gradients.brought[ident]):
        note(i, of_gradient)
    shown(i, (result,))
    results.returned(i, result)
    array_use(i, result)
    returned = parts_of(i, trace, (result, *map(Ref, trace.captures.outs)))
    for seen, fact in trace.array_reads:
        leaves = bool(fact.alias or fact.unsized) and not returned.isdisjoint(
            ident for ident, found in trace.by_ident.items() if seen in found
        )
        if not seen.used and not leaves:
            continue
        if (fact.alias or fact.unsized) and not trace.gradients.taken and -1 not in returned and not leaves:
            # What reaches no output is no part of what is compiled.
            fact = fact.but(alias="", source=None, holder=None, unsized="")
        note(i, fact)
    note_captured(i, trace)
    journal(i).doubts.setdefault((trace.oid, trace.number), {}).update(trace.doubts)
    note(
        i,
        events.Trace(
            trace.oid,
            trace.number,
            trace.operations,
            trace.captures.random_in,
            trace.captures.random_out,
            describe(i, result),
            ended,
            trace.full,
            trace.captures.parted,
            ranks,
        ),
    )


def note_kept_placeholders(i: Interpreter, trace: Trace, ended: bool) -> None:
    """The writes of placeholders: one is left there if it still lies there when the trace ends, and something older leads there. What makes a list longer
    does so if that is longer when the trace ends. Where an exception ends it on every way, and no handler is there, the program ends with it: that, and not
    what is left, is what goes wrong."""
    goes_on = any(handler.catches is not None for handler in i.tries)
    displaced = _displaced(i, trace) if trace.kept else frozenset()
    for location, fact in trace.kept:
        present, path = held(i, *location), tuple(journal(i).hanging.get(fact, ()))
        if present is not None:  # on the way on which it was written
            present = of([option for option in options(present) if not contradict(option.guard, path)] or [Option(UNBOUND)])
        left = goes_on
        if ended:
            left = present is not None and not _is_dropped(i, displaced, location[0]) and _holds_placeholders(i, trace, present)
        again = ended and fact.how == "items" and as_long_as_before(i, trace, location[0])
        note(i, fact.but(placeholder=fact.placeholder and left, new=fact.new and not again))
        if left and ended and not fact.captured_out:
            put_right.left(i, location, fact)


def _holds_placeholders(i: Interpreter, trace: Trace, present: Value) -> bool:
    """Whether placeholders of a trace lie in a value, or what was computed from them out of sight."""
    placeholder = any(array.trace is not None and trace.holds(array.trace) for array in arrays_kept(i, present))
    return placeholder or results.source(i, (present,)) is not None


def _displaced(i: Interpreter, trace: Trace) -> frozenset[int]:
    """The objects that lay, when a trace began, where it has written."""
    overwritten = i.heap.overwritten(trace.start)
    before = (overwritten.get(location, held(i, *location)) for location in trace.written)
    return frozenset(oid for value in before if value is not None for oid in referred(value))


def _is_dropped(i: Interpreter, displaced: frozenset[int], oid: int, asked: frozenset[int] = frozenset()) -> bool:
    """Whether a trace has put something else wherever an object lay that nothing but the trace has otherwise, as what hands out a list and begins a new one:
    nobody has it any more. `displaced`: what lay where it has written."""
    if i.info(oid).kind not in MAY_OUTLIVE or oid in asked:
        return oid in asked
    if older(i, oid) and oid not in displaced:
        return False
    return all(_is_dropped(i, displaced, holder, asked | {oid}) for holder in keepers(i, oid))


def _let_go(i: Interpreter, trace: Trace) -> None:
    """What a trace has left in older objects, and no capture takes out, is no placeholder of the next trace of the same key, which did not put it there."""
    found = (held(i, *location) for location, fact in trace.kept if not fact.captured_out)
    left = {array.ident for value in found if value is not None for array in arrays_kept(i, value) if array.trace == trace.number}
    for ident in sorted(left):
        i.heap.replace(ident, lambda member: member.but(trace=None) if isinstance(member, Array) else member)


def shapes_of(i: Interpreter, args: Arguments) -> tuple[object, ...]:
    """The shapes of the arrays of a call: a trace that serves several shapes gives results of others for others."""
    return tuple(array.shape for array in arrays_in(i, *args.values))


def fresh(
    i: Interpreter, result: Value, place: Place, number: int, ref: Ref, args: Arguments, given: Sequence[int], *, reshaped: bool = False
) -> Value:
    """The result of a compiled call: new arrays, in new containers, for the placeholders that the body returned. `given`: the arrays that the trace was
    given. Their sizes come from no axis any more: outside of the trace they are those of this call. `reshaped`: its
    arrays have other shapes than those of the trace, and what comes from these is not known."""
    return _Fresh(i, place, number, ref, args, given, reshaped).of(result)


_OF_A_COPY: Final = frozenset((ALIVE, ("#", "argument"), ("#", "original"), given_dicts.COPY_OF, CHANGED, CLASS))
"""What is said of the copy of a container in a trace, and not of what the call gives."""


class _Fresh:
    """What one compiled call gives back."""

    def __init__(self, i: Interpreter, place: Place, number: int, ref: Ref, args: Arguments, given: Sequence[int], reshaped: bool) -> None:
        self._reshaped = reshaped
        self._i, self._place, self._number, self._args, self._given = i, place, number, args, given
        self._operands = Operands(tuple(dict.fromkeys(array.ident for array in arrays_in(i, *args.values))))
        self._stateful = i.heap.get(ref.oid, "outputs") not in (None, NONE)
        self._done: dict[int, tuple[Member, Value]] = {}

    def of(self, value: Value) -> Value:
        """The new value for one of the body's."""
        all_longer = all(member.grows.startswith(LONGER) for member in members(value) if isinstance(member, Array))
        found = [self._one(member, all_longer) for member in members(value)]
        return join(found)

    def _one(self, member: Member, all_longer: bool) -> Value:
        i = self._i
        if isinstance(member, Array):
            return self._array(member, all_longer)
        key = -member.oid - 1 if isinstance(member, Ref) else id(member)
        if key in self._done:
            made = self._done[key][1]
            if isinstance(made, Ref):
                i.info(made.oid).summary = True  # MLX makes one for each way that leads there
            return made
        if isinstance(member, Tuple):
            tuple_ = member.holding(tuple(map(self.of, member.parts)))
            self._done[key] = (member, tuple_)
            return tuple_
        if isinstance(member, Ref) and (kind := tree(i, member)):
            oid = i.allocate(kind, None, self._place, ("result", self._number, member.oid))
            self._done[key] = (member, Ref(oid))
            for field, held in list(i.heap.fields(member.oid).items()):
                if field not in _OF_A_COPY and not isinstance(field, str):
                    i.heap.set(oid, field, self.of(held))
            return Ref(oid)
        if isinstance(member, Ref) and i.mlx.object_kind(i, member) == "module":
            oid = i.allocate("dict", None, self._place, ("result", self._number, member.oid))
            self._done[key] = (member, Ref(oid))
            for name, held in i.mlx.entries(i, member).items():
                i.heap.set(oid, ("k", Const(name)), self.of(held))
            return Ref(oid)
        if isinstance(member, Length):
            return Const(member.size.number) if member.size.number is not None else Length(with_origins(member.size, NO_ORIGINS))
        return member

    def _size(self, size: object) -> object:
        return None if self._reshaped and isinstance(size, Size) and size.origins else settled(size)

    def _array(self, array: Array, all_longer: bool) -> Array:
        i = self._i
        ident = i.ident(self._place, ("result", self._number, array.ident))
        if i.trace is None:
            if self._operands.idents:
                i.heap.set(ident, OPERANDS, self._operands)
            contents.made(i, ident, self._args.values, self._place, "item" if self._stateful else "")
        presumed = same_presumption(i, array, ident)
        grows, loops = given_back(i, array, ident, self._given) if all_longer or not array.grows.startswith(LONGER) else ("", None)
        return Array(
            ident,
            None,
            None if array.shape is None else tuple(map(self._size, array.shape)),
            array.dtype,
            Chain(self._place, "result", presumed=ident if presumed else None),
            grows=grows,
            loops=loops,
        )
