"""Targets: where states arrive that leave early, by return, break, continue or raise.

A `return` hands its delta to the target of the activation. The run goes on there with the join of all that arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from mxlint.domain.heap import Delta, Heap
from mxlint.domain.members import Value
from mxlint.interpreter.machine.paths import Path

MAX_POSSIBLE: Final = 32
"""States of one try that are kept one by one because an operation may raise there; beyond, all that the body writes is joined."""


Catches: TypeAlias = "Callable[[str], bool]"
"""Whether something may catch an exception of a class, by its name."""


def anything(_: str) -> bool:
    """Of a handler that may catch whatever comes."""
    return True


UNEXPECTED: Final = "builtins.MemoryError"
"""What only a handler of whatever comes catches."""


class Target:
    """A place where states arrive that left early: a loop's end, a function's end, a handler. Deltas are relative to `mark`.

    `fewest`: how many operations the trace had at least in a state that arrived. `possible`: states in which an operation may raise and may not, by the
    class of the exception (None: not known); `grounds`: what decides whether it does, as far as that is known. `overrun`: how often an item was taken at an index that a loop moves beyond the last one. `catches`: of a
    handler, whether the program may go on from there after an exception of a class of a library; what arrives at another is raised again.
    """

    __slots__ = ("_last", "arrived", "catches", "fewest", "grounds", "mark", "overflow", "overrun", "possible")

    def __init__(self, mark: int, *, catches: Catches | None = None) -> None:
        self.mark = mark
        self.catches = catches
        self.arrived: list[tuple[Delta, Value, Path]] = []
        self.fewest: int | None = None
        self.overrun = 0
        self.possible: list[tuple[Delta, str | None]] = []
        self.overflow: set[str | None] = set()
        self.grounds: set[object] = set()
        self._last: tuple[object, ...] = ()

    def expects(self, error: str) -> bool:
        """Whether it is there for exceptions of a class, and not for whatever comes."""
        return self.catches is not None and self.catches(error) and not self.catches(UNEXPECTED)

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


class Departure(NamedTuple):
    """A state that is handed to a target: the value, the path on which it came, and whether the value is an exception that is raised."""

    value: Value
    path: Path
    thrown: bool


class Departures:
    """What a stretch of the run hands to targets that stood before it: to which, the state relative to its begin, and what comes with it, its path behind that
    of the begin. `possible`: the states from which an exception of a class may lead to one. `whole`: nothing else left it that is not kept here."""

    __slots__ = ("_last", "arrived", "known", "mark", "path", "possible", "targets", "whole")

    def __init__(self, targets: Sequence[Target], mark: int, path: Path) -> None:
        self.targets = tuple(targets)
        self.known = [len(target.arrived) for target in targets]
        self.mark = mark
        self.path = path
        self.arrived: list[tuple[int, Delta, Departure]] = []
        self.possible: list[tuple[int, Delta, str | None]] = []
        self.whole = True
        self._last: tuple[object, ...] = ()

    def note(self, heap: Heap, standing: Sequence[Target], target: Target, departure: Departure) -> None:
        """A state is handed to a target. `standing`: all targets that there are."""
        number, length = self._number(target), len(self.path)
        if number is not None and departure.path[:length] == self.path:
            self.arrived.append((number, heap.changes(self.mark), departure._replace(path=departure.path[length:])))
        elif number is not None or target.mark <= self.mark and not any(known is target for known in standing):
            self.whole = False  # it may stand outside

    def _number(self, target: Target) -> int | None:
        return next((number for number, known in enumerate(self.targets) if known is target), None)

    def note_possible(self, heap: Heap, target: Target, error: str | None) -> None:
        """An exception of a class may lead from the present state to a handler."""
        trail = heap.trail
        here = (len(trail), id(trail[-1]) if trail else 0, error, id(target))
        if here == self._last:
            return
        self._last = here
        number = self._number(target)
        if number is not None and len(self.possible) < MAX_POSSIBLE:
            self.possible.append((number, heap.changes(self.mark), error))
        elif number is not None or target.mark <= self.mark:
            self.whole = False

    def reached(self) -> tuple[int, int]:
        """How much is kept so far, to forget what comes later."""
        return len(self.arrived), len(self.possible)

    def forget(self, reached: tuple[int, int]) -> None:
        """Forget what came since."""
        arrived, possible = reached
        del self.arrived[arrived:], self.possible[possible:]
        self._last = ()

    def is_whole(self) -> bool:
        """Whether all that arrived at the targets since the begin is kept here."""
        counts = list(self.known)
        for number, *_ in self.arrived:
            counts[number] += 1
        return self.whole and counts == [len(target.arrived) for target in self.targets]


class Recovery:
    """Where a run goes on that an exception ends which only the analysis may raise, or that ends a cell of a notebook: behind the statement at module level that runs. `tries`: so many handlers
    stood around the module; `path`: the path on which it began; `session`: the module is a notebook, whose cells run whatever another one has raised."""

    __slots__ = ("path", "session", "target", "tries")

    def __init__(self, target: Target, tries: int, path: Path, session: bool) -> None:
        self.target = target
        self.tries = tries
        self.path = path
        self.session = session
