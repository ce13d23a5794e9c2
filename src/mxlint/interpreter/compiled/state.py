"""What is known of compiled objects: how each was made, its traces while they run, and what each left for the calls that replay it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from itertools import islice
from typing import Final, TypeAlias

from mxlint.domain.arrays import Array, Traces
from mxlint.domain.guards import Literal_
from mxlint.domain.heap import Field, Location
from mxlint.domain.members import (
    Bound,
    Const,
    External,
    Length,
    Member,
    RangeObject,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Value,
    members,
    scalar_type,
)
from mxlint.domain.parts import each_part, referred, rename
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.facts.events import Where
from mxlint.interpreter.calls.moving import is_inside
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Context
from mxlint.interpreter.machine.locations import ANY, KEYS, whole
from mxlint.interpreter.machine.paths import Condition, Truth
from mxlint.interpreter.machine.writing import Writes

MAX_TRACES: Final = 6
"""Traces of one object that are told apart; a further key is taken to behave like the first."""
MAX_AROUND: Final = 32
"""Objects among which one with a name is looked for."""
BEFORE_OTHERS: Final = -1
"""Instead of how often a location had been written when it was read: that of an activation which is one of several by now."""
TRACES: Final = ("#", "traces")
ITEMS: Final = ("#", "items")
FROZEN: Final = ("#", "frozen")
CONTENT: Final = ("#", "content")


Operation: TypeAlias = tuple[str, Place, tuple[Value, ...]]
"""An operation of MLX: which, where, of what."""


MAX_COMPUTED: Final = 2_000
"""Operations of a trace that are kept, to be compared with those of a later run of the body."""


class Changes:
    """What traces have changed and read of what is older."""

    __slots__ = ("fields", "read_contents", "whole")

    def __init__(self) -> None:
        self.whole: dict[object, tuple[int, Where]] = {}
        """Locations that a trace wrote, and changes of its arguments: which compiled object, and where."""
        self.fields: dict[object, dict[Field, tuple[int, Where]]] = {}
        """What of an argument a trace changed, by the key of its last change: which compiled object, and where."""
        self.read_contents: bool = False
        """A trace has read what is in an array that is older."""


class Capturing:
    """Traces whose captured containers an exception may have left with placeholders, by number: the function, and where it was called."""

    __slots__ = ("traces",)

    def __init__(self) -> None:
        self.traces: dict[int | None, tuple[Trace, Value, Place]] = {}


class Trace:
    """One run of a body with placeholders, while it runs."""

    def __init__(self, number: int, oid: int, i: Interpreter, outer: Trace | None, shapeless: Truth) -> None:
        self.number = number
        self.oid = oid
        self.outer = outer
        self.path = len(i.path)
        self.caller = i.context
        self.depth = len(i.stack)
        self.tries = len(i.tries)
        self.captured_in: set[int] = set()
        self.captured_out: set[int] = set()
        self.originals: dict[Location, Value] = {}
        self.made: list[int] = []
        """The placeholders and copies that its arguments are."""
        self.given: tuple[int, ...] = ()
        """The arrays among its arguments."""
        self.mutated: dict[int, Const] = {}
        """The arguments, by their numbers, of which it changed a copy, with the key of that change in the ledger."""
        self.changes: dict[int, Const] = {}
        """The same, by their positions among all that the call is given."""
        self.copies: dict[int, Ref] = {}
        """The copy that stands for each container among the arguments: one, wherever the container is handed over again."""
        self.symbolic_out: set[object] = set()
        self.random_in = False
        self.random_out = False
        self.reads: dict[Location, Seen] = {}
        self.portions: dict[Location, set[Location]] = {}
        """Of a tuple, the parts that it read."""
        self.inside: dict[Location, Seen] = {}
        """What it read of objects that it made itself: of those that outlive it, it is what it read of what is older."""
        self.written: dict[Location, Place] = {}
        self.operations = 0
        self.computed: list[Operation] = []
        """What it has computed, one operation after the other, up to `MAX_COMPUTED`; those that nobody sees are not among them."""
        self.is_kept = True
        """Whether that is all that it has computed."""
        self.changes_python = False
        """Whether it has written something older that is no array of its own."""
        self.loops: list[Place] = []
        self.seeded = False
        self.transforms: list[str] = []
        """The rules of custom functions that the transforms ask for that run in it, "" for those that ask for none."""
        self.shapeless = shapeless.outcome is not False
        """Whether it may be one with shapeless=True."""
        self.only_if = _if_shapeless(i, oid, shapeless) if shapeless.outcome is None else None
        """What that hangs on, if it may be none."""
        self.start = len(i.heap.trail)
        self.reached: dict[int, str] = {}
        self.arguments: set[object] = set()
        self.leaves_out: set[int] = set()
        self.refused: set[int] = set()
        self.leaves: dict[int, tuple[str, events.Where | None, int | None]] = {}
        self.uses: dict[Location, dict[events.Where, tuple[events.Where, tuple[events.Where, ...]]]] = {}
        """Where it uses scalars, and where it came to them before that, by which calls."""
        self.told: list[events.Where] = []
        """What prints or logs in it."""
        self.counts: dict[Location, events.Where] = {}
        self.kept: list[tuple[Location, events.Write]] = []
        self.sources: dict[Place, events.Event] = {}
        self.by_ident: dict[int, list[Seen]] = {}
        self.array_reads: list[tuple[Seen, events.Read]] = []
        self.parts: dict[int, frozenset[int]] = {}
        """Of the arrays that are computed in it, which older ones they are computed from; -1: and from what is not known."""
        self.gradients = False
        """Whether it differentiates: a gradient, which is computed from all that the function reads, is taken for the argument."""
        self.last_use: dict[Location, tuple[Location, events.Where]] = {}
        """Where it used last what lies at a location, or a part of that."""
        self.fed: set[tuple[Location, events.Where]] = set()
        self.literals: set[Place] = set()  # targets to which a constant is assigned, which nothing feeds
        self.parted = False
        self.handing = False
        """Whether what it hands to something out of sight is called."""
        self.pulling: list[int] = []
        """The differentiations that run in it, by their numbers; those of a shapeless trace alone."""
        self.pulled: dict[int, tuple[events.Event, frozenset[int]]] = {}
        """What is to be noted of operations if a gradient goes back through them, and the differentiations that may bring one."""
        self.brought: dict[int, dict[events.Event, None]] = {}
        """What is to be noted of the operations that gradients go back through, by the gradient."""
        self.gradients_used: set[int] = set()
        """Those gradients that something in it computes with."""
        self.stretched: dict[int, Callable[[], None]] = {}
        """What is to be noted if something that is not fused takes an array as it is, by the array: a broadcast, or what is computed from one."""
        self.fused: dict[int, tuple[object, ...]] = {}
        """The shapes that broadcasts, and arrays that are computed from them, have where they are fused, as far as these are others than theirs."""
        self.broadcasts: dict[int, Callable[[tuple[str, ...]], None]] = {}
        """What notes that such an array is too small."""
        self.full = True
        self.unread: dict[Location, tuple[int, Field, Value | None, Place]] = {}
        """Names to which a loop has bound the value of an entry: the dict, the entry, the value, and what the loop goes over."""
        self.tested: list[tuple[int, Field, Place]] | None = None
        """Of such values, those of which `isinstance` is asked whether they are of a class."""
        place = i.info(oid).place
        assert place is not None
        self.place = place

    def before(self, i: Interpreter, oid: int, field: object, present: Value | None) -> Value | None:
        """What a location held when the trace began; None if it was not there."""
        for (other, name), value in i.heap.trail[self.start :]:
            if other == oid and name == field:
                return value
        return present

    def agrees(self, i: Interpreter, other: Trace) -> bool:
        """Whether this trace, which has ended, is what another that begins would be: of the same arrays, where it says which array something is."""
        reads = (part for seen in self.reads.values() for part in each_part(seen.value))
        return self.given == other.given or not any(isinstance(part, Array) and not self.holds(part.trace) for part in reads)

    def end(self, given: Mapping[int, int]) -> None:
        """What is said of arguments by their numbers is said by their positions, which are the same at each call. `given`: the numbers by position."""
        self.changes = {at: self.mutated[number] for at, number in given.items() if number in self.mutated}
        for seen in self.reads.values():
            seen.late = frozenset(at for at in self.changes if given[at] in seen.late)

    def computes_with(self, i: Interpreter, idents: Iterable[int]) -> None:
        """The content of arrays becomes part of this trace."""
        recording = i.heap.recording
        for ident in idents:
            if ident in self.brought:
                self.gradients_used.add(ident)
            if recording is not None and ident not in recording.fresh:
                recording.content.add(ident)
            for seen in self.by_ident.get(ident, ()):
                seen.used = True
                seen.late |= self.mutated.keys()

    def computes(self, i: Interpreter, what: str, place: Place, operands: Iterable[Value]) -> None:
        """An operation of MLX becomes part of the graph. Of a list it takes what is in it now."""
        self.computes_again(((what, place, tuple(_content(i, operand) for operand in operands)),))

    def computes_again(self, operations: Iterable[Operation] | None) -> None:
        """Operations become part of the graph; None: more than are kept. Helpers that call each other twice make twice as many at each level."""
        self.computed += islice(operations or (), MAX_COMPUTED + 1 - len(self.computed))
        self.is_kept = self.is_kept and operations is not None and len(self.computed) <= MAX_COMPUTED

    def read_again(self, i: Interpreter, locations: Iterable[Location]) -> None:
        """Locations are read where the path is another one."""
        for read in locations:
            for location in (read, *self.portions.get(read, ())):
                seen = self.reads.get(location)
                if seen is not None and seen.under:
                    seen.under &= under(i, self)

    def read_of(self, location: Location) -> Seen | None:
        """What it read at a location, or of a part of what lies there."""
        parts = (location, *self.portions.get(location, ()))
        return next((seen for part in parts if (seen := self.reads.get(part)) is not None), None)

    def holds(self, number: int | None) -> bool:
        """Whether a placeholder of trace `number` is one here: of this trace or of one around it."""
        trace: Trace | None = self
        while trace is not None:
            if trace.number == number:
                return True
            trace = trace.outer
        return False


class Seen:
    """A read of a trace: the value, where it stands and under which name, what lies there, and how a capture would name its container.

    `count`: how often the location was written before; `used`: its content is part of the trace, not only its shape; `under`: the literals of the path
    from the start of the trace that each read of the location has; `late`: the arguments of which a copy had been changed when the trace last computed with
    what it read, by their numbers, and of a trace that has ended by their positions; `whole`: what lies there, of which it may have read a part; `behind`: nothing lay
    there, and the value lies where is looked next.
    """

    __slots__ = ("behind", "calls", "container", "count", "kind", "late", "name", "under", "used", "value", "where", "whole")

    def __init__(self, value: Value, at: events.Where, name: str, kind: str, calls: tuple[events.Where, ...], container: str) -> None:
        self.value = value
        self.where = at
        self.name = name
        self.kind = kind
        self.calls = calls
        self.container = container
        self.whole: Value | None = None
        self.count = 0
        self.used = True
        self.under: frozenset[Literal_] = frozenset()
        self.late: frozenset[int] = frozenset()
        self.behind = False

    def of(self, value: Value) -> Seen:
        """The same read, of a value that has another name since."""
        again = copy(self)
        again.value = value
        return again

    def after(self, count: int) -> Seen:
        """The same read, of a location that was written so often before."""
        again = copy(self)
        again.count = count
        return again


class Entry:
    """A trace that has ended: its key, its result, and what it read of what was older. `result`: its arrays are numbered in their order (-1, -2, …), as
    those of the trace are gone. `shapes`: of the arrays of the call. `counts`: how often locations had been written before, where the trace itself does not say it. `made`: how many rounds
    of loops had begun. `out`: how many arrays lay where outputs= leads to, at least and at most. `activations`: those of which it read names. `place`: the call for which it was made; `computed`: its operations, if it
    has changed something of Python's, or may be `rehearsed` for what it has called."""

    __slots__ = (
        "_content",
        "_hash",
        "activations",
        "by",
        "captured_in",
        "captured_out",
        "changes",
        "changes_python",
        "computed",
        "counted",
        "given",
        "key",
        "made",
        "number",
        "operations",
        "out",
        "place",
        "placeholders",
        "reads",
        "refers",
        "result",
        "shapes",
        "written",
    )

    def __init__(
        self,
        key: tuple[object, ...],
        result: Value,
        trace: Trace,
        counts: Mapping[Location, int],
        made: int,
        out: Mapping[Location, tuple[int, float]],
        activations: frozenset[int],
        shapes: tuple[object, ...],
        place: Place,
        rehearsed: bool = False,
    ) -> None:
        self.key = key
        self.shapes = shapes
        self.activations = activations
        self.out = out
        self.made = made
        self.result = result
        self.reads = {location: seen.after(counts[location]) if location in counts else seen for location, seen in trace.reads.items()}
        self.number = trace.number
        self.given = trace.given
        self.changes = trace.changes
        self.by = trace.oid
        self.captured_in = frozenset(trace.captured_in)
        self.captured_out = frozenset(trace.captured_out)
        self.written = dict(trace.written)
        self.counted = counted(trace)
        self.place = place
        self.operations = trace.operations
        self.placeholders = tuple(trace.made)
        self.changes_python = trace.changes_python
        self.computed = tuple(trace.computed) if trace.is_kept and (trace.changes_python or rehearsed) else ()
        self._seal()

    def _seal(self) -> None:
        """Keep what a comparison asks."""
        read = frozenset((location, seen.value, seen.kind, seen.used, seen.under, seen.late) for location, seen in self.reads.items())
        older = (referred(seen.value) for seen in self.reads.values())
        self.refers = frozenset(oid for oid in referred(self.result) if oid >= 0).union(*older, (oid for oid, _ in self.reads))
        written = frozenset(self.written.items())
        self._content = (
            self.number,
            self.by,
            self.result,
            read,
            written,
            self.captured_in,
            self.captured_out,
            frozenset(self.counted),
            frozenset(self.out.items()),
        )
        self._hash = hash(self._content)

    def renamed(self, change: Callable[[Member], Member]) -> Entry:
        """The same trace, where another array was made since in place of one that it read, or another activation began in place of one whose names it
        read: these have other numbers now. Its other objects keep theirs: what it read of them is found under it."""

        def of(member: Member) -> Member:
            return change(member) if isinstance(member, Array) else member

        moved = {oid: ref.oid for oid in self.activations if isinstance(ref := change(Ref(oid)), Ref) and ref.oid != oid}
        changed = {location: value for location, seen in self.reads.items() if (value := rename(seen.value, of)) is not seen.value}
        if not changed and not moved:
            return self
        again = copy(self)
        again.activations = frozenset(moved.get(oid, oid) for oid in self.activations)
        again.reads = {}
        for (oid, field), seen in self.reads.items():
            value = changed.get((oid, field), seen.value)
            if oid in moved:
                again.reads.setdefault((moved[oid], field), seen.of(value).after(BEFORE_OTHERS))
            else:
                again.reads[oid, field] = seen.of(value) if value is not seen.value else seen
        again._seal()
        return again

    def is_inside(self, context: Context) -> bool:
        """Whether it hangs on something that came into being in a context."""
        values = (self.result, *(seen.value for seen in self.reads.values()))
        return is_inside(self.key, context) or any(is_inside(part, context) for value in values for part in each_part(value))

    def __eq__(self, other: object) -> bool:
        """Whether a replay of one does what a replay of the other does: how often a location had been written does not count."""
        return self is other or isinstance(other, Entry) and self._hash == other._hash and self._content == other._content

    def __hash__(self) -> int:
        return self._hash


