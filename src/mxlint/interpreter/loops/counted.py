"""How many rounds a `while` loop of a traced body has, which a number ends that goes on by equal steps or by one factor, from any number on.

`while n < 5000: n += 1` has 5,000 rounds if `n` begins at 0. Its first rounds, which are run one by one, show how `n` goes on. One more round, in which nothing
is known of the numbers that they have moved, shows under what the loop is left, however that is written. MX307 asks for the number of rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from math import isclose, isfinite
from typing import Final, TypeAlias

from mxlint.domain.guards import Identity, Literal_, parts, possible
from mxlint.domain.heap import Location
from mxlint.domain.members import Const, Symbolic, Value, members, scalar_type
from mxlint.domain.place import Place
from mxlint.interpreter.expressions.arithmetic import FOLD
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.paths import Condition, Path
from mxlint.interpreter.machine.targets import Target

MAX_COUNTED: Final = 1_000_000
"""Rounds beyond which a loop is not counted: what it does in a trace never comes to an end."""
COUNTED: Final = "counted"
"""Begins the name of a number of which a round is to show how it goes on."""
MOVES: Final = frozenset("+-*/")
NAMES: Final = frozenset(("==", "!=", "<", "<=", ">", ">=", *MOVES, "//", "%"))
"""What is computed again for each round."""
Numbers: TypeAlias = Mapping[Identity, float]
Computed: TypeAlias = Callable[[Numbers], float]


class Counted:
    """What the rounds of a loop move, and how many operations the trace had before each."""

    def __init__(self, i: Interpreter, place: Place) -> None:
        self._i = i
        self._place = place
        self._ends: list[tuple[Target, int]] = [(target, len(target.arrived)) for target in i.targets]
        """Where the states arrive that leave the loop, by its test, `break` or `return`, and how many were there before it."""
        self._marks: list[int] = []
        self._operations: list[int] = []
        self._least = MAX_COUNTED
        self._rounds: int | None = None
        self._left_at: frozenset[Place | None] = frozenset()

    def round(self) -> None:
        """A round begins."""
        if self._i.trace is not None:
            self._marks.append(self._i.heap.mark())
            self._operations.append(self._i.trace.fewest)

    def goes_on(self, step: Callable[[], object]) -> bool:
        """Whether it is known how many rounds there are: rounds that are run for this alone, each with numbers of which nothing is known in the place of those that
        the rounds before have moved, go on with these as they did, and leave the loop under what is asked of them. The second finds what the first may have left."""
        i, trace = self._i, self._i.trace
        if trace is None or len(self._marks) < 3:
            return False
        moved = self._moved()
        mark, path, checkpoint = i.heap.mark(), i.path, i.checkpoint()
        reached = [(end, end.reached(), end.fewest) for end, _ in self._ends]
        exits: list[Path] = []
        counts, doubts = (trace.operations, trace.surplus), dict(trace.doubts)
        try:
            for _ in range(2):
                i.path = path
                begun = {at: self._unknown(at) for at in moved}
                least, before = trace.fewest, [len(end.arrived) for end, _ in self._ends]
                with i.within((self._place, COUNTED)):
                    step()
                self._least = min(self._least, trace.fewest - least)
                exits += [way[len(path) :] for (end, _), count in zip(self._ends, before) for _, _, way in end.arrived[count:]]
                asked = _asked(exits)
                needed = {at: number.identity for at, number in begun.items() if number.identity in asked}
                if not all(_moved_once(begun[at], i.heap.get(*at)) for at in needed):
                    return False
            self._left_at = frozenset(map(_last_place, exits))
            self._rounds = _rounds_until(exits, {name: moved[at] for at, name in needed.items()})
            return self._rounds is not None
        except Halt:
            return False
        finally:
            i.heap.undo(mark)
            i.path = path
            i.forget(checkpoint)
            for end, known, fewest in reached:
                end.forget(known)
                end.fewest = fewest
            (trace.operations, trace.surplus), trace.doubts = counts, doubts

    def total(self) -> tuple[int, int] | None:
        """The rounds, and the operations of all of them: as many each time as the least of those that were run had. None if that is not known, or if the rounds
        that stand for all have left the loop elsewhere as well."""
        base = len(self._i.path)
        left_at = {_last_place(way[base:]) for end, before in self._ends for _, _, way in end.arrived[before:]}
        if self._rounds is None or not left_at <= self._left_at:
            return None
        each = min(self._least, *(b - a for a, b in pairwise(self._operations)))
        return self._rounds, each * self._rounds

    def _moved(self) -> dict[Location, list[float]]:
        """The numbers that the rounds have changed, each as every round but the first has found it, and as the next one finds it."""
        changes: dict[Location, list[tuple[int, Value | None]]] = {}
        for at, (location, held) in enumerate(self._i.heap.trail[self._marks[0] :], self._marks[0]):
            changes.setdefault(location, []).append((at, held))
        found: dict[Location, list[float]] = {}
        for location, earlier in changes.items():
            now = self._i.heap.get(*location)
            values = [_number(next((held for at, held in earlier if at >= mark), now)) for mark in self._marks[1:]]
            known = [value for value in (*values, _number(now)) if value is not None]
            if len(known) == len(self._marks):
                found[location] = known
        return found

    def _unknown(self, at: Location) -> Symbolic:
        """Put a number of which nothing is known but its kind where a number lies."""
        oid, field = at
        held = members(self._i.heap.get(oid, field) or Const(None))
        kinds = frozenset(filter(None, map(scalar_type, held)))
        made = self._i.symbolic(self._place, f"{COUNTED} {oid} {field}", kinds=kinds)
        self._i.heap.set(oid, field, made)
        return made


def _last_place(way: Sequence[Condition]) -> Place | None:
    return way[-1].place if way else None


def _asked(exits: Iterable[Sequence[Condition]]) -> set[object]:
    """All that some conditions are made of."""
    found: set[object] = set()
    todo: list[object] = [condition.literal.condition for way in exits for condition in way if condition.literal is not None]
    while todo:
        part = todo.pop()
        part = part.identity if isinstance(part, Symbolic) else part
        if isinstance(part, tuple) and part not in found:
            found.add(part)
            todo += part
    return found


def _moved_once(before: Value | None, after: Value | None) -> bool:
    """Whether a number is the one that it was, or what one operation makes of that and a constant."""
    if before == after:
        return True
    if not isinstance(before, Symbolic) or not isinstance(after, Symbolic) or len(after.identity) != 3:
        return False
    op, *sides = after.identity
    return op in MOVES and any(
        side in (before, before.identity) and isinstance(other, Const) for side, other in (sides, reversed(sides) if op in "+*" else sides)
    )


def _rounds_until(exits: Collection[Sequence[Condition]], moved: Mapping[Identity, Sequence[float]]) -> int | None:
    """After how many rounds one of some exits is taken, as far as numbers go on as they did; None if that is not known."""
    going_on = {name: way for name, values in moved.items() if (way := _way(values)) is not None}
    if not exits or not going_on or len(going_on) < len(moved):
        return None
    try:
        tests = [[_test(condition.literal) for condition in way if condition.literal is not None] for way in exits]
    except LookupError:
        return None
    if any(len(known) < len(way) or not way for known, way in zip(tests, exits)):
        return None
    now = {name: values[-1] for name, values in moved.items()}
    count = max(map(len, moved.values()))
    while not any(all(test(now) for test in way) for way in tests):
        if count > MAX_COUNTED or not all(map(isfinite, now.values())):
            return None
        now = {name: value * going_on[name][0] + going_on[name][1] for name, value in now.items()}
        count += 1
    return count


def _test(literal: Literal_) -> Callable[[Numbers], bool]:
    """What says whether a literal holds in a round. Raises LookupError if it asks for something else than numbers."""
    if ways := possible(literal):
        of_members = [[_test(each) for each in (*guard, *own)] for guard, own in ways]
        return lambda numbers: any(all(test(numbers) for test in way) for way in of_members)
    if together := parts(literal):
        tests = [_test(part) for part in together]
        return lambda numbers: not all(test(numbers) for test in tests)
    number = _computed(literal.condition)
    return lambda numbers: bool(number(numbers)) is literal.outcome


def _computed(part: object) -> Computed:
    """What computes a condition from the numbers of a round. Raises LookupError if it asks for something else."""
    part = part.identity if isinstance(part, Symbolic) else part
    if isinstance(part, Const) and isinstance(part.value, (int, float)):
        value = part.value
        return lambda numbers: value
    if isinstance(part, tuple) and len(part) == 3 and part[0] in NAMES:
        operator, left, right = FOLD[str(part[0])], _computed(part[1]), _computed(part[2])
        return lambda numbers: operator(left(numbers), right(numbers))
    if isinstance(part, tuple) and part[0] not in NAMES and isinstance(part[0], str) and part[0].startswith(COUNTED):
        name: Identity = part
        return lambda numbers: numbers[name]
    raise LookupError


def _way(values: Sequence[float]) -> tuple[float, float] | None:
    """The factor and the step by which some numbers go on; None if they do neither by one factor nor by equal steps."""
    steps = [b - a for a, b in pairwise(values)]
    factors = [b / a for a, b in pairwise(values) if a]
    if _equal(steps) and steps[0]:
        return 1.0, steps[0]
    if len(factors) == len(steps) and _equal(factors) and factors[0] != 1:
        return factors[0], 0.0
    return None


def _number(value: Value | None) -> float | None:
    found = value.value if isinstance(value, Const) else None
    return found if isinstance(found, (int, float)) and not isinstance(found, bool) and isfinite(found) else None


def _equal(numbers: Sequence[float]) -> bool:
    return bool(numbers) and all(isclose(number, numbers[0], rel_tol=1e-6) for number in numbers)
