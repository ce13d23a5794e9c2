"""What a run that contradicts a claim left out. Only a run without gaps refutes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mxlint.verify.bench import watch
from mxlint.verify.runner import Job
from mxlint.verify.sight import Claim, Watched


def gap(claim: Claim, job: Job, run: Mapping[str, Any]) -> str | None:
    """Return the first place that the finding rests on and the run did not execute, in words; None if it executed them all.

    These are the related places of the finding, every call of the compiled function that is in sight, and the calls that lead to those.
    """
    missed = missing_places(claim, job, run)
    if not missed:
        return None
    row = missed[0][1][0]
    of_calls = missed[0] in claim.calls or missed[0] in claim.paths
    return f"the call in line {row} was not made" if of_calls else f"line {row}, which the finding rests on, was not run"


def missing_places(claim: Claim, job: Job, run: Mapping[str, Any]) -> list[Watched]:
    """Return the calls in sight that the run did not make, and the other places of the finding that it did not execute, each once.

    The definition of a function that the static tracer entered though nothing in sight calls it is no place that a run executes: it may have other
    callers.
    """
    calls = [call for call in claim.calls if not any(_is_call(call, made) for made in run["calls"])]
    return list(dict.fromkeys(calls + [place for place in (*claim.chain, *claim.paths) if not _executed(place, job, run)]))


def _executed(place: Watched, job: Job, run: Mapping[str, Any]) -> bool:
    watches = job.settings["watches"]
    told = watch(place)
    if told not in watches:
        return False
    counts = run["watches"][watches.index(told)]
    return bool(counts["inside"] or counts["outside"])


def _is_call(call: Watched, made: Mapping[str, Any]) -> bool:
    """Whether a recorded call was made at a place. Before Python 3.11 a record has no columns."""
    file, start, end = call
    if made["file"] != file:
        return False
    if made["span"] is None:
        return bool(start[0] <= made["row"] <= end[0])
    row, column, end_row, end_column = made["span"]
    return (row, column) == start and (end_row, end_column) == end
