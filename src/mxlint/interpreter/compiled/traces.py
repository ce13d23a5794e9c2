"""The record of one running trace: its placeholders, what it reads and writes, and what it uses of numbers, loops and gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from itertools import islice
from typing import Final, TypeAlias

from mxlint.domain.arrays import Array
from mxlint.domain.guards import Literal_
from mxlint.domain.heap import Field, Location
from mxlint.domain.members import (
    TRUE,
    Const,
    Ref,
    Symbolic,
    Value,
)
from mxlint.domain.parts import each_part
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.facts.events import Where
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.journal import Uncaught, note, where
from mxlint.interpreter.machine.locations import BROKEN, ITEMS, whole
from mxlint.interpreter.machine.paths import Condition, Truth

MAX_COMPUTED: Final = 2_000
"""Operations of a trace that are kept, to be compared with those of a later run of the body."""

Operation: TypeAlias = tuple[str, Place, tuple[Value, ...]]
"""An operation of MLX: which, where, of what."""


class Seen:
    """A read of a trace: the value, where it stands and under which name, what lies there, and how a capture would name its container.

    `count`: how often the location was written before; `used`: its content is part of the trace, not only its shape; `under`: the literals of the path
    from the start of the trace that each read of the location has; `late`: the arguments of which a copy had been changed when the trace last computed with
    what it read, by their numbers, and of a trace that has ended by their positions; `whole`: what lies there, of which it may have read a part; `behind`: nothing lay
    there, and the value lies where is looked next; `asked`: what of an array is part of the trace, beside its content: its "shape", "rank" or "dtype"; `cells`: what stood for it in a container whose items are not known
    one by one (`containers/unlisted.py`).
    """

    __slots__ = (
        "asked",
        "behind",
        "calls",
        "cells",
        "container",
        "count",
        "kind",
        "late",
        "name",
        "under",
        "used",
        "value",
        "where",
        "whole",
    )

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
        self.asked: frozenset[str] = frozenset()
        self.cells: Mapping[Field, Value] = {}

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


class Given:
    """The arguments of a trace."""

    __slots__ = ("arrays", "changes", "copies", "mutated", "names", "placeholders")

    def __init__(self) -> None:
        self.names: set[object] = set()
        """What they are, by identity."""
        self.placeholders: list[int] = []
        """The placeholders and copies that stand for them."""
        self.arrays: tuple[int, ...] = ()
        """The arrays among them."""
        self.copies: dict[int, Ref] = {}
        """The copy that stands for each container among them: one, wherever the container is handed over again."""
        self.mutated: dict[int, Const] = {}
        """Those, by their numbers, of which the trace changed a copy, with the key of that change in the ledger."""
        self.changes: dict[int, Const] = {}
        """The same, by their positions among all that the call is given."""


class Captures:
    """What `inputs=` and `outputs=` lead to at a trace."""

    __slots__ = (
        "computed",
        "ins",
        "leaves_out",
        "originals",
        "outs",
        "parted",
        "random_in",
        "random_out",
        "reads",
        "symbolic_in",
        "symbolic_out",
    )

    def __init__(self) -> None:
        self.ins: set[int] = set()
        self.outs: set[int] = set()
        self.random_in = False
        self.random_out = False
        self.symbolic_in: set[object] = set()
        self.symbolic_out: set[object] = set()
        self.computed: set[object] = set()
        """What is symbolic in `inputs=`, and an operand of the trace as arrays are."""
        self.reads: list[tuple[Symbolic, events.Read]] = []
        """Reads of what somebody gives and `inputs=` captures, by other names than that of the container."""
        self.leaves_out: set[int] = set()
        """The arrays that lie where `outputs=` leads to."""
        self.parted = False
        self.originals: dict[Location, Value] = {}
        """What lay where there is a placeholder while the body runs."""


class Scalars:
    """The numbers, flags and strings that a trace uses."""

    __slots__ = ("counts", "fed", "last_use", "literals", "outputs", "uses")

    def __init__(self) -> None:
        self.uses: dict[Location, dict[Where, tuple[Where, tuple[Where, ...]]]] = {}
        """Where it uses them, and where it came to them before that, by which calls."""
        self.last_use: dict[Location, tuple[Location, Where]] = {}
        """Where it used last what lies at a location, or a part of that."""
        self.counts: dict[Location, Where] = {}
        """Where it changes them."""
        self.fed: set[tuple[Location, Where]] = set()
        """Uses of which the result is written again."""
        self.literals: set[Place] = set()
        """Targets to which a constant is assigned, which nothing feeds."""
        self.outputs: list[Where] = []
        """What prints or logs."""

    def counted(self) -> dict[Location, tuple[Where, tuple[Where, ...], Where]]:
        """The numbers that a trace changes and uses besides, as a whole or by what it decides by them: where it uses them, by which calls, where it
        changes them."""
        found = {}
        for location, places in self.uses.items() if self.counts else ():
            written = self.counts.get(whole(location))
            uses = [came for at, came in places.items() if (location, at) not in self.fed and not self._is_output(at)]
            if uses and written is not None:
                found[location] = (*uses[0], written)
        return found

    def drop_output_reads(self, reads: Mapping[Location, Seen]) -> None:
        """Those with which a trace does nothing but print or log them have not been used. Others were read where it used them first."""
        for location, uses in self.uses.items() if self.outputs else ():
            seen = reads.get(location)
            used = [came for at, came in uses.items() if not self._is_output(at)]
            if seen is None or len(used) == len(uses) or all(seen.where != at for at, _ in uses.values()):
                continue
            if not used:
                seen.used = False
            elif all(seen.where != at for at, _ in used):
                seen.where, seen.calls = used[0]

    def _is_output(self, at: Where) -> bool:
        """Whether what is read at a place is part of what is printed or logged there: later calls do not, so it is no old value that they tell."""
        spans = (outputs.span for outputs in self.outputs)
        return any(span.filename == at.span.filename and span.start <= at.span.start and at.span.end <= span.end for span in spans)


class BoundItems:
    """Names to which loops of a trace bind the items or entries of a container."""

    __slots__ = ("tested", "unread")

    def __init__(self) -> None:
        self.unread: dict[Location, tuple[int, Field, Value | None, Place]] = {}
        """By the name: the dict, the entry, its value, and what the loop goes over."""
        self.tested: list[tuple[int, Field, Place]] | None = None
        """Of such values, those of which `isinstance` is asked whether they are of a class."""


class Gradients:
    """The differentiations of a trace. A shapeless one asks which operations they go back through."""

    __slots__ = ("brought", "pulled", "pulling", "taken", "used")

    def __init__(self) -> None:
        self.taken = False
        """Whether it differentiates: a gradient, which is computed from all that the function reads, is taken for the argument."""
        self.pulling: list[int] = []
        """The differentiations that run, by their numbers."""
        self.pulled: dict[int, tuple[events.Event, frozenset[int]]] = {}
        """What is to be noted of operations if a gradient goes back through them, and the differentiations that may bring one."""
        self.brought: dict[int, dict[events.Event, None]] = {}
        """What is to be noted of the operations that gradients go back through, by the gradient."""
        self.used: set[int] = set()
        """Those gradients that something in the trace computes with."""


class Broadcasts:
    """The broadcasts of a shapeless trace that fusing leaves out, and what is computed from them, by array."""

    __slots__ = ("fused", "said", "stretched")

    def __init__(self) -> None:
        self.stretched: dict[int, Callable[[], None]] = {}
        """What is to be noted if something that is not fused takes the array as it is."""
        self.fused: dict[int, tuple[object, ...]] = {}
        """The shape that it has where it is fused, as far as that is another than its own."""
        self.said: dict[int, Callable[[tuple[str, ...]], None]] = {}
        """What notes that it is too small."""


class Lacking:
    """Where traces that have come to an end have found None or an empty list or dict; None: a way on which Python raises has come to none."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: list[Location | None] = []


