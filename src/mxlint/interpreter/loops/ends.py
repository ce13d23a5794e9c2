"""Which loops are known to end, and which never do by themselves: `while True` without a `break` or `return` ends by an exception alone."""

from __future__ import annotations

from collections.abc import Hashable

from mxlint.domain.members import Loops
from mxlint.domain.place import Place
from mxlint.interpreter.machine.frames import Context
from mxlint.interpreter.machine.paths import Path


class Ends:
    """Loops by what is known of their end."""

    __slots__ = ("arrays", "asked", "counts", "endless", "finite", "given", "moved", "paths", "rounds", "turns")

    def __init__(self) -> None:
        self.finite: set[Place] = set()
        """Loops whose number of rounds is known."""
        self.endless: set[Place] = set()
        """Loops that only a `break` ends."""
        self.given: set[Place] = set()
        """Loops of which nobody in sight says how many rounds they have: over what is not in sight."""
        self.rounds: dict[Context, Loops] = {}
        """Of a loop, those in each of whose rounds it has another number of rounds; none where nothing is known of it."""
        self.counts: dict[Context, int | None] = {}
        """How many rounds a loop has, at least; None where that is not known."""
        self.moved: dict[Context, Loops] = {}
        """Of a loop that is over, those in each of whose rounds it leaves other numbers: none where nobody knows its rounds."""
        self.asked: dict[Context, set[Hashable]] = {}
        """Of a loop, those over which numbers vary that a test in it has asked for, and that decide nothing by themselves."""
        self.turns: dict[int, set[Place]] = {}
        """Of objects that stand for several: the loops of which each round takes another one of these."""
        self.arrays: dict[int, set[Context]] = {}
        """Of arrays that stand for one of each round of a loop that is over: the loops of which each round takes another one of these."""
        self.paths: dict[Context, Path] = {}
        """Of rounds, the path on which their bodies begin."""
