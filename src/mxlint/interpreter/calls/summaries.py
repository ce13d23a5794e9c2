"""Summaries of calls: what a call did once is done again without running the body.

A summary is found by the function, the arguments (arrays by the order of their first use, not by identity), the trace and the path, and holds
if every location that the body read has the value that it had then. In the context in which it was made, as in the next round of a loop, it
is written as it is, if also the objects that the call made anew were in the same state before. In another context the objects that outlive
the call are made anew, at their sites there, if the summary is *portable*: docs/semantics/calls.md says when it is.

The end of a call is also where what only the call could reach goes away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from typing import Any, Final, NamedTuple, TypeAlias

from mxlint.domain.arrays import Array, Operands, Traces
from mxlint.domain.exclusion import EQUALS, RuledOut, equation
from mxlint.domain.guards import TOGETHER, Identity, Literal_, parts
from mxlint.domain.heap import ALIVE, OLDER, Delta, Info, Location, Recording
from mxlint.domain.members import (
    UNBOUND,
    Composite,
    Member,
    Ref,
    Unbound,
    Value,
)
from mxlint.domain.ordering import ORDERED, comparison
from mxlint.domain.parts import FLAT, each_option, referred, rename
from mxlint.domain.place import Place
from mxlint.domain.size import Size, symbols
from mxlint.interpreter.calls.correspondence import Correspondence, nameless
from mxlint.interpreter.calls.moving import Move, is_inside, moved
from mxlint.interpreter.calls.relevance import world
from mxlint.interpreter.compiled import rebinding
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Again, Halt, Interpreter
from mxlint.interpreter.machine.frames import Context, Rounds
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.garbage import SWEPT, CalledBack, computed_from, outliving, uncalled
from mxlint.interpreter.machine.journal import in_loop
from mxlint.interpreter.machine.locations import OPERANDS
from mxlint.interpreter.machine.paths import Path
from mxlint.interpreter.machine.writing import count_write
from mxlint.interpreter.open_world.shadows import Shadows

MAX_SUMMARIES: Final = 4
"""Summaries of one function and one set of arguments, which differ in what was read."""
MAX_READS: Final = 2000
READS_IN_A_STEP: Final = 16
"""A call that reads more than so much, and more than so much for each of its steps, is run again: comparing costs as much."""
MAX_WRITES: Final = 600
"""A call that writes more is not done in another context."""
MAX_LEAVING: Final = 128
"""A call that exceptions leave in more states is run again."""
_COPIED: Final = frozenset(("list", "dict", "set", "instance", "function", "iterator", "array", "field", "kernel"))
"""Kinds of objects that a replay can make anew in another context: nothing of them lies outside the heap."""

Key: TypeAlias = tuple[object, ...]


class Summaries:
    """The summaries of calls, by what decides about them."""

    __slots__ = ("kept",)

    def __init__(self) -> None:
        self.kept: dict[tuple[object, ...], list[Summary]] = {}


class Summary:
    """What one call read, wrote, made, noted and returned. `inputs`: what else has to be the same for it to be written as it is.

    `leaving`: the states in which exceptions left to a handler around; `between`: a state that covers all between its begin and its end, from
    which `raises` may come; None if no handler was there. `more`: the conditions under which it came back, behind those of its begin.
    """

    __slots__ = ("again", "around", "arrays", "arrays_read", "asked", "between", "caller", "calls", "computed", "content", "context", "decided", "doubts", "facts", "fewest", "fresh", "inputs", "leaving", "looped", "more", "moved", "operations", "passed", "path", "payloads", "portable", "raises", "reads", "recursions", "shadows", "shortened", "since", "thrown", "trace", "unrolled", "value", "world", "writes", "written")  # fmt: skip

    def __init__(
        self,
        i: Interpreter,
        call: Call,
        value: Value,
        writes: Delta,
        used: set[int],
        context: Context,
        portable: bool,
        between: Delta | None,
        trace: Any,
    ) -> None:
        recording = call.recording
        before = i.heap.held_before(call.mark, [*recording.inputs, *(at for at in recording.reads if at[0] not in recording.fresh)])
        self.value = value
        self.reads = {at: before[at] for at in recording.reads if at[0] not in recording.fresh}
        self.inputs = {at: before[at] for at in recording.inputs}
        self.writes = writes
        self.fresh = {oid: site for oid, site in recording.fresh.items() if oid in used}
        self.payloads = {oid: i.info(oid).payload for oid in self.fresh}
        self.arrays = call.arrays
        self.context = context
        self.trace = trace
        self.caller = call.caller if call.is_placed else None
        self.unrolled = call.unrolled
        self.facts = dict(recording.facts)
        depth, begin = call.depth, len(call.path)
        self.again = tuple(Again(fact.find, fact.path[begin:], fact.context, fact.stack[depth:]) for fact in call.again)
        self.doubts = dict(recording.doubts)
        self.written = tuple(recording.written)
        since = recording.since
        self.around, self.calls = recording.around, recording.calls
        self.looped = in_loop(i) if recording.looped else None
        self.since = (
            since if self.facts and since is not None and (since < len(call.path) or not since) else None
        )  # 0: of the whole path, also where it was empty
        self.path = _conditions(call.path[since:]) if self.since is not None else ()
        self.asked = Asked(recording.asked)
        self.recursions = frozenset(recording.recursions)
        self.content = frozenset(ident for ident in recording.content if ident not in recording.fresh)
        self.decided = self.asked.answers(call.outcomes(i)) if recording.asked else {}
        self.more = i.path[len(call.path) :]
        self.raises = frozenset(recording.raises)
        self.thrown = recording.thrown
        self.leaving = tuple(recording.leaving)
        self.between = between
        self.operations = i.trace.operations - call.operations if i.trace is not None else 0
        self.fewest = i.trace.fewest - call.fewest if i.trace is not None else 0
        self.computed = tuple(i.trace.computed[call.computed :]) if i.trace is not None and i.trace.is_kept else None
        self.moved = frozenset(recording.moved)
        self.portable = portable
        self.shortened = recording.shortened
        self.passed = frozenset(recording.passed)
        self.world = recording.world
        kinds = {oid: i.info(oid).kind for oid in {oid for oid, _ in self.reads}}
        self.shadows = tuple(oid for oid, kind in kinds.items() if kind == "symbolic" and is_inside(i.info(oid).payload, context))
        self.arrays_read = frozenset(oid for oid, kind in kinds.items() if kind == "array")

    def sites(self, context: Context) -> Iterator[tuple[int, tuple[object, ...]]]:
        """What the call made anew, and the sites of that in another context."""
        contexts = {self.context: context}
        for oid, (where, made_in, *rest) in self.fresh.items():
            assert isinstance(made_in, Context)
            yield oid, (where, moved(made_in, contexts), *rest)


def _conditions(path: Path) -> tuple[object, ...]:
    """A path, to be compared with another."""
    return tuple((condition.cause, condition.place, condition.literal, condition.outcome) for condition in path)


class Asked:
    """What a path may say that answers some conditions, as `_outcomes` names it: their outcomes, what else a thing equals, what does not hold together,
    and between which numbers it lies."""

    __slots__ = ("_things", "conditions")

    def __init__(self, conditions: Iterable[Identity]) -> None:
        self.conditions = frozenset(conditions)
        self._things: frozenset[object] | None = None

    @property
    def things(self) -> frozenset[object]:
        """What is asked to equal constants, and to lie between numbers, each behind the word for that."""
        if self._things is None:
            equal = ((EQUALS, equated[0]) for condition in self.conditions if (equated := equation(condition)) is not None)
            ordered = ((ORDERED, asked[0]) for condition in self.conditions if (asked := comparison(condition)) is not None)
            self._things = frozenset((*equal, *ordered))
        return self._things

    def answers(self, said: dict[Identity, object]) -> dict[Identity, object]:
        """What a path says of that."""
        return {name: what for name, what in said.items() if name in self} if self.conditions else {}

    def __contains__(self, name: Identity) -> bool:
        if name in self.conditions or name[0] in (TOGETHER, ORDERED) and name[1] in self.conditions:
            return True
        return name[0] in (EQUALS, ORDERED) and name in self.things


def _outcomes(said: RuledOut) -> dict[Identity, object]:
    """What a path says of conditions, of what equals what, of what does not hold together, and of how things lie to numbers."""
    excluded: dict[Identity, frozenset[Literal_]] = {}
    for literal in said.held:
        for part in parts(literal):
            name = (TOGETHER, part.condition)
            excluded[name] = excluded.get(name, frozenset()) | {literal}
    equal: dict[Identity, object] = {(EQUALS, thing): constant for thing, constant in said.known.items()}
    ordered: dict[Identity, object] = {(ORDERED, thing): bounds for thing, bounds in said.ordered.items()}
    return {**{literal.condition: literal.outcome for literal in said.held}, **equal, **excluded, **ordered}


def _extends(path: Path, base: Path) -> bool:
    """Whether a path begins with another."""
    return len(path) >= len(base) and all(one is other for one, other in zip(path, base))


class Call:
    """A call that is under way: its key, the arrays among its arguments, and what it did so far."""

    __slots__ = (
        "_outcomes", "arrays", "caller", "computed", "depth", "fewest", "given", "key", "mark", "operations", "path", "recording", "steps", "unrolled",
    )  # fmt: skip

    def __init__(
        self, i: Interpreter, key: Key, given: tuple[Value, ...], arrays: tuple[Array, ...], caller: Context | None = None
    ) -> None:
        self.key = key
        self.given = given
        self.caller = caller
        self.unrolled = i.unrolled
        self.depth = len(i.stack)
        self.steps = i.steps
        self.arrays = arrays
        self.mark = i.heap.mark()
        self.path: Path = i.path
        self._outcomes: dict[Identity, object] | None = None
        self.operations: int = i.trace.operations if i.trace is not None else 0
        self.fewest: int = i.trace.fewest if i.trace is not None else 0
        self.computed = len(i.trace.computed) if i.trace is not None else 0
        self.recording = i.heap.recording = Recording(i.heap.recording, len(i.tries), self.mark, len(i.path))

    def outcomes(self, i: Interpreter) -> dict[Identity, object]:
        """What the path said at its begin."""
        if self._outcomes is None:
            self._outcomes = _outcomes(i.ruled_out(self.path))
        return self._outcomes

    @property
    def refers(self) -> frozenset[int]:
        """The numbers of the objects that the arguments refer to."""
        return frozenset(number for value in self.given for number in referred(value))

    @property
    def again(self) -> list[Again]:
        """The facts that are to be found again."""
        return [fact for fact in self.recording.again.values() if isinstance(fact, Again)]

    @property
    def is_placed(self) -> bool:
        """Whether what it noted or found says where it is: in which loops, or by which calls it was come to."""
        calls = self.recording.calls
        return self.recording.around or calls is not None and calls <= self.depth

    @property
    def hangs(self) -> bool:
        """Whether facts depend on what the path said at its begin."""
        since = self.recording.since
        return bool(self.recording.facts) and since is not None and (since < len(self.path) or not since)


# -- finding -----------------------------------------------------------------------------------------------------------


def begin(i: Interpreter, function: Ref, args: Arguments) -> Call | None:
    """Begin to record a call; None where no summary can be made of it."""
    return _begin(i, function, i.trace, args, None)


def begin_trace(i: Interpreter, compiled: Ref, trace: Key, args: Arguments, caller: Context) -> Call | None:
    """Begin to record a trace of a compiled object, `trace` being what tells it from others, in a context of its own."""
    return _begin(i, compiled, trace, args, caller)


def _begin(i: Interpreter, function: Ref, trace: object, args: Arguments, caller: Context | None) -> Call | None:
    if args.star is not None or args.kwstar is not None:
        return None
    used: dict[int, Array | None] = {}
    given = tuple(nameless(value, used) for value in args.args)
    named = tuple((name, nameless(value, used)) for name, value in args.keywords.items())
    arrays = tuple(array for array in used.values() if array is not None)
    modes = (i.modes.key(), _handed(i, function, args))
    transforms = tuple(i.trace.transforms) if i.trace is not None else ()
    key = (function.oid, trace, transforms, bool(i.silent), given, named, modes)
    return Call(i, key, (*args.args, *args.keywords.values()), arrays, caller)


def _handed(i: Interpreter, function: Ref, args: Arguments) -> tuple[object, ...]:
    """Where what is given to star parameters is written: facts are said of that if it is handed on."""
    info = i.info(function.oid).payload
    if not isinstance(info, FunctionInfo) or not any(param.star for param in info.node.params):
        return ()
    return (*args.places, *args.keyword_places.items())


class Found(NamedTuple):
    """A summary that holds. `arrays`: which stand where others stood; None if it can be written as it is."""

    summary: Summary
    arrays: Correspondence | None


def find(i: Interpreter, call: Call, context: Context) -> Found | None:
    """A summary that holds for a call that begins, in the context of its body."""
    kept: tuple[Summary, ...] = (*i.ledger.of(Summaries).kept.get((*call.key, context), ()), *i.ledger.of(Summaries).kept.get(call.key, ()))
    if not kept:
        return None
    recording = i.heap.recording
    i.heap.recording = None
    known = call.outcomes(i)
    try:
        for summary in kept:
            if not _holds(i, summary, call, known):
                continue
            if _same(i, summary, call, context):
                return Found(summary, None)
            arrays = _fitting(i, summary, call, context, known)
            if arrays is not None:
                return Found(summary, arrays)
    finally:
        i.heap.recording = recording
    return None


def _holds(i: Interpreter, summary: Summary, call: Call, known: dict[Identity, object]) -> bool:
    if not summary.recursions.isdisjoint(i.approximations):
        return False
    if summary.shortened and i.invariants is None or summary.world is not None and summary.world != world(i):
        return False
    if summary.since is not None and summary.path != _conditions(i.path[summary.since :]):
        return False
    if summary.looped is not None and summary.looped is not in_loop(i):
        return False
    if summary.unrolled > i.unrolled or summary.caller is not None and summary.caller is not call.caller:
        return False
    return summary.asked.answers(known) == summary.decided


def _held(i: Interpreter, expected: dict[Location, object]) -> bool:
    holds = i.heap.holds
    return all(holds(oid, field) == value for (oid, field), value in expected.items())


def holds_here(i: Interpreter, summary: Summary, call: Call, context: Context) -> bool:
    """Whether a summary holds, and can be written as it is."""
    return _holds(i, summary, call, call.outcomes(i)) and _same(i, summary, call, context)


def _same(i: Interpreter, summary: Summary, call: Call, context: Context) -> bool:
    """Whether a summary can be written as it is."""
    return (
        summary.context is context
        and (not i.tries or summary.between is not None)
        and all(then.ident == now.ident for then, now in zip(summary.arrays, call.arrays))
        and _held(i, summary.reads)
        and _held(i, summary.inputs)
    )


def _fitting(i: Interpreter, summary: Summary, call: Call, context: Context, known: dict[Identity, object]) -> Correspondence | None:
    """The arrays for which a summary can be made anew, in another context; None if it cannot."""
    if not summary.portable or i.tries and (summary.thrown or summary.raises and summary.writes):
        return None
    arrays = Correspondence(zip(summary.arrays, call.arrays))
    if (
        not arrays.reads(i.heap, summary.reads, summary.arrays_read)
        or any(is_inside(condition, context) for condition in known)
        or any(_is_written(i, oid, summary.context, context) for oid in summary.shadows)
        or any(
            summary.recursions or there in arrays.used or there in call.refers
            for _, site in summary.sites(context)
            if (there := i.heap.standing(site)) is not None
        )
    ):
        return None
    return arrays


def _is_written(i: Interpreter, oid: int, then: Context, now: Context) -> bool:
    """Whether the program has written on the symbolic value that in another context stands where one stood."""
    identity = i.info(oid).payload
    assert isinstance(identity, tuple)
    there = i.ledger.of(Shadows).objects.get(Move(i, {then: now}, lambda member: member).identity(identity))
    return there is not None and bool(i.heap.fields(there))


# -- keeping -----------------------------------------------------------------------------------------------------------


def abandon(i: Interpreter, call: Call) -> None:
    """End a call of which no summary is made."""
    i.heap.recording = call.recording.outer
    call.recording.close()


def keep(i: Interpreter, call: Call, value: Value, context: Context, trace: Any = None) -> None:
    """End a call that came back: drop what nobody can reach any more, and keep a summary if one can be made."""
    recording = call.recording
    i.heap.recording = None
    between: Delta | None = None
    if i.tries:
        between = i.heap.every_value(call.mark) if recording.raises else {}
    changes, used, kinds = sweep(i, recording, call.mark, value)
    if (
        recording.valid
        and recording.recursions.isdisjoint(i.approximations)
        and _extends(i.path, call.path)
        and all(_extends(fact.path, call.path) for fact in call.again)
        and kinds <= SWEPT
        and max(len(recording.reads), len(recording.inputs)) <= max(MAX_READS, READS_IN_A_STEP * (call.steps - i.steps))
        and len(recording.leaving) <= MAX_LEAVING
    ):
        portable = trace is None and _is_portable(i, call, value, changes, used, context)
        summary = Summary(i, call, value, changes, used, context, portable, between, trace)
        for key in (call.key, (*call.key, context)) if portable else ((*call.key, context),):
            kept = i.ledger.of(Summaries).kept.setdefault(key, [])
            kept.insert(0, summary)
            del kept[MAX_SUMMARIES:]
    # What was made here and is gone was nothing before: no call depends on what lies there.
    recording.reads = {at for at in recording.reads if at[0] not in recording.fresh}
    recording.fresh = {oid: site for oid, site in recording.fresh.items() if oid in used}
    i.heap.recording = recording.outer
    recording.close()


def sweep(i: Interpreter, recording: Recording, mark: int, value: Value, earlier: Collection[int] = ()) -> tuple[Delta, set[int], set[str]]:
    """Take what a stretch of the run made and nobody can reach after it out of the state, unless something was made that holds on to objects
    outside of the heap. What then has changed since the mark, what stays of what was made, and the kinds of all that was made. `earlier`: what
    earlier rounds of a loop made since the mark, and this one may have let go of."""
    swept = all(i.info(oid).kind in SWEPT for oid in earlier)
    fresh = {*recording.fresh, *(earlier if swept else ())}
    kinds = {i.info(oid).kind for oid in fresh}
    changes = i.heap.changes(mark)
    if not kinds <= SWEPT:
        return changes, fresh, kinds
    used = outliving((value, *i.ledger.of(CalledBack).results.values(), *_of_recursions(i), *uncalled(i, fresh)), changes, fresh)
    gone = {oid for oid in fresh if oid not in used}
    if not gone:
        return changes, used, kinds
    before = i.heap.held_before(mark, [(oid, ALIVE) for oid in gone])
    left: Delta = {}
    for (oid, field), held in changes.items():
        if oid in gone:
            if before[oid, ALIVE] is not None:
                left[oid, field] = UNBOUND  # the newest of an earlier round was here
        else:
            left[oid, field] = computed_from(held, gone, changes) if field == OPERANDS else held
    i.heap.undo(mark)
    i.heap.apply(left)
    return left, used, kinds


def _of_recursions(i: Interpreter) -> Iterator[Value]:
    """What recursion that is under way has come to so far."""
    for state in i.approximations.values():
        if state.value is not None:
            yield state.value
        for args in state.arguments:
            yield from args.values


def _is_portable(i: Interpreter, call: Call, value: Value, writes: Delta, used: set[int], context: Context) -> bool:
    """Whether what a call did can be done in another context, on other arrays."""
    recording = call.recording
    if (recording.facts or recording.again) and call.is_placed or not _moved_its_own(i, call, writes, used):
        return False
    if recording.facts and (call.hangs or any(i.info(oid).kind != "array" for oid in used)):
        return False
    if any(i.info(oid).kind == "symbolic" and is_inside(i.info(oid).payload, context) for oid, _ in writes):
        return False
    if len(writes) > MAX_WRITES or any(_names_object(field) for _, field in writes):
        return False
    if any(i.info(oid).kind not in _COPIED for oid in used):
        return False
    sizes = frozenset(name for array in call.arrays for size in array.shape or () if isinstance(size, Size) for name in symbols(size))
    return all(_portable(held, sizes, context) for held in (value, *writes.values()))


def _moved_its_own(i: Interpreter, call: Call, writes: Delta, used: set[int]) -> bool:
    """Whether whatever a call aged or moved was made in it, at sites of its own."""
    moved = call.recording.moved
    before = i.heap.held_before(call.mark, [(oid, ALIVE) for oid in moved])
    return all(held is None for held in before.values()) and all(oid in used or (oid, ALIVE) not in writes for oid in moved)


def _names_object(field: object) -> bool:
    """Whether a field is an entry of a dict whose key is an object."""
    return isinstance(field, tuple) and isinstance(field[-1], Member) and bool(referred(field[-1]))


def _portable(value: Value, known: frozenset[object], context: Context) -> bool:
    """Whether a value can be said in another call."""
    return all(_means_the_same(option.member, known, context) for option in each_option(value))


def _means_the_same(member: Member, known: frozenset[object], context: Context) -> bool:
    if type(member) in FLAT:
        return True
    if isinstance(member, Traces):
        return not any(entry.is_inside(context) for entry in member.entries)  # type: ignore[attr-defined]
    if isinstance(member, Array):
        return all(symbol in known for size in member.shape or () if isinstance(size, Size) for symbol in symbols(size))
    return isinstance(member, (Ref, Composite))


# -- replaying ---------------------------------------------------------------------------------------------------------


def replay(i: Interpreter, found: Found, call: Call, context: Context) -> Value:
    """Do what a call did, without running the body."""
    i.steps -= 1
    i.heap.recording = call.recording.outer
    summary, arrays = found
    now = arrays.now if arrays is not None else {}
    reads = [(now.get(oid, oid), field) for oid, field in summary.reads]
    depend(i, summary, reads)
    if arrays is None and i.tries:
        leave_again(i, summary)
    value = _put_back(i, summary) if arrays is None else _made_anew(i, summary, arrays, context)
    for fact, keep_fact in summary.facts.items():
        i.noting(keep_fact, fact)
    _find_again(i, summary, call, context)
    for doubt, keep_doubt in summary.doubts.items():
        i.doubting(keep_doubt, doubt)
    if i.trace is not None:
        i.trace.adds(summary.operations, summary.fewest)
        others = arrays is not None and summary.computed is not None
        i.trace.computes_again(map(_of_other_arrays, summary.computed or ()) if others else summary.computed)
        i.trace.read_again(i, reads)
        i.trace.computes_with(i, {now.get(ident, ident) for ident in summary.content})
    may_raise_again(i, summary)
    return value


def depend(i: Interpreter, summary: Summary, reads: Sequence[Location]) -> None:
    """Add to the summary that is being recorded what a call depends on that is done again: its reads, the conditions that it asked, its callees."""
    recording = i.heap.recording
    if recording is not None:
        recording.reads.update(reads)
        recording.asked |= summary.asked.conditions
        recording.recursions |= summary.recursions
        recording.around = recording.around or summary.around
        recording.looped = recording.looped or summary.looped is not None
        if summary.calls is not None:
            recording.names_calls(summary.calls)
        if summary.since is not None:
            recording.says_from(summary.since)
        recording.raises |= summary.raises
        recording.passed |= summary.passed
        recording.world = recording.world or summary.world
    if summary.thrown and not i.tries:
        while recording is not None:
            recording.thrown = True
            recording = recording.outer


def _of_other_arrays(operation: tuple[str, Place, tuple[Value, ...]]) -> tuple[str, Place, tuple[Value, ...]]:
    """An operation on arrays of which it is not kept which they are."""
    what, place, operands = operation
    return what, place, tuple(rename(operand, _some_array) for operand in operands)


def _some_array(member: Member) -> Member:
    return member.but(ident=-1) if isinstance(member, Array) else member


def _find_again(i: Interpreter, summary: Summary, call: Call, context: Context) -> None:
    """Note the facts that say where they are, from their places in this call."""
    outer, path, depth = i.context, i.path, len(i.stack)
    contexts = {summary.context: context}
    step = context.step
    for fact in summary.again:
        i.path = (*path, *fact.path)
        i.context = moved(fact.context, contexts)
        i.stack.extend(fact.stack)
        if len(i.stack) > depth and isinstance(step, tuple) and isinstance(step[1], Place):
            i.stack[depth] = copy(i.stack[depth])
            i.stack[depth].called_at = step[1]
        try:
            i.finding(fact.find)
        finally:
            del i.stack[depth:]
            i.context, i.path = outer, path


def leave_again(i: Interpreter, summary: Summary) -> None:
    """Hand the states in which exceptions left a call, or may have, to the handlers around."""
    mark, path = i.heap.mark(), i.path
    for delta, exception, more in summary.leaving:
        i.heap.apply(delta)
        i.path = (*path, *more)  # type: ignore[arg-type]
        try:
            i.throw(exception)
        except Halt:
            pass
        i.heap.undo(mark)
        i.path = path
    if summary.raises and summary.between:
        i.heap.apply(summary.between)
        may_raise_again(i, summary)
        i.heap.undo(mark)


def may_raise_again(i: Interpreter, summary: Summary) -> None:
    """Let the exceptions that a call may have raised come from the present state as well."""
    named = [error for error in summary.raises if error is not None]
    if named:
        i.may_raise(*named)
    if None in summary.raises:
        i.may_raise()


def _put_back(i: Interpreter, summary: Summary) -> Value:
    """Write what a call wrote, where everything is as it was before that call."""
    make_again(i, summary)
    i.heap.apply(summary.writes)
    i.path = (*i.path, *summary.more)
    return summary.value


def make_again(i: Interpreter, summary: Summary) -> None:
    """Keep that what a call made is made again, and what it wrote is written, all but the writing."""
    recording = i.heap.recording
    if recording is not None:
        recording.inputs.update(summary.inputs)
        recording.moved |= summary.moved
        recording.fresh.update(summary.fresh)
    for oid, payload in summary.payloads.items():
        i.heap.infos[oid].payload = payload
    for value in summary.writes.values():
        for entry in value.entries if isinstance(value, Traces) else ():
            entry.made = i.ledger.of(Rounds).begun  # as if it were traced now
    for oid, field, place in summary.written:
        count_write(i, oid, field, place)
        rebinding.rewritten(i, oid, field)


def _made_anew(i: Interpreter, summary: Summary, arrays: Correspondence, context: Context) -> Value:
    """Write what a call wrote, with the arrays of another call, and objects made anew in its context."""
    renamed = dict(arrays.now)
    made: dict[tuple[object, ...], int] = {}
    """The newest objects, by their sites."""
    several: set[int] = set()
    """What stands for several, and stood there before: what is written into it stands beside what it holds."""
    for oid, site in summary.sites(context):
        info = i.info(oid)
        copy = Info(info.kind, info.payload, info.place, info.trace, label=info.label)
        if site[-1] == OLDER:
            newest = made.get(site[:-1])
            renamed[oid] = i.heap.gone_at_site(site[:-1], copy) if newest is None else i.heap.older(newest)
            if i.heap.standing(site) is not None:
                several.add(renamed[oid])
        elif info.kind == "array":
            renamed[oid] = made[site] = i.heap.ident(site)
            array = i.info(renamed[oid])
            array.payload, array.place, array.trace = site[1], info.place, info.trace
        else:
            renamed[oid] = made[site] = i.heap.at_site(site, copy)
            i.heap.infos[renamed[oid]].payload = summary.payloads[oid]
    chains = {id(then.chain): arrays.arrays[then.ident].chain for then in reversed(summary.arrays) if then.chain is not None}

    def change(member: Member) -> Member:
        if isinstance(member, Ref):
            return Ref(renamed[member.oid]) if member.oid in renamed else member
        if isinstance(member, Operands):
            return Operands(tuple(renamed.get(ident, ident) for ident in member.idents) if member.idents is not None else None)
        if isinstance(member, Array):
            there = arrays.arrays.get(member.ident)
            chain = there.chain if there is not None else chains.get(id(member.chain), member.chain)
            return member.but(ident=renamed.get(member.ident, member.ident), chain=chain)
        return member

    move = Move(i, {summary.context: context}, change)
    writes = {(renamed.get(oid, oid), field): move.value(held) for (oid, field), held in summary.writes.items()}
    i.heap.apply({at: held for at, held in writes.items() if at[0] not in several})
    for (number, field), held in writes.items():
        if number in several and not isinstance(held, Unbound):
            i.heap.set(number, field, held)
    for oid, field, place in summary.written:
        count_write(i, renamed.get(oid, oid), field, place)
        rebinding.rewritten(i, renamed.get(oid, oid), field)
    i.path = (*i.path, *move.path(summary.more))
    return move.value(summary.value)
