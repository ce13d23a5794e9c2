"""Places where states arrive that left early."""

from __future__ import annotations

from typing import Final

from mxlint.domain.heap import Delta, Heap
from mxlint.domain.members import Value
from mxlint.interpreter.machine.paths import Path

MAX_POSSIBLE: Final = 32
"""States of one try that are kept one by one because an operation may raise there; beyond, all that the body writes is joined."""


class Target:
    """A place where states arrive that left early: a loop's end, a function's end, a handler. Deltas are relative to `mark`.

    `possible`: states in which an operation may raise and may not, by the class of the exception (None: not known). `catches`: it is a handler from
    which the program may go on; what arrives at another is raised again.
    """

    __slots__ = ("_last", "arrived", "catches", "mark", "overflow", "possible")

    def __init__(self, mark: int, *, catches: bool = False) -> None:
        self.mark = mark
        self.catches = catches
        self.arrived: list[tuple[Delta, Value, Path]] = []
        self.possible: list[tuple[Delta, str | None]] = []
        self.overflow: set[str | None] = set()
        self._last: tuple[object, ...] = ()

    def may_arrive(self, heap: Heap, error: str | None) -> None:
        """Keep the present state: an exception of a class may lead from it to here."""
        trail = heap.trail
        here = (len(trail), id(trail[-1]) if trail else 0, error)
        if here == self._last:
            return
        self._last = here
        if len(self.possible) < MAX_POSSIBLE:
            self.possible.append((heap.changes(self.mark), error))
        else:
            self.overflow.add(error)

    def reached(self) -> tuple[int, int, frozenset[str | None]]:
        """How much has arrived so far, to forget what does later."""
        return len(self.arrived), len(self.possible), frozenset(self.overflow)

    def forget(self, reached: tuple[int, int, frozenset[str | None]]) -> None:
        """Forget what arrived since."""
        arrived, possible, overflow = reached
        del self.arrived[arrived:], self.possible[possible:]
        self.overflow = set(overflow)
        self._last = ()

    def finish(self, heap: Heap) -> None:
        """Join the states from which an exception may lead here, one for each class. To be done before the state is undone."""
        grouped: dict[str | None, list[Delta]] = {}
        for delta, error in self.possible:
            grouped.setdefault(error, []).append(delta)
        if self.overflow:
            every = heap.every_value(self.mark)
            for error in self.overflow:
                grouped.setdefault(error, []).append(every)
        self.possible = [(delta, error) for error, deltas in grouped.items() for delta in deltas]
        self.overflow = set()


class Recovery:
    """Where a run goes on that an exception ends which only the analysis may raise: behind the statement at module level that runs. `tries`: so many handlers
    stood around the module; `path`: the path on which it began."""

    __slots__ = ("path", "target", "tries")

    def __init__(self, target: Target, tries: int, path: Path) -> None:
        self.target = target
        self.tries = tries
        self.path = path
