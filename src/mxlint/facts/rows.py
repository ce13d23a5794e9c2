"""What a row of values tells, which calls at one place are given one after the other: whether they are few that come again, or go on to change.

A trace for each of few values is no matter where there are many calls. Both sides ask this: the rules of the rows that they are shown, and the interpreter of what it
finds before it shows them.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Final

MANY: Final = 3
"""From so many different ones on, values or shapes that come round by round are taken to go on changing."""
FEW: Final = 4
"""So many numbers that are written out in a loop are so many traces, and that is all."""
AGAIN: Final = 16
"""So many that come again are no matter where there are many calls; more are one trace each all the same."""
SELDOM: Final = 4
"""What so many calls are given, one with the other, before another takes its place, as the next of some sizes that arrays are padded to, changes seldom."""


def come_again(values: Iterable[object]) -> bool:
    """Whether one of few comes again after others, or the last one has come as often as all that were before it, or each comes many times, or the second half
    brings nothing new: what goes round, comes to rest or seldom changes does not go on to change. What changes ever more seldom, as the next power of two does, need not be few."""
    values = list(values)
    runs = _runs(values)
    together = len(values)
    if runs and 2 * runs[-1][1] >= together:
        return True
    different = len({value for value, _ in runs})
    if different <= FEW and (different < len(runs) or SELDOM * different <= together):
        return True
    return _brings_nothing_new(values) or _ever_more_seldom(runs)


def settles(values: Iterable[object]) -> bool:
    """Whether a row that does not go to the end of the loop shows that the later rounds bring nothing new: what it gives goes round, or changes ever more
    seldom. What has come to rest may move again, and what each round in ten moves has moved few times so far."""
    values = list(values)
    if len(set(values[len(values) // 2 :])) == 1:
        return _ever_more_seldom(_runs(values))
    runs = _runs(values)
    return len({value for value, _ in runs}) < len(runs) or _brings_nothing_new(values) or _ever_more_seldom(runs)


def _runs(values: Iterable[object]) -> list[tuple[object, int]]:
    """The values, each with how often it comes in a row."""
    return [(value, sum(1 for _ in run)) for value, run in groupby(values)]


def _brings_nothing_new(values: list[object]) -> bool:
    """Whether the second half of some values are among those of the first."""
    return set(values[len(values) // 2 :]) <= set(values[: len(values) // 2])


def _ever_more_seldom(runs: list[tuple[object, int]]) -> bool:
    """Whether each value comes as often as the one before it, and the later ones twice as often as those in the middle."""
    times = [count for _, count in runs[:-1]]  # the last one may come again
    return len(times) >= MANY and times == sorted(times) and times[-1] >= 2 * times[len(times) // 2]
