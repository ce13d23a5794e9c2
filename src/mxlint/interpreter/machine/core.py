"""The machine that all transfer functions share: heap, path condition, joins, budgets, and the list of what was imprecise.

Control flow is by deltas (mxlint.domain.heap). A transfer function returns normally if the state goes on, and raises `Halt` if no state does:
whatever left (a return, break, continue or raise) has handed its delta to the place where it arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mxlint.deep import is_deep
from mxlint.domain import ordering
from mxlint.domain.arrays import Array
from mxlint.domain.exclusion import RuledOut, is_excluded, refuted, ruled_out
from mxlint.domain.guards import EARLIER, JOINED, MAX_GUARD, TOGETHER, Cause, Guard, Identity, Literal_, narrowed, opposite
from mxlint.domain.heap import Delta, Heap, Info, Location
from mxlint.domain.join import of
from mxlint.domain.members import Kind, Member, Option, Range, Ref, Slice, Symbolic, Union, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.facts.events import Way
from mxlint.interpreter.imports.unloaded import Unloaded
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.costs import Costs
from mxlint.interpreter.machine.frames import Context, Frame
from mxlint.interpreter.machine.framework import Framework
from mxlint.interpreter.machine.ledger import Ledger
from mxlint.interpreter.machine.modes import Modes
from mxlint.interpreter.machine.observer import Observer
from mxlint.interpreter.machine.paths import TEST, WAYS, Condition, Path, Truth, guard_of, learned
from mxlint.interpreter.machine.targets import Catches, Departure, Departures, Recovery, Target
from mxlint.syntax import ir
from mxlint.syntax.index import TRACERS

if TYPE_CHECKING:
    from mxlint.interpreter.calls.activations import Start
    from mxlint.interpreter.compiled.traces import Trace
    from mxlint.interpreter.loops.fixpoint import Invariants
    from mxlint.interpreter.machine.journal import Journal
    from mxlint.interpreter.machine.operations import Operations
    from mxlint.models.mlx.table import Table
    from mxlint.project import Project
    from mxlint.source import Source

MAX_STEPS: Final = 20_000
"""Expressions, other than constants, and statements that one entry may take: about two seconds."""
MAX_STEPS_OF_FILE: Final = 80_000
"""Those that all entries of a file may take together."""
LEFT_BY_IMPORTS: Final = 10
"""Which part of the steps of an entry is left to the file itself, whatever the modules take that it imports."""
CALLERS_SHARE: Final = 5
"""How many times fewer a file has in which nothing is compiled: what its entries call has entries of its own, in the file where it lies."""
MAX_DERIVED: Final = 24
"""Parts of the name of what an operation makes of symbolic values; beyond, it is a thing of its own, named by its place."""
JOINED_IN_A_STEP: Final = 8
"""Values that are joined, where the states of branches differ, in the time that a step takes."""
MAX_PATHS: Final = 256
"""Paths of which it is kept what they rule out."""
MAX_CALLS: Final = 48
"""Depth of calls that are followed."""
_CAUSES: Final[tuple[Cause, ...]] = ("imprecise", "open", "varying")
"""Which of several counts, first to last."""
OWN: Final = "raised by the analysis"
"""The payload of an exception that no statement in sight raises: it is as uncertain as what the analysis knows of the operation that raises it."""


class Halt(Exception):
    """No state goes on from here."""


class OutOfSteps(Exception):
    """The entry has used up its steps."""


class Checkpoint:
    """How much had arrived at each target, how many imprecisions were listed, and how much the journal held, at a moment."""

    __slots__ = ("departures", "imprecisions", "noted", "recorded", "recording", "targets")

    def __init__(self, i: Interpreter) -> None:
        self.targets = [(target, target.reached()) for target in i.targets]
        self.departures = [(departures, departures.reached()) for departures in i.departures]
        self.imprecisions = len(i.imprecisions)
        self.noted: tuple[int, ...] = i.journal.mark() if i.journal is not None else ()
        self.recording = i.heap.recording
        self.recorded = self.recording.noted() if self.recording is not None else ()


class Again:
    """A fact that is to be found again: how, and where it was found."""

    __slots__ = ("context", "find", "path", "stack")

    def __init__(self, find: Callable[[], object], path: Path, context: Context, stack: tuple[Frame, ...]) -> None:
        self.find = find
        self.path = path
        self.context = context
        self.stack = stack


class Imprecision:
    """Something that could not be followed: where, and what."""

    __slots__ = ("place", "reason")

    def __init__(self, place: Place | None, reason: str) -> None:
        self.place = place
        self.reason = reason


class Interpreter:
    """One run over a program. Transfer functions are in `operations`; what they share is here."""

    def __init__(self, operations: Operations, project: Project, observer: Observer | None = None) -> None:
        self.operations = operations
        self.project = project
        self.observer = observer
        self.heap = Heap()
        self.info: Callable[[int], Info] = self.heap.infos.__getitem__
        """What never changes about an object, by its number."""
        self.path: Path = ()
        self._ruled_out: dict[int, tuple[Path, RuledOut]] = {}
        """What some paths rule out, by the identities of these, which are kept."""
        self._said: dict[Guard, RuledOut] = {}
        """The same by their literals: of one path there are many copies."""
        self.context = Context(None, "entry")
        self.silent = 0
        self.unrolled = 1
        self.most = MAX_STEPS
        """Steps that one entry may take."""
        self.left = MAX_STEPS_OF_FILE
        """Steps that are left to the entries of the file, but for the present one."""
        self.steps = self.most
        self.tries: list[Target] = []
        self.try_depths: list[int] = []
        self.targets: list[Target] = []
        self.departures: list[Departures] = []
        """Of the loops that are to be done again from what they do now, the outermost first."""
        self.recovery: Recovery | None = None
        self.stack: list[Frame] = []
        self.starts: list[Start] = []
        self.generators: list[int] = []
        """Generators, in the order in which they were made."""
        self.traced: set[Location] = set()
        """Locations that traces have read."""
        self.limit = 0
        self.splits = 0
        self.chosen = 0
        """How long the path was before the last call began: behind it stands which of several callees is called."""
        self.modules: dict[str, int] = {}
        self.main: Source | None = None
        self.causes: dict[Identity, tuple[Cause, Place | None]] = {}
        self.made_in: dict[int, Context] = {}
        """In which context objects are made."""
        self.sources: dict[Identity, str] = {}
        """Why symbolic values are open, for those that nothing else is known of."""
        self.comes_from: dict[Identity, tuple[Member, ...]] = {}
        """What symbolic values are made of whose identity does not say it."""
        self.tests: dict[Identity, tuple[Place, bool]] = {}
        """Where conditions were tested first, and the outcome that they had where that test was passed."""
        self.choices: set[Identity] = set()
        self.grounds: dict[Identity, set[object]] = {}
        """What a condition rests on that only its place names."""
        self.imprecisions: list[Imprecision] = []
        self.place: Place | None = None
        self.trace: Trace | None = None
        self.apportions = False
        """Whether any trace came to a tuple that it may read part by part."""
        self.approximations: dict[object, Any] = {}
        self.invariants: Invariants | None = None
        """Of the loop that runs: what the loops in it start from."""
        self.modes = Modes()
        self.ledger = Ledger()
        self.mlx = Framework()
        self.table: Table
        """What was measured of MLX; not there without MLX."""
        self.journal: Journal | None = None
        self.wrappers: frozenset[str] = frozenset()
        self.tracers: tuple[str, ...] = TRACERS
        """The dotted names of what traces a function: those of MLX, and the wrappers of the program."""

    # -- shorthand for the operations ----------------------------------------------------------------------------------

    def release(self) -> None:
        """Let go of all that is known, at the end: the parts refer to each other, and would stay until the collector looks for cycles."""
        self.context.forget()
        vars(self).clear()

    def eval(self, node: ir.Expr, frame: Frame) -> Value:
        """Evaluate an expression, of whose value everything is used."""
        value = self.part(node, frame)
        return self.operations.used(self, value, frame, node) if self.apportions else value

    def part(self, node: ir.Expr, frame: Frame) -> Value:
        """Evaluate an expression of which a part may be used, if its value is a tuple."""
        if type(node) is not ir.Const:
            self.steps -= 1
            if self.steps < self.limit:
                if self.steps < 0:
                    raise OutOfSteps
                self.operations.costly(self)
        value = self.operations.evaluate(self, node, frame)
        if self.observer is not None and type(node) is not ir.Kept:
            self.observer.value(frame, node, value)
        return value

    def execute(self, body: Sequence[ir.Stmt], frame: Frame) -> None:
        """Run statements."""
        self.operations.execute(self, body, frame)

    def call(self, function: Value, args: Arguments, place: Place, frame: Frame) -> Value:
        """Call a value. All of what it returns is used."""
        value = self.operations.call(self, function, args, place, frame)
        return self.operations.used(self, value, frame) if self.apportions else value

    def attribute(self, owner: Value, name: str, place: Place, frame: Frame) -> Value:
        """`owner.name`, of which everything is used."""
        value = self.operations.attribute(self, owner, name, place, frame)
        return self.operations.used(self, value, frame) if self.apportions else value

    def set_attribute(self, owner: Value, name: str, value: Value, place: Place, frame: Frame) -> None:
        """`owner.name = value`."""
        self.operations.set_attribute(self, owner, name, value, place, frame)

    def iterate(self, value: Value, consume: Callable[[Value], Value | None], place: Place, frame: Frame) -> None:
        """Hand each element of an iterable to `consume`, as a loop does."""
        self.operations.iterate(self, value, consume, place, frame)

    def truth(self, value: Value, place: Place, frame: Frame) -> Truth:
        """The truth of a value."""
        return self.operations.truth(self, value, place, frame)

    # -- objects -------------------------------------------------------------------------------------------------------

    def allocate(self, kind: str, payload: object, place: Place, tag: object = None, label: str = "") -> int:
        """A new object, made at `place` in this context. `tag` distinguishes several objects made at one place."""
        trace = self.trace.number if self.trace is not None else 0
        info = Info(kind, payload, place, trace, label=label)
        oid = self.heap.at_site((place, self.context, kind, tag), info)
        self.made_in[oid] = self.context
        return oid

    def ident(self, place: Place, tag: object = None) -> int:
        """The identity of a new array."""
        oid = self.heap.ident((place, self.context, "array", tag))
        self.heap.infos[oid].payload, self.heap.infos[oid].place = self.context, place
        if self.trace is not None:
            self.heap.infos[oid].trace = self.trace.number
        return oid

    def symbolic(
        self, place: Place, what: str, label: str = "", kinds: frozenset[str] | None = None, source: str = "", presumed: str = ""
    ) -> Symbolic:
        """Something particular that nobody in sight gives."""
        identity: Identity = (what, place, self.context)
        self.causes.setdefault(identity, ("open", place))
        if source:
            self.sources[identity] = source
        return Symbolic(identity, kinds, label, presumed, source)

    def derived(
        self, operation: str, parts: Sequence[Member], kinds: frozenset[str] | None, place: Place, label: str = "", most: int = MAX_DERIVED
    ) -> Symbolic:
        """What an operation makes of symbolic values: the same operation on the same values gives the same thing. `most`: as in `MAX_DERIVED`."""
        self.operations.derived(self, operation, parts, place)
        identity: Identity = (operation, *(part.identity if isinstance(part, Symbolic) else part for part in parts))
        if any(map(_is_several, parts)):
            identity = (*identity, self.context)  # of another number, as in another round, it is another thing
        if is_larger(identity, most):
            made = self.symbolic(place, operation, label, kinds)
            self.comes_from[made.identity] = tuple(parts)
            return made
        self.causes.setdefault(identity, ("open", place))
        presumed = next((part.presumed for part in parts if isinstance(part, Symbolic) and part.presumed), "")
        argument = any(isinstance(part, Symbolic) and part.source == "argument" for part in parts)
        return Symbolic(identity, kinds, label, presumed, "argument" if argument else "")

    def unknown(self, place: Place | None, reason: str) -> Unknown:
        """Any value at all; the reason is noted."""
        self.imprecise(reason, place)
        return Unknown(reason)

    def imprecise(self, reason: str, place: Place | None = None) -> None:
        """Note something that could not be followed."""
        if not self.silent:
            self.doubting(partial(self.imprecisions.append, Imprecision(place, reason)), (place, reason))
            if self.trace is not None and self.journal is not None:
                at = place or self.trace.place
                self.trace.doubts.setdefault((at, reason))
                self.doubting(partial(self.journal.doubt, at, reason), (at, reason, "noted"))

    def unsure(self, reason: str, place: Place) -> None:
        """Note what may have changed anything there is: no site of the file is full."""
        self.imprecise(reason, place)
        if self.journal is not None:
            self.journal.gap(place, reason)

    def cut(self, reason: str, known: list[tuple[Place, str]] | None = None) -> None:
        """Note where a budget cut an entry short, also in a silent round: nothing takes it back. `known`: takes the place, where somebody knows what may be behind
        it."""
        place = self.place or (Place(self.main, 0, 0) if self.main is not None else None)
        self.imprecisions.append(Imprecision(place, reason))
        if place is not None:
            if self.trace is not None:
                self.trace.doubts.setdefault((place, reason))
            if known is not None:
                known.append((place, reason))
            elif self.journal is not None:
                self.journal.gap(place, reason)

    def finding(self, find: Callable[[], object]) -> None:
        """Note a fact that says where it is, now and, from its place there, whenever what is being recorded is done again."""
        recording, self.heap.recording = self.heap.recording, None
        fact = find()
        self.heap.recording = recording
        if recording is not None:
            recording.again[fact, self.context] = Again(find, self.path, self.context, tuple(self.stack))

    def noting(self, keep: Callable[[], None], fact: object) -> None:
        """Keep a fact, now and whenever what is being recorded is done again. The activations under way have come to something."""
        self.ledger.of(Costs).fruitful.update([id(start.node) for start in self.starts])
        keep()
        if self.heap.recording is not None:
            self.heap.recording.facts[fact] = keep

    def doubting(self, keep: Callable[[], None], doubt: object) -> None:
        """Keep what could not be followed, now and whenever what is being recorded is done again, also in another context."""
        keep()
        if self.heap.recording is not None:
            self.heap.recording.doubts[doubt] = keep

    @contextmanager
    def contained(self, cut: list[tuple[Place, str]] | None = None) -> Iterator[None]:
        """Run an entry. What ends it before its time ends nothing else: no state goes on, its steps are spent, or it nests too deep for any stack. `cut`: as
        in `cut`."""
        path, context, unrolled, splits = self.path, self.context, self.unrolled, self.splits
        recovery, self.recovery = self.recovery, None
        expected = self.modes.expected
        depth, tries, targets = len(self.stack), len(self.tries), len(self.targets)
        self.steps = given = min(self.most, self.left)
        self.limit = 0
        try:
            yield
        except Halt:
            pass
        except OutOfSteps:
            self.cut("budget of steps", cut)
        except RecursionError:
            if not is_deep():
                raise
            self.cut("nesting too deep", cut)
        finally:
            self.left -= given - max(self.steps, 0)
            self.heap.recording = None
            self.path, self.context, self.unrolled, self.splits = path, context, unrolled, splits
            self.trace, self.silent, self.recovery, self.modes.expected = None, 0, recovery, expected
            del self.stack[depth:], self.starts[:], self.tries[tries:], self.try_depths[tries:], self.targets[targets:]

    @contextmanager
    def leaving_steps(self, count: int) -> Iterator[None]:
        """Run a part of an entry that ends where it would take the last so many steps: what comes after it has those."""
        if self.steps <= count:
            yield
            return
        depth, tries, targets = len(self.stack), len(self.tries), len(self.targets)
        self.steps -= count
        try:
            yield
        except OutOfSteps:
            self.cut("budget of steps")
            del self.stack[depth:], self.tries[tries:], self.try_depths[tries:], self.targets[targets:]
        finally:
            self.steps = max(self.steps, 0) + count

    @property
    def spent(self) -> bool:
        """Whether the last entry has used up its steps."""
        return self.steps < 0

    @cached_property
    def unloaded(self) -> Unloaded:
        """What the names of modules lead to that are not loaded."""
        return Unloaded(self.project, self.tracers)

    # -- paths ---------------------------------------------------------------------------------------------------------

    def live(self, value: Value) -> Value:
        """The value without the members whose guard contradicts the path."""
        if type(value) is not Union or not value.conditions:
            return value
        self._ask(value.conditions)
        if not self.path:
            return value
        excluded, known, held, exclusions, ordered = self.ruled_out(self.path)
        kept = [
            option
            for option in value.options
            if not option.guard
            or excluded.isdisjoint(option.guard)
            and not (known and any(literal.outcome and refuted(literal.condition, known) for literal in option.guard))
            and not is_excluded(option.guard, held, exclusions)
            and not (ordered and any(ordering.outcome(literal.condition, ordered) is (not literal.outcome) for literal in option.guard))
        ]
        if len(kept) == len(value.options) or not kept:
            return value
        return of(kept)

    def live_under(self, guard: Guard, value: Value) -> Value:
        """The value without the members whose guard contradicts the path, or another guard under which something else is what it is."""
        if not guard or type(value) is not Union or self.place is None:
            return self.live(value)
        path, place = self.path, self.place
        self.path = (*path, *(Condition(None, place, literal) for literal in guard))
        try:
            return self.live(value)
        finally:
            self.path = path

    def ruled_out(self, path: Path) -> RuledOut:
        """What a path rules out; kept for the paths that branches come back to."""
        known = self._ruled_out.get(id(path))
        if known is None:
            literals = tuple([condition.literal for condition in path if condition.literal is not None])
            found = self._said.get(literals)
            if len(self._ruled_out) >= MAX_PATHS:
                self._ruled_out.clear()
                self._said.clear()
            if found is None:
                found = self._said[literals] = ruled_out(literals)
            known = self._ruled_out[id(path)] = path, found
        return known[1]

    def outcome(self, literal: Literal_ | None) -> bool | None:
        """What the path already says of a condition."""
        if literal is not None:
            self._ask((literal.condition,))
            for condition in self.path:
                if condition.literal is not None and condition.literal.condition == literal.condition:
                    return condition.literal.outcome is literal.outcome
            excluded = self.ruled_out(self.path)
            if literal in excluded.held:
                return True
            if literal in excluded.opposites:
                return False
            if literal.condition[0] == JOINED and (decided := narrowed(literal, excluded.held)) is not None:
                return decided
            if refuted(literal.condition, excluded.known):
                return not literal.outcome
            by_order = ordering.outcome(literal.condition, excluded.ordered) if excluded.ordered else None
            if by_order is not None:
                return literal.outcome is by_order
            if excluded.exclusions:
                for outcome in (True, False):
                    if is_excluded((Literal_(literal.condition, outcome),), excluded.held, excluded.exclusions):
                        return literal.outcome is not outcome
        return None

    def _ask(self, conditions: Iterable[Identity]) -> None:
        """What runs depends on what the path says of some conditions."""
        if self.heap.recording is not None:
            self.heap.recording.asked.update(conditions)

    def why(self, condition: Identity) -> tuple[Cause, Place | None]:
        """Why a condition is not decided, and where it is tested."""
        while condition[0] == EARLIER and isinstance(condition[1], tuple):
            condition = condition[1]
        if condition[0] == TOGETHER:  # that some of several tests came out otherwise: it depends on each
            tests: Iterable[Any] = condition[1:]
            return min((self.why(test) for test, _ in tests), key=_order)
        cause, place = self.causes.get(condition, ("open", None))
        return cause, self.tests[condition][0] if condition in self.tests else place

    def way(self, literal: Literal_) -> tuple[Way, bool | None]:
        """What it is that a condition leaves open, and the outcome that is meant; None where it has no two outcomes."""
        condition = literal.condition
        while condition[0] == EARLIER and isinstance(condition[1], tuple):
            condition = condition[1]
        if condition[0] == TOGETHER:
            return "outcome", None
        first = condition[0][0] if isinstance(condition[0], tuple) and condition[0] else condition[0]
        if first in WAYS:
            return WAYS[first], literal.outcome
        if condition in self.choices:
            return "value", None
        if condition in self.tests:
            return "test", literal.outcome is self.tests[condition][1]
        return ("test", literal.outcome) if first == TEST else ("outcome", None)

    def undecided(
        self, cause: Cause, place: Place, outcome: bool | None = None, tag: object = TEST, grounds: Collection[object] = ()
    ) -> Condition:
        """A condition that no value in sight stands for: the same one each time that this place is passed in this context. `grounds`: what it rests on."""
        identity: Identity = (tag, place, self.context)
        self.causes.setdefault(identity, (cause, place))
        if grounds:
            self.grounds.setdefault(identity, set()).update(grounds)
        return Condition(cause, place, Literal_(identity, outcome is not False), outcome)

    def fork(self, alternatives: Sequence[tuple[Path, Callable[[], Value]]]) -> Value:
        """Run alternatives, each under some conditions, one after another from the present state and go on with their join. `Halt` if none
        goes on."""
        mark, path = self.heap.mark(), self.path
        done: list[tuple[Delta, Guard, Value, Path]] = []
        over: list[Path] = []
        decided = False
        trace = self.trace
        before, least = trace.fewest if trace is not None else 0, None
        for conditions, run in alternatives:
            self.path = (*path, *conditions)
            if trace is not None:
                trace.fewest = before
            try:
                value = run()
            except Halt:
                self.heap.undo(mark)
                over.append(conditions)
            else:
                guard = tuple([condition.literal for condition in conditions if condition.literal is not None])
                done.append((self.heap.cut(mark), guard, value, self.path))
                decided = decided or len(self.path) > len(path) + len(conditions)
                if trace is not None:
                    least = trace.fewest if least is None else min(least, trace.fewest)
            finally:
                self.path = path
        if not done:
            raise Halt
        if trace is not None and least is not None:
            trace.fewest = least
        self.join_states([(delta, guard) for delta, guard, _, _ in done])
        if len(done) == 1:
            self.path = done[0][3]
            return done[0][2]
        if over or decided:
            self.path = (*path, *learned(path, [(guard, came) for _, guard, _, came in done], over))
        return guarded([(value, guard) for _, guard, value, _ in done])

    def join_states(self, states: Sequence[tuple[Delta, Guard]]) -> None:
        """Go on with the join of states, relative to the present one. It is work as evaluating is, and counts among the steps."""
        before = self.heap.joined
        self.heap.apply(self.heap.merged(states))
        self.steps -= (self.heap.joined - before) // JOINED_IN_A_STEP

    def choose(self, truth: Truth, place: Place, then: Callable[[], Value], otherwise: Callable[[], Value]) -> Value:
        """Run one side of a condition, or both."""
        outcome = truth.outcome
        if outcome is None:
            outcome = self.outcome(truth.literal)
        self._pass((outcome,) if outcome is not None else (True, False), place)
        if outcome is not None:
            return then() if outcome else otherwise()
        literal = truth.literal
        if literal is not None:
            self.tests.setdefault(literal.condition, (place, literal.outcome))
        elif truth.cause in ("open", "imprecise"):
            literal = self.undecided(truth.cause, place).literal
            assert literal is not None
            self.grounds.setdefault(literal.condition, set()).update(truth.grounds)
        other = opposite(literal) if literal is not None else None
        return self.fork([
            ((Condition(truth.cause, place, literal, True),), self._knowing(truth, truth.if_true, place, then)),
            ((Condition(truth.cause, place, other, False),), self._knowing(truth, truth.if_false, place, otherwise)),
        ])  # fmt: skip

    def _pass(self, sides: Sequence[bool], place: Place) -> None:
        """Keep which sides of a condition are taken."""
        if self.trace is None and self.heap.recording is not None:
            self.heap.recording.passed.update((place, side) for side in sides)

    def _knowing(self, truth: Truth, literals: Guard, place: Place, run: Callable[[], Value]) -> Callable[[], Value]:
        """Run one side of a condition that has no name, on a path that says what follows from its outcome. That stands before the condition, so that a
        guard drops it first, and is gone behind the join, where nothing says which side was run. Where the condition is one that the program brings about
        both ways, or what follows is imprecise, the side depends on what follows."""
        if not literals:
            return run
        parts: list[Condition] = []
        for literal in literals:
            cause, test = self.why(literal.condition)
            depends = truth.cause == "varying" or truth.cause == "open" and cause == "imprecise"
            parts.append(Condition(cause if depends else None, test if depends and test else place, literal))

        def knowing() -> Value:
            *base, condition = self.path
            held = {earlier.literal for earlier in base}
            self.path = before = (*base, *(part for part in parts if part.literal not in held), condition)
            value = run()
            if self.path[: len(before)] == before:
                self.path = (*base, condition, *self.path[len(before) :])
            return value

        return knowing

    def split(self, value: Value, run: Callable[[Member], Value], *, itself: bool = False) -> Value:
        """Run an operation for each member of a value and join the results. `itself`: it changes what it is given, so which that is matters."""
        value = self.live(value)
        if not isinstance(value, Union):
            return run(value)
        return self.fork([(conditions, _later(run, option.member)) for option, conditions in self.alternatives(value, itself=itself)])

    def each(self, value: Value) -> Iterator[Member]:
        """Each member of a value; what happens to it until the next one is asked for depends on the tests that bound it."""
        value = self.live(value)
        if not isinstance(value, Union):
            yield value
            return
        path = self.path
        for option, conditions in self.alternatives(value):
            self.path = (*path, *conditions)
            try:
                yield option.member
            finally:
                self.path = path

    def alternatives(self, value: Union, *, itself: bool = False) -> list[tuple[Option, Path]]:
        """The members of a union with the conditions under which it is each: the tests that bound it, beside those of the path. What all
        members bring about depends on none of them: that is so if all are placeholders of one trace, and not changed themselves."""
        self._ask(value.conditions)
        held = {condition.literal for condition in self.path}
        irrelevant = not itself and _placeholders(value)
        return [(option, tuple(self._guarding(option.guard, held, irrelevant))) for option in value.options]

    def _guarding(self, guard: Guard, held: Collection[Literal_ | None], irrelevant: bool) -> Iterator[Condition]:
        for literal in guard:
            if literal in held:
                continue
            cause, place = self.why(literal.condition)
            at = place if place is not None else self.place
            if at is not None:
                yield Condition(None if irrelevant else cause, at, literal, self.way(literal)[1])

    # -- leaving -------------------------------------------------------------------------------------------------------

    def leave(self, target: Target, value: Value) -> None:
        """Hand the present state to where it arrives; nothing goes on from here."""
        self.reach(target, value)
        raise Halt

    def reach(self, target: Target, value: Value, *, thrown: bool = False) -> None:
        """Hand the present state to where it arrives as well; it goes on from here, too. `thrown`: the value is an exception that is raised."""
        target.arrived.append((self.heap.changes(target.mark), value, self.path))
        if self.trace is not None:
            target.fewest = min(self.trace.fewest, target.fewest if target.fewest is not None else self.trace.fewest)
        for departures in self.departures:
            departures.note(self.heap, self.targets, target, Departure(value, self.path, thrown))

    @contextmanager
    def leaving(self) -> Iterator[Target]:
        """Run what hands its states to the target that it is given. After it the state is that before it: `arrive` goes on from those."""
        target, path = Target(self.heap.mark()), self.path
        self.targets.append(target)
        try:
            yield target
        except Halt:
            pass
        finally:
            self.targets.remove(target)
        self.heap.undo(target.mark)
        self.path = path

    def arrive(self, target: Target) -> Value:
        """Go on, from the state at the target's mark, with the join of all states that arrived there. `Halt` if none did."""
        if not target.arrived:
            raise Halt
        if self.trace is not None and target.fewest is not None:
            self.trace.fewest = target.fewest
        self.join_states([(delta, guard_of(path, self.path)) for delta, _, path in target.arrived])
        if len(target.arrived) == 1:
            return target.arrived[0][1]
        return guarded([(value, guard_of(path, self.path)) for _, value, path in target.arrived])

    def throw(self, exception: Value) -> None:
        """Raise: the state goes to the innermost handler, or nowhere."""
        if self.observer is not None:
            depth = self.try_depths[-1] if self.tries else 0
            for frame in self.stack[depth:]:
                if frame.node is not None:
                    self.observer.left(frame, frame.node, exception)  # type: ignore[arg-type]
        recording = self.heap.recording
        recovery = self.recovery if self.recovery is not None and len(self.tries) <= self.recovery.tries else None
        doubtful = isinstance(exception, Ref) and self.heap.infos[exception.oid].payload is OWN
        recovered = recovery is not None and (doubtful or recovery.session)
        if isinstance(exception, Ref) and self.trace is not None and len(self.tries) <= self.trace.tries:
            place, cls = self.heap.infos[exception.oid].place, self.heap.get(exception.oid, ("#", "class"))
            self.trace.left_by(self, place)
            if doubtful and not self._is_expected(place, cls):
                self.trace.doubtful = place, cls
        while recording is not None and recording.tries >= len(self.tries):
            recording.thrown = True
            if self.tries and recording.mark is not None and not recovered:
                recording.leaving.append((self.heap.changes(recording.mark), exception, self.path[recording.path :]))
            recording = recording.outer
        if recovery is not None and recovered:
            self.leave(recovery.target, exception)
        if self.tries:
            self.reach(self.tries[-1], exception, thrown=True)
        raise Halt

    def _is_expected(self, place: Place | None, cls: Value | None) -> bool:
        """Whether a handler around the running trace is there for an exception of a class, and it is said that this is raised."""
        error = getattr(cls, "name", None)
        expected = error is not None and place is not None and bool(self.tries) and self.tries[-1].expects(error)
        return expected and self.operations.fails(self, place, error, self.stack[-1])  # type: ignore[arg-type]

    def may_raise(self, *classes: str, of: Iterable[object] = ()) -> None:
        """The operation under way may raise: an exception of one of some classes of libraries, of any class if none is named. `of`: what decides whether it
        does, where that is known."""
        if self.heap.recording is not None:
            self.heap.recording.raises.update(classes or (None,))
        if self.tries:
            self.tries[-1].grounds.update(of)
            for error in classes or (None,):
                self.may_reach(self.tries[-1], error)

    def may_reach(self, handler: Target, error: str | None) -> None:
        """An exception of a class may lead from the present state to a handler."""
        handler.may_arrive(self.heap, error)
        for departures in self.departures:
            departures.note_possible(self.heap, handler, error)

    def hand_on(self, mark: int, possible: Sequence[tuple[Delta, str | None]], of: Iterable[object] = ()) -> None:
        """Hand states from which an exception may have come, and that no handler surely catches, to the handlers outside. `of`: what decides whether it comes."""
        if not self.tries:
            return
        for delta, name in possible:
            self.heap.apply(delta)
            self.may_raise(*(() if name is None else (name,)), of=of)
            self.heap.undo(mark)

    def checkpoint(self) -> Checkpoint:
        """How much has arrived at the targets around, and been noted, so far."""
        return Checkpoint(self)

    def forget(self, checkpoint: Checkpoint) -> None:
        """Forget what arrived and was noted since: by a round of a loop that was run from a state that is not the final one."""
        for target, reached in checkpoint.targets:
            target.forget(reached)
        for departures, kept in checkpoint.departures:
            departures.forget(kept)
        del self.imprecisions[checkpoint.imprecisions :]
        if self.journal is not None:
            self.journal.take_back(checkpoint.noted)
        if checkpoint.recording is not None:
            checkpoint.recording.forget(checkpoint.recorded)

    def enter_try(self, target: Target) -> None:
        """What is raised from now on arrives at `target`."""
        self.tries.append(target)
        self.try_depths.append(len(self.stack))

    def leave_try(self) -> None:
        """What is raised from now on arrives where it did before."""
        self.tries.pop()
        self.try_depths.pop()

    @contextmanager
    def trying(self, *, catches: Catches | None = None) -> Iterator[Target]:
        """Run what may raise. The states in which it does arrive at the target that it is given; in those of `possible` it may. `catches`: as of
        a `Target`."""
        target = Target(self.heap.mark(), catches=catches)
        self.targets.append(target)
        self.enter_try(target)
        try:
            yield target
        except Halt:
            pass
        finally:
            self.leave_try()
            self.targets.remove(target)
            target.finish(self.heap)

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """Run without noting facts: a round of a fixpoint iteration."""
        self.silent += 1
        try:
            yield
        finally:
            self.silent -= 1

    @contextmanager
    def unrolling(self, rounds: int) -> Iterator[None]:
        """Run the rounds of a loop one by one; `unrolled` counts the rounds of all loops around together."""
        outer = self.unrolled
        self.unrolled = outer * max(rounds, 1)
        try:
            yield
        finally:
            self.unrolled = outer

    @contextmanager
    def within(self, step: object, *, detached: bool = False) -> Iterator[None]:
        """Run in an inner context; `detached`: in one of its own, whatever is around."""
        outer = around = self.context
        while detached and around.parent is not None:
            around = around.parent
        self.context = around.inner(step)
        try:
            yield
        finally:
            self.context = outer


