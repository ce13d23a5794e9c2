"""Summaries of calls: what a call did once is done again without running the body.

A summary is found by the function, the arguments (arrays by the order of their first use, not by identity), the trace and the path, and holds
if every location that the body read has the value that it had then. Replaying it makes the objects anew that outlive the call, at their
sites in the context of the new call, and writes what the body wrote.

No summary is made of a call that left by an exception, ended under another path, noted a fact or an imprecision, or touched what a second
run would have to touch again; docs/semantics.md, section 6, has the list.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from mxlint.domain.heap import Delta, Info, Location, Recording
from mxlint.domain.place import Place
from mxlint.domain.size import Size, symbols
from mxlint.domain.value import (
    Array,
    Bound,
    Const,
    External,
    Kind,
    Length,
    Member,
    Range,
    RangeObject,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Unbound,
    Union,
    Value,
    members,
    referred,
    rename,
)
from mxlint.interpreter.core import Arguments, Context, Interpreter, Path

MAX_SUMMARIES: Final = 4
"""Summaries of one function and one set of arguments, which differ in what was read."""
MAX_READS: Final = 400
MAX_WRITES: Final = 60
"""A call that reads or writes more is run again: comparing costs as much."""
_COPIED: Final = frozenset(("list", "dict", "set", "instance", "function", "iterator", "array", "field"))
"""Kinds of objects that a replay can make anew: nothing of them lies outside the heap."""

Key: TypeAlias = tuple[object, ...]


class Summary:
    """What one call read, wrote, made and returned."""

    __slots__ = ("arrays", "context", "fresh", "operations", "raises", "reads", "referred", "value", "writes")

    def __init__(
        self,
        value: Value,
        reads: dict[Location, object],
        writes: Delta,
        fresh: dict[int, tuple[object, ...]],
        arrays: tuple[Array, ...],
        context: Context,
        raises: frozenset[str | None],
        operations: int,
    ) -> None:
        self.value = value
        self.reads = reads
        self.writes = writes
        self.fresh = fresh
        self.arrays = arrays
        self.context = context
        self.raises = raises
        self.operations = operations
        self.referred = frozenset(number for held in reads.values() for value in _values(held) for number in referred(value))


class Call:
    """A call that is under way: its key, the arrays among its arguments, and what it did so far."""

    __slots__ = ("arrays", "key", "mark", "noted", "operations", "path", "recording")

    def __init__(self, i: Interpreter, key: Key, arrays: tuple[Array, ...]) -> None:
        self.key = key
        self.arrays = arrays
        self.mark = i.heap.mark()
        self.path: Path = i.path
        self.noted = _noted(i)
        self.operations: int = i.trace.operations if i.trace is not None else 0
        self.recording = i.heap.recording = Recording(i.heap.recording, len(i.tries))


def _noted(i: Interpreter) -> tuple[object, ...]:
    return (i.journal.mark() if i.journal is not None else None, len(i.imprecisions))


def _values(held: object) -> Iterable[Value]:
    """The values of a location that was read, or of a whole object."""
    if isinstance(held, dict):
        return held.values()
    return (held,) if isinstance(held, (Member, Union)) else ()


# -- finding -----------------------------------------------------------------------------------------------------------


def begin(i: Interpreter, function: Ref, args: Arguments) -> Call | None:
    """Begin to record a call; None where no summary can be made of it."""
    if args.star is not None or args.kwstar is not None or i.approximations:
        return None
    arrays: dict[int, Array] = {}
    given = tuple(_canonical(value, arrays) for value in args.args)
    named = tuple((name, _canonical(value, arrays)) for name, value in args.keywords.items())
    literals = frozenset(condition.literal for condition in i.path if condition.literal is not None)
    key = (function.oid, id(i.trace) if i.trace is not None else None, bool(i.silent), literals, given, named)
    return Call(i, key, tuple(arrays.values()))


def _canonical(value: Value, arrays: dict[int, Array]) -> object:
    """A value as part of a key: arrays by the order of their first use."""
    if isinstance(value, Array):
        arrays.setdefault(value.ident, value)
        origins = tuple(size.origins for size in value.shape or () if isinstance(size, Size))
        return ("array", list(arrays).index(value.ident), value.trace, value.shape, value.dtype, value.origin, origins)
    if isinstance(value, Tuple):
        items = None if value.items is None else tuple(_canonical(item, arrays) for item in value.items)
        return ("tuple", items, None if value.element is None else _canonical(value.element, arrays), value.cls)
    if isinstance(value, Union):
        return ("union", tuple((_canonical(option.member, arrays), option.guard) for option in value.options))
    return value


def find(i: Interpreter, call: Call) -> Summary | None:
    """A summary that holds for a call that begins."""
    recording = i.heap.recording
    i.heap.recording = None
    try:
        for summary in i.summaries.get(call.key, ()):
            if _holds(i, summary, call):
                return summary
    finally:
        i.heap.recording = recording
    return None


def _holds(i: Interpreter, summary: Summary, call: Call) -> bool:
    if i.tries and summary.raises and summary.writes:
        return False
    for then, now in zip(summary.arrays, call.arrays):
        if now.ident != then.ident and now.ident in summary.referred:
            return False
    holds = i.heap.holds
    return all(holds(oid, field) == value for (oid, field), value in summary.reads.items())


# -- keeping -----------------------------------------------------------------------------------------------------------


def abandon(i: Interpreter, call: Call) -> None:
    """End a call of which no summary is made."""
    i.heap.recording = call.recording.outer
    call.recording.close()


def keep(i: Interpreter, call: Call, value: Value, context: Context) -> None:
    """End a call that came back, and keep a summary of it if one can be made."""
    recording = call.recording
    i.heap.recording = None
    summary = _summary(i, call, value, context) if recording.valid and i.path is call.path and call.noted == _noted(i) else None
    i.heap.recording = recording.outer
    recording.close()
    if summary is not None:
        kept = i.summaries.setdefault(call.key, [])
        kept.insert(0, summary)
        del kept[MAX_SUMMARIES:]


def _summary(i: Interpreter, call: Call, value: Value, context: Context) -> Summary | None:
    recording = call.recording
    reads = [(oid, field) for oid, field in recording.reads if oid not in recording.fresh]
    if len(reads) > MAX_READS:
        return None
    changes = i.heap.changes(call.mark)
    used = _outliving(value, changes, recording)
    writes = {place: held for place, held in changes.items() if place[0] not in recording.fresh or place[0] in used}
    if len(writes) > MAX_WRITES or any(_names_object(field) for _, field in writes):
        return None
    sizes = frozenset(name for array in call.arrays for size in array.shape or () if isinstance(size, Size) for name in symbols(size))
    if not all(_portable(held, sizes) for held in (value, *writes.values())):
        return None
    if any(i.info(oid).kind not in _COPIED for oid in used):
        return None
    start = _before(i, call.mark, reads)
    made = {oid: site for oid, site in recording.fresh.items() if oid in used}
    operations = i.trace.operations - call.operations if i.trace is not None else 0
    return Summary(value, start, writes, made, call.arrays, context, frozenset(recording.raises), operations)


def _outliving(value: Value, changes: Delta, recording: Recording) -> set[int]:
    """The objects and arrays that a call made and that are still referred to after it: by its result, or by what it wrote into older ones."""
    written: dict[int, list[Value]] = {}
    for (oid, _), held in changes.items():
        written.setdefault(oid, []).append(held)
    found: set[int] = set()
    todo = [value, *(held for oid, every in written.items() if oid not in recording.fresh for held in every)]
    while todo:
        for number in referred(todo.pop()):
            if number in recording.fresh and number not in found:
                found.add(number)
                todo.extend(written.get(number, ()))
    return found


def _names_object(field: object) -> bool:
    """Whether a field is an entry of a dict whose key is an object."""
    return isinstance(field, tuple) and isinstance(field[-1], Member) and bool(referred(field[-1]))


def _portable(value: Value, known: frozenset[object]) -> bool:
    """Whether a value means the same in another call: no identities and no literals of this one."""
    if isinstance(value, Union):
        return all(not option.guard and _portable(option.member, known) for option in value.options)
    if isinstance(value, Tuple):
        parts = (*(value.items or ()), *(() if value.element is None else (value.element,)))
        return all(_portable(part, known) for part in parts)
    if isinstance(value, Bound):
        return _portable(value.owner, known) and _portable(value.function, known)
    if isinstance(value, (Slice, RangeObject)):
        return not any(referred(member) or isinstance(member, Symbolic) for member in _parts(value))
    if isinstance(value, Array):
        return all(symbol in known for size in value.shape or () if isinstance(size, Size) for symbol in symbols(size))
    return isinstance(value, (Const, Range, Kind, Length, External, Ref, Unbound))


def _parts(value: Slice | RangeObject) -> list[Member]:
    found = (value.lower, value.upper, value.step) if isinstance(value, Slice) else (value.start, value.stop, value.step)
    return [member for part in found for member in members(part)]


def _before(i: Interpreter, mark: int, places: list[Location]) -> dict[Location, object]:
    """What locations held at a mark."""
    first: dict[Location, Value | None] = {}
    for oid, field, then in i.heap.trail[mark:]:
        first.setdefault((oid, field), then)
    changed: dict[int, list[object]] = {}
    for oid, field in first:
        changed.setdefault(oid, []).append(field)
    found: dict[Location, object] = {}
    for oid, field in places:
        held = i.heap.holds(oid, field)
        if isinstance(held, dict):
            for name in changed.get(oid, ()):
                earlier = first[(oid, name)]
                if earlier is None:
                    held.pop(name, None)
                else:
                    held[name] = earlier
        elif (oid, field) in first:
            held = first[(oid, field)]
        found[(oid, field)] = held
    return found


# -- replaying ---------------------------------------------------------------------------------------------------------


def replay(i: Interpreter, summary: Summary, call: Call, function: Ref, place: Place) -> Value:
    """Do what a call did, without running the body."""
    i.steps -= 1
    i.heap.recording = call.recording.outer
    if i.heap.recording is not None:
        i.heap.recording.reads.update(summary.reads)
        i.heap.recording.raises |= summary.raises
    numbers = {then.ident: now for then, now in zip(summary.arrays, call.arrays)}
    renamed: dict[int, int] = {}
    context = i.context.inner(("call", place, function.oid))
    contexts: dict[Context, Context] = {summary.context: context}
    for oid, (where, made_in, *rest) in summary.fresh.items():
        assert isinstance(made_in, Context)
        site = (where, _moved(made_in, contexts), *rest)
        info = i.info(oid)
        if info.kind == "array":
            renamed[oid] = i.heap.ident(site)
        else:
            copy = Info(info.kind, info.payload, info.place, info.trace, label=info.label)
            renamed[oid] = i.heap.at_site(site, copy)
            i.heap.infos[renamed[oid]].payload = info.payload

    def change(member: Member) -> Member:
        if isinstance(member, Ref):
            return Ref(renamed[member.oid]) if member.oid in renamed else member
        if isinstance(member, Array):
            now = numbers.get(member.ident)
            if now is not None:
                return member.but(ident=now.ident, chain=now.chain)
            chain = next(
                (numbers[then.ident].chain for then in summary.arrays if member.chain is not None and member.chain is then.chain),
                member.chain,
            )
            return member.but(ident=renamed.get(member.ident, member.ident), chain=chain)
        return member

    i.heap.apply({(renamed.get(oid, oid), field): rename(held, change) for (oid, field), held in summary.writes.items()})
    if i.trace is not None:
        i.trace.operations += summary.operations
    if summary.raises:
        i.may_raise(*(error for error in summary.raises if error is not None))
        if None in summary.raises:
            i.may_raise()
    return rename(summary.value, change)


def _moved(context: Context, contexts: dict[Context, Context]) -> Context:
    """The context of the new call that has the steps that a context of the old one had."""
    steps: list[object] = []
    here: Context | None = context
    while here is not None and here not in contexts:
        steps.append(here.step)
        here = here.parent
    if here is None:
        return context
    found = contexts[here]
    for step in reversed(steps):
        found = found.inner(step)
    contexts[context] = found
    return found
