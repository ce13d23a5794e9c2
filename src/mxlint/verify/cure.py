"""The fixed form of a program put to the same test: is the pitfall gone, and does it do what the uncompiled program did?"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mxlint.finding import Finding, FixWord
from mxlint.fixes.edits import EditError, fixed_finding, fixed_sources
from mxlint.project import Project
from mxlint.verify.bench import Bench, watched
from mxlint.verify.called import standing_in
from mxlint.verify.claims import claim_of, places
from mxlint.verify.modules import Modules
from mxlint.verify.programs import LAZY, job_of, pieces, rows_of_its_own
from mxlint.verify.protocols.answer import Protocol
from mxlint.verify.runner import Job
from mxlint.verify.sight import Claim, Run, only_arrays, same
from mxlint.verify.slicing import cut
from mxlint.verify.trial import tried

CALLS = 24
"""Calls after which the two programs are compared."""
TRACES = frozenset({"MX210", "MX211", "MX301", "MX302", "MX303", "MX304", "MX305"})
"""Rules about traces that need not be, or do too much: one has to be seen that is used again."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A program with a finding's fix made, what the claim is there, and the bench to run it on."""

    bench: Bench
    job: Job
    claim: Claim


def fixed_program(bench: Bench, finding: Finding, job: Job, protocol: Protocol) -> Fixed | None:
    """The program of a job, cut anew from the fixed files; None where that cannot be done."""
    try:
        sources = fixed_sources(finding, bench.sources)
        fixed = fixed_finding(finding, bench.sources)
    except EditError:
        return None
    other = replace(bench, modules=Modules(Project(), sources.values()), sources=sources, watches=[])
    named = places(other.modules, fixed, dict(sources))
    if fixed.span.filename not in named:
        return None
    claim = claim_of(fixed, sources[fixed.span.filename], named)
    other.watches.append(watched(claim))
    entry, order = job.settings["entry"]["file"], job.settings["drive"]
    if order is None:
        piece = next((piece for piece in pieces(other, fixed, claim, named) if piece.entry.path == entry), None)
    elif (module := other.modules.by_path.get(entry)) is not None:
        piece = cut(other.modules, module, rows_of_its_own(claim), {}, stateful=False, driven=False, reads=claim.code in LAZY)
        piece = standing_in(piece, claim) if order["stand_ins"] else piece
        order = {**order, "site": list(next(iter(claim.sites), order["site"]))}
    else:
        piece = None
    if piece is None:
        return None
    made = job_of(other, piece, claim, protocol, order)
    return Fixed(other, Job(made.files, {**made.settings, "recipe": job.settings["recipe"]}), claim)


def cured(bench: Bench, finding: Finding, job: Job, protocol: Protocol) -> FixWord:
    """What became of the fixed form: by the protocol that saw the pitfall in a job, and beside the program as it was, uncompiled."""
    fixed = fixed_program(bench, finding, job, protocol)
    if fixed is None:
        return "untested"
    answer, _, _ = tried(fixed.bench, fixed.job, fixed.claim, protocol)
    if answer.word == "seen":
        return "fails"
    before = bench.run(job, "real").answer
    reference = bench.run(_compared(job), "plain").answer
    real = fixed.bench.run(_compared(fixed.job), "real").answer
    if reference is None or "calls" not in reference:
        return "untested"
    if real is None or "calls" not in real:
        return "changes-result"
    agrees = _agrees(real, reference, calls=finding.code != "MX305")  # there it is another function that is compiled
    if agrees is not None and not agrees:
        return "changes-result"
    # That nothing is seen any more says something only if as much was there to be seen.
    reused = any(not call["traced"] and call["error"] is None for call in real["calls"])
    tested = reused if finding.code in TRACES else len(real["calls"]) >= max(2, _calls(before))
    return "resolves" if agrees and (tested or answer.word == "contradicted") else "untested"


def _compared(job: Job) -> Job:
    """The same program, with what it computes written down."""
    return Job(job.files, {**job.settings, "results": True, "memory": False, "calls": CALLS, "survey": 0})


def _calls(run: Run | None) -> int:
    return len(run["calls"]) if run is not None and "calls" in run else 0


def _agrees(real: Run, reference: Run, *, calls: bool) -> bool | None:
    """Whether a program did what the uncompiled one did, by how it ended, what its names hold then, and what the `calls` of compiled functions
    returned; None where nothing can be compared."""
    if (real["status"] in ("ok", "enough")) != (reference["status"] in ("ok", "enough")):
        return False
    pairs = []
    if calls and len(real["calls"]) == len(reference["calls"]):
        if any((one["error"] is None) != (other["error"] is None) for one, other in zip(real["calls"], reference["calls"])):
            return False
        pairs += [(one.get("result"), other.get("result")) for one, other in zip(real["calls"], reference["calls"])]
    if real["status"] == reference["status"] == "ok":
        pairs += [(only_arrays(real["end"][name]), only_arrays(value)) for name, value in reference["end"].items() if name in real["end"]]
    found = [same(one, other) for one, other in pairs if one is not None and other is not None]
    return all(found) if found else None
