"""Trials: the first rounds of a loop, run one by one and undone, where a round that stands for all of them leaves open whether a compiled object is traced again.

`text += "a"` has another length in each round, and the length that stands for all is any number. Sixteen lengths that are known tell what it does. Of a trial
the calls of compiled objects stay noted, and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final, TypeAlias

from mxlint.domain.heap import Recording
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.facts.values import ArrayValue, ContainerValue, ScalarValue, Value
from mxlint.interpreter.containers.elements import MAX_UNROLLED
from mxlint.interpreter.machine.core import Halt, Interpreter, OutOfSteps
from mxlint.interpreter.machine.journal import note
from mxlint.interpreter.machine.paths import Path

Turns: TypeAlias = Iterable[Callable[[], object]]
"""The rounds of a loop, from the first on."""
ROUNDS_TRIED: Final = 32
"""Twice as many as there may be numbers that come again."""
LOOKED_AT: Final = 3
"""Rounds after which a trial goes on only if they have called something with what is known, and is not the same."""
STEPS_AT_FIRST: Final = 600
"""Steps that those may take."""
STEPS_TRIED: Final = 4_000
"""Steps that a trial may take; one that takes more shows nothing."""
STEPS_OF_FILE: Final = 10_000
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


def leaves_open(i: Interpreter, place: Place, since: int) -> bool:
    """Whether a trial may tell of a call that the rounds of a loop have noted whether it is traced again."""
    if i.journal is None or i.trace is not None or i.silent or i.unrolled * ROUNDS_TRIED > MAX_UNROLLED:
        return False
    if i.ledger.of(Trials).vain[place] >= MAX_VAIN:
        return False
    found = islice(i.journal.records, since, None)
    return any(type(fact) is events.Call and _may_tell(fact) for fact in found)


def _may_tell(call: events.Call) -> bool:
    """Whether an argument of a call is a number or text, or has a length, that nothing in sight tells, and none is known to be another one in each round."""
    values = [argument.value for argument in call.arguments]
    if any(argument.grows for argument in call.arguments) or any(isinstance(value, ScalarValue) and value.varies for value in values):
        return False
    if call.outcome == REPLAYED:
        return any(isinstance(value, ContainerValue) and value.items is None for value in values)  # one of this length may not be one of that
    return call.outcome == OPEN and any(map(_is_untold, values))


def _is_untold(value: Value) -> bool:
    """Whether nothing in sight says which number or text a value is, or how long it is along some axis."""
    match value:
        case ScalarValue():
            return not value.known and not value.item and value.type not in ("bool", "NoneType", "None")
        case ContainerValue():
            return value.items is None or any(map(_is_untold, value.items))
        case ArrayValue():
            return value.shape is not None and None in value.shape
    return False


def _is_known(value: Value) -> bool:
    """Whether a number, text or shape is known."""
    match value:
        case ScalarValue():
            return value.known
        case ContainerValue():
            return value.items is not None and all(map(_is_known, value.items))
        case ArrayValue():
            return value.shape is not None and all(isinstance(size, int) for size in value.shape)
    return False


def run(i: Interpreter, turns: Turns, place: Place, path: Path, *, begun: bool) -> None:
    """Run the first rounds of a loop from the present state on a path, and keep the calls that they note of compiled objects older than they are. `begun`: those of
    the very first round are noted already."""
    assert i.journal is not None
    known = frozenset(i.journal.compiled)
    checkpoint, mark = i.checkpoint(), i.heap.mark()
    before = i.path, i.steps, i.limit
    outer = i.heap.recording
    recording = i.heap.recording = Recording(outer, len(i.tries))
    trials = i.ledger.of(Trials)
    steps = min(STEPS_TRIED, trials.left)
    i.path, i.steps, i.limit = path, steps, 0
    rounds = _rounds(i, turns, place)
    trials.left -= steps - i.steps
    trials.vain[place] += not rounds
    i.heap.undo(mark)
    i.path, i.steps, i.limit = before
    i.heap.recording = outer
    i.forget(checkpoint)
    if outer is not None:
        outer.reads |= {location for location in recording.reads if location[0] not in recording.fresh}
        outer.names_calls(0)
    go_on = {(call.where, call.path) for calls in rounds[len(rounds) // 2 :] for call in calls}
    for call in (call for calls in rounds[begun:] for call in calls):
        if call.object in known and (call.where, call.path) in go_on:
            note(i, call)


def _rounds(i: Interpreter, turns: Turns, place: Place) -> list[list[events.Call]]:
    """Run rounds, at most as many as are tried. The calls that each notes; none if there are no different ones among them, or if they take too many steps."""
    assert i.journal is not None
    stack, tries, targets = len(i.stack), len(i.tries), len(i.targets)
    spare = max(i.steps - STEPS_AT_FIRST, 0)
    i.steps -= spare
    rounds: list[list[events.Call]] = []
    try:
        with i.unrolling(ROUNDS_TRIED):
            for number, turn in enumerate(islice(turns, ROUNDS_TRIED)):
                if number == LOOKED_AT:
                    if not _differ(rounds):
                        return []
                    i.steps, spare = i.steps + spare, 0
                since = len(i.journal.records)
                with i.within((place, number)):
                    turn()
                rounds.append([fact for fact in islice(i.journal.records, since, None) if isinstance(fact, events.Call)])
    except Halt:
        pass
    except OutOfSteps:
        del i.stack[stack:], i.tries[tries:], i.try_depths[tries:], i.targets[targets:]
        return []
    finally:
        i.steps = max(i.steps, 0) + spare
    return rounds


def _differ(rounds: Iterable[Iterable[events.Call]]) -> bool:
    """Whether calls at one place are given different numbers, texts or shapes that are known."""
    met: dict[tuple[object, str], Value] = {}
    for argument, where in ((argument, call.where) for calls in rounds for call in calls for argument in call.arguments):
        before = met.setdefault((where, argument.name), argument.value)
        if before != argument.value and _is_known(before) and _is_known(argument.value):
            return True
    return False
