"""One program run as it is and uncompiled, and what the claim's protocol says of the two runs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from mxlint.verify.bench import Bench, watch, watched
from mxlint.verify.protocols.answer import Answer, Protocol
from mxlint.verify.runner import Job, Outcome
from mxlint.verify.sight import Claim, Sight, stable

MOST_TRIES = 4
"""Runs within which a crash has to come back."""


HALF_THE_MEMORY = 1 << 30


CRASHES = (4, 6, 7, 8, 11)
"""Signals that a process dies of by its own fault."""


INSTALL = "pip install 'mxlint[verify]' on a Mac, 'mxlint[verify-cpu]' or 'mxlint[verify-cuda]' on Linux"


def tried(bench: Bench, job: Job, claim: Claim, protocol: Protocol, again: int = 0) -> tuple[Answer, Mapping[str, Any] | None, str | None]:
    """An answer, the run that it is about, and what is missing on this machine, if something is."""
    plain = bench.run(job, "computed" if protocol.memory else "plain")
    if problem := _unusable(plain):
        return Answer("unclear", f"without compile, {problem}"), plain.answer, _out_of_reach(plain)
    assert plain.answer is not None
    real = bench.run(job, "real", again)
    if missing := _out_of_reach(real):
        return Answer("unclear", missing), real.answer, missing
    crashed = None
    if _died(real) and plain.answer["status"] in ("ok", "enough"):
        for attempt in range(1, MOST_TRIES):
            other = bench.run(job, "real", again + 100 * attempt)
            if _died(other):
                crashed = other
                break
        else:
            return Answer("unclear", f"one of {MOST_TRIES} runs died of signal {real.signal}"), None, None
    elif problem := _unusable(real):
        return Answer("unclear", problem), real.answer, None
    watches = job.settings["watches"]
    answer = protocol.judge(
        Sight(claim, real.answer or _nothing(len(watches)), plain.answer, crashed, watches.index(watch(watched(claim))))
    )
    by_value = answer.evidence is not None and answer.evidence.kind in ("stale", "wrong-value", "wrong-shape", "no-effect")
    if answer.word == "seen" and by_value and not protocol.unstable:
        # What differs must not differ by itself: the reference is run again.
        other = bench.run(job, "plain", 1)
        if other.answer is None or "calls" not in other.answer or not stable(plain.answer, other.answer):
            return Answer("unclear", "the uncompiled program does not do the same twice"), real.answer, None
    return answer, real.answer or plain.answer, None


def _nothing(watches: int) -> Mapping[str, Any]:
    """What is known of a run that crashed."""
    return {
        "status": "crashed", "calls": [], "exceptions": [], "objects": [], "bodies": {}, "logging": [], "leaks": [], "random_poisoned": False,
        "end": {}, "files": {}, "watches": [{"inside": 0, "outside": 0, "finished": 0, "exact": False, "objects": []}] * watches,
    }  # fmt: skip


def _died(outcome: Outcome) -> bool:
    """Whether a process died by its own fault, and not for want of memory."""
    return outcome.answer is None and outcome.signal in CRASHES and outcome.peak < HALF_THE_MEMORY


def _unusable(outcome: Outcome) -> str | None:
    """Why a run says nothing about the program."""
    if outcome.stopped is not None:
        return {
            "time": "the program was still running when its time was over",
            "memory": "the program used more memory than it was given",
            "output": "the program printed more than it was given room for",
        }[outcome.stopped]
    if outcome.answer is None:
        if outcome.signal is not None:
            return f"the process died of signal {outcome.signal}"
        return f"the process left early with exit code {outcome.exit_code}"
    if "calls" not in outcome.answer:
        return "the program could not be started"
    for item in outcome.answer["exceptions"]:
        if item["type"] == "StandInUsed":
            return str(item["message"])
        if item["type"] == "Denied":
            return f"the program wants what no experiment may: {item['message'].rpartition(' ')[2]}"
    return None


def _out_of_reach(outcome: Outcome) -> str | None:
    """What is missing on this machine."""
    answer = outcome.answer
    if answer is None:
        return None
    if answer["status"] == "no mlx":
        if answer["detail"].startswith("No module named 'mlx"):
            return f"MLX is not installed for {sys.executable}: {INSTALL}"
        return f"MLX cannot be imported by {sys.executable}: {answer['detail']}"
    if answer.get("canary"):
        return f"{answer['canary']}; on the CPU it needs a C++ compiler: install g++"
    if any("[Compile::eval_cpu]" in item["message"] for item in answer.get("exceptions", ())):
        return "MLX's C++ compiler fails on this machine: install g++ in full, and see that the disk is not full"
    return None
