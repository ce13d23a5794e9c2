"""Programs in which the expressions of other findings do no harm: one that raises in the trace hides what comes after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mxlint.verify.bench import Bench
from mxlint.verify.comparison import Claim
from mxlint.verify.endings import died, unusable
from mxlint.verify.origin import as_far
from mxlint.verify.protocols.answer import Protocol
from mxlint.verify.runner import Job
from mxlint.verify.variants import shares_row, without

MOST_HIDING = 4
"""Expressions of other findings that are neutralised, one after the other."""


def neutralised(bench: Bench, job: Job, claim: Claim, protocol: Protocol) -> tuple[Job, str] | None:
    """Return the program without the harm of the findings that hide this one, and what was changed in words; None where none does."""
    changed: list[str] = []
    for _ in range(MOST_HIDING):
        real = bench.run(job, "real").answer
        other = _hiding(bench, claim, real)
        if other is None:
            break
        harmless = _harmless(bench, job, other, protocol)
        if harmless is None:
            break
        job = harmless
        changed.append(f"{other.code} of line {other.start[0]}")
    return (job, f"with {' and '.join(changed)} neutralised") if changed else None


def _hiding(bench: Bench, claim: Claim, real: Mapping[str, Any] | None) -> Claim | None:
    """Another finding whose expression raised in a trace, so that the trace did not go on from there."""
    if real is None or "calls" not in real:
        return None
    for item in real["exceptions"]:
        if item["object"] is not None and item["left"]:
            for other in bench.claims:
                elsewhere = (other.place, other.start) != (claim.place, claim.start) and not shares_row(other, claim)
                if elsewhere and other.covers(item["file"], item["row"]):
                    return other
    return None


def _harmless(bench: Bench, job: Job, other: Claim, protocol: Protocol) -> Job | None:
    """The program with something in place of the other finding's expression, with which nothing is raised there."""
    before = bench.run(job, "plain")
    for _, variant in without(job, other):
        plain, real = bench.run(variant, "plain"), bench.run(variant, "real")
        if unusable(plain) or died(real) or plain.answer is None or real.answer is None or "calls" not in real.answer:
            continue
        raised = any(item["object"] is not None and other.covers(item["file"], item["row"]) for item in real.answer["exceptions"])
        if not raised and (before.answer is None or as_far(plain.answer, before.answer)):
            return variant
    return None
