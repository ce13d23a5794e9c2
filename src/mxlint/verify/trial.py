"""One program run as it is and uncompiled, and what the claim's protocol says of the two runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from mxlint.verify.bench import Bench, watch, watched
from mxlint.verify.comparison import Claim, Comparison, Noise, Run, at_site
from mxlint.verify.endings import died, out_of_reach, unusable
from mxlint.verify.origin import as_far, elsewhere, matters
from mxlint.verify.protocols.answer import Answer, Protocol
from mxlint.verify.protocols.comparing import leaked
from mxlint.verify.runner import Job, Outcome
from mxlint.verify.steady import steady
from mxlint.verify.wording import with_call

MOST_TRIES = 4
"""Runs within which a crash has to come back."""


MOST_CALLS = 1000
"""Calls of compiled functions that are looked at, where fewer do not come to the flagged expression: a script trains before it draws."""


WITHOUT = {"plain": "without compile", "computed": "with all arrays computed before", "serial": "with one thread for all"}
"""What the reference is, in words."""


def long_enough(bench: Bench, job: Job, claim: Claim, protocol: Protocol) -> Job:
    """Return the job, with as many calls looked at as the uncompiled program takes to come to the flagged expression, or to a call of what is
    compiled there, MOST_CALLS at most."""
    run = bench.run(job, protocol.reference).answer
    flagged = watch(watched(claim))
    if run is None or run["status"] != "enough" or flagged not in job.settings["watches"]:
        return job
    longer = replace(job, settings={**job.settings, "calls": MOST_CALLS})
    number = job.settings["watches"].index(flagged)
    if _comes_to(claim, run, number):
        return job
    further = bench.run(longer, protocol.reference).answer
    return longer if further is not None and "calls" in further and _comes_to(claim, further, number) else job


def _comes_to(claim: Claim, run: Mapping[str, Any], number: int) -> bool:
    """Whether a compiled function evaluates the flagged expression in a run, which is watched under `number`, or is what is compiled there."""
    made = {call["object"] for call in run["calls"]} if at_site(claim) else set()
    return bool(run["watches"][number]["inside"]) or any(claim.within(run["objects"][one]) for one in made)


def tried(bench: Bench, job: Job, claim: Claim, protocol: Protocol, again: int = 0) -> tuple[Answer, Mapping[str, Any] | None, str | None]:
    """An answer, the run that it is about, and what is missing on this machine, if something is."""
    if protocol.site == "must be" and not at_site(claim):
        return Answer("unclear", "nothing is compiled here"), None, None
    plain = bench.run(job, protocol.reference)
    if problem := unusable(plain):
        return Answer("unclear", f"{WITHOUT[protocol.reference]}, {problem}"), plain.answer, out_of_reach(plain)
    assert plain.answer is not None
    real = bench.run(job, "real", again)
    if missing := out_of_reach(real):
        return Answer("unclear", missing), real.answer, missing
    crashed = None
    if died(real) and plain.answer["status"] in ("ok", "enough"):
        crashed = _died_again(bench, job, again)
        if crashed is None:
            return Answer("unclear", f"one of {MOST_TRIES} runs died of signal {real.signal}"), None, None
    elif problem := unusable(real):
        return Answer("unclear", problem), real.answer, None
    watches = job.settings["watches"]
    comparison = Comparison(claim, real.answer or _nothing(len(watches)), plain.answer, crashed, watches.index(watch(watched(claim))))
    answer = protocol.judge(comparison)
    if answer.word == "unclear":
        return answer, real.answer or plain.answer, None
    if answer.word == "contradicted" and real.answer is not None and real.answer["status"] == "enough":
        return Answer("unclear", f"{answer.reason}, in the {len(real.answer['calls'])} calls that were looked at"), real.answer, None
    if (name := absent(bench, job, comparison.real, comparison.plain)) is not None:
        return Answer("unclear", f"the program looks for the file {name}, which the experiment does not have"), real.answer, None
    if problem := _idle(comparison, answer, protocol):
        return Answer("unclear", problem), real.answer, None
    by_value = answer.evidence is not None and answer.evidence.kind in ("stale", "wrong-value", "wrong-shape", "no-effect")
    if answer.word == "seen" and by_value:
        comparison, answer, problem = _repeated(bench, job, protocol, comparison, again)
        if problem:
            return Answer("unclear", problem), real.answer, None
    if answer.word == "seen" and (problem := elsewhere(bench, job, comparison, protocol, answer)):
        return Answer("unclear", problem), real.answer, None
    if answer.word == "seen" and answer.held:
        answer = _noted(answer, "the uncompiled program does the same once what is flagged keeps its value of the trace")
    if answer.word == "contradicted" and protocol.changing and not matters(bench, job, comparison):
        return Answer("unclear", "what is read here was not seen to change, and to matter, between two calls"), real.answer, None
    if crashed is not None:
        answer = _without_it(bench, job, claim, protocol, answer, plain.answer)
    elif again == 0:
        answer = _noted(
            answer, *(note for note in (_left_behind(comparison, protocol, answer), _length_one(bench, job, claim, protocol)) if note)
        )
    return with_call(answer, comparison), real.answer or plain.answer, None


def _died_again(bench: Bench, job: Job, again: int) -> Outcome | None:
    """A further compiled run that died of a signal, within MOST_TRIES runs; None if none did."""
    for attempt in range(1, MOST_TRIES):
        other = bench.run(job, "real", again + 100 * attempt)
        if died(other):
            return other
    return None


def _repeated(bench: Bench, job: Job, protocol: Protocol, comparison: Comparison, again: int) -> tuple[Comparison, Answer, str | None]:
    """Run again what was seen by a value. Return the comparison with what the reference does each time, its answer, and why it is no evidence, or None."""
    # What differs by itself is no evidence: the reference is run again.
    other = bench.run(job, protocol.reference, 1)
    usual = None if unusable(other) or other.answer is None else steady(comparison.plain, other.answer)
    comparison = replace(comparison, plain=usual or comparison.plain)
    answer = protocol.judge(comparison)
    if usual is None or answer.word != "seen":
        return comparison, answer, "the uncompiled program does not do the same twice"
    # Nor is what no more differs than it does when it is rounded otherwise.
    if protocol.reference == "plain":
        comparison = replace(comparison, noise=_noise(bench, job, comparison))
        answer = protocol.judge(comparison)
        if answer.word != "seen":
            return comparison, answer, "the results differ by no more than rounding makes of them"
    twice = bench.run(job, "real", again + 1)
    seen_again = (
        twice.answer is not None and "calls" in twice.answer and protocol.judge(replace(comparison, real=twice.answer)).word == "seen"
    )
    return comparison, answer, None if seen_again or died(twice) else "it was seen in one of two runs only"


def _noise(bench: Bench, job: Job, comparison: Comparison) -> Noise | None:
    """What rounding makes of the uncompiled program, if that can be run."""
    run = bench.run(job, "rounded").answer
    return Noise(comparison.plain, run) if run is not None and "calls" in run and run["status"] == comparison.plain["status"] else None


def absent(bench: Bench, job: Job, *runs: Run) -> str | None:
    """A file of the project, or of the user's home, that a program did not find: its home is the folder of the experiment."""
    return _of_the_user(bench, job, {name for run in runs for name in run.get("absent", ())})


