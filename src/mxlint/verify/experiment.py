"""Findings put to the test: a program is cut for each, run as it is and uncompiled, and the two runs compared."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from mxlint.engine import Result
from mxlint.finding import Evidence, Finding, Level, Span, Verdict
from mxlint.project import Project
from mxlint.source import Source
from mxlint.verify.bench import WALL_S, Bench, Interrupted, watched
from mxlint.verify.cache import Cache
from mxlint.verify.called import called, witnessed
from mxlint.verify.changed import with_change
from mxlint.verify.claims import claim_of, places, with_sites
from mxlint.verify.crew import Progress, crew
from mxlint.verify.cure import cured, fixed_program
from mxlint.verify.interpreter import Choice, Interpreters
from mxlint.verify.modules import Modules
from mxlint.verify.programs import job_of, pieces
from mxlint.verify.protocols.answer import Protocol
from mxlint.verify.protocols.table import PROTOCOLS
from mxlint.verify.runner import Job, WorkplaceError, lay_out, workplace
from mxlint.verify.sight import Claim
from mxlint.verify.slowdown import COSTS, untimed, with_slowdown
from mxlint.verify.trial import tried

INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Options:
    """How to verify. `jobs`: so many experiments at a time; `stop`: set from elsewhere, it ends the run with the verdicts that there are;
    `timed`: what costs time is measured, too; `python`: what runs the experiments on each file."""

    keep: Path | None = None
    wall_s: float = WALL_S
    jobs: int = 1
    cache: Cache | None = None
    progress: Progress | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    timed: bool = True
    python: Choice = field(default_factory=lambda: Interpreters().of)


@dataclass(frozen=True, slots=True)
class Task:
    """A finding to put to the test: `claim` is what it says, if its file can be read, `named` the places of the files that it names."""

    number: int
    finding: Finding
    claim: Claim | None
    named: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Proof:
    """The program that showed what a finding claims, for whoever has more to ask of it."""

    job: Job
    claim: Claim
    protocol: Protocol


@dataclass(frozen=True, slots=True)
class Tested:
    """A verdict, and where it comes from if it is a confirmed one."""

    verdict: Verdict
    proof: Proof | None = None


def verified(result: Result, options: Options | None = None) -> Result:
    """A run with its findings verified."""
    started = monotonic()
    sites = [site.span for site in result.sites]
    findings = verify(result.findings, result.sources, sites, options)
    return replace(result, findings=findings, verified=True, timings={**result.timings, "verify": monotonic() - started})


def verify(
    findings: Sequence[Finding], sources: Mapping[str, Source], sites: Sequence[Span] = (), options: Options | None = None
) -> tuple[Finding, ...]:
    """The findings with a verdict each, but for those that no experiment is about. One that is refuted becomes info."""
    options = options or Options()
    wanted = [with_sites(finding, sites) for finding in findings if finding.code in PROTOCOLS]
    try:
        with workplace(options.stop) as place:
            bench = Bench(
                place, options.keep, options.wall_s, Modules(Project(), sources.values()), sources, options.cache, python=options.python
            )
            verdicts = iter(_verdicts(bench, wanted, options))
    except WorkplaceError as error:
        verdicts = iter([Verdict("unavailable", None, str(error), None, None, 0.0)] * len(wanted))
    return tuple(_with(finding, next(verdicts)) if finding.code in PROTOCOLS else finding for finding in findings)


def _verdicts(bench: Bench, wanted: Sequence[Finding], options: Options) -> list[Verdict]:
    """A verdict for each finding: what happens is looked at by several at a time, how long it takes by one alone on the machine."""
    tasks = [Task(number, finding, *_claim(bench, finding)) for number, finding in enumerate(wanted, 1)]
    bench.watches.extend(dict.fromkeys(watched(task.claim) for task in tasks if task.claim is not None))
    tested = crew([partial(_judged, bench, task) for task in tasks], options.jobs, bench, "verify", options.progress)
    costly = [number for number, one in enumerate(tested) if options.timed and one.proof is not None and one.proof.claim.code in COSTS]
    work = [partial(_measured, bench, tasks[number], tested[number]) for number in costly]
    timed = dict(zip(costly, crew(work, 1, bench, "measure", options.progress)))
    return [timed.get(number, one.verdict) for number, one in enumerate(tested)]


def _judged(bench: Bench, task: Task) -> Tested:
    """What happens. That mxlint fails on one finding must not cost the others theirs."""
    started = monotonic()
    try:
        if bench.place.stop.is_set():
            raise Interrupted
        return _with_cure(bench, task, _verdict(bench, task))
    except Interrupted:
        reason = INTERRUPTED
    except Exception as error:  # noqa: BLE001 - whatever it is, it is said
        reason = _failure(error)
    return Tested(Verdict("inconclusive", None, reason, None, None, monotonic() - started))


def _with_cure(bench: Bench, task: Task, tested: Tested) -> Tested:
    """The verdict with what becomes of the pitfall in the fixed program."""
    if task.finding.fix is None or tested.verdict.verdict == "unavailable":
        return tested
    started, proof = monotonic(), tested.proof
    try:
        word = cured(bench, task.finding, proof.job, proof.protocol) if proof is not None else "untested"
    except Interrupted:  # what is known of the finding itself stays known
        word = "untested"
    verdict = replace(tested.verdict, fix=word, duration=tested.verdict.duration + monotonic() - started)
    return replace(tested, verdict=verdict)


def _measured(bench: Bench, task: Task, tested: Tested) -> Verdict:
    """The verdict with what the flagged form costs. No other experiment runs at that time."""
    proof, verdict = tested.proof, tested.verdict
    if proof is None or bench.place.stop.is_set():
        return verdict
    try:
        fixed = fixed_program(bench, task.finding, proof.job, proof.protocol) if verdict.fix == "resolves" else None
        files = fixed.job.files if fixed is not None else None
        return with_slowdown(bench, verdict, proof.job, proof.claim, files, partial(_keep, bench, task) if bench.keep is not None else None)
    except Interrupted:
        return untimed(verdict, INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is said
        return untimed(verdict, _failure(error))


def _failure(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"mxlint failed, please report it: {type(error).__name__}: {error} ({Path(frame.filename).name}:{frame.lineno})"


def _with(finding: Finding, verdict: Verdict) -> Finding:
    if verdict.verdict == "refuted" and finding.severity != "info":
        return replace(finding, verdict=verdict, severity="info", claimed=finding.severity)
    return replace(finding, verdict=verdict)


def _claim(bench: Bench, finding: Finding) -> tuple[Claim | None, dict[str, str]]:
    """What a finding says, if its file can be read, and the places of the files that it names."""
    named = places(bench.modules, finding, dict(bench.sources))
    if finding.span.filename not in named:
        return None, named
    return claim_of(finding, bench.sources[finding.span.filename], named), named


def _verdict(bench: Bench, task: Task) -> Tested:
    finding, claim, named = task.finding, task.claim, task.named
    started = monotonic()

    def verdict(
        word: Any,
        level: Level | None,
        reason: str | None,
        evidence: Evidence | None = None,
        run: Mapping[str, Any] | None = None,
        job: Job | None = None,
    ) -> Tested:
        mlx = run.get("mlx") if run else None
        guard = tuple(run.get("guard", ())) if run else ()
        found = Verdict(word, level, reason, evidence, (mlx["version"], mlx["device"]) if mlx else None, monotonic() - started, guard)
        return Tested(found, Proof(job, claim, PROTOCOLS[claim.code]) if job is not None and claim is not None else None)

    if claim is None:
        return verdict("inconclusive", None, "the file cannot be read")
    protocol = PROTOCOLS[claim.code]
    reason = "no call of the compiled function is in sight"
    level: Level | None = None
    last: Mapping[str, Any] | None = None
    for piece in pieces(bench, finding, claim, named):
        job = job_of(bench, piece, claim, protocol)
        _keep(bench, task, job, "")
        answer, run, out_of_reach = tried(bench, job, claim, protocol)
        if out_of_reach:
            return verdict("unavailable", None, out_of_reach, run=run)
        last = run or last
        level = "stand-in" if run and run.get("stand_ins") else "in-place"
        if answer.word == "seen":
            return verdict("confirmed", level, None, answer.evidence, run, job)
        if answer.word == "contradicted":
            second, _, _ = tried(bench, job, claim, protocol, again=1)
            if second.word == "contradicted" and level == "in-place":
                return verdict("refuted", level, answer.reason, None, run)
            reason = f"two runs do not agree: {second.reason}" if level == "in-place" else f"with stand-ins, {answer.reason}"
        else:
            reason = answer.reason or reason
            if run is not None and run.get("calls") and (changed := with_change(bench, job, claim, protocol)) is not None:
                answer, run, other = changed
                if answer.word == "seen":
                    _keep(bench, task, other, "-changed")
                    return verdict("confirmed", level, None, answer.evidence, run, other)
    if not (last and last.get("calls")):  # calls in sight decide, where there are any
        made = called(bench, finding, claim, named, protocol, partial(_keep, bench, task))
        if made is not None:
            last, level = made.run or last, made.level or level
            if made.answer.word == "seen":
                return verdict("confirmed", level, None, made.answer.evidence, last, made.job)
            if made.job is not None and level == "in-place" and (changed := with_change(bench, made.job, claim, protocol)) is not None:
                answer, run, other = changed
                if answer.word == "seen":
                    _keep(bench, task, other, "-changed")
                    return verdict("confirmed", level, None, answer.evidence, run, other)
            reason = f"{reason}; called with made-up arguments: {made.answer.reason}"
    alone = witnessed(bench, claim, protocol, partial(_keep, bench, task))
    if alone is not None:
        return verdict("inconclusive", alone.level, reason, alone.answer.evidence, alone.run)
    return verdict("inconclusive", level, reason, None, last)


def _keep(bench: Bench, task: Task, job: Job, suffix: str) -> None:
    """Leave an experiment where people can look at it, and from now on all its variants."""
    if bench.keep is not None and task.claim is not None:
        name = f"{task.number:03}-{task.claim.code}-{Path(task.claim.place).stem}-{task.claim.start[0]}{suffix}"
        keep_for_people(job, bench.keep / name, task.finding)
        bench.kept.of(bench.keep / name, job)


def keep_for_people(job: Job, folder: Path, finding: Finding) -> None:
    """The experiment for people: `python run.py` runs the program as it is, `python run.py plain` without mx.compile."""
    lay_out(job, folder)
    row = finding.span.start.row
    how = (
        "python run.py timed    two forms of the program under the clock, in one pair of processes\n"
        if "timing" in job.settings
        else "python run.py          the program under watch, as it is\npython run.py plain    the same with mx.compile left out\n"
    )
    (folder / "README.txt").write_text(
        f"{finding.code} at {finding.span.filename}:{row}\n{finding.message}\n\n{how}"
        "program/               the statements of the project that it needs, each in its row\n"
        + ("fixed/                 the same program with the fix\n" if job.fixed is not None else "")
        + "variants/              what else was run to see where it comes from, if anything was; README.txt in it says how\n",
        encoding="utf-8",
    )