def _if_shapeless(i: Interpreter, oid: int, truth: Truth) -> Condition:
    """The condition that shapeless= is true, where nothing in sight decides it."""
    info = i.info(oid).payload
    assert isinstance(info, CompiledInfo)
    if truth.literal is None:
        return i.undecided(truth.cause or "open", info.shapeless, True)
    return Condition(truth.cause, info.shapeless, truth.literal, True)


class CompiledInfo:
    """What never changes of a compiled object. `captures`, `shapeless`: where these are given; `imported`: another file makes it while it is imported."""

    __slots__ = ("captures", "context", "form", "imported", "shapeless", "site", "text")

    def __init__(self, form: str, text: str, site: Place, captures: Place, shapeless: Place, imported: bool, context: Context) -> None:
        self.captures = captures
        self.shapeless = shapeless
        self.context = context
        self.form = form
        self.text = text
        self.site = site
        self.imported = imported


def _content(i: Interpreter, operand: Value) -> Value:
    """What is in a list; anything else is what it is."""
    return (i.heap.get(operand.oid, ITEMS) or operand) if isinstance(operand, Ref) and i.info(operand.oid).kind == "list" else operand


def capturing(i: Interpreter, trace: Trace, function: Value, place: Place) -> None:
    """Keep which call a placeholder of a trace comes from."""
    i.ledger.of(Capturing).traces[trace.number] = (trace, function, place)


