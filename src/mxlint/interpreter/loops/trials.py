"""Trials: the first rounds of a loop, run one by one and undone, where a round that stands for all of them does not tell what compiled objects are given.

`text += "a"` has another length in each round, and the length that stands for all is any number. `min(seen)` of a list that gets longer is another number
there, and the same one in each round. The row of the numbers that are given round by round tells, as far as it goes. Of a trial the calls of compiled objects
stay noted, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from mxlint.domain.heap import Recording
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.facts.rows import AGAIN, settles
from mxlint.facts.values import ArrayValue, ContainerValue, ScalarValue, UnknownValue, Value, is_known
from mxlint.interpreter.containers.elements import MAX_UNROLLED
from mxlint.interpreter.machine.core import Halt, Interpreter, OutOfSteps
from mxlint.interpreter.machine.costs import Costs
from mxlint.interpreter.machine.frames import Rounds
from mxlint.interpreter.machine.journal import Journal, note
from mxlint.interpreter.machine.paths import Path
from mxlint.syntax import ir

Spot: TypeAlias = tuple[events.Where, str]
"""An argument: the place of a call, and its name there."""
Turns: TypeAlias = Iterable[Callable[[], object]]
"""The rounds of a loop, from the first on."""
ROUNDS_TRIED: Final = 2 * AGAIN
"""As many as show that numbers come again, if they are few."""
MOST_ROUNDS: Final = 400
"""Rounds that are tried where those show few numbers: more may come, as behind a warm-up."""
LOOKED_AT: Final = 3
"""Rounds in which a trial ends if they do not tell what is asked."""
STEPS_AT_FIRST: Final = 600
"""Steps that those may take, with the rounds before them that come to no call of which anything is asked."""
STEPS_TRIED: Final = 4_000
"""Steps that a trial may take at most."""
STEPS_OF_FILE: Final = 32_000
"""Steps of which each loop of a file has an equal share, whatever others have taken."""
LEAST_SHARE: Final = 800
"""Steps that a trial may take in a file of many loops."""
OPEN: Final = "either"
"""The outcome of a call of which it is not known whether it is traced."""
REPLAYED: Final = "replayed"
"""The outcome of a call whose arguments are as those of an earlier one, as far as they are known."""


def noted(i: Interpreter) -> int:
    """How much is noted before a loop."""
    return len(i.journal.records) if i.journal is not None else 0


class Asked(NamedTuple):
    """What a trial may tell of: arguments by the places of calls and their names. `open`: of which it is not known what they are; `told`: which are said to be
    another one in each round."""

    open: frozenset[Spot]
    told: frozenset[Spot]


def asked(i: Interpreter, since: int) -> Asked | None:
    """What a trial may tell of the calls that the rounds of a loop have noted. Of what the client calls once, only what is stale is kept."""
    if i.journal is None or i.trace is not None or i.silent or i.modes.client is not None or i.unrolled * ROUNDS_TRIED > MAX_UNROLLED:
        return None
    calls = [fact for fact in islice(i.journal.records, since, None) if type(fact) is events.Call]
    told = frozenset(
        (call.where, argument.name) for call in calls for argument in call.arguments if argument.grows or _varies(argument.value)
    )
    open_ = frozenset(
        (call.where, argument.name) for call in calls for argument in call.arguments if _is_untold(argument.value, call.outcome)
    )
    return Asked(open_ - told, told) if told or open_ else None


def _varies(value: Value) -> bool:
    """Whether a number is said to be another one in each round."""
    if isinstance(value, ContainerValue):
        return value.each is not None or any(map(_varies, value.items or ()))
    return isinstance(value, ScalarValue) and value.varies


def _is_untold(value: Value, outcome: str) -> bool:
    """Whether nothing in sight says which number or text a value is, or how long it is along some axis. One list of a length that is not known is like another one
    also where that has another length."""
    match value:
        case ContainerValue(items=None):
            return outcome in (OPEN, REPLAYED)
        case ContainerValue():
            return any(_is_untold(item, outcome) for item in value.items or ())
        case ScalarValue():
            return outcome in (OPEN, REPLAYED) and not value.known and not value.item and value.type not in ("bool", "NoneType", "None")
        case ArrayValue():
            return outcome in (OPEN, REPLAYED) and value.shape is not None and None in value.shape
    return False


class Row(NamedTuple):
    """The rounds of a trial, each with the calls that it notes, and whether the loop is over behind them."""

    rounds: list[list[events.Call]]
    ended: bool


def run(i: Interpreter, turns: Turns, place: Place, path: Path, asked: Asked, *, begun: bool) -> None:
    """Run the first rounds of a loop from the present state on a path, and keep the calls of compiled objects older than these rounds: those of places that the
    second half comes to as well, and not those of which the row may still change what is told. `begun`: the calls of the very first round are noted already."""
    assert i.journal is not None
    known, sides = frozenset(i.journal.compiled), i.ledger.of(Rounds).passed
    with _undone(i, path, _share(i, place)) as recording:
        rounds, ended = _rounds(i, turns, place, asked)
    go_on = {(call.where, call.path) for calls in _second_half(rounds) for call in calls}
    unsure = frozenset[Spot]() if ended else _unsure(rounds, asked, each_side=sides <= recording.passed)
    for call in (call for calls in rounds[1 if begun else 0 :] for call in calls):
        is_sure = unsure.isdisjoint((call.where, argument.name) for argument in call.arguments)
        if is_sure and call.object in known and (call.where, call.path) in go_on:
            note(i, call)


def _share(i: Interpreter, place: Place) -> int:
    """The steps that a trial of a loop may take: the fewer, the more loops its file has."""
    loops = i.project.once(place.source).of(_loops_in, i.project.lowered(place.source))
    return max(LEAST_SHARE, min(STEPS_TRIED, STEPS_OF_FILE // max(loops, 1)))


def _loops_in(part: object) -> int:
    """How many statements are loops."""
    if isinstance(part, tuple):
        return sum(map(_loops_in, part))
    if isinstance(part, ir.Expr) or not isinstance(part, ir.Node):
        return 0
    return isinstance(part, (ir.For, ir.While)) + sum(_loops_in(getattr(part, field)) for field in part.__match_args__)


def _second_half(rounds: Sequence[Sequence[events.Call]]) -> Sequence[Sequence[events.Call]]:
    return rounds[len(rounds) // 2 :]


def _unsure(rounds: Iterable[Iterable[events.Call]], asked: Asked, *, each_side: bool) -> frozenset[Spot]:
    """The arguments that are said to be others in each round and of which rounds that do not come to the end of the loop do not tell whether they are: all,
    unless the rounds took `each_side` of the conditions that the round for all took; else those that do not settle."""
    return frozenset(spot for spot, values in _met(rounds, asked).items() if spot in asked.told and not (each_side and settles(values)))


@contextmanager
def _undone(i: Interpreter, path: Path, steps: int) -> Iterator[Recording]:
    """Run something on a path with steps of its own, and take back all that it did and noted. It costs no function anything. Gives what is recorded of it."""
    checkpoint, mark, costs = i.checkpoint(), i.heap.mark(), i.ledger.of(Costs)
    before = i.path, i.steps, i.limit, costs.free
    outer = i.heap.recording
    recording = i.heap.recording = Recording(outer, len(i.tries))
    i.path, i.steps, i.limit, costs.free = path, steps, 0, True
    try:
        yield recording
    finally:
        i.heap.undo(mark)
        i.path, i.steps, i.limit, costs.free = before
        i.heap.recording = outer
        i.forget(checkpoint)
        if outer is not None:
            outer.reads |= {location for location in recording.reads if location[0] not in recording.fresh}
            outer.names_calls(0)


def _rounds(i: Interpreter, turns: Turns, place: Place, asked: Asked) -> Row:
    """Run rounds, as many as are tried, or until they tell. None are given if nothing that is asked is known in each of the first ones, or if too few can be run in
    the steps that there are: `spare` is what is kept back of them for what comes after the first ones."""
    assert i.journal is not None
    stack, tries, targets = len(i.stack), len(i.tries), len(i.targets)
    spare = max(i.steps - STEPS_AT_FIRST, 0)
    i.steps -= spare
    rounds: list[list[events.Call]] = []
    try:
        with i.unrolling(ROUNDS_TRIED):
            for number, turn in enumerate(turns):
                if number == MOST_ROUNDS or number == ROUNDS_TRIED and _are_many(rounds, asked):
                    return Row(rounds, False)
                if spare and (met := _met(rounds, asked)):
                    if not any(all(map(is_known, values)) for values in met.values()):
                        return Row([], False)
                    if number >= LOOKED_AT:
                        i.steps, spare = i.steps + spare, 0
                with _hearing(i.journal) as heard, i.within((place, number)):
                    turn()
                kept = (fact for fact in dict.fromkeys(heard) if fact in i.journal.records)
                rounds.append([fact for fact in kept if isinstance(fact, events.Call)])
    except Halt:
        pass
    except OutOfSteps:
        del i.stack[stack:], i.tries[tries:], i.try_depths[tries:], i.targets[targets:]
        return Row(rounds if len(rounds) >= ROUNDS_TRIED else [], False)
    finally:
        i.steps = max(i.steps, 0) + spare
    return Row(rounds, True)


@contextmanager
def _hearing(journal: Journal) -> Iterator[list[object]]:
    """Run a round, and hear what it notes: also what the first rounds of a `while` have noted before."""
    heard: list[object] = []
    journal.heard = heard
    try:
        yield heard
    finally:
        journal.heard = None


def _are_many(rounds: Iterable[Iterable[events.Call]], asked: Asked) -> bool:
    """Whether all that is asked and known in each of some rounds is so many different ones that more rounds tell nothing else."""
    known = [set(values) for values in _met(rounds, asked).values() if all(map(is_known, values))]
    return all(len(different) > AGAIN for different in known)


def _met(rounds: Iterable[Iterable[events.Call]], asked: Asked) -> dict[Spot, list[Value]]:
    """What rounds gave for what is asked."""
    met: dict[Spot, list[Value]] = {}
    for call in (call for calls in rounds for call in calls):
        for argument in call.arguments:
            spot = call.where, argument.name
            if spot in asked.told or spot in asked.open:
                met.setdefault(spot, []).append(UnknownValue("") if argument.grows else argument.value)
    return met
