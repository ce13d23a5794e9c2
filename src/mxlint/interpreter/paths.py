"""The conditions under which a state is reached, and the outcomes of tests."""

from __future__ import annotations

from typing import Final

from mxlint.domain.guards import MAX_GUARD, Cause, Guard, Literal_
from mxlint.domain.place import Place

ROUNDS: Final = "rounds"
"""The first part of the condition that a loop has a round."""
CLIENT: Final = "client"
"""The first part of the condition that a method of a class runs between two calls."""


class Condition:
    """A condition that the path hangs on: why it is not decided, where it stands. `literal` names what was tested and the outcome."""

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


Path = tuple[Condition, ...]


class Truth:
    """The outcome of a test: True, False, or None with the reason why both may be. `grounds`: the conditions and values that it rests on where no
    literal stands for it."""

    __slots__ = ("cause", "grounds", "literal", "outcome")

    def __init__(
        self, outcome: bool | None, cause: Cause | None = None, literal: Literal_ | None = None, grounds: tuple[object, ...] = ()
    ) -> None:
        self.outcome = outcome
        self.cause = cause
        self.literal = literal
        self.grounds = grounds

    def negated(self) -> Truth:
        if self.outcome is not None:
            return Truth(not self.outcome)
        literal = self.literal
        opposite = Literal_(literal.condition, not literal.outcome) if literal is not None else None
        return Truth(None, self.cause, opposite, self.grounds)


def guard_of(path: Path, base: Path) -> Guard:
    """The literals that a path has and its base has not."""
    return tuple(condition.literal for condition in path[len(base) :] if condition.literal is not None)[-MAX_GUARD:]
