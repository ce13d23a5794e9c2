"""What the activations of each function have cost in steps, and what came of it: a function that costs much and gives no fact is not entered again."""

from __future__ import annotations

from collections import Counter

from mxlint.domain.guards import Identity


class Costs:
    """What the activations of functions have cost, and what came of it. A function is known by the number of its node."""

    __slots__ = ("aside", "free", "fruitful", "fruitless", "given_up", "own", "reaching", "recursive")

    def __init__(self) -> None:
        self.free = False
        """Whether what runs now costs nobody anything, as a trial of a loop does, which has a limit of its own."""
        self.aside: Counter[int] = Counter()
        """Steps that the activations of each function have taken."""
        self.own: Counter[int] = Counter()
        """Steps that the bodies of functions have taken themselves, nearly."""
        self.fruitful: set[int] = set()
        """Functions of which an activation has brought about a fact."""
        self.fruitless: set[int] = set()
        """Those that cost too much without."""
        self.reaching: set[int] = set()
        """Functions that are known to reach something compiled."""
        self.recursive: set[int] = set()
        """Functions that were found to call themselves."""
        self.given_up: set[Identity] = set()
        """What functions of the program give, set and change that are not followed, as they cost too much."""