def held(i: Interpreter, oid: int, field: object) -> Value | None:
    """What lies at a location now."""
    return aspects.at(i, oid, field)


def count(i: Interpreter, location: Location) -> int:
    """How often a location was written, as far as noted."""
    counts = i.ledger.of(Writes).counts
    oid, field = location = whole(location)
    if field == ITEMS or aspects.is_aspect(field) or _from_the_end(field):
        return counts.get((oid, ANY), 0) + counts.get((oid, KEYS), 0)
    return counts.get(location, 0) + (counts.get((oid, ITEMS), 0) if isinstance(field, tuple) and field[0] == "item" else 0)


def only_filled(i: Interpreter, location: Location, since: int) -> bool:
    """Whether what was written in an attribute or entry, after it was written so often, only fills what is empty."""
    _, field = location
    is_slot = isinstance(field, str) or isinstance(field, tuple) and field[0] == "k"
    return is_slot and i.ledger.of(Writes).overwritten.get(location, 0) <= since


def writer(i: Interpreter, oid: int, field: object) -> Place | None:
    """Who wrote a location last."""
    writers = i.ledger.of(Writes).last
    _, field = whole((oid, field))
    if field == ITEMS or aspects.is_aspect(field) or _from_the_end(field):
        return writers.get((oid, ANY)) or writers.get((oid, KEYS))
    found = writers.get((oid, field))
    return found if found is not None or not isinstance(field, tuple) else writers.get((oid, ITEMS))


