"""What a confirmed finding costs: its program timed against a form of it without the pitfall."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from time import monotonic
from typing import Any

from mxlint.finding import Slowdown, Verdict
from mxlint.verify.bench import Bench, Interrupted, fingerprint
from mxlint.verify.child.guard import has_cuda
from mxlint.verify.comparison import Claim
from mxlint.verify.cure import rounding
from mxlint.verify.protocols.cost import Cost
from mxlint.verify.protocols.table import protocol_of
from mxlint.verify.runner import Job, Outcome, remove, run
from mxlint.verify.timer import OF_THE_PAIR, OVER, STOPPED, Plan, first_pair, timed

FIX = "the fixed form"
Keep = Callable[[Job, str], None]
LONGER = 1.0 if has_cuda() else 1.5
"""Timing a finding, with all its pairs of processes, may take so many times as long as one run of a program that is only watched: 30 s, with CUDA 60,
where --timeout says nothing else."""


def with_slowdown(
    bench: Bench, verdict: Verdict, job: Job, claim: Claim, fixed: Mapping[str, str] | None = None, keep: Keep | None = None
) -> Verdict:
    """The verdict with what the flagged form costs, against the program `fixed` if there is one. Nothing else runs at that time. `keep`: leaves
    what is timed where people can look at it."""
    protocol = protocol_of(claim.code)
    cost = protocol.cost if protocol is not None else None
    if cost is None or verdict.verdict != "confirmed":
        return verdict
    started = monotonic()
    over = started + LONGER * bench.wall_s
    reason = None
    for number, (one, plan) in enumerate(plans(job, cost, claim, fixed)):
        if keep is not None:
            keep(first_pair(one, plan, LONGER * bench.wall_s), f"-timed{number or ''}")
        found = _known(bench, one, plan, over - monotonic())
        if isinstance(found, Slowdown):
            return replace(verdict, slowdown=found, duration=verdict.duration + monotonic() - started)
        reason = reason or found
    return replace(untimed(verdict, reason or "no other form"), duration=verdict.duration + monotonic() - started)


def untimed(verdict: Verdict, reason: str) -> Verdict:
    """The verdict with the reason for which nothing is known of its cost."""
    if verdict.evidence is None:
        return verdict
    note = "; ".join(part for part in (verdict.evidence.note, f"not timed: {reason}") if part)
    return replace(verdict, evidence=replace(verdict.evidence, note=note))


def plans(job: Job, cost: Cost, claim: Claim, fixed: Mapping[str, str] | None) -> Iterator[tuple[Job, Plan]]:
    """What to time, the best first."""
    flagged = (claim.place, claim.start[0], claim.end[0])
    sites = (flagged,) if cost.event == "transform" else tuple(dict.fromkeys((*claim.sites, flagged)))
    if fixed is not None:
        yield Job(job.files, job.settings, fixed), Plan(("real", "real"), FIX, cost.event, cost.new, sites, cost.everywhere)
    for reference in cost.references:
        yield job, Plan(("real", reference.form), reference.against, cost.event, cost.new, sites, cost.everywhere)


def _known(bench: Bench, job: Job, plan: Plan, wall_s: float) -> Slowdown | str:
    """Two findings of one program and plan cost the same."""
    key = fingerprint({"files": job.files, "fixed": job.fixed, "settings": job.settings, "plan": asdict(plan)})
    if key not in bench.slowdowns:
        kept = bench.cache.read(key) if bench.cache is not None else None
        found = _record(kept) if kept is not None else _timed(bench, job, plan, key[:16], wall_s)
        if bench.cache is not None and kept is None and not (isinstance(found, str) and (STOPPED in found or OVER in found)):
            bench.cache.write(key, asdict(found) if isinstance(found, Slowdown) else {"reason": found})
        bench.slowdowns[key] = found
    return bench.slowdowns[key]


def _record(kept: Mapping[str, Any]) -> Slowdown | str:
    if "reason" in kept:
        return str(kept["reason"])
    samples = tuple(tuple((observed, fixed) for observed, fixed in process) for process in kept["samples"])
    return Slowdown(**{**kept, "samples": samples, "first_ms": tuple(kept["first_ms"]) if kept["first_ms"] else None})


def _timed(bench: Bench, job: Job, plan: Plan, name: str, wall_s: float) -> Slowdown | str:
    folder = bench.place.folder / f"timing-{name}"
    kernels = bench.kernels(job)
    count = 0

    def pair(one: Job) -> Outcome:
        nonlocal count
        count += 1
        with bench.others_turn():
            outcome = run(one, "timed", bench.place, folder / str(count), one.settings["timing"]["wall_s"] / OF_THE_PAIR, kernels)
        if outcome.stopped == "interrupted":
            raise Interrupted
        return outcome

    folder.mkdir()
    try:
        return timed(job, plan, pair, wall_s, partial(rounding, bench, job))
    finally:
        remove(folder)
