"""Stretches of rows, asked which of them another one meets."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Generic, TypeVar

T = TypeVar("T")


class Stretches(Generic[T]):
    """Stretches, first and last row of each included, with what each stands for. A question costs as much as its answer, however many there are."""

    __slots__ = ("_firsts", "_held", "_reach")

    def __init__(self, stretches: Iterable[tuple[int, int, T]]) -> None:
        self._held = sorted(stretches, key=lambda stretch: stretch[0])
        self._firsts = [first for first, _, _ in self._held]
        self._reach = list(accumulate((last for _, last, _ in self._held), max))
        """How far any of the stretches up to each one comes: where that is not far enough, none before it is met."""

    def met(self, first: int, last: int) -> Iterator[T]:
        """What the stretches stand for that have a row of this one."""
        at = bisect_right(self._firsts, last) - 1
        while at >= 0 and self._reach[at] >= first:
            _, end, held = self._held[at]
            if end >= first:
                yield held
            at -= 1
