"""Paths, which are the conditions under which a state is reached, and the outcomes of tests.

In the body of `if flag:` the path has the condition "`flag` is true", with its cause (varying, open, imprecise) and its place. `learned` says what a path keeps
after a join.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from mxlint.domain.exclusion import contradict
from mxlint.domain.guards import HANDLER, MAX_GUARD, TOGETHER, Cause, Guard, Literal_, not_all, opposite, parts
from mxlint.domain.place import Place
from mxlint.facts.events import Way

ROUNDS: Final = "rounds"
"""The first part of the condition that a loop has a round."""
SEVERAL: Final = "several"
"""The first part of the condition that there are two elements or more to be put in order."""
AXES: Final = "axes"
"""The first part of the condition that an array lacks the axes that it is asked for."""
LACKS: Final = "lacks"
"""The first part of the condition that a container has nothing under a key or at an index."""
MORE: Final = "more rounds"
"""The first part of the condition that a loop has more rounds than one."""
CLIENT: Final = "client"
"""The first part of the condition that a method of a class runs between two calls."""
EXCEPTION: Final = "exception"
"""The first part of the condition that an exception comes to a final body or to a context manager."""
CALLED_BACK: Final = "called back"
"""The first part of the condition that a library calls a function that it was given."""
PUT_THERE: Final = "put there"
"""The first part of the condition that something out of sight calls what the program has put into it."""
PREPARED: Final = "prepared"
"""The first part of the condition that a method ran before another one."""
STEPS: Final = "is an optimizer"
"""The first part of the condition that what has `.update(model, gradients)` is an optimizer."""
SHARED: Final = "shares"
"""The first part of the condition that a write of one array changes what was read of another, which may share its data."""
TEST: Final = "test"
"""The first part of a condition that a test stands for of which no value in sight does."""
WAYS: Final[Mapping[object, Way]] = {
    ROUNDS: "rounds",
    SEVERAL: "several",
    AXES: "axes",
    LACKS: "lacks",
    HANDLER: "handler",
    EXCEPTION: "exception",
    CALLED_BACK: "callback",
    PUT_THERE: "installed",
    PREPARED: "prepared",
    STEPS: "optimizer",
    SHARED: "shared",
}
"""What it is that a condition leaves open, by its first part; of what is not among them a test or a choice may tell."""
MAX_LEARNED: Final = 8
"""Conditions of a path that say of others that they do not go together; behind a join no more of them are kept."""


class Condition:
    """A condition that the path depends on: why it is not decided, where it stands. `literal` names what was tested and the outcome."""

    __slots__ = ("cause", "literal", "outcome", "place")

    def __init__(self, cause: Cause | None, place: Place, literal: Literal_ | None, outcome: bool | None = None) -> None:
        self.cause = cause
        self.place = place
        self.literal = literal
        self.outcome = outcome

    @property
    def opposite(self) -> Literal_ | None:
        """The literal of the other outcome."""
        return Literal_(self.literal.condition, not self.literal.outcome) if self.literal is not None else None

    @property
    def otherwise(self) -> Condition:
        """The condition that the other outcome is the one."""
        return Condition(self.cause, self.place, self.opposite, None if self.outcome is None else not self.outcome)


Path = tuple[Condition, ...]


class Truth:
    """The outcome of a test: True, False, or None with the reason why both may be. `grounds`: the conditions and values that it rests on where no
    literal stands for it. `if_true`, `if_false`: what else holds where it is that."""

    __slots__ = ("cause", "grounds", "if_false", "if_true", "literal", "outcome")

    def __init__(
        self,
        outcome: bool | None,
        cause: Cause | None = None,
        literal: Literal_ | None = None,
        grounds: tuple[object, ...] = (),
        if_true: Guard = (),
        if_false: Guard = (),
    ) -> None:
        self.outcome = outcome
        self.cause = cause
        self.literal = literal
        self.grounds = grounds
        self.if_true = if_true
        self.if_false = if_false

    def negated(self) -> Truth:
        if self.outcome is not None:
            return Truth(not self.outcome)
        literal = self.literal
        opposite = Literal_(literal.condition, not literal.outcome) if literal is not None else None
        return Truth(None, self.cause, opposite, self.grounds, self.if_false, self.if_true)


def go_together(one: Path, other: Path) -> bool:
    """Whether two paths do not contradict each other in any condition."""
    outcomes = {condition.literal.condition: condition.literal.outcome for condition in one if condition.literal is not None}
    literals = (condition.literal for condition in other if condition.literal is not None)
    return all(outcomes.get(literal.condition, literal.outcome) is literal.outcome for literal in literals)


def guard_of(path: Path, base: Path) -> Guard:
    """The literals that a path has and its base has not."""
    return tuple(condition.literal for condition in path[len(base) :] if condition.literal is not None)[-MAX_GUARD:]


def learned(base: Path, branches: Sequence[tuple[Guard, Path]], over: Sequence[Path]) -> Iterator[Condition]:
    """What the path behind a join keeps. Of what is decided in its branches: what is so in all of them holds, else it does if that branch was taken. And
    that those were not taken which are `over`, as no state goes on from them. A guard says that a branch was taken if no other one goes with it."""
    decided = [_decided(path[len(base) :], guard) for guard, path in branches]
    if not over and not any(decided):
        return
    said = {condition.literal for condition in base}
    guards = [*(guard for guard, _ in branches), *(guard_of(conditions, ()) for conditions in over)]
    alone = [all(contradict(guard, other) for other in guards if other is not guard) for guard in guards]
    found: list[tuple[Literal_ | None, Place, bool | None]] = []
    for guard, only, literals in zip(guards, alone, decided):
        for literal, condition in literals.items():
            if all(literal in other for other in decided):
                found.append((literal, condition.place, condition.outcome))
            elif only:
                found.append((not_all((*guard, *(parts(literal) or (opposite(literal),)))), condition.place, None))
    for guard, only, conditions in zip(guards[len(branches) :], alone[len(branches) :], over):
        if only and guard:
            found.append((opposite(guard[0]) if len(guard) == 1 else not_all(guard), conditions[0].place, None))
    left = MAX_LEARNED - sum(literal is not None and literal.condition[0] == TOGETHER for literal in said)
    for kept, place, outcome in found:
        together = kept is not None and kept.condition[0] == TOGETHER
        if kept is not None and kept not in said and (left > 0 or not together):
            said.add(kept)
            left -= together
            yield Condition(None, place, kept, outcome)


def _decided(path: Path, guard: Guard) -> dict[Literal_, Condition]:
    """The literals that are decided on a path, beside those of a guard."""
    return {
        condition.literal: condition
        for condition in path
        if condition.cause is None and condition.literal is not None and condition.literal not in guard
    }