def _from_the_end(field: object) -> bool:
    """Whether a location is an item of a list that is counted from its end."""
    return isinstance(field, tuple) and field[0] == "item" and field[1] < 0


def cache_of(ref: Ref, function: Value) -> int:
    """The object that has the traces: MLX's cache knows the function, so all compiled objects of one function share them."""
    return function.oid if isinstance(function, Ref) else ref.oid


def all_entries(held: Value | None) -> list[Entry]:
    """The traces that a field holds."""
    return (
        [entry for m in members(held) if isinstance(m, Traces) for entry in m.entries if isinstance(entry, Entry)]
        if held is not None
        else []
    )


def older(i: Interpreter, oid: int) -> bool:
    """Whether an object is older than the running trace."""
    trace = i.trace
    if trace is None:
        return False
    made = i.info(oid).trace
    return made != trace.number


def under(i: Interpreter, trace: Trace) -> frozenset[Literal_]:
    """The literals of the path since a trace began."""
    return frozenset(condition.literal for condition in i.path[trace.path :] if condition.literal is not None)


def counted(trace: Trace) -> dict[Location, tuple[events.Where, tuple[events.Where, ...], events.Where]]:
    """The numbers that a trace changes and uses besides, as a whole or by what it decides by them: where it uses them, by which calls, where it changes
    them."""
    found = {}
    for location, places in trace.uses.items() if trace.counts else ():
        written = trace.counts.get(whole(location))
        uses = [came for at, came in places.items() if (location, at) not in trace.fed and not _is_told(trace, at)]
        if uses and written is not None:
            found[location] = (*uses[0], written)
    return found


