"""The search for arguments: what gets further into the function is tried on, until the uncompiled function runs and comes where it should."""

from __future__ import annotations

import heapq
import itertools
import sys
import time
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import inputs, repairs
from .inputs import Spec

MOST_TRIES = 400
SEARCH_STEPS, MOST_STEPS = 5_000_000, 7_000_000
"""Lines of the program and calls that one search may follow, and all searches of a run together: a few seconds, and as many on any machine."""
MOST_SECONDS = 8.0
"""Of processor time for all searches together, where single steps take long."""
LOOK_EVERY = 64
"""So many steps for one look at the clock."""
MOST_UNIFIED = 12
"""So many times two sizes are made equal."""


class Overdue(BaseException):
    """A trial took too long."""


@dataclass(slots=True)
class Budget:
    """What searches may still take: `steps`, and processor time `until`."""

    steps: int = MOST_STEPS
    until: float = field(default_factory=lambda: time.process_time() + MOST_SECONDS)

    def step(self, last: int) -> None:
        """Take one. Raise Overdue if only `last` steps are left, or the time is over."""
        self.steps -= 1
        if self.steps <= last or self.steps % LOOK_EVERY == 0 and time.process_time() > self.until:
            raise Overdue

    def over(self, last: int) -> bool:
        return self.steps <= last or time.process_time() > self.until


