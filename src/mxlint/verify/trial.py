"""One program run as it is and uncompiled, and what the claim's protocol says of the two runs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mxlint.verify.bench import Bench, watch, watched
from mxlint.verify.protocols.answer import Answer, Protocol
from mxlint.verify.protocols.comparing import difference, ended, leaked
from mxlint.verify.runner import Job, Outcome
from mxlint.verify.sight import Claim, Sight, stable
from mxlint.verify.variants import held, without

MOST_TRIES = 4
"""Runs within which a crash has to come back."""


HALF_THE_MEMORY = 1 << 30


CRASHES = (4, 6, 7, 8, 11)
"""Signals that a process dies of by its own fault."""


WITHOUT = {"plain": "without compile", "computed": "with all arrays computed before", "serial": "with one thread for all"}
"""What the reference is, in words."""


HELD = ("MX201", "MX206", "MX209", "MX402")
"""Rules about a value that is read once, while the function is traced."""


INSTALL = "pip install 'mxlint[verify]' on a Mac, 'mxlint[verify-cpu]' or 'mxlint[verify-cuda]' on Linux"


def tried(bench: Bench, job: Job, claim: Claim, protocol: Protocol, again: int = 0) -> tuple[Answer, Mapping[str, Any] | None, str | None]:
    """An answer, the run that it is about, and what is missing on this machine, if something is."""
    plain = bench.run(job, protocol.reference)
    if problem := _unusable(plain):
        return Answer("unclear", f"{WITHOUT[protocol.reference]}, {problem}"), plain.answer, _out_of_reach(plain)
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
    sight = Sight(claim, real.answer or _nothing(len(watches)), plain.answer, crashed, watches.index(watch(watched(claim))))
    answer = protocol.judge(sight)
    if answer.word == "unclear":
        return answer, real.answer or plain.answer, None
    if problem := _idle(sight, answer, protocol):
        return Answer("unclear", problem), real.answer, None
    by_value = answer.evidence is not None and answer.evidence.kind in ("stale", "wrong-value", "wrong-shape", "no-effect")
    if answer.word == "seen" and by_value and not protocol.unstable:
        # What differs must not differ by itself: the reference is run again.
        other = bench.run(job, "plain", 1)
        if other.answer is None or "calls" not in other.answer or not stable(plain.answer, other.answer):
            return Answer("unclear", "the uncompiled program does not do the same twice"), real.answer, None
    if answer.word == "seen" and claim.code in HELD and (problem := _comes_from_elsewhere(bench, job, sight, answer)):
        return Answer("unclear", problem), real.answer, None
    if answer.word == "seen" and answer.held:
        answer = _noted(answer, "the uncompiled program does the same once the flagged expression keeps its value of the trace")
    if answer.word == "contradicted" and claim.code in ("MX201", "MX209") and not _matters(bench, job, sight):
        return Answer("unclear", "what is read here was not seen to change, and to matter, between two calls"), real.answer, None
    if crashed is not None:
        answer = _without_it(bench, job, claim, protocol, answer, plain.answer)
    elif again == 0:
        answer = _noted(answer, *(note for note in (_left_behind(sight, answer), _length_one(bench, job, claim, protocol)) if note))
    return answer, real.answer or plain.answer, None


def _idle(sight: Sight, answer: Answer, protocol: Protocol) -> str | None:
    """Where compilation is off, a body that runs again says nothing, nor does a result that is right."""
    counted = answer.word == "contradicted" or answer.evidence is not None and answer.evidence.kind == "traces"
    off = any(call["off"] for call in sight.real["calls"]) or not sight.real.get("compiles", True)
    return "the program switches compilation off" if off and counted and not protocol.switched else None


def _comes_from_elsewhere(bench: Bench, job: Job, sight: Sight, answer: Answer) -> str | None:
    """What a trace holds at its first value must matter: without compile, but with that value held, the program does something else, and,
    where the value is not known to be that of changing state, just what it does compiled."""
    run = _with_held(bench, job, sight)
    if run is None:
        return "what is read here was not seen to change" if answer.held else None
    if not _differs(replace(sight, real=run)):
        return "the results differ, but not for the flagged expression: held at its first value it makes no difference"
    if answer.held and (difference(replace(sight, plain=run)) or ended(replace(sight, plain=run))):
        return "the results differ, but not as they do if the flagged expression is held at its first value"
    return None


def _matters(bench: Bench, job: Job, sight: Sight) -> bool:
    """Whether the flagged expression changes between calls, so that the uncompiled program goes wrong if it is held at its first value."""
    run = _with_held(bench, job, sight)
    return run is not None and _differs(replace(sight, real=run))


def _with_held(bench: Bench, job: Job, sight: Sight) -> Mapping[str, Any] | None:
    """The uncompiled program in which the flagged expression keeps its first value, if it can be run and does."""
    variant = held(job, sight.claim)
    if variant is not None:
        traced = [number for number, call in enumerate(sight.real["calls"]) if call["traced"]]
        variant = replace(variant, settings={**variant.settings, "traced_calls": traced})
    outcome = bench.run(variant, "plain") if variant is not None else None
    usable = outcome is not None and outcome.answer is not None and not _unusable(outcome) and outcome.answer["held"]
    return outcome.answer if outcome is not None and usable else None


def _differs(sight: Sight) -> bool:
    return bool(difference(sight) or ended(sight, arrays=False) or sight.real["files"] != sight.plain["files"])


def _without_it(bench: Bench, job: Job, claim: Claim, protocol: Protocol, answer: Answer, plain: Mapping[str, Any]) -> Answer:
    """A crash counts if the program does not crash with something else in place of the flagged expression."""
    for part, variant in without(job, claim):
        reference = bench.run(variant, protocol.reference)
        if _unusable(reference) or reference.answer is None or not _as_far(reference.answer, plain):
            continue
        changed = bench.run(variant, "real")
        if _died(changed):
            return Answer("unclear", f"it crashes with {part} in place of the flagged expression, too")
        if changed.answer is not None and "calls" in changed.answer and _as_far(changed.answer, plain):
            return _noted(answer, f"with {part} in place of the flagged expression it does not crash")
    return _noted(answer, "compared with the uncompiled program only: nothing could be put in place of the flagged expression")


def _as_far(run: Mapping[str, Any], plain: Mapping[str, Any]) -> bool:
    return run["status"] == plain["status"] and len(run["calls"]) == len(plain["calls"])


def _left_behind(sight: Sight, answer: Answer) -> str | None:
    """What a trace has left in containers or in the random state, where the claim is about state."""
    found = leaked(sight) if sight.claim.code.startswith("MX2") else None
    return None if found is None or answer.evidence == found else f"afterwards {found.observed}"


def _length_one(bench: Bench, job: Job, claim: Claim, protocol: Protocol) -> str | None:
    """What becomes of an axis of length 1, apart from the claim: in processes of their own, for MX4 only."""
    if claim.code not in ("MX401", "MX402", "MX404"):
        return None
    probe = replace(job, settings={**job.settings, "length_one": True})
    plain = bench.run(probe, "plain")
    if plain.answer is None or (expected := plain.answer.get("length_one")) is None or "error" in expected:
        return None
    real = bench.run(probe, "real")
    if _died(real):
        return f"apart from this, with length 1 the process dies of signal {real.signal}"
    observed = (real.answer.get("length_one") if real.answer is not None else None) or {}
    return f"apart from this, with length 1 it raises {observed['error']}" if "error" in observed else None


def _noted(answer: Answer, *notes: str) -> Answer:
    if not notes:
        return answer
    if answer.evidence is None:
        return replace(answer, reason="; ".join(filter(None, (answer.reason, *notes))))
    return replace(answer, evidence=replace(answer.evidence, note="; ".join(filter(None, (answer.evidence.note, *notes)))))


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
            "processes": "the program started more processes than it was given",
            "output": "the program printed more than it was given room for",
            "files": "the program left more files than it was given room for",
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
    for kernel, extra in (
        ("No Metal back-end", "'mxlint[verify]' on a Mac"),
        ("No CUDA back-end", "'mxlint[verify-cuda]' where there is an NVIDIA GPU"),
    ):
        if any(kernel in item["message"] for item in answer.get("exceptions", ())):
            return f"the program has kernels of its own for a GPU that is not here ({kernel}): run it with {extra}"
    if any("[Compile::eval_cpu]" in item["message"] for item in answer.get("exceptions", ())):
        return "MLX's C++ compiler fails on this machine: install g++ in full, and see that the disk is not full"
    return None
