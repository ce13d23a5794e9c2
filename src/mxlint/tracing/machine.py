"""The state of one run of the static tracer, and what every part of the interpreter does with it: notes, writes, budget, branches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mxlint.syntax import ir
from mxlint.tracing.alike import Alike
from mxlint.tracing.events import Effect, Event, Kind, Read, Record, Trace, Uncomputed, Write
from mxlint.tracing.heap import SHARED, Journal, Writes
from mxlint.tracing.values import (
    MISSING,
    NO_AXES,
    UNKNOWN,
    Array,
    Axis,
    Choice,
    ClassV,
    CompiledV,
    DictV,
    Frame,
    FuncV,
    Heap,
    Instance,
    ListV,
    ModuleV,
    Place,
    Scalar,
    Step,
    Tup,
    Value,
    array,
    as_old,
    attributes,
    contents,
    now,
)  # fmt: skip
from mxlint.tracing.walks import near

if TYPE_CHECKING:
    from mxlint.project import Project
    from mxlint.tracing.call import CallInfo
    from mxlint.tracing.files import Files
    from mxlint.tracing.mlx.table import Table

MAX_DEPTH = 24
STOPPERS = frozenset({"format", "evaluate", "convert", "truth", "index"})
"""What ends a trace, if it comes to it."""
"""Calls within calls that are followed; deeper ones are unknown."""
MAX_RECURSION = 8
"""The same for one function within itself, where every condition on the way is known."""
TEXT_PER_STEP = 10
"""Characters that count as a step."""
MAX_GUARDED_RECURSION = 2
"""And where one is not known."""


Status = str | None
"""How a statement ended: None (goes on), "return", "raise", "break" or "continue"."""


class OutOfBudget(Exception):
    """The run has taken as many steps as it may: what is left is unknown."""


@dataclass(eq=False, slots=True)
class Loop:
    """One activation of a loop or comprehension. `repeated`: it is taken to run more than once; `exact`: it is gone through round by round; `literal`: over a few
    elements that are written out.
    """

    place: Place
    repeated: bool
    literal: bool = False
    exact: bool = False
    leavings: list[Writes] = field(default_factory=list)
    born: int = field(default_factory=now)


@dataclass(eq=False, slots=True)
class Within:
    """A `with` over a generator of the project: the block runs where `function` yields, if nothing but the `straight` path leads there: so many guards and
    loops, and no flag that may have ended it before."""

    function: FuncV
    block: Callable[[Value], Status]
    straight: tuple[int, int, bool]
    ran: bool = False
    status: Status = None


@dataclass(slots=True)
class Attempt:
    """The body of a `try` that runs: the exceptions that its handlers name, its frame, and how many unknown conditions and loops it stands in.

    `failed`: what has been evaluated in it surely raises one of them; `doubtful`: it may, and nothing tells when.
    """

    caught: frozenset[str]
    frame: Frame
    straight: tuple[int, int]
    failed: bool = False
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Rescue:
    """An exception handler that runs: the compiled calls under its `try` that capture state, and how much was written and unknown before it."""

    calls: tuple[tuple[Record, Place], ...]
    depth: int
    unknown: int


_FORCES = re.compile(r"(?<!async_)\beval\(|synchronize|\.item\(|\.tolist\(|\bnp\.|numpy|print\(|wait")
_LEAVE = ("return", "break", "continue")
_ORDER = (None, "continue", "break", "return", "raise")


class Machine:
    """One run over one file and what it reaches."""

    def __init__(self, project: Project, table: Table, wrappers: frozenset[str], files: Files) -> None:
        self.project = project
        self.table = table
        self.wrappers = wrappers
        self.journal = Journal()
        self.budget = 0
        self.withheld = 0
        self.searching = False
        self.follows: Callable[[FuncV, CallInfo], bool] | None = None  # what host code is followed into; None: all
        self.trace: Trace | None = None
        self.records: list[Record] = []
        self.epoch = 0
        self.loops: list[Loop] = []
        self.guards: list[str] = []
        self.left = False  # whether a flag may have made a function on the way, or a round of a loop, end before this
        self.modules: dict[str, ModuleV] = {}
        self.last_write: dict[tuple[int, Any], Place] = {}
        self.compile_disabled = False
        self.compiled_called = False
        self.log_level: int | None = None
        self.entered: set[int] = set()
        self.unknown: dict[str, int] = {}
        self.depth = 0
        self.compares = 0
        self.protected = 0
        self.attempts: list[Attempt] = []
        self.risked: list[tuple[Record, Place]] = []
        self.rescues: list[Rescue] = []
        self.expected = 0
        self.swallowing = 0
        self.withins: list[Within] = []
        self.choices = 0
        self.clocks: list[tuple[str, Any]] = []
        self.readings: dict[int, tuple[Scalar, int, Place]] = {}
        self.mistimed: list[tuple[Place, Record, bool]] = []
        self.disabled_at: Place | None = None
        self.thread: tuple[Place, int] | None = None
        self.mapped: list[tuple[Place, frozenset[Axis]]] = []
        self.augmenting = False
        self.transformed: list[tuple[Place, Record, str]] = []
        self.not_functions: list[tuple[Place, str, str]] = []
        self.text_left = 0
        self.made: list[tuple[ir.FuncDef, Frame]] = []
        self.load_left = 0
        self.files = files
        self.uses: dict[int, tuple[tuple[str, str], ...]] = {}
        self.differentiating = 0
        self.random_assigned: list[tuple[Place, bool]] = []
        self.environment: list[tuple[Place, Value, bool]] = []
        self.load: Callable[[Any], Value] = lambda found: UNKNOWN
        self.sample: Callable[[ClassV, Any], Value] = lambda cls, frame: UNKNOWN

    # -- bookkeeping --

    def tick(self, cost: int = 1) -> None:
        self.budget -= cost
        if self.budget < 0:
            raise OutOfBudget

    def grant(self, steps: int, at_first: int) -> None:
        """So many steps from now on; those beyond `at_first` once something compiled is met."""
        self.budget = at_first
        self.withheld = steps - at_first

    def met(self) -> None:
        """Something compiled is made or called: what runs here is worth following."""
        self.budget += self.withheld
        self.withheld = 0

    def tick_text(self, size: int) -> None:
        """Where nothing is known to be compiled yet, the text that is looked into costs steps as well."""
        if self.searching and not self.records:
            self.tick(size // TEXT_PER_STEP)

    def place(self, frame: Frame, node: ir.Node) -> Place:
        return Place(frame.source, node.start, node.end)

    def lost(self, why: str) -> Value:
        """Something could not be followed: count it, and go on with an unknown value."""
        self.unknown[why] = self.unknown.get(why, 0) + 1
        return UNKNOWN

    def sure(self, value: Array) -> bool:
        """Whether a value is known to be an array; that something was left open because it is not is counted."""
        if not value.sure:
            self.lost("parameter that may be a number")
        return value.sure

    def is_placeholder(self, value: Array) -> bool:
        """Whether a value is known to be a placeholder; that something was left open because it is not is counted."""
        if value.traced is None and self.trace is not None:
            self.lost("array that may be a constant")
        return value.traced is True and self.sure(value)

    # -- traces --

    @property
    def doubtful(self) -> bool:
        """Whether the run stands under, or behind the return of, a bare flag, under a type test or an exception handler: nobody knows that it is ever taken."""
        return self.left or any(guard.startswith(("flag", "case", "handler")) for guard in self.guards)

    def calls_to(self, frame: Frame | None) -> tuple[Place, ...]:
        """The call sites between the compiled function and `frame`, outermost first."""
        places: list[Place] = []
        root = self.trace.root if self.trace else None
        while frame is not None and frame is not root and len(places) < MAX_DEPTH:
            if frame.called_at is not None:
                places.append(frame.called_at)
            frame = frame.caller
        return tuple(reversed(places))

    def near(self, frame: Frame) -> bool:
        """Whether `frame` is the compiled function or a helper that it calls itself."""
        root = self.trace.root if self.trace else None
        while frame.kind == "comprehension" and frame.parent is not None:
            frame = frame.parent
        return frame is root or frame.caller is root

    def emit(
        self, kind: Kind, place: Place, what: str, frame: Frame, chain: Step | None = None, *, axes: frozenset[Axis] = NO_AXES,
        target: Value | None = None, note: str = "", effects: tuple[Effect, ...] = (),
    ) -> None:  # fmt: skip
        trace = self.trace
        if trace is None or trace.muted or (kind, place, id(target)) in trace.seen:
            return
        if self.doubtful:
            if kind in STOPPERS and ("doubtful", place) not in trace.seen:
                trace.seen.add(("doubtful", place))
                self.lost("condition that may not hold")
            return
        if kind == "draw" and trace.seeded:  # the uncompiled function draws the same numbers at every call, too
            return
        trace.seen.add((kind, place, id(target)))
        trace.events.append(
            Event(
                kind, place, what, qualname(frame), chain, self.calls_to(frame), axes, bool(self.guards), target, note, self.swallowing > 0,
                effects,
            )
        )  # fmt: skip

    def branch(self, place: Place, what: str, frame: Frame, axes: frozenset[Axis], came_to: Any) -> None:
        """Control flow on a shape of a shapeless trace."""
        self.emit("branch", place, what, frame, axes=axes)
        if self.trace is not None:
            self.trace.decided[place] = (*self.trace.decided.get(place, ()), came_to)

    def outer(self, target: Heap) -> bool:
        """Whether `target` is older than the running trace."""
        return self.trace is not None and target.born < self.trace.started

    def read(self, target: Heap, key: Any, index: int | None, value: Any, place: Place, name: str, frame: Frame) -> None:
        """Note that the trace read a location that is older than itself."""
        trace = self.trace
        if self.augmenting or trace is None or target.born >= trace.started or isinstance(value, (ClassV, ModuleV, CompiledV)):
            return
        if isinstance(value, FuncV) and isinstance(target, Frame):
            return
        if (id(target), key) in trace.certain:  # what it has written itself
            return
        where = ("read", id(target), key, index)
        if where not in trace.seen:
            trace.seen.add(where)
            trace.reads.append(
                Read(target, key, index, value, place, name, qualname(frame), self.calls_to(frame), key not in target.fields)
            )
            if trace.shared and target.fields.get(SHARED) in trace.shared and id(target) not in trace.reach_in:
                trace.aliased.add(id(target))
        if isinstance(value, Array) and value.fields.get("lazy") is not None and value.traced is False and not value.tree:
            trace.lazy.append(Uncomputed(place, value))
        if isinstance(value, Array) and key != "version":
            self.read(value, "version", None, value.fields.get("version", 0), place, name, frame)

    def unread(self, before: int, value: Value) -> None:
        """Only the shape or dtype of an array is asked for, or whether it is there: no value goes into the trace by the reads after `before`."""
        trace = self.trace
        if trace is None or not isinstance(value, Array):
            return
        taken_back = [read for read in trace.reads[before:] if read.value is value or read.target is value]
        for read in taken_back:
            trace.reads.remove(read)
            trace.seen.discard(("read", id(read.target), read.key, read.index))
        if taken_back:
            trace.lazy = [
                noted for noted in trace.lazy if noted.target is not value or noted.place not in {read.place for read in taken_back}
            ]

    def write(self, target: Heap, key: Any, value: Any, place: Place, name: str, how: str, frame: Frame) -> None:
        """Write a field, and note it if a trace writes a location that is older than itself."""
        trace = self.trace
        self.last_write[id(target), key] = place
        if trace is not None and id(target) in trace.arguments:
            original = trace.arguments[id(target)]
            original.fields["#touched"] = True
            self.emit("mutate", place, name, frame, target=original, note=how)
        if self.augmenting and how in ("name", "attribute", "key"):
            how = "augment"
        if trace is not None and target.born < trace.started:
            trace.before.setdefault((id(target), key), target.fields.get(key, MISSING))
            if not self.guards and not self.augmenting and how in ("name", "attribute", "key", "mode"):
                trace.certain.add((id(target), key))
        if trace is not None and target.born < trace.started and not self.doubtful and not trace.muted:
            where = ("write", place, name)
            if where not in trace.seen:
                trace.seen.add(where)
                noted = value[-1] if how == "append" and isinstance(value, tuple) and value else value
                if how == "append" and not holds_traced(noted):
                    target.fields["#touched"] = True
                trace.writes.append(
                    Write(target, key, noted, place, name, how, qualname(frame), holds_traced(noted), self.calls_to(frame), bool(self.guards), key not in target.fields)
                )  # fmt: skip
        self.journal.store(target, key, value)

    def fails(self, exception: str, frame: Frame, *, sure: bool = True) -> None:
        """What is being evaluated raises, or may: a handler around it may be waiting for that."""
        for attempt in self.attempts[-1:]:
            if exception in attempt.caught and attempt.frame is frame and attempt.straight == (len(self.guards), len(self.loops)):
                attempt.failed |= sure
                attempt.doubtful |= not sure

    def relied(self, value: Value, node: ir.Node, frame: Frame) -> Value:
        """Host code looks at an object: if a trace has changed it, or only its copy, somebody relies on that."""
        if isinstance(value, Heap) and "#touched" in value.fields and self.trace is None and not self.compares:
            value.fields.setdefault("#relied", []).append(self.place(frame, node))
        return value

    @contextmanager
    def comparing(self, function: Value, args: list[Value], places: list[Place]) -> Iterator[None]:
        """Host code hands to the plain function what the compiled one has changed: it compares the two, and relies on nothing."""
        plain = self.trace is None and any(record.function is function for record in self.records)
        if plain:
            for value, place in zip(args, places):
                if isinstance(value, Heap) and place in value.fields.get("#relied", ()):
                    value.fields["#relied"].remove(place)
        self.compares += plain
        try:
            yield
        finally:
            self.compares -= plain

    def evaluated(self, value: Any, depth: int = 8) -> None:
        """Host code computes an array: it, and whatever it was made from, is data from now on."""
        if self.trace is not None or depth == 0:
            return
        self.clocks.append(("force", None))
        self.settle(value, depth)

    def settle(self, value: Any, depth: int = 8) -> None:
        """An array has been computed, or may have been as far as anybody knows."""
        for _ in near((value,), _settled, depth):
            pass

    def clock(self, place: Place) -> Scalar:
        """Host code reads a clock."""
        reading = Scalar("float", varies=True)
        if self.trace is None:
            self.readings[id(reading)] = (reading, len(self.clocks), place)
        return reading

    def elapsed(self, end: Value, start: Value) -> None:
        """The difference of two readings: was the work done in between that it means to time?"""
        if id(end) not in self.readings or id(start) not in self.readings:
            return
        _, last, place = self.readings[id(end)]
        between = self.clocks[self.readings[id(start)][1] : last]
        calls = [(i, record, first) for i, (kind, info) in enumerate(between) if kind == "call" for record, first in (info,)]
        if not calls:
            return
        begin = self.readings[id(start)][2]
        text = place.source.text[begin.end : place.start] if place.source is begin.source else ""
        # What stands between the readings may force the result on a path that was not taken here.
        forced = any(kind == "force" for kind, _ in between[calls[-1][0] + 1 :]) or _FORCES.search(text) is not None
        if not forced:
            self.mistimed.append((place, calls[-1][1], False))
        elif len(calls) == 1 and calls[0][2] and not self.loops and not self.guards:
            self.mistimed.append((place, calls[0][1], True))

    def array(
        self, traced: bool | None, shape: tuple[Scalar, ...] | None = None, chain: Step | None = None, *, like: frozenset[int] = frozenset(),
        sure: bool = True, tree: bool = False, dtype: str | None = None,
    ) -> Array:  # fmt: skip
        if traced and self.trace is not None:
            self.trace.computed += 1
        return array(traced, shape, chain, trace=self.trace, like=like, sure=sure, tree=tree, dtype=dtype)

    def lazy(self, made: Value, made_from: list[Value]) -> Value:
        """Outside a trace an operation only notes what is to be computed, and from what."""
        if isinstance(made, Array) and (self.trace is None or made.traced is False):
            parts = tuple(part for part in made_from if isinstance(part, (Array, Instance, Tup, ListV)))
            made.fields["lazy" if self.trace is None else "of"] = parts
        return made

    # -- branches --

    @contextmanager
    def apart(self) -> Iterator[None]:
        """What runs in here ran before all that goes on: the top of another file, a default that nobody has asked for yet."""
        held = self.journal, self.trace, self.guards, self.left, self.loops, self.protected, self.epoch
        self.journal, self.trace, self.guards, self.left, self.loops, self.protected, self.epoch = Journal(), None, [], False, [], 0, 0
        try:
            with as_old():
                yield
        finally:
            self.journal, self.trace, self.guards, self.left, self.loops, self.protected, self.epoch = held

    @contextmanager
    def guarded(self, guard: str | None) -> Iterator[None]:
        """What runs in here runs under a condition that is not known; None: under none."""
        outer, left = len(self.guards), self.left
        if guard is not None:
            self.guards.append(guard)
        try:
            yield
        finally:
            del self.guards[outer:]
            self.left = left

    def choose(self, frame: Frame, paths: list[Callable[[], Value]], guard: str = "value") -> Value:
        """Run alternatives that come to a value each: the value stands for any of theirs."""
        given = Heap()

        def path(make: Callable[[], Value]) -> Callable[[], Status]:
            return lambda: self.journal.store(given, "value", make())

        self.fork(frame, [path(make) for make in paths], guard)
        value: Value = given.fields["value"]
        return value

    def fork(self, frame: Frame, paths: list[Callable[[], Status]], guard: str = "value") -> Status:
        """Run alternatives from the same state and go on with the join of those that end alike.

        Where a flag has made others return, nobody knows that the rest of the function is ever run. A case that is dealt with first is no such flag: the rest
        is there for all others.
        """
        began = now()
        ends: list[tuple[Status, Writes]] = []
        for path in paths:
            since = now()
            self.journal.begin()
            depth = self.journal.depth
            try:
                with self.guarded(guard):
                    status = path()
            except BaseException:
                self.journal.unwind(depth)
                self.journal.end()
                raise
            ends.append((status, self.journal.undo(since)))
        result = min((status for status, _ in ends), key=_ORDER.index)
        self._join([written for status, written in ends if status == result], began)
        for status, written in ends:
            if status != result and status in _LEAVE:
                (frame.leavings if status == "return" or not self.loops else self.loops[-1].leavings).append(written)
        if self.trace is not None and guard.startswith("flag") and result is None and any(status in _LEAVE for status, _ in ends):
            self.left = True
        return result

    def _join(self, ends: list[Writes], began: int) -> None:
        if len(ends) == 1:
            self.journal.replay(ends[0])
            return
        alike = Alike(self.journal, began)
        touched = {where: (target, key) for written in ends for where, (target, key, _) in written.items()}
        for where, (target, key) in touched.items():
            present = target.fields.get(key, MISSING)
            contents = [written[where][2] if where in written else present for written in ends]
            self.journal.store(target, key, alike.content(target, key, contents))


def qualname(frame: Frame) -> str:
    """The enclosing function's qualified name; comprehensions belong to their function."""
    while frame.kind == "comprehension" and frame.parent is not None:
        frame = frame.parent
    return frame.qualname


