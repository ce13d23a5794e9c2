"""What a program asks of its surroundings that an experiment does not have, or has otherwise: a run without the answers refutes nothing."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from typing import Any

STANDARD_INPUT, RANDOM = "its standard input", "random numbers that nothing seeds"


class Surroundings:
    """Note that the standard input is asked, and that the global generator of `random` is drawn from without a seed of the program's own.

    Make it once the generator has the experiment's seed, before the program runs.
    """

    def __init__(self) -> None:
        self.input_asked = self.seeded = False
        self.before = random.getstate()
        self.seed = random.seed

    def install(self) -> None:
        if sys.stdin is not None:
            sys.stdin = _Asked(sys.stdin, self)
        random.seed = self._seed

    def _seed(self, *args: Any, **kwargs: Any) -> None:
        self.seeded = True
        self.seed(*args, **kwargs)

    def asked(self) -> list[str]:
        """Return what the program asked for, in words."""
        drawn = not self.seeded and random.getstate() != self.before
        return [word for word, asked in ((STANDARD_INPUT, self.input_asked), (RANDOM, drawn)) if asked]


class _Asked:
    """The standard input, and a note that something was read from it."""

    def __init__(self, real: Any, surroundings: Surroundings) -> None:
        self._real, self._surroundings = real, surroundings

    def __getattr__(self, name: str) -> Any:
        self._surroundings.input_asked = True
        return getattr(self.__dict__["_real"], name)

    def __iter__(self) -> Iterator[str]:
        self._surroundings.input_asked = True
        return iter(self._real)
