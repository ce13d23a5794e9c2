"""Two forms of a program timed against each other, by several pairs of processes (child/timer.py is what one pair does)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from time import monotonic
from typing import Any

from mxlint.finding import Slowdown
from mxlint.verify.child.guard import has_cuda
from mxlint.verify.child.timer import LONGEST_NS
from mxlint.verify.comparison import BY_ITSELF, Tolerated, explained
from mxlint.verify.runner import Job, Outcome
from mxlint.verify.timing import Round, disagreement, estimate, slowdown

FEWEST_PAIRS, MOST_PAIRS = 3, 8
WIDE = 0.2
"""An interval that is wider than this, as part of the ratio, asks for more pairs of processes."""
PLENTY = 10.0
"""Where the interval is above this and its rounds agree, nobody needs it narrower: two pairs of processes do, which is the fewest that give one."""
BUDGET_S = 6.0
"""After this no pair is begun but those without which there is no interval."""
ROUNDS, PAIR_S = (40, 0.8) if has_cuda() else (6, 0.2)
"""What a pair of processes brings at most, and may spend on it: on a GPU it takes seconds until it can begin."""
STOPPED, OVER = "the timing child was stopped", "time is over"
"""The reasons that may be others tomorrow, the first as a beginning."""
OF_THE_PAIR = 0.85
"""The part of its wall that a pair of processes has for itself; what is left is for the sandbox around it."""
MOST_BARRED = 3
NOTABLE = 0.05
SAME = ("real", "real")
"""Forms that tell whether the program does the same in two processes."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is timed. `forms`: of the program as it is, and of what it is measured against (child/clock.py knows them; a job with `fixed` has
    a program of its own for the second, which is known to compute the same). `event`, `sites`: what has to happen in a turn, and where. `new`: each turn brings something that
    was never there before. `everywhere`: the event may happen elsewhere, too. `against`: the second form in words."""

    forms: tuple[str, str]
    against: str
    event: str = "call"
    new: bool = False
    sites: tuple[tuple[str, int, int], ...] = ()
    everywhere: bool = False


@dataclass(slots=True)
class Measured:
    """The pairs that gave rounds, or why there are none."""

    samples: list[tuple[Round, ...]] = field(default_factory=list)
    first_ms: tuple[float, float] | None = None
    built: list[float] = field(default_factory=list)
    kernels: list[str] = field(default_factory=list)
    """What the first form had loaded after its first turn."""
    mlx: Mapping[str, str] | None = None
    reason: str | None = None


Run = Callable[[Job], Outcome]
"""Runs a job in the mode "timed", alone; kernels that it built are there for the next one."""
Rounding = Callable[[], Tolerated]
"""Measures what rounding makes of a program, which takes two more runs of it."""


def timed(job: Job, plan: Plan, run: Run, wall_s: float, rounding: Rounding, budget_s: float = BUDGET_S) -> Slowdown | str:
    """What the first form costs, or why that cannot be told. `wall_s`: seconds that all pairs of processes have together. `rounding`: what is no
    difference between the results of two forms."""
    found = measure(job, plan, run, wall_s, rounding, budget_s)
    if not found.samples:
        return f"against {plan.against}: {found.reason}" if found.reason else "nothing was timed"
    notes = [f"against {plan.against}"]
    share = median(found.built) if found.built else 0.0
    if share > NOTABLE:
        notes.append(f"the C++ compiler is {min(share, 1.0):.0%} of it")
    cost = slowdown(found.samples, found.first_ms, notes)
    return f"against {plan.against}: {cost}" if isinstance(cost, str) else cost


def measure(job: Job, plan: Plan, run: Run, wall_s: float, rounding: Rounding, budget_s: float = BUDGET_S) -> Measured:
    """Pairs of processes until the interval is narrow enough, none is to be begun any more (`budget_s`), or all is over (`wall_s`)."""
    started = monotonic()
    over = started + wall_s
    found = Measured()
    barred: list[Any] = []
    number = 0
    while wanted(found.samples, monotonic() - started, budget_s):
        if (left := over - monotonic()) <= 0:
            found.reason = found.reason or OVER
            break
        if number == 1:
            started = monotonic()  # what was built in the first is not for the others to pay
        timing = settings(plan, number, barred, cold(plan, number, found), left, found.kernels)
        outcome = run(Job(job.files, {**job.settings, "timing": timing}, job.fixed))
        answer = outcome.answer or {}
        number += 1
        rounds = answer.get("rounds", [])
        if (
            number == 1
            and job.fixed is None
            and differ(answer)
            and differ(answer, rounding())
            and not differ(again(job, plan, run, over - monotonic()))
        ):
            found.reason = "it computes something else"
            break
        if not enough_rounds(rounds, plan):
            found.reason = why(outcome)
            loop = answer.get("unit")
            if loop and answer.get("who") == 0 and len(barred) < MOST_BARRED and not found.samples:
                barred.append(loop)  # it has few turns, and cannot be gone round more often than the program does: an outer one may
                continue
            break
        found.mlx = answer["mlx"]
        found.samples.append(tuple((a / 1e6, b / 1e6) for a, b in rounds))
        found.built += [built / a for built, (a, _) in zip(answer["built"], rounds)]
        if found.first_ms is None:
            found.first_ms = (answer["first"][0] / 1e6, answer["first"][1] / 1e6)
            found.kernels = answer.get("kernels", [])
    return found


def enough_rounds(rounds: Sequence[Sequence[float]], plan: Plan) -> bool:
    """Whether a pair of processes had as many rounds as it takes: a turn that takes long, as one does that builds a kernel, is one by itself."""
    return len(rounds) > 1 or (len(rounds) == 1 and (plan.event == "once" or plan.new and rounds[0][0] >= LONGEST_NS))


def differ(answer: Mapping[str, Any], most: Tolerated = BY_ITSELF) -> bool:
    """Whether the calls of two forms do not return the same, up to what is tolerated, as far as both made them."""
    return any(not explained(a, b, b, most) for a, b in zip(*answer.get("results", ([], []))))


def again(job: Job, plan: Plan, run: Run, wall_s: float) -> Mapping[str, Any]:
    """The program beside itself."""
    timing = settings(replace(plan, forms=SAME), 0, [], [0, 1], wall_s)
    return run(Job(job.files, {**job.settings, "timing": timing})).answer or {}


def first_pair(job: Job, plan: Plan, wall_s: float) -> Job:
    """What the first pair of processes is told."""
    return Job(job.files, {**job.settings, "timing": settings(plan, 0, [], cold(plan, 0, Measured()), wall_s)}, job.fixed)


def wanted(samples: Sequence[Sequence[Round]], spent: float, budget_s: float) -> bool:
    """Whether one more pair of processes is."""
    if len(samples) > 1 and estimate(samples).low >= PLENTY and disagreement(samples) is None:
        return False
    if spent > budget_s:
        return 0 < len(samples) < FEWEST_PAIRS and spent < 3 * budget_s
    if len(samples) < FEWEST_PAIRS:
        return True
    return len(samples) < MOST_PAIRS and estimate(samples).width > WIDE


def cold(plan: Plan, number: int, found: Measured) -> list[int]:
    """The forms that find no kernels built: both at first, and always what is about building them."""
    if number == 0 or plan.event == "once":
        return [0, 1]
    return [0] if plan.new and any(found.built) else []


def settings(
    plan: Plan, number: int, barred: Sequence[Any], cold: Sequence[int], wall_s: float, kernels: Sequence[str] = ()
) -> dict[str, Any]:
    """What a pair of processes is told. `kernels`: those of the first turn, which the first form finds built even where it is cold."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    return {
        "forms": plan.forms,
        "event": plan.event,
        "new": plan.new,
        "sites": plan.sites,
        "everywhere": plan.everywhere,
        "unit": None,
        "barred": list(barred),
        "pair": number,
        "core": cores[number % len(cores)] if cores else None,
        "cold": list(cold),
        "kernels": list(kernels),
        "import_first": sys.platform == "linux" and not has_cuda(),  # there an import alone makes what no fork survives
        "rounds": ROUNDS,
        "seconds": PAIR_S,
        "wall_s": OF_THE_PAIR * max(0.0, wall_s),
    }


def why(outcome: Outcome) -> str:
    """Why there are no rounds."""
    answer = outcome.answer
    if answer is None:
        return f"{STOPPED}: {outcome.stopped or outcome.signal or outcome.exit_code}"
    who = ("the program", "the other form")[answer.get("who", 0)]
    return f"{who}: {answer.get('canary') or answer.get('ended') or 'too few turns'}"
