"""Findings put to the test: a program is cut for each, run as it is and uncompiled, and the two runs compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

from mxlint.engine import Result
from mxlint.finding import Evidence, Finding, Level, Span, Verdict
from mxlint.project import Project
from mxlint.source import Source
from mxlint.verify.bench import WALL_S, Bench, watched
from mxlint.verify.claims import claim_of, places, with_sites
from mxlint.verify.modules import Modules
from mxlint.verify.programs import job_of, pieces, rows_of
from mxlint.verify.protocols.answer import Answer, Protocol
from mxlint.verify.protocols.table import PROTOCOLS
from mxlint.verify.runner import Job, WorkplaceError, lay_out, workplace
from mxlint.verify.sight import Claim
from mxlint.verify.slicing import cut
from mxlint.verify.targets import order_for, unknown
from mxlint.verify.trial import tried

Progress = Callable[[int, int], None]


def verified(result: Result, *, keep: Path | None, wall_s: float, progress: Progress | None) -> Result:
    """A run with its findings verified."""
    started = monotonic()
    sites = [site.span for site in result.sites]
    findings = verify(result.findings, result.sources, sites, keep=keep, wall_s=wall_s, progress=progress)
    return replace(result, findings=findings, verified=True, timings={**result.timings, "verify": monotonic() - started})


def verify(
    findings: Sequence[Finding],
    sources: Mapping[str, Source],
    sites: Sequence[Span] = (),
    *,
    keep: Path | None = None,
    wall_s: float = WALL_S,
    progress: Progress | None = None,
) -> tuple[Finding, ...]:
    """The findings with a verdict each, but for those that no experiment is about. One that is refuted becomes info."""
    done: list[Finding] = []
    bench_or_reason: AbstractContextManager[Path] = workplace()
    try:
        with bench_or_reason as folder:
            bench = Bench(folder, keep, wall_s, Modules(Project()), sources)
            for source in sources.values():
                bench.modules.project.add(source)
            wanted = [with_sites(finding, sites) for finding in findings if finding.code in PROTOCOLS]
            claims = [_claim(bench, finding) for finding in wanted]
            bench.watches.extend(dict.fromkeys(watched(claim) for claim, _ in claims if claim is not None))
            count = 0
            for finding in findings:
                if finding.code in PROTOCOLS:
                    if progress is not None:
                        progress(count, len(wanted))
                    finding = _with(finding, _verdict(bench, wanted[count], *claims[count], count + 1))
                    count += 1
                done.append(finding)
    except WorkplaceError as error:
        verdict = Verdict("unavailable", None, str(error), None, None, 0.0)
        return tuple(_with(finding, verdict) if finding.code in PROTOCOLS else finding for finding in findings)
    return tuple(done)


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


def _verdict(bench: Bench, finding: Finding, claim: Claim | None, named: Mapping[str, str], number: int) -> Verdict:
    started = monotonic()

    def verdict(
        word: Any, level: Level | None, reason: str | None, evidence: Evidence | None = None, run: Mapping[str, Any] | None = None
    ) -> Verdict:
        mlx = run.get("mlx") if run else None
        guard = tuple(run.get("guard", ())) if run else ()
        return Verdict(word, level, reason, evidence, (mlx["version"], mlx["device"]) if mlx else None, monotonic() - started, guard)

    if bench.unavailable is not None:
        return verdict("unavailable", None, bench.unavailable)
    if claim is None:
        return verdict("inconclusive", None, "the file cannot be read")
    protocol = PROTOCOLS[claim.code]
    reason = "no call of the compiled function is in sight"
    level: Level | None = None
    last: Mapping[str, Any] | None = None
    for piece in pieces(bench, finding, claim, named):
        job = job_of(bench, piece, claim, protocol)
        if bench.keep is not None:
            keep_for_people(job, bench.keep / f"{number:03}-{claim.code}-{Path(claim.place).stem}-{claim.start[0]}", finding)
        answer, run, out_of_reach = tried(bench, job, claim, protocol)
        if out_of_reach:
            bench.unavailable = out_of_reach
            return verdict("unavailable", None, out_of_reach, run=run)
        last = run or last
        level = "stand-in" if run and run.get("stand_ins") else "in-place"
        if answer.word == "seen":
            return verdict("confirmed", level, None, answer.evidence, run)
        if answer.word == "contradicted":
            second, _, _ = tried(bench, job, claim, protocol, again=1)
            if second.word == "contradicted" and level == "in-place":
                return verdict("refuted", level, answer.reason, None, run)
            reason = f"two runs do not agree: {second.reason}" if level == "in-place" else f"with stand-ins, {answer.reason}"
        else:
            reason = answer.reason or reason
    if not (last and last.get("calls")):  # calls in sight decide, where there are any
        called, last = _called(bench, finding, claim, named, protocol, number, last)
        if called is not None:
            level = "stand-in" if last and last.get("stand_ins") else "in-place"
            if called.word == "seen":
                return verdict("confirmed", level, None, called.evidence, last)
            reason = f"{reason}; called with made-up arguments: {called.reason}"
    return verdict("inconclusive", level, reason, None, last)


def _called(
    bench: Bench, finding: Finding, claim: Claim, named: Mapping[str, str], protocol: Protocol, number: int, last: Mapping[str, Any] | None
) -> tuple[Answer | None, Mapping[str, Any] | None]:
    """What happens when the function is called with arguments that were looked for; None if it cannot be called."""
    place = next((path for path, _, _ in claim.sites), claim.place)
    module = bench.modules.by_path[place]
    order = order_for(claim, module)
    if order is None:
        return None, last
    if claim.code.startswith("MX4"):
        order["varies"] = "leading" if claim.code == "MX401" else "all"
    piece = cut(bench.modules, module, rows_of(finding, named), {}, stateful=False, driven=False)
    job = job_of(bench, piece, claim, protocol, order)
    plain = bench.run(job, "plain")
    if plain.answer is None or not plain.answer.get("recipe"):
        return Answer("unclear", "no arguments were found with which the uncompiled function runs"), last
    made = Job(job.files, {**job.settings, "recipe": plain.answer["recipe"]})
    if bench.keep is not None:
        keep_for_people(made, bench.keep / f"{number:03}-{claim.code}-{Path(claim.place).stem}-{claim.start[0]}-called", finding)
    answer, run, _ = tried(bench, made, claim, protocol)
    if answer.word == "seen" and claim.code.startswith("MX1"):
        scalars = [name for name in unknown(module, order) if {name, f"*{name}"} & set(plain.answer["recipe"]["names"])]
        other = Job(job.files, {**job.settings, "drive": {**order, "scalars": scalars}})
        if scalars and (found := bench.run(other, "plain").answer) is not None and found.get("recipe"):
            answer2, _, _ = tried(bench, Job(job.files, {**other.settings, "recipe": found["recipe"]}), claim, protocol)
            if answer2.word != "seen":
                return Answer("unclear", f"it depends on whether {', '.join(scalars)} is an array"), run
    if answer.evidence is not None:
        answer = replace(answer, evidence=replace(answer.evidence, note=f"called with {plain.answer['inputs'] or 'no arguments'}, made up"))
    return answer, run or last


def keep_for_people(job: Job, folder: Path, finding: Finding) -> None:
    """The experiment for people: `python run.py` runs the program as it is, `python run.py plain` without mx.compile."""
    lay_out(job, folder)
    row = finding.span.start.row
    (folder / "README.txt").write_text(
        f"{finding.code} at {finding.span.filename}:{row}\n{finding.message}\n\n"
        "python run.py          the program under watch, as it is\n"
        "python run.py plain    the same with mx.compile left out\n"
        "program/               the statements of the project that it needs, each in its row\n",
        encoding="utf-8",
    )