def _is_told(trace: Trace, at: events.Where) -> bool:
    """Whether what a trace reads at a place is part of what it prints or logs there: later calls do not, so it is no old value that they tell."""
    spans = (told.span for told in trace.told)
    return any(span.filename == at.span.filename and span.start <= at.span.start and at.span.end <= span.end for span in spans)


def only_told(trace: Trace) -> None:
    """Of the scalars that a trace read, those that it does nothing with but to print or log them have not been used. Others were read where it used them
    first."""
    for location, uses in trace.uses.items() if trace.told else ():
        seen = trace.reads.get(location)
        used = [came for at, came in uses.items() if not _is_told(trace, at)]
        if seen is None or len(used) == len(uses) or all(seen.where != at for at, _ in uses.values()):
            continue
        if not used:
            seen.used = False
        elif all(seen.where != at for at, _ in used):
            seen.where, seen.calls = used[0]


def value_kind(value: Value) -> str:
    """What lies at a location: array (or a tuple of them), python (a number, text, flag), object, symbolic, or other."""
    kinds = set()
    for member in each_part(value, Tuple):
        if isinstance(member, Array):
            kinds.add("array")
        elif isinstance(member, Tuple):
            if not member.parts:
                kinds.add("python")
        elif scalar_type(member) is not None or isinstance(member, (Const, Length)):
            kinds.add("python")
        elif isinstance(member, (Ref, External, Bound, Slice, RangeObject)):
            kinds.add("object")
        elif isinstance(member, Symbolic):
            kinds.add("symbolic")
        else:
            kinds.add("other")
    if kinds == {"object", "symbolic"}:
        return "object"
    return kinds.pop() if len(kinds) == 1 else "array" if "array" in kinds else "python" if "python" in kinds else "other"


def container(i: Interpreter, trace: Trace, oid: int) -> str:
    """What a capture would name to hold an object: `model.state`, `cache`; "" where no capture can."""
    name = trace.reached.get(oid) or _around(i, trace, oid)
    if not name or i.info(oid).kind in ("list", "dict"):
        return name
    return f"{name}.state" if i.info(oid).kind == "instance" and i.mlx.object_kind(i, Ref(oid)) is not None else ""


def _around(i: Interpreter, trace: Trace, oid: int) -> str:
    """The name of what holds an object that the trace came to by a name of its own; "" if it has none, either."""
    seen, todo = {oid}, [oid]
    while todo and len(seen) < MAX_AROUND:
        for holder in sorted({holder for holder, _ in i.heap.holders(todo.pop(0))}):
            if i.info(holder).kind in ("instance", "list", "dict") and holder not in seen:
                if holder in trace.reached:
                    return trace.reached[holder]
                seen.add(holder)
                todo.append(holder)
    return ""
