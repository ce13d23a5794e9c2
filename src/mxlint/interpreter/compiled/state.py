"""What is kept of compiled objects: how each was made, its traces that have ended, and who wrote the locations that they read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import Final, NamedTuple

from mxlint.domain.arrays import Array, Traces
from mxlint.domain.heap import Field, Location
from mxlint.domain.join import of
from mxlint.domain.members import (
    FALSE,
    NONE,
    UNBOUND,
    Bound,
    Const,
    External,
    Length,
    Member,
    Option,
    RangeObject,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Unbound,
    Value,
    members,
    options,
    scalar_type,
)
from mxlint.domain.parts import each_part, referred, rename
from mxlint.domain.place import Place
from mxlint.facts.events import Where
from mxlint.interpreter.calls.moving import is_inside
from mxlint.interpreter.compiled.traces import Seen, Trace
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Context
from mxlint.interpreter.machine.locations import ANY, HELD, ITEMS, KEYS, WHOLE, whole
from mxlint.interpreter.machine.paths import Condition, Truth
from mxlint.interpreter.machine.writing import Writes

MAX_TRACES: Final = 16
"""Traces of one object that are kept: what has a further key is traced each time."""
MAX_AROUND: Final = 32
"""Objects among which one with a name is looked for."""
BEFORE_OTHERS: Final = -1
"""Instead of how often a location had been written when it was read: that of an activation which is one of several by now."""
TRACES: Final = ("#", "traces")
FROZEN: Final = ("#", "frozen")
UNFROZEN: Final = Tuple((FALSE, NONE))
"""What lies there where nothing was frozen, nor trained again."""
CONTENT: Final = ("#", "content")


def with_unfrozen(value: Value | None) -> Value:
    """What `freeze` has left of a module: one that nothing has frozen trains."""
    found = options(UNBOUND if value is None else value)
    return of(Option(UNFROZEN if isinstance(option.member, Unbound) else option.member, option.guard) for option in found)


class Changes:
    """What traces have changed and read of what is older."""

    __slots__ = ("fields", "read_contents", "unsure", "whole")

    def __init__(self) -> None:
        self.whole: dict[object, tuple[int, Where]] = {}
        """Locations that a trace wrote, and changes of its arguments: which compiled object, and where."""
        self.fields: dict[object, dict[Field, tuple[int, Where]]] = {}
        """What of an argument a trace changed, by the key of its last change: which compiled object, and where."""
        self.read_contents: bool = False
        """A trace has read what is in an array that is older."""
        self.unsure: dict[int, dict[Place, None]] = {}
        """Where host code took out what may be an array or container of which a trace changed a copy, or another one: by its number."""


class Capturing:
    """Traces whose captured containers an exception may have left with placeholders, by number: the function, and where it was called."""

    __slots__ = ("traces",)

    def __init__(self) -> None:
        self.traces: dict[int | None, tuple[Trace, Value, Place]] = {}


class Leaves(NamedTuple):
    """What a call is given: the leaves of its arguments, in the order in which MLX comes to them, and what `*star` hands on behind them of which not each item is
    known."""

    known: tuple[Value, ...] = ()
    star: Value | None = None


NO_LEAVES: Final = Leaves()


class Entry:
    """A trace that has ended: its key, its result, and what it read of what was older. `result`: its arrays are numbered in their order (-1, -2, …), as
    those of the trace are gone. `reads`: what it had read where it came to its end. `shapes`: of the arrays of the call; `leaves`: those of its arguments, if its key has their shapes. `counts`: how often locations had been written before, where the trace itself does not say it. `made`: how many rounds
    of loops had begun. `out`: how many arrays lay where outputs= leads to, at least and at most. `activations`: those of which it read names. `place`: the call for which it was made; `computed`: its operations, if it
    has changed something of Python's, or may be `rehearsed` for what it has called; `graph`: all of them in any case, None if more are made than are kept. `also_given`: what it read that is a leaf of its arguments as well. `thread`: the thread, or pool, that finds it. `aside`: what of `outputs=` nobody evaluates with the result."""

    __slots__ = (
        "_content",
        "_hash",
        "activations",
        "also_given",
        "aside",
        "by",
        "captured_in",
        "captured_out",
        "changes",
        "changes_python",
        "computed",
        "counted",
        "given",
        "graph",
        "key",
        "leaves",
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
        "thread",
        "written",
    )

    def __init__(
        self,
        key: tuple[object, ...],
        result: Value,
        trace: Trace,
        reads: Mapping[Location, Seen],
        counts: Mapping[Location, int],
        made: int,
        out: Mapping[Location, tuple[int, float]],
        activations: frozenset[int],
        shapes: tuple[object, ...],
        place: Place,
        thread: int,
        rehearsed: bool = False,
        also_given: Mapping[Location, int] = {},
        leaves: Leaves = NO_LEAVES,
    ) -> None:
        self.key = key
        self.aside = trace.aside
        self.thread = thread
        self.also_given = dict(also_given)
        self.shapes = shapes
        self.leaves = leaves
        self.activations = activations
        self.out = out
        self.made = made
        self.result = result
        self.reads = {location: seen.after(counts[location]) if location in counts else seen for location, seen in reads.items()}
        self.number = trace.number
        self.given = trace.given.arrays
        self.changes = trace.given.changes
        self.by = trace.oid
        self.captured_in = frozenset(trace.captures.ins)
        self.captured_out = frozenset(trace.captures.outs)
        self.written = dict(trace.written)
        self.counted = trace.scalars.counted()
        self.place = place
        self.operations = trace.operations
        self.placeholders = tuple(trace.given.placeholders)
        self.changes_python = trace.changes_python
        self.graph = tuple(trace.computed) if trace.is_kept else None
        self.computed = self.graph if self.graph is not None and (trace.changes_python or rehearsed) else ()
        self._seal()

    def _seal(self) -> None:
        """Keep what a comparison asks."""
        read = frozenset(
            (location, seen.value, seen.kind, seen.used, seen.under, seen.late, *seen.cells.items())
            for location, seen in self.reads.items()
        )
        older = (referred(seen.value) for seen in self.reads.values())
        self.refers = frozenset(oid for oid in referred(self.result) if oid >= 0).union(*older, (oid for oid, _ in self.reads))
        written = frozenset(self.written.items())
        self._content = (
            self.number,
            self.by,
            self.thread,
            self.result,
            read,
            written,
            self.captured_in,
            self.captured_out,
            frozenset(self.counted),
            frozenset(self.out.items()),
            frozenset(self.also_given.items()),
        )
        self._hash = hash(self._content)

    def renamed(self, change: Callable[[Member], Member], number: int | None = None) -> Entry:
        """The same trace, where another array was made since in place of one that it read, or another activation began in place of one whose names it
        read: these have other numbers now. Its other objects keep theirs: what it read of them is found under it. `number`: the only one that `change` knows."""
        if number is not None and number not in self.refers:
            return self

        def of(member: Member) -> Member:
            return change(member) if isinstance(member, Array) else member

        moved = {oid: ref.oid for oid in self.activations if isinstance(ref := change(Ref(oid)), Ref) and ref.oid != oid}
        changed = {location: value for location, seen in self.reads.items() if (value := rename(seen.value, of, number)) is not seen.value}
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

    def made_by(self, oid: int) -> Entry:
        """The same trace, of the compiled object that stands for the one that made it."""
        again = copy(self)
        again.by = oid
        again._seal()
        return again

    def is_inside(self, context: Context) -> bool:
        """Whether it depends on something that came into being in a context."""
        values = (self.result, *(seen.value for seen in self.reads.values()))
        return is_inside(self.key, context) or any(is_inside(part, context) for value in values for part in each_part(value))

    def __eq__(self, other: object) -> bool:
        """Whether a replay of one does what a replay of the other does: how often a location had been written does not count."""
        return self is other or isinstance(other, Entry) and self._hash == other._hash and self._content == other._content

    def __hash__(self) -> int:
        return self._hash


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
    if field in WHOLE:
        return counts.get((oid, HELD), 0)
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
    if field in WHOLE:
        return writers.get((oid, HELD))
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


def value_kind(value: Value) -> str:
    """What lies at a location: array (or a tuple of them), python (a number, string, flag), object, symbolic, or other."""
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


def only_if(i: Interpreter, oid: int, truth: Truth) -> Condition | None:
    """The condition that shapeless= of a compiled object is true, None where something in sight decides it."""
    if truth.outcome is not None:
        return None
    info = i.info(oid).payload
    assert isinstance(info, CompiledInfo)
    if truth.literal is None:
        return i.undecided(truth.cause or "open", info.shapeless, True)
    return Condition(truth.cause, info.shapeless, truth.literal, True)
