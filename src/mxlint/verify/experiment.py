"""Findings put to the test: a program is cut for each, run as it is and uncompiled, and the two runs compared."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from mxlint.cache import Cache
from mxlint.documents.wording import with_own_rows_of_verdict
from mxlint.facts.events import Log
from mxlint.finding import Finding, Level, Span, Verdict, VerdictWord
from mxlint.project import Project
from mxlint.result import Result
from mxlint.source import Source
from mxlint.verify.absence import decided, needed, with_absences
from mxlint.verify.arguments import not_seen
from mxlint.verify.attempts import attempted
from mxlint.verify.bench import WALL_S, Bench, Interrupted, all_watched
from mxlint.verify.called import by_callers, called, witnessed
from mxlint.verify.changed import with_change
from mxlint.verify.child.guard import LAYERS
from mxlint.verify.child.refusals import said
from mxlint.verify.claims import claim_of, places, with_sites
from mxlint.verify.comparison import Claim, Watched
from mxlint.verify.cure import Cure, cured, fixed_program
from mxlint.verify.gaps import gap, missing_places, threads_of_one_call, unmade
from mxlint.verify.interpreter import Choice, Interpreters
from mxlint.verify.modules import Modules
from mxlint.verify.neutral import neutralised
from mxlint.verify.programs import job_of, pieces, with_kernels
from mxlint.verify.protocols.answer import Answer, Protocol
from mxlint.verify.protocols.table import protocol_of
from mxlint.verify.runner import Job, WorkplaceError, lay_out_for_people, workplace
from mxlint.verify.slowdown import untimed, with_slowdown
from mxlint.verify.switches import turned
from mxlint.verify.trial import long_enough, tried
from mxlint.verify.wording import worded
from mxlint.verify.worker_pool import Progress, run_in_pool

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
    layers: Sequence[str] = LAYERS
    """What the kernel is to contain children with, where it can."""
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


def verified(result: Result, options: Options | None = None, only: Sequence[Finding] | None = None) -> Result:
    """A run with its findings verified. `only`: these instead of all, in the same program: what else was found in it may hide them."""
    started = monotonic()
    sites = [site.span for site in result.sites]
    sources = {name: source for name, source in result.sources.items() if not _is_markdown(source)}
    chosen = result.findings if only is None else only
    in_files = [finding for finding in chosen if finding.span.filename in sources or finding.span.filename not in result.sources]
    tested = iter(verify(in_files, sources, sites, options, result.facts, result.findings))
    findings = tuple(with_own_rows_of_verdict(next(tested), sources) if finding in in_files else _not_run(finding) for finding in chosen)
    return replace(result, findings=findings, verified=True, timings={**result.timings, "verify": monotonic() - started})


def _is_markdown(source: Source) -> bool:
    return source.layout is not None and source.layout.kind == "markdown"


def _not_run(finding: Finding) -> Finding:
    """A finding in Markdown, whose blocks are many small programs that were not written to be run."""
    if protocol_of(finding.code) is None:
        return finding
    why = "code blocks of Markdown are not run; in a file of its own the block is"
    return replace(finding, verdict=Verdict("inconclusive", None, why, None, None, 0.0))


def verify(
    findings: Sequence[Finding],
    sources: Mapping[str, Source],
    sites: Sequence[Span] = (),
    options: Options | None = None,
    facts: Sequence[Log] = (),
    beside: Sequence[Finding] = (),
) -> tuple[Finding, ...]:
    """The findings with a verdict each, but for those that no experiment is about. One that is refuted becomes info.

    `facts`: what the static tracer knows of the program. Without the facts about its compiled function no finding is refuted.
    `beside`: what else was found in the program, and is not put to the test.
    """
    options = options or Options()
    wanted, known = (
        [with_sites(finding, sites) for finding in some if protocol_of(finding.code) is not None] for some in (findings, beside)
    )
    try:
        with workplace(options.stop, options.layers) as place:
            modules = Modules(Project(), sources.values())
            bench = Bench(place, options.keep, options.wall_s, modules, sources, options.cache, facts, python=options.python)
            verdicts = iter(_verdicts(bench, wanted, known, options))
    except WorkplaceError as error:
        verdicts = iter([Verdict("unavailable", None, str(error), None, None, 0.0)] * len(wanted))
    return tuple(_with(finding, next(verdicts)) if protocol_of(finding.code) is not None else finding for finding in findings)


def _verdicts(bench: Bench, wanted: Sequence[Finding], beside: Sequence[Finding], options: Options) -> list[Verdict]:
    """A verdict for each finding: what happens is looked at by several at a time, how long it takes by one alone on the machine."""
    tasks = [Task(number, finding, *_claim(bench, finding)) for number, finding in enumerate(wanted, 1)]
    others = [_claim(bench, finding)[0] for finding in beside if finding not in wanted]
    known = [claim for claim in (*(task.claim for task in tasks), *others) if claim is not None]
    claims = sorted(known, key=lambda claim: (claim.place, claim.start, claim.end, claim.code))
    all_findings = [*wanted, *(finding for finding in beside if finding not in wanted)]
    bench = replace(bench, claims=claims, findings=all_findings, watches=all_watched(claims))
    names = [f"{task.finding.code} {task.finding.span.filename}:{task.finding.span.start.row}" for task in tasks]
    tested = run_in_pool([partial(_judged, bench, task) for task in tasks], names, options.jobs, bench, "verify", options.progress)
    costly = [
        number for number, one in enumerate(tested) if options.timed and one.proof is not None and one.proof.protocol.cost is not None
    ]
    work = [partial(_measured, bench, tasks[number], tested[number]) for number in costly]
    timed = dict(zip(costly, run_in_pool(work, [names[number] for number in costly], 1, bench, "measure", options.progress)))
    return [timed.get(number, one.verdict) for number, one in enumerate(tested)]


def _judged(bench: Bench, task: Task) -> Tested:
    """What happens. That mxlint fails on one finding must not cost the others theirs."""
    started = monotonic()
    try:
        if bench.place.stop.is_set():
            raise Interrupted
        bench.noted.refused.clear()
        tested = _with_cure(bench, task, _verdict(bench, task))
        return replace(tested, verdict=_with_refusals(tested.verdict, tuple(bench.noted.refused)))
    except Interrupted:
        reason = INTERRUPTED
    except Exception as error:  # noqa: BLE001 - whatever it is, it is said
        reason = _failure(error)
    return Tested(Verdict("inconclusive", None, reason, None, None, monotonic() - started))


def _with_refusals(verdict: Verdict, kinds: tuple[str, ...]) -> Verdict:
    """The verdict with what its programs were not let do; where there is no clear answer, that may be why."""
    if not kinds:
        return verdict
    reason, first = verdict.reason, said(kinds[0])
    if verdict.verdict == "inconclusive" and first not in (reason or ""):
        reason = f"{reason}; the program {first}" if reason else f"the program {first}"
    return replace(verdict, reason=reason, refused=tuple(map(said, kinds)))


def _with_cure(bench: Bench, task: Task, tested: Tested) -> Tested:
    """The verdict with what becomes of the pitfall in the fixed program."""
    if task.finding.fix is None or tested.verdict.verdict == "unavailable":
        return tested
    started, proof = monotonic(), tested.proof
    try:
        cure = cured(bench, task.finding, proof.job, proof.protocol) if proof is not None else Cure("untested")
    except Interrupted:  # what is known of the finding itself stays known
        cure = Cure("untested", INTERRUPTED)
    verdict = replace(tested.verdict, fix=cure.word, fix_reason=cure.reason, duration=tested.verdict.duration + monotonic() - started)
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
    verdict = worded(verdict)
    full = finding.claimed or finding.severity
    if verdict.verdict == "refuted" and full != "info":
        return replace(finding, verdict=verdict, severity="info", claimed=full)
    if verdict.verdict == "confirmed" and verdict.level == "in-place":
        return replace(finding, verdict=verdict, severity=full, claimed=None)
    return replace(finding, verdict=verdict)


def _claim(bench: Bench, finding: Finding) -> tuple[Claim | None, dict[str, str]]:
    """What a finding says, if its file can be read, and the places of the files that it names."""
    named = places(bench, finding)
    if finding.span.filename not in named:
        return None, named
    return claim_of(finding, bench, named), named


@dataclass(frozen=True, slots=True)
class Trial:
    """What one way to try a claim showed. `run`: the run that the answer is about; `refutes`: it contradicts the claim, and left nothing out;
    `lacks`: what is missing on this machine, if that is why there is no answer."""

    answer: Answer
    run: Mapping[str, Any] | None = None
    job: Job | None = None
    level: Level | None = None
    refutes: bool = False
    lacks: str | None = None


def _verdict(bench: Bench, task: Task) -> Tested:
    """Try a claim in one way after the other until one decides it: what is seen confirms it, what contradicts it in full refutes it."""
    claim, started = task.claim, monotonic()
    if claim is None:
        return Tested(Verdict("inconclusive", None, "the file cannot be read", None, None, 0.0))
    protocol = protocol_of(claim.code)
    assert protocol is not None
    last = Trial(Answer("unclear", "no call of the compiled function is in sight"))
    reason = last.answer.reason
    absences: dict[str, str] = {}
    for trial in _trials(bench, task, claim, protocol):
        if trial.lacks is not None:
            return _tested("unavailable", replace(trial, level=None), trial.lacks, started)
        if trial.answer.word == "seen":
            return _tested("confirmed", trial, None, started, Proof(trial.job, claim, protocol) if trial.job is not None else None)
        if trial.refutes:
            return _tested("refuted", trial, trial.answer.reason, started)
        reason = trial.answer.reason or reason
        absences |= {module: (trial.run or {})["absences"][module] for module in needed(trial.run)}
        last = replace(trial, run=trial.run or last.run, level=trial.level or last.level)
    reason = with_absences(reason, absences)
    alone = witnessed(bench, claim, protocol, partial(_keep, bench, task))
    if alone is not None:
        return _tested("inconclusive", Trial(alone.answer, alone.run, None, alone.level), not_seen(last.run, reason), started)
    return _tested("inconclusive", replace(last, answer=Answer("unclear")), not_seen(last.run, reason), started)


def _tested(word: VerdictWord, trial: Trial, reason: str | None, started: float, proof: Proof | None = None) -> Tested:
    run = trial.run or {}
    mlx = run.get("mlx")
    evidence = trial.answer.evidence if word in ("confirmed", "inconclusive") else None
    versions = (mlx["version"], mlx["device"]) if mlx else None
    return Tested(
        Verdict(word, trial.level, reason, evidence, versions, monotonic() - started, tuple(run.get("guard", ())), missing=needed(run)),
        proof,
    )


def _trials(bench: Bench, task: Task, claim: Claim, protocol: Protocol) -> Iterator[Trial]:
    """The ways to try a claim, the nearest to the program as it runs first. Each is tried only if those before have not decided."""
    keep = partial(_keep, bench, task)
    missed: list[Watched] = [*claim.calls, *claim.chain, *claim.paths]
    called_at_all, why, threads = False, None, 0
    absences: dict[str, str] = {}
    for piece in pieces(bench, task.finding, claim, protocol, task.named):
        job = job_of(bench, piece, claim, protocol)
        keep(job, "")
        for trial in _with_program(bench, job, claim, protocol):
            trial = _decided(bench, task, trial)
            yield trial
            why = trial.answer.reason or why
            threads = max(threads, threads_of_one_call(claim, trial.run))
            absences |= trial.run.get("absences", {}) if trial.run is not None else {}
            if trial.run is not None and trial.run.get("calls") and not needed(trial.run):
                called_at_all = True
                found = missing_places(claim, job, trial.run)
                missed = [place for place in missed if place in found]
            if trial.job is not None and trial.job is not job:
                keep(trial.job, "-changed")
    if threads and protocol.later:  # MLX keeps traces for each thread: calls that one makes for them all are none of the program
        yield Trial(Answer("unclear", f"each of the {threads} threads that call it makes one call, with a trace of its own"))
        return
    by_caller = by_callers(bench, task.finding, claim, protocol, missed, keep)
    if by_caller is not None:
        yield _decided(bench, task, Trial(by_caller.answer, by_caller.run, by_caller.job, by_caller.level))
    if not called_at_all:  # where the program makes calls, they decide
        made = called(bench, task.finding, claim, task.named, protocol, keep)
        if made is not None:
            reasons = [f"called with made-up arguments: {made.answer.reason}", *([] if why is None else [why])]
            absences |= made.run.get("absences", {}) if made.run is not None else {}
            reasons.sort(key=lambda reason: not any(absence in reason for absence in absences.values()))  # what is missing is said first
            reason = "; ".join(reasons)
            yield Trial(replace(made.answer, reason=reason), made.run, made.job, made.level)
            if made.job is not None and made.level == "in-place":
                for trial in _changed(bench, made.job, claim, protocol):
                    yield _decided(bench, task, trial)


def _decided(bench: Bench, task: Task, trial: Trial) -> Trial:
    """What a trial shows, if nothing that is not installed decided it, and, where it is that something is never done, no call in sight was left
    out."""
    answer = decided(bench, task.finding, trial.answer, trial.run)
    claim, evidence = task.claim, answer.evidence
    if (
        answer.word == "seen"
        and evidence is not None
        and claim is not None
        and (protocol := protocol_of(claim.code)) is not None
        and protocol.complete
    ):
        left_out = unmade(bench, claim, trial.job, trial.run) if trial.job is not None and trial.run is not None else None
        answer = answer if left_out is None else Answer("unclear", f"{evidence.observed}, but {left_out}")
    return replace(trial, answer=answer, refutes=trial.refutes and answer.word == "contradicted")


def _with_program(bench: Bench, job: Job, claim: Claim, protocol: Protocol) -> Iterator[Trial]:
    """A piece of the program as it is; then without what hides the claim, with the change that it speaks of, and with further calls."""
    job = long_enough(bench, job, claim, protocol)
    answer, run, lacks = tried(bench, job, claim, protocol)
    level = _level(run)
    if answer.word == "contradicted" and run is not None:
        yield _contradicted(bench, job, claim, protocol, answer, run)
    else:
        yield Trial(answer, run, job, level, lacks=lacks)
    if lacks is not None or run is None or "calls" not in run:
        return
    # What a switch turns on purpose is nothing to find in a rule about the switch itself.
    for other, words in turned(job, run) if answer.word == "unclear" and not protocol.switched else ():
        yield from _noted(other, words, *tried(bench, other, claim, protocol)[:2])
    harmless = neutralised(bench, job, claim, protocol) if answer.word == "unclear" else None
    if harmless is not None:
        job, words = harmless
        answer, run, _ = tried(bench, job, claim, protocol)
        yield from _noted(job, words, answer, run)
    if run is not None and run.get("calls"):
        yield from _changed(bench, job, claim, protocol)
        further = attempted(bench, job, claim, protocol, run)
        if further is not None and further[0].word == "seen":
            yield Trial(further[0], further[1], further[2], _level(further[1]))


def _noted(job: Job, words: str, answer: Answer, run: Mapping[str, Any] | None) -> Iterator[Trial]:
    """What a changed program showed, if it showed the claim, with what was changed in words."""
    if answer.word == "seen" and answer.evidence is not None:
        note = "; ".join(filter(None, (answer.evidence.note, words)))
        yield Trial(replace(answer, evidence=replace(answer.evidence, note=note)), run, job, _level(run))


def _contradicted(bench: Bench, job: Job, claim: Claim, protocol: Protocol, answer: Answer, run: Mapping[str, Any]) -> Trial:
    """A run contradicts the claim. It refutes it only if it is the user's own code that ran, nothing that the finding rests on was left out, and
    a second run says the same."""
    level = _level(run)
    if level != "in-place":
        return Trial(Answer("unclear", f"with stand-ins, {answer.reason}"), run, job, level)
    if not claim.objects:
        return Trial(Answer("unclear", f"{answer.reason}, but which calls there are is not known"), run, job, level)
    if (left_out := gap(bench, claim, job, run)) is not None:
        return Trial(Answer("unclear", f"{answer.reason}, but {left_out}"), run, job, level)
    second, _, _ = tried(bench, with_kernels(job), claim, protocol, again=1)
    if second.word != "contradicted":
        return Trial(Answer("unclear", f"two runs do not agree: {second.reason}"), run, job, level)
    return Trial(answer, run, job, level, refutes=True)


def _changed(bench: Bench, job: Job, claim: Claim, protocol: Protocol) -> Iterator[Trial]:
    """The program with the change between two calls that the claim speaks of, made by hand."""
    changed = with_change(bench, job, claim, protocol)
    if changed is not None and changed[0].word == "seen":
        yield Trial(*changed, level=_level(changed[1]))


def _level(run: Mapping[str, Any] | None) -> Level | None:
    return None if run is None else "stand-in" if run.get("stand_ins") or run.get("replaced") else "in-place"


def _keep(bench: Bench, task: Task, job: Job, suffix: str) -> None:
    """Leave an experiment where people can look at it, and from now on all its variants."""
    if bench.keep is not None and task.claim is not None:
        name = f"{task.number:03}-{task.claim.code}-{Path(task.claim.place).stem}-{task.claim.start[0]}{suffix}"
        keep_for_people(job, bench.keep / name, task.finding)
        bench.kept.of(bench.keep / name, job)


def keep_for_people(job: Job, folder: Path, finding: Finding) -> None:
    """The experiment for people: `python run.py` runs the program as it is, `python run.py plain` without mx.compile."""
    lay_out_for_people(job, folder)
    row = finding.span.start.row
    how = (
        "python run.py timed    two forms of the program under the clock, in one pair of processes\n"
        if "timing" in job.settings
        else "python run.py          the program under watch, as it is\npython run.py plain    the same with mx.compile left out\n"
    )
    (folder / "README.txt").write_text(
        f"{finding.code} at {finding.span.filename}:{row}\n{finding.message}\n{finding.note}\n\n{how}"
        "program/               the statements of the project that it needs, each in its row\n"
        + ("fixed/                 the same program with the fix\n" if job.fixed is not None else "")
        + "variants/              what else was run to see where it comes from, if anything was; README.txt in it says how\n",
        encoding="utf-8",
    )
