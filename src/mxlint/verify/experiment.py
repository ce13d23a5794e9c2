"""Findings put to the test: a program is cut for each, run as it is and uncompiled, and the two runs compared."""

from __future__ import annotations

import ast
import importlib.util
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Any

from mxlint.engine import Result
from mxlint.finding import Evidence, Finding, Level, Span, Verdict
from mxlint.project import Project
from mxlint.source import Source
from mxlint.verify.claims import claim_of, places, with_sites
from mxlint.verify.protocols import PROTOCOLS, Answer, Protocol
from mxlint.verify.runner import Job, Mode, Outcome, WorkplaceError, lay_out, limits, run, workplace
from mxlint.verify.sight import Claim, Sight, stable
from mxlint.verify.slicing import DEFINITIONS, Module, Modules, Slice, cut, first_row
from mxlint.verify.targets import order_for, unknown

WALL_S = 20.0
MOST_ENTRIES = 3
MOST_TRIES = 4
"""Runs within which a crash has to come back."""
HALF_THE_MEMORY = 1 << 30
_NOISY = frozenset({"antigravity", "this", "turtle", "idlelib", "__future__", "__main__"})
CRASHES = (4, 6, 7, 8, 11)
"""Signals that a process dies of by its own fault."""
INSTALL = "pip install 'mxlint[verify]' on a Mac, 'mxlint[verify-cpu]' or 'mxlint[verify-cuda]' on Linux"

Watched = tuple[str, tuple[int, int], tuple[int, int]]
"""A file of the program, and where an expression in it starts and ends."""
Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Bench:
    """Where experiments are run. All expressions are watched in every run, so that a program need not be run again for the next finding."""

    folder: Path
    keep: Path | None
    wall_s: float
    modules: Modules
    sources: Mapping[str, Source]
    watches: list[Watched] = field(default_factory=list)
    outcomes: dict[tuple[Any, ...], Outcome] = field(default_factory=dict)
    number: int = 0
    unavailable: str | None = None

    def run(self, job: Job, mode: Mode, again: int = 0) -> Outcome:
        program = tuple(sorted(job.files.items()))
        key = (program, repr(job.settings), mode, again)
        if key not in self.outcomes:
            self.number += 1
            place = self.folder / f"{self.number:04}"
            kernels = self.folder / f"kernels-{hash(program) & 0xFFFFFFFFFFFF:x}"
            self.outcomes[key] = run(job, mode, place, self.wall_s, kernels)
            shutil.rmtree(place, ignore_errors=True)
        return self.outcomes[key]


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
            bench.watches.extend(dict.fromkeys(_watched(claim) for claim, _ in claims if claim is not None))
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


def _watched(claim: Claim) -> Watched:
    return claim.place, claim.start, claim.end


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
    for piece in _pieces(bench, finding, claim, named):
        job = _job(bench, piece, claim, protocol)
        if bench.keep is not None:
            _keep(job, bench.keep / f"{number:03}-{claim.code}-{Path(claim.place).stem}-{claim.start[0]}", finding)
        answer, run, out_of_reach = _experiment(bench, job, claim, protocol)
        if out_of_reach:
            bench.unavailable = out_of_reach
            return verdict("unavailable", None, out_of_reach, run=run)
        last = run or last
        level = "stand-in" if run and run.get("stand_ins") else "in-place"
        if answer.word == "seen":
            return verdict("confirmed", level, None, answer.evidence, run)
        if answer.word == "contradicted":
            second, _, _ = _experiment(bench, job, claim, protocol, again=1)
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
    piece = cut(bench.modules, module, _rows(finding, named), {}, stateful=False, driven=False)
    job = _job(bench, piece, claim, protocol, order)
    plain = bench.run(job, "plain")
    if plain.answer is None or not plain.answer.get("recipe"):
        return Answer("unclear", "no arguments were found with which the uncompiled function runs"), last
    made = Job(job.files, {**job.settings, "recipe": plain.answer["recipe"]})
    if bench.keep is not None:
        _keep(made, bench.keep / f"{number:03}-{claim.code}-{Path(claim.place).stem}-{claim.start[0]}-called", finding)
    answer, run, _ = _experiment(bench, made, claim, protocol)
    if answer.word == "seen" and claim.code.startswith("MX1"):
        scalars = [name for name in unknown(module, order) if {name, f"*{name}"} & set(plain.answer["recipe"]["names"])]
        other = Job(job.files, {**job.settings, "drive": {**order, "scalars": scalars}})
        if scalars and (found := bench.run(other, "plain").answer) is not None and found.get("recipe"):
            answer2, _, _ = _experiment(bench, Job(job.files, {**other.settings, "recipe": found["recipe"]}), claim, protocol)
            if answer2.word != "seen":
                return Answer("unclear", f"it depends on whether {', '.join(scalars)} is an array"), run
    if answer.evidence is not None:
        answer = replace(answer, evidence=replace(answer.evidence, note=f"called with {plain.answer['inputs'] or 'no arguments'}, made up"))
    return answer, run or last