def listed(bench: Bench, job: Job, run: Run) -> str | None:
    """A folder of the project, or of the user's home, that a program listed: the experiment has its program only."""
    return _of_the_user(bench, job, set(run.get("listed", ())))


def _of_the_user(bench: Bench, job: Job, names: set[str]) -> str | None:
    """The first of the paths, relative to the folder of the experiment, that is there outside of it, too."""
    folders = {bench.modules.base, (bench.modules.base / job.settings["entry"]["file"]).parent, Path.cwd(), Path("~").expanduser()}
    return next((name for name in sorted(names) if any((folder / name).exists() for folder in folders)), None)


def _idle(comparison: Comparison, answer: Answer, protocol: Protocol) -> str | None:
    """Where compilation is off, a body that runs again says nothing, nor does a result that is right."""
    counted = answer.word == "contradicted" or answer.evidence is not None and answer.evidence.kind == "traces"
    off = any(call["off"] for call in comparison.real["calls"]) or not comparison.real.get("compiles", True)
    return "the program switches compilation off" if off and counted and not protocol.switched else None


def _without_it(bench: Bench, job: Job, claim: Claim, protocol: Protocol, answer: Answer, plain: Mapping[str, Any]) -> Answer:
    """A crash counts if the program does not crash with something else in place of the flagged expression."""
    for part, variant in protocol.instead(job, claim):
        reference = bench.run(variant, protocol.reference)
        if unusable(reference) or reference.answer is None or not as_far(reference.answer, plain):
            continue
        changed = bench.run(variant, "real")
        if died(changed):
            return Answer("unclear", f"it crashes with {part} in place of the flagged expression, too")
        if changed.answer is not None and "calls" in changed.answer and as_far(changed.answer, plain):
            return _noted(answer, f"with {part} in place of the flagged expression it does not crash")
    return Answer("unclear", "it crashes, but nothing could be put in place of the flagged expression to see whether that is why")


def _left_behind(comparison: Comparison, protocol: Protocol, answer: Answer) -> str | None:
    """What a trace has left in containers or in the random state, where the claim is about state."""
    found = leaked(comparison) if protocol.stateful else None
    return None if found is None or answer.evidence == found else f"afterwards {found.observed}"


def _length_one(bench: Bench, job: Job, claim: Claim, protocol: Protocol) -> str | None:
    """What becomes of an axis of length 1, apart from the claim: in processes of their own."""
    if not protocol.lengths:
        return None
    probe = replace(job, settings={**job.settings, "length_one": True})
    plain = bench.run(probe, "plain")
    if plain.answer is None or (expected := plain.answer.get("length_one")) is None or "error" in expected:
        return None
    real = bench.run(probe, "real")
    if died(real):
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
