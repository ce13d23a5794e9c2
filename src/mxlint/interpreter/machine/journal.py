"""Writes facts: what the interpreter notes while it runs, in the vocabulary of mxlint.facts.

Facts of silent rounds (those of a fixpoint iteration) are not noted. A fact noted twice is one fact.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import combinations, islice, starmap
from typing import Any, Final, NamedTuple

from mxlint.domain.arrays import Array, ShapeOf, join_arrays
from mxlint.domain.exclusion import equation, equations, refuted
from mxlint.domain.guards import Identity, Literal_
from mxlint.domain.join import join
from mxlint.domain.members import (
    UNBOUND,
    Bound,
    Const,
    External,
    Kind,
    Length,
    Measure,
    Member,
    Range,
    Ref,
    Symbolic,
    Tuple,
    Value,
    members,
    options,
    scalar_type,
)
from mxlint.domain.place import Place
from mxlint.domain.size import Size, bounds
from mxlint.domain.varying import loops_of, takes_many, united
from mxlint.facts import events
from mxlint.facts import values as described
from mxlint.facts.events import Condition, Modality, Where
from mxlint.facts.rows import FEW
from mxlint.finding import Span
from mxlint.interpreter.loops.contents import computed_from, read_from
from mxlint.interpreter.loops.novelty import Novelty
from mxlint.interpreter.loops.running import rounds
from mxlint.interpreter.machine import complementary, paths
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.forms import form_of
from mxlint.interpreter.machine.frames import Context, Frame, is_round
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.open_world import defaults, shadows
from mxlint.interpreter.open_world.defaults import Defaults
from mxlint.models.load import bases
from mxlint.models.written import WrittenSource
from mxlint.syntax.inline import in_one_line

NUMBERS_TOO: Final = frozenset(("truth", "convert", "index"))
"""Kinds of events that a number brings about without harm."""


_Facts = tuple[Condition, Condition | None]


class Uncaught(NamedTuple):
    """An exception that was raised at a place leaves a trace."""

    trace: int
    where: Where


class Journal:
    """The facts of a run, as they come."""

    def __init__(self) -> None:
        self.compiled: dict[int, events.Compiled] = {}
        self.escaped: set[int] = set()
        self.carried: set[int] = set()
        """Compiled objects that are stored in what the call that makes them makes as well."""
        self.handed: set[int] = set()
        """Compiled objects that something which is not followed was given: it may keep them alive."""
        self.outlived: set[int] = set()
        """Compiled objects that nothing led to any more when a later one of the same site was called."""
        self.public: set[int] = set()
        self.found_placeholders: set[tuple[int, Where]] = set()
        """Compiled objects, and where traces of them have written placeholders that may be found there."""
        self.relied: dict[tuple[object, Where], events.Note] = {}
        self.returned: set[int] = set()
        self.transforms: dict[int, events.Note] = {}
        self.transforms_run: set[int] = set()
        self.methods: dict[int, set[str]] = {}
        self.records: dict[Any, None] = {}
        self.heard: list[Any] | None = None
        """What is noted now, where somebody wants to know: it may be there already."""
        self.imprecise: dict[tuple[Where, str], None] = {}
        self.gaps: dict[tuple[Place, str], frozenset[Span] | None] = {}
        """What was not followed and may have called, or changed, what is compiled in some places, or anything (None): where a budget has cut an entry short, and
        the like."""
        self.doubts: dict[tuple[int, int], dict[tuple[Place, str], None]] = {}
        """What decided in a trace and could not be followed, by the numbers of compiled object and trace."""
        self.assumed: dict[int, dict[str, described.Value]] = {}
        self.arrays: set[int] = set()
        """Placeholders that are presumed to be arrays, and that some use shows to be so."""
        self.numbers: set[int] = set()
        """Placeholders that are presumed to be arrays, with which an operation would raise, compiled or not."""
        self.entries: set[int] = set()
        """Of these, what lies in dicts that nobody in sight gives: they may be dicts of settings, so a presumption alone is nothing to say."""
        self.results: dict[int, Place] = {}
        """Of these, what methods give that arrays of other libraries have as well, with the call that gave what the method is of. That one is of MLX is a
        presumption where a use shows it, and nothing else."""
        self.taken: set[Place] = set()
        """Calls out of sight that gave what MLX takes, or a compiled function returns."""
        self.presuming: dict[events.Event, int | None] = {}
        """Events that need an array where one is only presumed, with the placeholder that they depend on."""
        self.symbolic_arrays: set[Identity] = set()
        """What nobody in sight gives, and a trace hands to what takes arrays alone."""
        self.no_lists: set[int] = set()
        """Placeholders that are presumed to be arrays, and that some use shows to be no lists of them."""
        self.items: dict[int, str] = {}
        """Of what is presumed to be an array, what an argument is unpacked into: a list of arrays is as likely. With the presumption in words."""
        self.lists_too: set[events.Event] = set()
        """Events that a test of such an item brings about: a list has a truth, whatever is in it."""
        self.iterations: set[events.Event] = set()
        """Events that iterating over such a placeholder brings about, and iterating over a list does not."""
        self.hanging: dict[events.Event | events.Write, complementary.Hanging] = {}
        """The open conditions of events, by the literals that stand for them."""
        self.array_like: set[events.Event] = set()
        """Of these, those that nobody brings about with a number."""
        self.conditions: dict[tuple[int, int | None, int], tuple[paths.Condition, _Facts]] = {}
        """The facts of the conditions of paths, by the condition and what the facts rest on."""
        self.made: dict[Condition, Condition] = {}
        self._settled: tuple[int, ...] = (0, 0, 0)
        """How many of the first records, compiled objects and imprecisions nothing undoes."""

    def note(self, record: Any) -> None:
        """Keep a record."""
        self.records.setdefault(record)
        if self.heard is not None:
            self.heard.append(record)

    def doubt(self, place: Place, reason: str) -> None:
        """Keep something that could not be followed in a trace, or that decided about one."""
        self.imprecise.setdefault((where(place), reason))

    def gap(self, place: Place, reason: str, within: frozenset[Span] | None = None) -> None:
        """Keep what may have called, or changed, what is compiled `within` some places, or anything. Nothing takes that back."""
        self.doubt(place, reason)
        known = self.gaps.get((place, reason), frozenset())
        self.gaps[place, reason] = None if within is None or known is None else known | within

    def _doubts(self) -> Iterator[events.Doubt]:
        """What kept compiled objects from being followed in full."""
        for record in self.records:
            if type(record) is events.Trace and not record.full:
                for place, reason in self.doubts.get((record.object, record.number), ()):
                    yield events.Doubt(record.object, where(place), reason)
            elif type(record) is events.Note and record.kind == events.UNFOLLOWED:
                yield events.Doubt(record.object, record.where, record.what)
        for (place, reason), within in self.gaps.items():
            yield events.Doubt(None, where(place), reason, None if within is None else tuple(sorted(within)))

    @property
    def _tables(self) -> tuple[dict[Any, Any], ...]:
        return self.records, self.compiled, self.imprecise

    def mark(self) -> tuple[int, ...]:
        """How much has been noted that may be undone."""
        return tuple(len(table) - settled for table, settled in zip(self._tables, self._settled))

    def take_back(self, mark: tuple[int, ...]) -> None:
        """Forget what was noted since."""
        for table, length, settled in zip(self._tables, mark, self._settled):
            while len(table) > length + settled:
                table.popitem()

    def settle(self, mark: tuple[int, ...]) -> None:
        """Let nothing undo what was noted since."""
        found: list[int] = []
        for table, length, settled in zip(self._tables, mark, self._settled):
            items = list(table.items())
            start = length + settled
            table.clear()
            table.update([*items[:settled], *items[start:], *items[settled:start]])
            found.append(settled + len(items) - start)
        self._settled = tuple(found)

    def before(self, mark: tuple[int, ...]) -> Iterator[Any]:
        """The records noted until then."""
        return islice(self.records, mark[0] + self._settled[0])

    def since(self, mark: tuple[int, ...]) -> list[Any]:
        """The records noted since."""
        return list(islice(self.records, mark[0] + self._settled[0], None))

    def keep_only(self, mark: tuple[int, ...], wanted: Callable[[object], bool], presumed: str = "") -> None:
        """Forget the records noted since that are not wanted. `presumed`: what the others hold by."""
        kept = [_presumed(record, presumed) if presumed else record for record in self.since(mark) if wanted(record)]
        self.records = dict.fromkeys([*self.before(mark), *kept])

    def forget_sites(self, known: Collection[int], reached: Collection[Span]) -> None:
        """Forget the compiled objects, with their records, that are not `known` and lie at sites that calls in sight have reached before."""
        gone = {number for number, fact in self.compiled.items() if number not in known and fact.site.span in reached}
        records, compiled, imprecise = self._settled
        forgotten = [record for record in self.records if getattr(record, "object", None) in gone]
        self._settled = (
            records - sum(number < records and getattr(record, "object", None) in gone for number, record in enumerate(self.records)),
            compiled - sum(number < compiled and oid in gone for number, oid in enumerate(self.compiled)),
            imprecise,
        )
        for oid in gone:
            del self.compiled[oid]
        for record in forgotten:
            del self.records[record]

    def _at_last(self, fact: events.Compiled) -> events.Compiled:
        """What is known of a compiled object at the end of the run."""
        number = fact.number
        held_as = self.methods.get(number, ())
        assumed = self.assumed.get(number, {})
        parameters = tuple(param.but(value=assumed.get(param.name)) for param in fact.function.parameters)
        layer = fact.layer or fact.caller_layer
        return fact.but(
            escapes=number in self.escaped or number in self.carried,
            carried=number in self.carried and number not in self.escaped,
            outlived=number in self.outlived,
            returned=number in self.returned,
            layer=layer,
            public=number in self.public,
            method_of=fact.method_of if held_as else None,
            replaces=fact.replaces if fact.replaces in held_as else "",
            function=fact.function.but(parameters=parameters),
        )

    def _events(self) -> Iterator[tuple[events.Event, complementary.Hanging]]:
        """The events, with what they depend on. What is presumed to be an array is one if some use shows it; else a number is as likely where it does as well."""
        for record in self.records:
            if type(record) is not events.Event:
                continue
            hangs = self.hanging.get(record, {})
            if record not in self.presuming:
                yield record, hangs
            elif self.presuming[record] in self.numbers or record in self.lists_too and self.presuming[record] not in self.no_lists:
                continue
            elif record in self.iterations and self.presuming[record] not in self.no_lists:
                yield record, hangs
            elif (root := self.presuming[record]) is not None and root in self.results:
                if root in self.arrays or self.results[root] in self.taken:
                    yield record, hangs
            elif self.presuming[record] in self.arrays:
                yield record.but(modality=record.modality.but(presumed=())), hangs
            elif self.presuming[record] in self.entries:
                continue
            elif record.kind not in NUMBERS_TOO or record in self.array_like:
                yield record, hangs

    def _uncaught(self) -> Iterator[tuple[events.Event, complementary.Hanging]]:
        """The events, of which one is swallowed only if what it raises leaves no trace."""
        uncaught: dict[int, list[Span]] = {}
        for record in self.records:
            if type(record) is Uncaught:
                uncaught.setdefault(record.trace, []).append(record.where.span)
        for event, hangs in self._events():
            leaves = event.swallowed and any(span in event.where.span for span in uncaught.get(event.trace, ()))
            yield event.but(swallowed=False) if leaves else event, hangs

    def asserted(self, before: Mapping[tuple[object, Where], events.Note]) -> None:
        """An assertion may hold that has read what traces wrote, since `before`: the program says itself what it takes that to be."""
        for key, record in self.relied.items():
            if before.get(key) is not record:
                self.relied[key] = record.but(what=events.ASSERTED)

    def _is_found(self, record: Any) -> bool:
        """Whether a record says that a placeholder was put right that is found elsewhere."""
        is_one = type(record) is events.Note and record.kind == events.PUT_RIGHT
        return is_one and not self.found_placeholders.isdisjoint((record.object, at) for at in record.also)

    def log(self) -> events.Log:
        """All facts."""

        for record in self.relied.values():
            self.note(record)
        for number, transform in self.transforms.items():
            # The run that made the compiled object may be undone.
            if number in self.transforms_run and transform.object in self.compiled:
                self.note(transform)

        def of(kind: type) -> tuple[Any, ...]:
            return tuple(record for record in self.records if type(record) is kind and not self._is_found(record))

        writes = complementary.joined([(record, self.hanging.get(record, {})) for record in of(events.Write)])

        return events.Log(
            tuple(self._at_last(fact) for fact in self.compiled.values()), of(events.Call), of(events.Trace), tuple(dict.fromkeys(complementary.joined(list(self._uncaught())))), of(events.Read), tuple(dict.fromkeys(writes)), of(events.Stale),
            of(events.Note), of(events.Loop), tuple(self.imprecise), whole=not self.gaps, doubts=tuple(dict.fromkeys(self._doubts())),
        )  # fmt: skip


def _presumed(record: Any, words: str) -> Any:
    """A record that holds by one more presumption."""
    return record.but(modality=record.modality.but(presumed=(*record.modality.presumed, words)))


def journal(i: Interpreter) -> Journal:
    """The journal of a run with MLX."""
    assert i.journal is not None
    return i.journal


def note(i: Interpreter, record: Any) -> None:
    """Keep a fact, unless this round is silent."""
    if not i.silent:
        i.noting(partial(journal(i).note, record), record)


def where(place: Place) -> Where:
    """A place with its text in one line, shortened."""
    text = in_one_line(place.text)
    return Where(place.span, text if len(text) <= 200 else text[:199] + "…")


def wheres(places: Iterable[Place]) -> tuple[Where, ...]:
    return tuple(map(where, places))


# -- contexts ----------------------------------------------------------------------------------------------------------


def _around(i: Interpreter, context: Context) -> Context | None:
    """The context around a context, also around that of the running trace."""
    step = context.step
    if i.trace is None or not isinstance(step, tuple) or step[-2:] != ("trace", i.trace.number):
        return context.parent
    return i.trace.caller


AWAIT: Final = "await"
"""The step of a context in which the body of a coroutine runs, where it is awaited."""


def loops(i: Interpreter) -> tuple[list[tuple[Place, str]], list[tuple[Place, str]]]:
    """The loops around this point: of its own function, and of the calls that lead to it; each with its round, outermost first."""
    own: list[tuple[Place, str]] = []
    outer: list[tuple[Place, str]] = []
    target = own
    if i.heap.recording is not None:
        i.heap.recording.around = True
    step: Context | None = i.context
    while step is not None and step.parent is not None:
        what = step.step
        if isinstance(what, tuple) and (what[0] == "call" or what[-1] == AWAIT):
            target = outer
        elif isinstance(what, tuple) and is_round(what):
            target.append((what[0], str(what[1])))
        step = _around(i, step)
    return own[::-1], outer[::-1]


def recursions(i: Interpreter, compiling: Place | None = None) -> list[tuple[Place, str]]:
    """The calls that lead to a point of host code and in which a function calls itself; where one activation of it comes there, with the calls around. Where
    activations were run one inside the other, how deep.
    `compiling`: where something is compiled there."""
    found: list[tuple[Place, str]] = []
    step: Context | None = i.context if i.trace is None else None
    activations: dict[object, list[Place]] = {}
    while step is not None:
        if isinstance(step.step, tuple) and step.step[0] == "call" and len(step.step) == 3:
            activations.setdefault(step.step[2:], []).append(step.step[1])
        if isinstance(step.step, tuple) and step.step[-1] == "recursion":
            around = () if _comes_again(i, step.step[2], compiling) else ("within", *(str(place.start) for place in _calls_around(step)))
            found.append((step.step[1], " ".join(("recursion", *around))))
        step = step.parent
    # Activations that are run one inside the other: the deeper ones are those that an activation of the function has called.
    deep = [(places[-2], f"recursion at depth {len(places) - 1}") for places in activations.values() if len(places) > 1]
    return [*found[::-1], *deep]


def _calls_around(context: Context) -> Iterator[Place]:
    step = context.parent
    while step is not None:
        if isinstance(step.step, tuple) and step.step[0] == "call" and isinstance(step.step[1], Place):
            yield step.step[1]
        step = step.parent


def _comes_again(i: Interpreter, function: int, compiling: Place | None) -> bool:
    """Whether several activations of a recursive function may come to this point: one that does calls the function as well, or one calls it twice, and what
    is called compiles something there, if that is asked."""
    state = i.approximations.get((id(i.info(function).payload.node), i.trace))  # type: ignore[attr-defined]
    if state is None:
        return True
    inner: list[paths.Path] = state.paths
    if compiling is not None and compiling not in state.again:
        return False
    return any(paths.go_together(i.path, path) for path in inner) or any(starmap(paths.go_together, combinations(inner, 2)))


def in_loop(i: Interpreter) -> bool:
    """Whether any loop is around this point, of its own function or of the calls that lead to it."""
    recording, i.heap.recording = i.heap.recording, None
    found = any(loops(i))
    i.heap.recording = recording
    if recording is not None:
        recording.looped = True
    return found


def call_places(i: Interpreter, start: int = 0) -> list[Place]:
    """The calls between the frame at depth `start` of the stack and here, outermost first."""
    if i.heap.recording is not None:
        i.heap.recording.names_calls(start)
    return [frame.called_at for frame in i.stack[start:] if frame.called_at is not None]


def qualname(frame: Frame) -> str:
    """The qualified name of the function that a frame belongs to, "" at module level; of code that is written for a library, that of its caller."""
    while isinstance(frame.source, WrittenSource) and frame.caller is not None:
        frame = frame.caller
    return frame.qualname.replace(".<locals>", "")


# -- modality ----------------------------------------------------------------------------------------------------------


CONDITION: Final = "a condition that was not followed"


def modality(i: Interpreter, start: int, *, presumed: Iterable[str] = (), of: int | None = None) -> Modality | None:
    """What a fact depends on: the open conditions of the path from position `start`. None if something imprecise decided: it is not said, which keeps the compiled
    object that it is a fact `of` from being followed in full."""
    found: dict[int, Condition] = {}
    if i.heap.recording is not None and not i.silent:
        i.heap.recording.says_from(start)
    left: bool | None = None
    for condition in i.path[start:]:
        if condition.cause == "imprecise":
            imprecise(i, condition.place, CONDITION)
            if of is not None and condition.place is not None:
                note(i, events.Note(events.UNFOLLOWED, where(condition.place), CONDITION, of, Modality()))
            return None
        if condition.cause == "open" and not _is_implied(condition, i.path[start:]):
            open_, by_default = _facts_of(i, condition)
            if by_default is not None:
                left = defaults.left(i) if left is None else left
                if i.heap.recording is not None and not i.silent:
                    i.heap.recording.says_from(0)  # all of the path decides
            fact = open_ if by_default is None or left else by_default
            found[id(fact)] = fact
    return Modality(tuple(found.values()), tuple(dict.fromkeys(presumed)))


def _is_implied(condition: paths.Condition, path: Sequence[paths.Condition]) -> bool:
    """Whether a path says besides that the thing of which a condition says that it is not one constant is another one."""
    literal = condition.literal
    if literal is None or literal.outcome or equation(literal.condition) is None:
        return False
    return refuted(literal.condition, equations(other.literal for other in path if other.literal is not None))


def open_literals(i: Interpreter, start: int, modality: Modality) -> complementary.Hanging:
    """The literals of the path from position `start` that stand for the open conditions of a modality."""
    found: dict[Literal_, Condition] = {}
    open_ = frozenset(modality.conditions)
    for condition in i.path[start:] if open_ else ():
        if condition.cause == "open" and condition.literal is not None:
            told = next((fact for fact in _facts_of(i, condition) if fact in open_), None)
            if told is not None:
                found[condition.literal] = told
    return found


def _facts_of(i: Interpreter, condition: paths.Condition) -> _Facts:
    """An open condition as a fact; and as one that holds by default, if it does. Many facts depend on one condition: each is made once, and equal ones
    are one object."""
    known = journal(i).conditions
    key = (id(condition), i.trace.number if i.trace is not None else None, len(i.ledger.of(Defaults).values))
    found = known.get(key)
    if found is None:
        argument = _of_argument(i, condition.literal)
        way, outcome = i.way(condition.literal) if condition.literal is not None else ("outcome", None)
        if condition.outcome is not None and way in ("value", "outcome"):
            way = "test"  # where the path depends on it, it was tested
        outcome = outcome if condition.outcome is None else condition.outcome
        fact = Condition(where(condition.place), "open", outcome, argument, way=way)
        # What the compiled function is given is decided by each call of it.
        holds = not argument and defaults.holds(i, condition.literal)
        made = journal(i).made
        facts = made.setdefault(fact, fact), made.setdefault(other := fact.but(default=True), other) if holds else None
        found = known[key] = (condition, facts)
    return found[1]


def _of_argument(i: Interpreter, literal: Literal_ | None) -> bool:
    """Whether a condition depends on an argument of the function that is traced."""
    if i.trace is None or literal is None:
        return False
    return any(depends(part, i.trace) for part in (literal.condition, *i.grounds.get(literal.condition, ())))


def depends(part: object, trace: Any) -> bool:
    """Whether something is, or is made of, what the call gives that a trace is of."""
    if isinstance(part, Array):
        return bool(trace.holds(part.trace)) or part.ident in trace.given.names
    if isinstance(part, ShapeOf):
        return bool(part.origin) or part.ident in trace.given.names
    if isinstance(part, Tuple):
        return any(depends(item, trace) for item in part.items or ())
    if isinstance(part, Ref):
        return part in trace.given.copies.values()
    if isinstance(part, Symbolic):
        return part.identity in trace.given.names
    if isinstance(part, (Length, Measure)):
        return bool(part.size.origins if isinstance(part, Length) else part.origins)
    return isinstance(part, tuple) and (part in trace.given.names or any(depends(inner, trace) for inner in part))


def imprecise(i: Interpreter, place: Place | None, reason: str) -> None:
    """Count something that could not be followed and that decided something."""
    if i.trace is not None and not i.silent:
        i.trace.doubts.setdefault((place or i.trace.place, reason))
    if place is not None and not i.silent:
        i.doubting(partial(journal(i).doubt, place, reason), (place, reason, "noted"))


# -- values ------------------------------------------------------------------------------------------------------------

DEPTH: Final = 3
MAX_PARTS: Final = 1_024
"""Parts of a value that are described."""


def describe(
    i: Interpreter, value: Value, older: Context | None = None, *, perhaps: bool = False, beside: Collection[int] = ()
) -> described.Value:
    """A value in the words of the facts; of a large one the less deep parts alone. `older`: a number varies if it is another one in each round of
    a loop of host code around in which this is not made, or if it `perhaps` is. `beside`: arrays whose lengths do not count."""
    return _described(
        i,
        value,
        room(i, value, DEPTH, MAX_PARTS),
        Novelty(i, rounds(i, older), perhaps=perhaps, beside=beside) if older is not None and i.trace is None else None,
    )


def room(i: Interpreter, value: Value, depth: int, most: int) -> int:
    """How deep one can look into the containers of a value without seeing more than so many parts: one that is held twice is seen twice."""
    if not any(isinstance(member, (Tuple, Ref)) for member in members(value)):
        return depth
    counts: dict[tuple[int, int], int] = {}
    return next((left for left in range(depth, 0, -1) if _parts(i, value, left, counts) <= most), 0)


def _parts(i: Interpreter, value: Value, left: int, counts: dict[tuple[int, int], int]) -> int:
    """The parts of a value that are seen so deep. `counts`: of the containers that were looked into."""
    return sum(1 + _parts_inside(i, member, left, counts) for member in members(value))


def _parts_inside(i: Interpreter, member: Member, left: int, counts: dict[tuple[int, int], int]) -> int:
    if not left or not isinstance(member, (Tuple, Ref)):
        return 0
    key = (id(member) if isinstance(member, Tuple) else -member.oid - 1, left)
    if key not in counts:
        counts[key] = sum(_parts(i, part, left - 1, counts) for part in parts_held(i, member))
    return counts[key]


def parts_held(i: Interpreter, member: Tuple | Ref) -> Iterable[Value]:
    """What a container holds."""
    if isinstance(member, Tuple):
        return member.items or ()
    kind = i.mlx.tree(i, member)
    if kind == "list":
        content = i.heap.get(member.oid, ITEMS)
        return content.items or () if isinstance(content, Tuple) else ()
    return [value for _, value in i.heap.entries(member.oid)] if kind == "dict" else ()


def _described(i: Interpreter, value: Value, depth: int, new: Novelty | None) -> described.Value:
    parts = list(members(value))
    if len(parts) > 1:
        types = {scalar_type(part) for part in parts}
        if None not in types:
            name = types.pop() if len(types) == 1 else "number" if types <= {"int", "float", "bool"} else "scalar"
            item, otherwise = _item_or_constant(i, parts)
            return described.ScalarValue(name or "scalar", otherwise, False, _several(parts, new), item)
        arrays = [part for part in parts if isinstance(part, Array)]
        if len(arrays) == len(parts):
            return _array(reduce(join_arrays, arrays))
        numbers = [part for part in parts if scalar_type(part) is not None]
        if arrays and len(arrays) + len(numbers) == len(parts) and not any(option.guard for option in options(value)):
            # Each of the numbers is one more thing for the cache, also if it is an array at times.
            found = [_member(i, part, depth, new) for part in numbers]
            return described.ScalarValue("scalar", None, False, any(isinstance(one, described.ScalarValue) and one.varies for one in found))
        return (_one_form(i, parts, depth, new) if depth else None) or described.UnknownValue("")
    return _member(i, parts[0], depth, new)


def _one_form(i: Interpreter, parts: Sequence[Member], depth: int, new: Novelty | None) -> described.ContainerValue | None:
    """Several containers, as what rounds make of the last one, if all have as many items, or the same keys: what lies at each place of them."""
    forms = [form for part in parts if (form := form_of(i, part)) is not None and form.items is not None]
    rows = [form.items for form in forms if form.items is not None]
    if len(rows) < len(parts) or len({(form.kind, form.keys, len(row)) for form, row in zip(forms, rows)}) > 1:
        return None
    items = tuple(_described(i, join(column), depth - 1, new) for column in zip(*rows))
    return described.ContainerValue(forms[0].kind, items, forms[0].keys)


def _item_or_constant(i: Interpreter, parts: Sequence[Member]) -> tuple[str, float | None]:
    """Of a number that is one of two, as an option or its default: which it is of those that come of something symbolic, and which constant it is otherwise."""
    symbols = [part for part in parts if isinstance(part, Symbolic)]
    constants = [part.value for part in parts if isinstance(part, Const) and isinstance(part.value, (int, float))]
    if len(parts) == 2 and len(symbols) == len(constants) == 1 and (item := computed_from(i, symbols[0])):
        return item, constants[0]
    return "", None


def _each(i: Interpreter, each: Value | None, new: Novelty | None) -> described.ScalarValue | None:
    """A number or text of which a container of unknown length holds others in each round: no round of the loops that fill it counts."""
    parts = [part for part in members(each) if part != UNBOUND] if each is not None and new is not None else []
    if new is None or not parts or any(scalar_type(part) is None for part in parts):
        return None
    found = _described(i, join(parts), 0, new.as_a_whole())
    return found if isinstance(found, described.ScalarValue) and found.varies and found.type != "bool" else None


def _several(parts: Sequence[Member], new: Novelty | None) -> bool:
    """Whether a number that may be one of several is now this and now that."""
    if new is not None and new.balance(parts):
        return False
    if any(_varies(part, new) for part in parts if isinstance(part, (Kind, Symbolic))):
        return True
    lengths = [part for part in parts if isinstance(part, Length)]
    if lengths:
        return new is not None and len(lengths) == len(parts) and new.of_lengths(lengths)
    if any(isinstance(part, Symbolic) for part in parts):
        return False
    changing = [part for part in parts if not isinstance(part, Const)]
    if len(parts) > FEW and new is not None and new.come_again(parts):
        return False
    if changing and all(isinstance(part, Range) or isinstance(part, Kind) and part.cause == "varying" for part in changing):
        return new is None or new.over(united(map(loops_of, changing)))
    return not changing and len(parts) > FEW


def _varies(member: Member, new: Novelty | None) -> bool:
    """Whether a number is now this and now that: in the rounds that are asked about, if any are."""
    if isinstance(member, (Symbolic, Length)):
        return new is not None and (new.of(member) if isinstance(member, Symbolic) else new.of_lengths((member,)))
    return takes_many(member) and (new is None or new.over(loops_of(member)) and not new.come_again((member,)))


def _array(member: Array) -> described.ArrayValue:
    shape: tuple[described.Size, ...] | None = None
    if member.shape is not None:
        shape = tuple(size_fact(size) if isinstance(size, Size) else size if isinstance(size, int) else None for size in member.shape)
    return described.ArrayValue(shape, member.dtype)


def size_fact(size: Any) -> described.Size:
    """The length of an axis in the words of the facts."""
    low, high = bounds(size)
    return int(low) if low == high else repr(size)


def _member(i: Interpreter, member: Member, depth: int, new: Novelty | None) -> described.Value:
    if isinstance(member, Array):
        return _array(member)
    if isinstance(member, Const):
        plain = (
            member.value is None
            or isinstance(member.value, (bool, int, str))
            or isinstance(member.value, float)
            and member.value - member.value == 0
        )
        return described.ScalarValue(type(member.value).__name__.removesuffix("Type"), member.value if plain else None, plain, False)  # type: ignore[arg-type]
    if isinstance(member, Length):
        size = size_fact(member.size)
        return described.ScalarValue("int", size if isinstance(size, int) else None, isinstance(size, int), _varies(member, new))
    if isinstance(member, Range):
        return described.ScalarValue("int", None, False, _varies(member, new))
    if isinstance(member, Kind):
        return described.ScalarValue(member.type, None, False, _varies(member, new))
    if (form := form_of(i, member)) is not None:
        each = _each(i, form.each, new) if depth else None
        # What is older than the rounds gets longer with each key.
        anew = depth and new is not None and isinstance(member, Ref) and new.here(i.made_in.get(member.oid))
        key = _each(i, form.key, new) if anew else None
        if form.items is None or not depth:
            return described.ContainerValue(form.kind, None, (), each, key)
        return described.ContainerValue(form.kind, tuple(_described(i, item, depth - 1, new) for item in form.items), form.keys, each, key)
    if isinstance(member, Ref):
        info = i.info(member.oid)
        if info.kind == "instance":
            cls = i.heap.get(member.oid, ("#", "class"))
            return described.ObjectValue(
                cls.name if isinstance(cls, External) else i.info(cls.oid).label if isinstance(cls, Ref) else "object"
            )
        return described.NamedValue(info.label or info.kind)
    if isinstance(member, External):
        return described.NamedValue(member.name)
    if isinstance(member, Symbolic):
        if member.kinds is not None and len(member.kinds) == 1:
            (name,) = member.kinds
            name = "float" if "builtins.float" in bases(name) else name
            if name in ("int", "float", "bool", "str", "number"):
                item = repr(member.identity) if member.source == "constants" else read_from(i, member) or computed_from(i, member)
                return described.ScalarValue(name, None, False, _varies(member, new), item)
        put = shadows.items(i, member) if depth else []
        if put:
            values = tuple(_described(i, value, depth - 1, new) for _, value in put)
            return described.ContainerValue("dict", values, tuple(str(key.value) for key, _ in put))
        return described.UnknownValue(member.label)
    if isinstance(member, Bound):
        return _member(i, members(member.function)[0], depth, new)
    return described.UnknownValue("")