def _rows(finding: Finding, named: Mapping[str, str]) -> dict[str, set[int]]:
    """The rows that a finding is about, by place."""
    rows: dict[str, set[int]] = {}
    for span in (finding.span, *(related.span for related in finding.related)):
        if span.filename in named:
            rows.setdefault(named[span.filename], set()).add(span.start.row)
    return rows


def _pieces(bench: Bench, finding: Finding, claim: Claim, named: Mapping[str, str]) -> list[Slice]:
    """Programs that call what the finding is about: from its own file, the files it names, and those that import them."""
    rows = _rows(finding, named)
    for source in bench.sources.values():
        bench.modules.of(source)
    modules = bench.modules.by_path
    compiled = {
        path: frozenset(
            name
            for unit in modules[path].units
            if any(place == path and first_row(unit.node) <= first <= _head(unit.node) for place, first, _ in claim.sites)
            for name in unit.binds
        )
        for path in rows
    }
    base = [modules[path] for path in dict.fromkeys((claim.place, *rows))]
    found = []
    for entry in [*base, *_importers(bench.modules, {module.path for module in base})]:
        piece = cut(bench.modules, entry, rows, compiled, stateful=claim.code.startswith("MX2"))
        if piece.driven:
            found.append(piece)
        if len(found) == MOST_ENTRIES:
            break
    return found


def _head(node: ast.stmt) -> int:
    """The last row on which a statement itself can be compiled: a definition on its decorators."""
    return node.lineno if isinstance(node, DEFINITIONS) else node.end_lineno or node.lineno


def _importers(modules: Modules, paths: set[str]) -> list[Module]:
    """Modules that import these, directly or not."""
    found: list[Module] = []
    changed = True
    reached = set(paths)
    while changed:
        changed = False
        for module in modules.by_path.values():
            if module.path not in reached and reached & {*(path for path, _ in module.imports.values()), *module.stars}:
                reached.add(module.path)
                found.append(module)
                changed = True
    return found


def _job(bench: Bench, piece: Slice, claim: Claim, protocol: Protocol, order: Mapping[str, Any] | None = None) -> Job:
    missing = sorted(name for name in piece.outside if name not in sys.stdlib_module_names and not _installed(name))
    parts = piece.entry.split("/")
    settings = {
        "entry": {"file": piece.entry, "package": ".".join(parts[:-1]), "name": "__main__" if order is None else "mxlint_program"},
        "drive": order,
        "recipe": None,
        "watches": [{"file": file, "start": start, "end": end} for file, start, end in bench.watches],
        "calls": protocol.calls,
        "again": [claim.start[0]] if protocol.again and claim.place == piece.entry else [],
        "results": protocol.results,
        "state": protocol.state,
        "memory": protocol.memory,
        "leaks": not protocol.memory,
        "missing": missing,
        "modules": sorted(name for name in piece.outside if name == "numpy" or name in sys.stdlib_module_names and name not in _NOISY),
        "canary": "MLX_DISABLE_COMPILE" not in "".join(piece.files.values()),
        "readable": [],
        "limits": limits(cpu_s=10),
    }
    return Job(piece.files, settings)


def _installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _experiment(
    bench: Bench, job: Job, claim: Claim, protocol: Protocol, again: int = 0
) -> tuple[Answer, Mapping[str, Any] | None, str | None]:
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
    answer = protocol.judge(
        Sight(claim, real.answer or _nothing(len(bench.watches)), plain.answer, crashed, bench.watches.index(_watched(claim)))
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
        return f"MLX is not installed for {sys.executable}: {INSTALL}"
    if answer.get("canary"):
        return f"{answer['canary']}; on the CPU it needs a C++ compiler: install g++"
    if any("[Compile::eval_cpu]" in item["message"] for item in answer.get("exceptions", ())):
        return "MLX's C++ compiler fails on this machine: install g++ in full, and see that the disk is not full"
    return None


def _keep(job: Job, folder: Path, finding: Finding) -> None:
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