HELD_DEPTH = 4
"""How many containers and objects deep a placeholder is looked for."""


def holds_traced(value: Any) -> bool:
    """Whether a value is or holds a placeholder of a running trace."""
    if isinstance(value, Array):
        return value.traced is True
    return isinstance(value, _HOLDERS) and any(part.traced is True for part in near((value,), _held, HELD_DEPTH) if isinstance(part, Array))


_HOLDERS = (Tup, tuple, ListV, DictV, Instance)


def _held(value: Any) -> Iterable[Any]:
    """What a container or an object holds."""
    return attributes(value) if isinstance(value, Instance) else contents(value)


def _settled(value: Any) -> Iterable[Any]:
    """What is computed together with a value, which from now on is no longer to be computed."""
    if isinstance(value, Array):
        made_from: Iterable[Any] = value.fields.get("lazy") or ()
        if made_from:
            value.fields["lazy"] = None
        return made_from
    if isinstance(value, Instance):
        before = value.fields.get("#settled")
        value.fields["#settled"] = True
        return () if before is True else attributes(value)
    if isinstance(value, Choice):
        return value.options
    return contents(value) or ((value.owner,) if hasattr(value, "owner") else ())


def chain_of(value: Any) -> Step | None:
    """The chain of the first placeholder in a value."""
    if isinstance(value, Array):
        return value.chain
    found = near((value,), contents, HELD_DEPTH - 1)
    return next((part.chain for part in found if isinstance(part, Array) and part.traced is True and part.chain is not None), None)