Handler: TypeAlias = Callable[[Interpreter, Arguments, Place, Frame], Value]
"""What a call of something of a library does."""


def guarded(values: Sequence[tuple[Value, Guard]]) -> Value:
    """The join of values that are reached under different literals."""
    first = values[0][0]
    if all(value is first or value == first for value, _ in values[1:]):
        return first
    found = []
    for value, guard in values:
        for option in value.options if isinstance(value, Union) else (Option(value),):
            more = tuple(literal for literal in guard if literal not in option.guard)
            found.append(Option(option.member, (*option.guard, *more)[-MAX_GUARD:]))
    return of(found)


def _placeholders(value: Union) -> bool:
    """Whether all members are placeholders of one trace."""
    traces = {option.member.trace if isinstance(option.member, Array) else None for option in value.options}
    return len(traces) == 1 and not traces & {None, -1}


def _order(why: tuple[Cause, Place | None]) -> tuple[int, str, int]:
    """Which of several reasons counts, the least: the worst, and of those the first in the text."""
    cause, place = why
    return _CAUSES.index(cause), place.source.name if place is not None else "", place.start if place is not None else -1


def _is_several(member: Member) -> bool:
    """Whether a member stands for one of several numbers, or has such a one in it."""
    if isinstance(member, Slice):
        return any(_is_several(part) for bound in (member.lower, member.upper, member.step) for part in members(bound))
    return isinstance(member, (Range, Kind))


def is_larger(identity: object, most: int) -> bool:
    """Whether a name has more parts than `most`. What has many is not counted to its end: names share parts, and as trees they may be huge."""
    left = [identity]
    for _ in range(most):
        part = left.pop()
        if isinstance(part, tuple):
            left.extend(part)
        if not left:
            return False
    return True


def _later(run: Callable[[Member], Value], member: Member) -> Callable[[], Value]:
    return lambda: run(member)
