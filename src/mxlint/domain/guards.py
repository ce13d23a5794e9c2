"""Conditions of a path, and the outcomes under which a member of a value was bound."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

MAX_GUARD: Final = 8
"""Literals of one guard; the oldest goes first."""
Cause = Literal["varying", "open", "imprecise"]
"""Why a scalar has no one value: the program in sight brings several, nobody in sight gives it, or join and widening blurred it."""


class Literal_:
    """A condition and the outcome that it had: `condition` is the identity of what was tested."""

    __slots__ = ("_hash", "condition", "outcome")

    def __init__(self, condition: Identity, outcome: bool) -> None:
        self.condition = condition
        self.outcome = outcome
        self._hash: int | None = None

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Literal_) and self.outcome is other.outcome and self.condition == other.condition)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.condition, self.outcome))  # a condition nests as deep as what it tests
        return self._hash

    def __repr__(self) -> str:
        return f"{'' if self.outcome else 'not '}{self.condition}"


Identity: TypeAlias = tuple[object, ...]
"""The name of one particular unknown thing: where it came into being, or the operation that makes it from others."""
Guard: TypeAlias = tuple[Literal_, ...]
EARLIER: Final = "earlier"
"""Begins the condition that another one had an outcome in an earlier round of a loop: it contradicts none of this round."""
