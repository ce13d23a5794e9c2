"""The time that a child may take. What other programs do on the machine makes it wait, and must not decide what is said of it: time in which it
computes counts by the processor's clock, time in which it does nothing by the one on the wall."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

WINDOW_S = 0.5
"""Whether it computes is judged over so long a time: a core that is shared comes round in less."""
IDLE = 0.01
"""Who computes for less than this part of the time does nothing, and waits for something else than a core."""
MOST_TIMES = 10
"""After so many times as long on the wall it is over in any case."""


@dataclass(slots=True)
class Allowance:
    """`seconds`: how long it may take; `begun`: when it began, by the clock on the wall. `spent`: what counts so far."""

    seconds: float
    begun: float
    spent: float = 0.0
    looked: float = 0.0
    computed: float = 0.0

    def over(self, now: float, count: Callable[[], float | None]) -> bool:
        """Whether the time is over at `now`. `count` tells how many seconds have been computed in all; None where nobody counts them."""
        elapsed = now - self.begun
        window = elapsed - self.looked
        if window >= min(WINDOW_S, self.seconds / 4):
            computed = count()
            # Processes that have ended and were not waited for are not counted any more.
            busy = max(0.0, computed - self.computed) if computed is not None else window
            self.spent += min(busy, window) if busy > IDLE * window else window
            self.looked, self.computed = elapsed, computed or 0.0
        return self.spent > self.seconds or elapsed > MOST_TIMES * self.seconds
