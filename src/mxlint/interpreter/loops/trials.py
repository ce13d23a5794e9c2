"""Trials: the first rounds of a loop, run one by one and undone, where a round that stands for all of them does not tell what compiled objects are given.

`text += "a"` has another length in each round, and the length that stands for all is any number. `min(seen)` of a list that gets longer is another number
there, and the same one in each round. The row of the numbers that are given round by round tells, as far as it goes. Of a trial the calls of compiled objects
stay noted, and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from mxlint.domain.heap import Recording
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.facts.values import ArrayValue, ContainerValue, ScalarValue, UnknownValue, Value, is_known
from mxlint.interpreter.containers.elements import MAX_UNROLLED
from mxlint.interpreter.loops.novelty import MAX_AGAIN
from mxlint.interpreter.machine.core import Halt, Interpreter, OutOfSteps
from mxlint.interpreter.machine.costs import Costs
from mxlint.interpreter.machine.frames import Rounds
from mxlint.interpreter.machine.journal import note
from mxlint.interpreter.machine.paths import Path

Spot: TypeAlias = tuple[events.Where, str]
"""An argument: the place of a call, and its name there."""
Turns: TypeAlias = Iterable[Callable[[], object]]
"""The rounds of a loop, from the first on."""
ROUNDS_TRIED: Final = 2 * MAX_AGAIN
"""As many as show that numbers come again, if they are few."""
MOST_ROUNDS: Final = 400
"""Rounds of a loop that are tried to its end, where something is said to be another one in each round."""
LOOKED_AT: Final = 3
"""Rounds after which a trial goes on only if they tell what is asked."""
STEPS_AT_FIRST: Final = 600
"""Steps that those may take."""
STEPS_TRIED: Final = 4_000
"""Steps that a trial may take."""
STEPS_OF_FILE: Final = 16_000
"""Steps that all trials of a file may take."""
MAX_VAIN: Final = 2
"""Trials of one loop that have shown nothing, after which there is no other."""
OPEN: Final = "either"
"""The outcome of a call of which it is not known whether it is traced."""
REPLAYED: Final = "replayed"
"""The outcome of a call whose arguments are as those of an earlier one, as far as they are known."""


class Trials:
    """The trials of a file."""

    __slots__ = ("left", "vain")

    def __init__(self) -> None:
        self.left = STEPS_OF_FILE
        """The steps that are left for them."""
        self.vain: Counter[Place] = Counter()
        """How many trials of a loop have shown nothing."""


def noted(i: Interpreter) -> int:
    """How much is noted before a loop."""
    return len(i.journal.records) if i.journal is not None else 0


class Asked(NamedTuple):
    """What a trial may tell of: arguments by the places of calls and their names. `open`: of which it is not known what they are; `told`: which are said to be
    another one in each round."""

    open: frozenset[Spot]
    told: frozenset[Spot]


def asked(i: Interpreter, place: Place, since: int) -> Asked | None:
    """What a trial may tell of the calls that the rounds of a loop have noted."""
    if i.journal is None or i.trace is not None or i.silent or i.unrolled * ROUNDS_TRIED > MAX_UNROLLED:
        return None
    trials = i.ledger.of(Trials)
    if trials.left <= 0 or trials.vain[place] >= MAX_VAIN:
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
    return isinstance(value, ScalarValue) and value.varies or isinstance(value, ContainerValue) and any(map(_varies, value.items or ()))


def _is_untold(value: Value, outcome: str) -> bool:
    """Whether nothing in sight says which number or text a value is, or how long it is along some axis. One list of a length that is not known is like another one
    also where that has another length."""
    match value:
        case ContainerValue(items=None):
            return outcome in (OPEN, REPLAYED)
        case ContainerValue():
            return any(_is_untold(item, outcome) for item in value.items or ())
        case ScalarValue():
            return outcome == OPEN and not value.known and not value.item and value.type not in ("bool", "NoneType", "None")
        case ArrayValue():
            return outcome == OPEN and value.shape is not None and None in value.shape
    return False


class Row(NamedTuple):
    """The rounds of a trial, each with the calls that it notes, and whether the loop is over behind them."""

    rounds: list[list[events.Call]]
    ended: bool


def run(i: Interpreter, turns: Turns, place: Place, path: Path, asked: Asked, *, begun: bool) -> None:
    """Run the first rounds of a loop from the present state on a path, and keep the calls of compiled objects older than these rounds: those of places that the
    second half comes to as well, and not those of which the row may still change what is told. `begun`: the calls of the very first round are noted already."""
    assert i.journal is not None
    known, trials, sides = frozenset(i.journal.compiled), i.ledger.of(Trials), i.ledger.of(Rounds).passed
    with _undone(i, path, min(STEPS_TRIED, trials.left)) as recording:
        steps = i.steps
        rounds, ended = _rounds(i, turns, place, asked)
        trials.left -= steps - i.steps
    trials.vain[place] += not rounds
    go_on = {(call.where, call.path) for calls in _second_half(rounds) for call in calls}
    unsure = frozenset[Spot]() if ended else _unsure(rounds, asked, each_side=sides <= recording.passed)
    for call in (call for calls in rounds[1 if begun else 0 :] for call in calls):
        is_sure = unsure.isdisjoint((call.where, argument.name) for argument in call.arguments)
        if is_sure and call.object in known and (call.where, call.path) in go_on:
            note(i, call)


def _second_half(rounds: Sequence[Sequence[events.Call]]) -> Sequence[Sequence[events.Call]]:
    return rounds[len(rounds) // 2 :]


def _unsure(rounds: Sequence[Sequence[events.Call]], asked: Asked, *, each_side: bool) -> frozenset[Spot]:
    """The arguments that are said to be others in each round and of which rounds that do not come to the end of the loop do not tell whether they are: all,
    unless the rounds took `each_side` of the conditions that the round for all took; else those that have come to rest, and may move again."""
    return asked.told & _resting(rounds) if each_side else asked.told


def _resting(rounds: Sequence[Sequence[events.Call]]) -> frozenset[Spot]:
    """The arguments that have come to rest in the second half of some rounds."""
    last: dict[Spot, set[Value]] = {}
    for call in (call for calls in _second_half(rounds) for call in calls):
        for argument in call.arguments:
            last.setdefault((call.where, argument.name), set()).add(argument.value)
    return frozenset(spot for spot, values in last.items() if len(values) == 1)


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
    """Run rounds, as many as are tried; up to the end of the loop where something is told. None are given if the first ones do not tell what is asked, or if not
    even these rounds can be run in the steps that there are: `spare` is what is kept back of them for what comes after the first ones."""
    assert i.journal is not None
    stack, tries, targets = len(i.stack), len(i.tries), len(i.targets)
    spare = max(i.steps - STEPS_AT_FIRST, 0)
    i.steps -= spare
    rounds: list[list[events.Call]] = []
    most = MOST_ROUNDS if asked.told else ROUNDS_TRIED
    try:
        with i.unrolling(ROUNDS_TRIED):
            for number, turn in enumerate(turns):
                if number == most:
                    return Row(rounds, False)
                if number == LOOKED_AT:
                    if not _tell(rounds, asked):
                        return Row([], False)
                    i.steps, spare = i.steps + spare, 0
                since = len(i.journal.records)
                with i.within((place, number)):
                    turn()
                rounds.append([fact for fact in islice(i.journal.records, since, None) if isinstance(fact, events.Call)])
    except Halt:
        pass
    except OutOfSteps:
        del i.stack[stack:], i.tries[tries:], i.try_depths[tries:], i.targets[targets:]
        return Row(rounds[:ROUNDS_TRIED] if len(rounds) >= ROUNDS_TRIED else [], False)
    finally:
        i.steps = max(i.steps, 0) + spare
    return Row(rounds, True)


def _tell(rounds: Iterable[Iterable[events.Call]], asked: Asked) -> bool:
    """Whether something that is asked is known in each of some rounds: what is said to be another one each time, or what is not known and is another one."""
    met: dict[Spot, list[Value]] = {}
    for call in (call for calls in rounds for call in calls):
        for argument in call.arguments:
            met.setdefault((call.where, argument.name), []).append(UnknownValue("") if argument.grows else argument.value)
    known = {spot: values for spot, values in met.items() if all(map(is_known, values))}
    return any(spot in asked.told or spot in asked.open and len(set(values)) > 1 for spot, values in known.items())
