"""Loops whose rounds are not run one by one: the first round, and a fixpoint with widening of the others.

A loop in such a loop starts from the invariant that it had in the last round of the outer one.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from mxlint.domain.exclusion import equation
from mxlint.domain.guards import Identity, Literal_
from mxlint.domain.heap import ALIVE, Delta, Heap, Recording, passed, widened
from mxlint.domain.members import NONE, TRUE, Unknown
from mxlint.domain.place import Place
from mxlint.interpreter.calls import summaries
from mxlint.interpreter.compiled.rebinding import stores_compiled
from mxlint.interpreter.loops import remembered, trials
from mxlint.interpreter.loops.carried import carried
from mxlint.interpreter.loops.ends import Ends
from mxlint.interpreter.loops.folding import fold
from mxlint.interpreter.loops.stretching import may_rest
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.frames import Rounds
from mxlint.interpreter.machine.locations import NEW
from mxlint.interpreter.machine.paths import CLIENT, MORE, ROUNDS, Condition, Path
from mxlint.interpreter.machine.targets import Target
from mxlint.interpreter.machine.tested import Tested

MAX_ROUNDS: Final = 12
"""Rounds after which what is not stable is given up: that is a defect of widening."""


def repeat(
    i: Interpreter,
    place: Place,
    step: Callable[[], object],
    *,
    certain: bool,
    ends: bool = True,
    peeled: bool = False,
    several: bool = False,
    apart: tuple[Callable[[], object], Callable[[], object]] | None = None,
    turns: trials.Turns | None = None,
) -> None:
    """Run `step` any number of times (at least once if `certain`, at least twice if `several`), to a fixpoint; go on with the join of the states in which it may end.

    `peeled`: the first round has been run already; that of a loop in a loop that ascends is one of the others. `apart`: what the first round does, and
    what the others do, where it is run apart from them. `turns`: the rounds, one by one, of which a trial may run the first; where none are given, `step` is each
    of them, as it is where the state says how far the loop has come.
    `ends`: it may end before any round by itself; otherwise `step` hands the states in which it ends to a target of its own.
    """
    exits = Target(i.heap.mark())
    base = i.path
    some = base
    if ends and not certain:
        # Whether there is a round at all is a condition of what the rounds wrote.
        rounds = Literal_((ROUNDS, place, i.context), True)
        i.causes.setdefault(rounds.condition, ("open", place))
        exits.arrived.append(({}, NONE, (*base, Condition(None, place, Literal_(rounds.condition, False)))))
        some = (*base, Condition(None, place, rounds))
    around = i.invariants if not i.approximations else None
    since = trials.noted(i)
    after: Delta | None = {}
    done: list[Delta] = []
    turns = itertools.repeat(step) if turns is None else turns
    if not peeled and around is None:
        first, step = apart or (step, step)
        after = _round(i, exits.mark, {}, (place, "first"), first, base)
        if ends and after is not None and not several:
            done.append(after)
    if after is not None:
        end = _fixpoint(i, exits.mark, passed(after, _asks_what_it_is), around, (place, "rest"), step, base)
        if ends and end is not None:
            done.append(end)
    exits.arrived.extend((delta, NONE, (*some, *which)) for delta, which in _told_apart(i, place, done))
    if turns and around is None and (asked := trials.asked(i, since)) is not None:
        trials.run(i, turns, place, some, asked, begun=not peeled)
    i.path = base
    i.arrive(exits)
    fold(i, exits.mark)


def _told_apart(i: Interpreter, place: Place, done: Sequence[Delta]) -> Iterator[tuple[Delta, Path]]:
    """The states after the first and after the last round, with what tells them apart. Where rounds compile, what was compiled goes with what else the round has
    put in place: so whether there was another round is a condition of both."""
    if len(done) == 2 and any(stores_compiled(i, delta) for delta in done):
        more: Identity = (MORE, place, i.context)
        i.causes.setdefault(more, ("varying", place))
        yield from ((delta, (Condition(None, place, Literal_(more, outcome)),)) for delta, outcome in zip(done, (False, True)))
    else:
        yield from ((delta, ()) for delta in done)


def _round(i: Interpreter, mark: int, start: Delta, context: object, step: Callable[[], object], path: Path) -> Delta | None:
    """One round from a state; the state after it, None if no state goes on. The heap is left as at `mark`."""
    i.heap.undo(mark)
    i.heap.apply(start)
    i.path = path
    recording = i.heap.recording = Recording(i.heap.recording, len(i.tries))
    i.ledger.of(Rounds).begun += 1
    try:
        with i.within(context):
            i.ledger.of(Rounds).last[i.context] = i.ledger.of(Rounds).begun
            i.ledger.of(Ends).paths[i.context] = path
            _age(i)
            step()
        i.heap.recording = None
        earlier = [oid for (oid, field), held in start.items() if field == ALIVE and held is TRUE]
        after = summaries.sweep(i, recording, mark, NONE, earlier)[0]
    except Halt:
        return None
    finally:
        i.heap.recording = recording.outer
        recording.close()
        i.ledger.of(Rounds).passed = recording.passed
        i.heap.undo(mark)
    return after


def _age(i: Interpreter) -> None:
    """A round begins: what those before it have compiled is not new."""
    loop = i.context.loop
    recording, i.heap.recording = i.heap.recording, None  # it asks for nothing but what the rounds before have left
    marks = [field for field in i.heap.cells[0] if isinstance(field, tuple) and field[:2] == NEW and loop in field[3].around]
    i.heap.recording = recording
    for field in marks:
        i.heap.drop(0, field)


class Invariants:
    """The invariants that the loops in a loop had in its last round, from which they start in its next one: what was stable from a smaller state
    is near to what is stable now. A loop is known by its place and context, and by how often it was come to in the round."""

    __slots__ = ("_known", "_passed", "met")

    def __init__(self) -> None:
        self.met = False
        """Whether there is a loop in the loop."""
        self._known: dict[object, tuple[Delta, Invariants]] = {}
        self._passed: Counter[object] = Counter()

    def begin_round(self) -> None:
        """The loop around begins a round."""
        self._passed.clear()

    def key(self, loop: object) -> object:
        """The loop that is come to."""
        self._passed[loop] += 1
        return loop, self._passed[loop]

    def last(self, key: object) -> tuple[Delta | None, Invariants]:
        """The invariant of a loop, None if it is new, and those of the loops in it."""
        return self._known.get(key, (None, Invariants()))

    def keep(self, key: object, head: Delta, inner: Invariants) -> None:
        """Keep the invariant of a loop."""
        self._known[key] = head, inner


def _fixpoint(
    i: Interpreter,
    mark: int,
    start: Delta,
    around: Invariants | None,
    context: tuple[Place, object],
    step: Callable[[], object],
    path: Path,
) -> Delta | None:
    """Run further rounds until one does not leave the state before them; the state after the last one, None if none comes to its end. What the
    last one noted stays noted."""
    if around is not None:
        return _shortened(i, mark, start, around, context, step, path)
    inner = Invariants()
    checkpoint = i.checkpoint()
    head, after, widens = _ascend(i, mark, start, None, inner, context, step, path)
    lower = i.heap.merged([(start, ()), (after, ())]) if widens and after is not None else head
    if not inner.met and not _narrows(lower, head, i.heap):
        return after
    # One step down: what widening overshot and a test of the loop bounds again. Here the loops in this one run in full.
    i.forget(checkpoint)
    outer, i.invariants = i.invariants, None
    try:
        return _round(i, mark, lower, context, step, path)
    finally:
        i.invariants = outer


def _shortened(
    i: Interpreter, mark: int, start: Delta, around: Invariants, context: tuple[Place, object], step: Callable[[], object], path: Path
) -> Delta | None:
    """Run further rounds of a loop in a loop that ascends, until one does not leave the state before them: without a step down, as the outer loop takes it
    for both. The state after the last round, None if none comes to its end."""
    around.met = True
    if i.heap.recording is not None:
        i.heap.recording.shortened = True
    key = around.key((context, i.context))
    last, inner = around.last(key)
    i.path = path

    def run() -> Delta | None:
        return _ascend(i, mark, start, last, inner, context, step, path)[1]

    after = run() if start else remembered.once(i, context, run)
    around.keep(key, after or {}, inner)
    return after


def _ascend(
    i: Interpreter,
    mark: int,
    start: Delta,
    last: Delta | None,
    inner: Invariants,
    context: tuple[Place, object],
    step: Callable[[], object],
    path: Path,
) -> tuple[Delta, Delta | None, bool]:
    """The fixpoint from a state, and from what was after the rounds of the loop in the last round of the one around. The state before each
    round, the one after (None if no round comes to its end), and whether the first was widened."""
    loop = i.context.inner(context).loop
    tested = i.ledger.of(Tested).numbers
    head = start if last is None else widened(start, start | _present(last, i.heap), i.heap, loop, _may_change, tested)
    around = i.invariants
    checkpoint = i.checkpoint()
    try:
        for number in range(2 * MAX_ROUNDS):
            i.forget(checkpoint)
            inner.begin_round()
            i.invariants = inner
            after = _round(i, mark, head, context, step, path)
            if after is None:
                return head, None, False
            may_rest(i, after.values())
            first = number == 0 and last is None
            later = carried(i, head, after, context)
            merged = (
                i.heap.merged([(head, ()), (passed(later, _asks_what_it_is), ())])
                if first
                else widened(head, later, i.heap, loop, _may_change, tested, again=number > 1)
            )
            if number >= MAX_ROUNDS:
                merged = _given_up(head, merged)
            if merged == head:
                return head, after, not first
            head = merged
    finally:
        i.invariants = around
    i.imprecise("a loop that does not settle")
    return head, head, False


def _asks_what_it_is(condition: Identity) -> bool:
    """Whether a condition asks what something equals: what has one name may be another thing in the next round, as elements of a list are."""
    return equation(condition) is not None


def _may_change(condition: Identity) -> bool:
    """Whether a condition may have another outcome in the next round: not so of whether a method runs between two calls of the client."""
    return condition[0] != CLIENT


def _narrows(lower: Delta, head: Delta, heap: Heap) -> bool:
    """Whether a state says more than a larger one of the objects that it has."""
    return lower != head and any(
        lower.get((oid, field)) != head.get((oid, field))
        for oid, field in lower | head
        if (oid, ALIVE) in lower or (oid, ALIVE) not in head or heap.has(oid, ALIVE)
    )


def _present(last: Delta, heap: Heap) -> Delta:
    """What an invariant says of the objects that are there, and of those that the loop makes."""
    return {(oid, field): value for (oid, field), value in last.items() if (oid, ALIVE) in last or heap.exists(oid)}


def _given_up(head: Delta, merged: Delta) -> Delta:
    """The state in which nothing is known of what a round still changed; what the interpreter itself keeps of objects stays."""
    unsettled = Unknown("a loop that does not settle")
    return {
        location: unsettled if not isinstance(location[1], tuple) and head.get(location) != value else value
        for location, value in merged.items()
    }