class Trace:
    """One run of a body with placeholders, while it runs."""

    def __init__(
        self, number: int, oid: int, i: Interpreter, outer: Trace | None, shapeless: Truth, only_if: Condition | None = None
    ) -> None:
        self.number = number
        self.oid = oid
        self.outer = outer
        place = i.info(oid).place
        assert place is not None
        self.place = place
        self.path = len(i.path)
        self.caller = i.context
        self.depth = len(i.stack)
        self.tries = len(i.tries)
        self.start = len(i.heap.trail)
        self.shapeless = shapeless.outcome is not False
        """Whether it may be one with shapeless=True."""
        self.only_if = only_if
        """What that depends on, if it may be none."""
        self.given = Given()
        self.captures = Captures()
        self.scalars = Scalars()
        self.items = BoundItems()
        self.gradients = Gradients()
        self.broadcasts = Broadcasts()
        self.waiting: dict[int, events.Event] = {}
        """What is to be noted of arrays once they go into the graph: what brings them cannot infer its shape, where it has to."""
        self.reads: dict[Location, Seen] = {}
        self.portions: dict[Location, set[Location]] = {}
        """Of a tuple, the parts that it read."""
        self.inside: dict[Location, Seen] = {}
        """What it read of objects that it made itself: of those that outlive it, it is what it read of what is older."""
        self.by_ident: dict[int, list[Seen]] = {}
        self.array_reads: list[tuple[Seen, events.Read]] = []
        self.written: dict[Location, Place] = {}
        self.defaults: set[int] = set()
        """The objects that it put where it looked for one and found none, as `setdefault` does."""
        self.absent: dict[Location, Place] = {}
        """Where it asked first for what does not lie there."""
        self.asked: dict[Location, Value] = {}
        """What it was told first where it asked what is in containers that it made itself."""
        self.grown: dict[int, Value] = {}
        """Of lists and sets that it made, and that its next run finds and makes longer, what it had made them with."""
        self.kept: list[tuple[Location, events.Write]] = []
        self.changes_python = False
        """Whether it has written something older that is no array of its own."""
        self.operations = 0
        self.surplus = 0
        """How many of these another branch makes in the place of others, or none of them."""
        self.computed: list[Operation] = []
        """What it has computed, one operation after the other, up to `MAX_COMPUTED`; those that nobody sees are not among them."""
        self.is_kept = True
        """Whether that is all that it has computed."""
        self.parts: dict[int, frozenset[int]] = {}
        self.aside: frozenset[Location] = frozenset()
        """Where it has put arrays into `outputs=` that nobody evaluates with its result; kept of those traces as well."""
        self.behind: dict[int, frozenset[int]] = {}
        """What an array is computed from, and with; kept of traces of other threads than that of the program."""
        """Of the arrays that are computed in it, which older ones they are computed from; -1: and from what is not known."""
        self.sources: dict[Place, events.Event] = {}
        self.transforms: list[str] = []
        """The rules of custom functions that the transforms ask for that run in it, "" for those that ask for none."""
        self.loops: list[Place] = []
        self.reached: dict[int, str] = {}
        self.surely_there: set[Location] = set()
        """Entries of dicts that the trace has found under keys that nobody in sight gives: it would have raised without them."""
        self.refused: set[int] = set()
        self.modules = False
        """Whether it is given a module, which is a dict in it."""
        self.leaves: dict[int, tuple[str, events.Where | None, int | None]] = {}
        self.seeded = False
        self.handing = False
        """Whether what it hands to something out of sight is called."""
        self.doubts: dict[tuple[Place, str], None] = {}
        """What could not be followed and decided something in it: where, and why."""
        self.doubtful: tuple[Place | None, Value | None] | None = None
        """Where an exception was raised last that only the analysis may raise and that nothing in it handles, and its class. What goes on is another path."""

    @property
    def full(self) -> bool:
        """Whether nothing imprecise decided anything in it."""
        return not self.doubts

    @property
    def fewest(self) -> int:
        """How many operations it has at least, whichever way it took through the branches."""
        return self.operations - self.surplus

    @fewest.setter
    def fewest(self, count: int) -> None:
        self.surplus = self.operations - count

    def left_by(self, i: Interpreter, raised: Place | None) -> None:
        """An exception leaves the trace that was raised at a place: no handler in it catches that."""
        if raised is not None:
            note(i, Uncaught(self.number, where(raised)))
        if self.captures.ins:
            i.heap.set(self.oid, BROKEN, TRUE)

    def adds(self, operations: int, fewest: int) -> None:
        """So many operations become part of the graph, of which so many surely do."""
        self.operations += operations
        self.surplus += operations - fewest

    def before(self, i: Interpreter, oid: int, field: object, present: Value | None) -> Value | None:
        """What a location held when the trace began; None if it was not there."""
        for (other, name), value in i.heap.trail[self.start :]:
            if other == oid and name == field:
                return value
        return present

    def agrees(self, i: Interpreter, other: Trace) -> bool:
        """Whether this trace, which has ended, is what another that begins would be: of the same arrays, where it says which array something is."""
        reads = (part for seen in self.reads.values() for part in each_part(seen.value))
        return self.given.arrays == other.given.arrays or not any(isinstance(part, Array) and not self.holds(part.trace) for part in reads)

    def end(self, given: Mapping[int, int]) -> None:
        """What is said of arguments by their numbers is said by their positions, which are the same at each call. `given`: the numbers by position."""
        self.given.changes = {at: self.given.mutated[number] for at, number in given.items() if number in self.given.mutated}
        for seen in self.reads.values():
            seen.late = frozenset(at for at in self.given.changes if given[at] in seen.late)

    def computes_with(self, i: Interpreter, idents: Iterable[int]) -> None:
        """The content of arrays becomes part of this trace."""
        recording = i.heap.recording
        for ident in idents:
            if ident in self.gradients.brought:
                self.gradients.used.add(ident)
            if recording is not None and ident not in recording.fresh:
                recording.content.add(ident)
            for seen in self.by_ident.get(ident, ()):
                seen.used = True
                seen.late |= self.given.mutated.keys()

    def asks(self, ident: int, what: Iterable[str]) -> None:
        """The shape, rank or dtype of an array becomes part of this trace."""
        for seen in self.by_ident.get(ident, ()):
            seen.asked |= {*what}

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


def under(i: Interpreter, trace: Trace) -> frozenset[Literal_]:
    """The literals of the path since a trace began."""
    return frozenset(condition.literal for condition in i.path[trace.path :] if condition.literal is not None)


def _content(i: Interpreter, operand: Value) -> Value:
    """What is in a list; anything else is what it is."""
    return (i.heap.get(operand.oid, ITEMS) or operand) if isinstance(operand, Ref) and i.info(operand.oid).kind == "list" else operand