@dataclass(slots=True)
class Probe:
    """How far a call comes. `aim`: a file of the program and the rows to be reached; `raises`: an exception is to be raised there; `last`: the
    steps of the budget that are left to others."""

    root: str
    aim: tuple[str, int, int] | None
    raises: bool
    budget: Budget
    last: int
    seen: set[tuple[types.CodeType, int]] = field(default_factory=set)
    reached: bool = False
    raised: bool = False

    def on_call(self, frame: types.FrameType, event: str, _: Any) -> Any:
        self.budget.step(self.last)
        return self.on_event if frame.f_code.co_filename.startswith(self.root) else None

    def on_event(self, frame: types.FrameType, event: str, _: Any) -> Any:
        self.seen.add((frame.f_code, frame.f_lineno))
        if self.aim is not None and self.aim[1] <= frame.f_lineno <= self.aim[2] and frame.f_code.co_filename == self.aim[0]:
            self.reached = True
            self.raised = self.raised or event == "exception"
        self.budget.step(self.last)
        return self.on_event


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of one choice: whether the function ran, whether the aim was reached, how many lines it went through."""

    ran: bool
    reached: bool
    raised: bool
    lines: int
    problem: str | None


@dataclass(frozen=True, slots=True)
class Found:
    """`specs`: arguments with which the function runs; `raising`: others with which it raises at the aim. `reached`: whether the first come
    to the aim; `problem`: what the last but best choice failed for."""

    specs: list[Spec] | None
    raising: list[Spec] | None = None
    reached: bool = False
    problem: str | None = None
    tries: int = 0


@dataclass(frozen=True, slots=True)
class Quest:
    """What to look for, within which budget. `varies`: the function has to run at several sizes."""

    root: str
    budget: Budget
    aim: tuple[str, int, int] | None = None
    raises: bool = False
    varies: str = ""


def search(fun: Callable[..., Any], options: Sequence[Sequence[Spec]], names: Sequence[str], quest: Quest) -> Found:
    """The best choice: it runs, comes to the aim, and distinguishes the most dimensions."""
    last = max(0, quest.budget.steps - SEARCH_STEPS)
    tries = itertools.count(1)
    ran: list[Spec] | None = None
    reaching: list[Spec] | None = None
    raising: list[Spec] | None = None
    furthest, problem, number = -1, None, 0
    for specs, weigh in candidates(options):
        number = next(tries)
        if number > MOST_TRIES or quest.budget.over(last):
            break
        trial = attempt(fun, specs, names, quest, last)
        weigh(trial)
        if trial.ran:
            ran = ran or specs
            reaching = reaching or (specs if trial.reached else None)
        elif trial.lines > furthest:
            furthest, problem = trial.lines, trial.problem
        if trial.raised and quest.raises:
            raising = raising or specs
        if (
            (reaching is not None or ran is not None and quest.aim is None)
            if not quest.raises
            else (ran is not None and raising is not None)
        ):
            break
    best = reaching or ran
    if best is not None:
        best = distinct_sizes(fun, best, names, quest, last)
    return Found(best, raising, reaching is not None, problem, number)


def attempt(fun: Callable[..., Any], specs: Sequence[Spec], names: Sequence[str], quest: Quest, last: int) -> Trial:
    """Call a function under watch, at every size that will be asked for."""
    probe = Probe(quest.root, quest.aim, quest.raises, quest.budget, last)
    before = sys.gettrace()
    problem = None
    for call in range(len(inputs.SIZES) if quest.varies else 1):
        sys.settrace(probe.on_call)
        try:
            inputs.evaluate(inputs.apply(fun, specs, names, call, quest.varies))
        except (Exception, Overdue) as error:  # noqa: BLE001 - whatever it raises
            problem = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
        except SystemExit:
            problem = "SystemExit"
        finally:
            sys.settrace(before)
        if problem is not None:
            break
    return Trial(problem is None, probe.reached, probe.raised and problem is not None, len(probe.seen), problem)


def candidates(options: Sequence[Sequence[Spec]]) -> Iterator[tuple[list[Spec], Callable[[Trial], None]]]:
    """Choices for all parameters together: like ones for all first, then neighbours of what came furthest."""
    counter = itertools.count()
    longest = max((len(found) for found in options), default=1)
    waiting: list[tuple[int, bool, int, int, tuple[int, ...]]] = []
    known: dict[tuple[int, ...], tuple[int, bool]] = {}
    tried: set[tuple[int, ...]] = set()

    def offer(indices: tuple[int, ...], worth: int, fits: bool = True) -> None:
        rank = (-worth, not fits)
        if indices not in known or rank < known[indices]:
            known[indices] = rank
            heapq.heappush(waiting, (-worth, not fits, sum(indices), next(counter), indices))

    for number in range(min(longest, len(inputs.SHAPES))):
        offer(tuple(min(number, len(found) - 1) if "omitted" not in found[0] else 0 for found in options), 1 << 30)
    while waiting:
        *_, indices = heapq.heappop(waiting)
        if indices in tried:
            continue
        tried.add(indices)

        def weigh(trial: Trial, indices: tuple[int, ...] = indices) -> None:
            wanted = repairs.asked(trial.problem)
            for place, found in enumerate(options):
                for other, spec in enumerate(found):
                    if other != indices[place]:
                        fits = wanted is not None and wanted[0](spec, found[indices[place]], wanted[1])
                        offer((*indices[:place], other, *indices[place + 1 :]), trial.lines, fits)

        yield [found[index] for found, index in zip(options, indices)], weigh


NAMINGS: tuple[Callable[[int, int, int], str], ...] = (
    lambda position, axis, rank: f"{position}.{axis}",
    lambda position, axis, rank: str(axis - rank),
    lambda position, axis, rank: "first" if rank > 1 and axis == 0 else "n",
)
"""Which free dimensions are the same one: none, those as far from the end, all but the leading ones."""


def distinct_sizes(fun: Callable[..., Any], specs: list[Spec], names: Sequence[str], quest: Quest, last: int) -> list[Spec]:
    """The same choice with sizes that differ, as far as the function takes them: equal ones hide which is which."""
    if (found := unified(fun, specs, names, quest, last)) is not None:
        return found
    for naming in NAMINGS:
        named = _named(specs, naming)
        if named != specs:
            trial = attempt(fun, named, names, quest, last)
            if trial.ran and (trial.reached or quest.aim is None or quest.raises):
                return named
    return specs


def unified(fun: Callable[..., Any], specs: list[Spec], names: Sequence[str], quest: Quest, last: int) -> list[Spec] | None:
    """The choice with as many different sizes as it takes: all differ at first, and what a message says should be equal becomes so."""
    same: dict[str, str] = {}

    def naming(position: int, axis: int, rank: int) -> str:
        name = f"{position}.{axis}"
        while name in same:
            name = same[name]
        return name

    for _ in range(MOST_UNIFIED):
        named = _named(specs, naming)
        trial = attempt(fun, named, names, quest, last)
        if trial.ran:
            return named if trial.reached or quest.aim is None or quest.raises else None
        sizes = {size: name for spec in named for name, size in spec.get("sizes", {}).items()}
        pair = repairs.equal_sizes(trial.problem or "")
        if pair is None or pair[0] not in sizes or pair[1] not in sizes or len(sizes) != len({*sizes.values()}):
            return None
        first, second = sorted(sizes[size] for size in pair)
        if first == second:
            return None
        same[second] = first
    return None


def _named(specs: list[Spec], naming: Callable[[int, int, int], str]) -> list[Spec]:
    """Free dimensions under names of their own, each with a size of its own."""
    sizes: dict[str, int] = {}
    named = []
    for position, spec in enumerate(specs):
        if "array" in spec:
            rank = len(spec["array"])
            shape = [naming(position, axis, rank) if item == "n" else item for axis, item in enumerate(spec["array"])]
            for item in shape:
                if isinstance(item, str) and item != "n":
                    sizes.setdefault(item, inputs.OTHER_SIZES[len(sizes) % len(inputs.OTHER_SIZES)])
            spec = {**spec, "array": shape, "sizes": {item: sizes[item] for item in shape if item in sizes}}
        named.append(spec)
    return named
