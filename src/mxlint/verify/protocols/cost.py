"""How the cost of a pitfall is taken, for the rules that are about time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reference:
    """Another form of a program (child/clock.py makes it of the program itself) and what it is, in words."""

    form: str
    against: str


@dataclass(frozen=True, slots=True)
class Cost:
    """How a rule's cost is taken: `event` is what happens once in each turn that counts. `everywhere`: it may be a call of any compiled
    function, not of the flagged one alone. `references`: the first that can be run is what the program is measured against."""

    references: tuple[Reference, ...]
    event: str = "call"
    new: bool = False
    everywhere: bool = False


SEEN = Reference("seen", "the same calls, traced before")
KEPT = Cost((Reference("hoisted", "one compiled object that is kept"),), "compile")
PLAIN = Cost((Reference("plain", "the function as it is, not compiled"),))
COMPUTED = Cost((Reference("computed", "captured arrays that were computed before the first call"),))
ARRAYS = Cost((Reference("arrays", "the numbers given as arrays"), SEEN), new=True)
SHAPES = Cost((SEEN,), new=True)
TURNED = Cost((Reference("turned", "the transform compiled"),), "transform")
