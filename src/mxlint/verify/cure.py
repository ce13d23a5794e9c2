"""The fixed form of a program put to the same test: is the pitfall gone, and does it do what the uncompiled program did?

Only programs that come to their end by themselves are compared: a run that was cut short, or that lacked something, says nothing about a fix.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mxlint.finding import Finding, FixWord
from mxlint.fixes.edits import EditError, fixed_finding, fixed_sources
from mxlint.project import Project
from mxlint.verify.absence import needed
from mxlint.verify.bench import Bench, watched
from mxlint.verify.called import standing_in
from mxlint.verify.claims import claim_of, places
from mxlint.verify.comparison import BY_ITSELF, Claim, Run, Tolerated, explained, is_array, only_arrays, relative, same, tolerated_in_calls
from mxlint.verify.endings import unusable
from mxlint.verify.modules import Modules
from mxlint.verify.neutral import neutralised
from mxlint.verify.programs import job_of, pieces, rows_of_its_own
from mxlint.verify.protocols.answer import Protocol
from mxlint.verify.runner import Job, Outcome
from mxlint.verify.slicing import cut
from mxlint.verify.trial import absent, tried
from mxlint.verify.units import first_row

CALLS = 1000
"""A program that makes more calls is not compared with its fixed form."""
ENDED = ("ok", "raised", "exit")
"""How a program comes to its end by itself."""
LACKING = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, (ImportError, OSError, MemoryError))
)
"""Exceptions of a program that lacked something."""


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
    other = replace(bench, modules=Modules(Project(), sources.values()), sources=sources, facts=(), watches=(), claims=(), findings=())
    named = places(other, fixed)
    if fixed.span.filename not in named:
        return None
    claim = claim_of(fixed, other, named)
    other = replace(other, watches=[watched(claim)], claims=list(_beside(bench, other, finding)))
    entry, order = job.settings["entry"]["file"], job.settings["drive"]
    if order is None:
        piece = next((piece for piece in pieces(other, fixed, claim, protocol, named) if piece.entry.path == entry), None)
    elif (module := other.modules.by_path.get(entry)) is not None:
        rows = rows_of_its_own(claim)
        rows.setdefault(entry, set()).update(first_row(unit.node) for unit in module.units if order["name"] in unit.binds)
        piece = cut(other.modules, module, rows, {}, stateful=False, driven=False, reads=protocol.lazy)
        piece = standing_in(piece, claim) if order["stand_ins"] else piece
        order = {**order, "site": list(next(iter(claim.sites), order["site"]))}
    else:
        piece = None
    if piece is None:
        return None
    made = job_of(other, piece, claim, protocol, order)
    kept = {part: job.settings[part] for part in ("recipe", "change", "turned")}
    attempts = job.settings["attempts"] and {**job.settings["attempts"], "sites": [list(site) for site in claim.sites]}
    return Fixed(other, Job(made.files, {**made.settings, **kept, "attempts": attempts}), claim)


def _beside(bench: Bench, other: Bench, finding: Finding) -> Iterator[Claim]:
    """The claims of the other findings, moved to where they stand once the fix of this one is made."""
    for one in bench.findings:
        if (one.code, one.span) != (finding.code, finding.span):
            moved = fixed_finding(replace(one, fix=finding.fix), bench.sources)
            named = places(other, moved)
            if moved.span.filename in named:
                yield claim_of(moved, other, named)


def cured(bench: Bench, finding: Finding, job: Job, protocol: Protocol) -> FixWord:
    """What became of the fixed form: by the protocol that saw the pitfall in a job, and beside the program as it was, uncompiled."""
    fixed = fixed_program(bench, finding, job, protocol)
    if fixed is None:
        return "untested"
    answer, _, _ = tried(fixed.bench, fixed.job, fixed.claim, protocol)
    if answer.word == "seen":
        return "fails"
    if (harmless := neutralised(fixed.bench, fixed.job, fixed.claim, protocol)) is not None:  # what others do is not for this fix to mend
        fixed = replace(fixed, job=harmless[0])
        answer, _, _ = tried(fixed.bench, fixed.job, fixed.claim, protocol)
        if answer.word == "seen":
            return "fails"
    first, second = (whole(bench, job, bench.run(_compared(job), "plain", again)) for again in (0, 1))
    real = whole(fixed.bench, fixed.job, fixed.bench.run(_compared(fixed.job), "real"))
    if first is None or second is None or real is None:
        return "untested"
    another = protocol.cost is not None and protocol.cost.event == "transform"  # there it is another function that is compiled
    calls = not another and not _returns_more(first, real)
    agrees = agreement(first, second, real, calls=calls)
    if agrees is False:
        agrees = agreement(first, second, real, whole(bench, job, bench.run(_compared(job), "rounded")), calls=calls)
    if agrees is False:  # what another finding of the same function does to its results is not the fix's doing
        others = [one for one in fixed.bench.claims if set(one.sites) & set(fixed.claim.sites)]
        return "untested" if others else "changes-result"
    # That nothing is seen any more says something only if as much was there to be seen.
    reused = any(not call["traced"] and call["error"] is None for call in real["calls"])
    tested = reused if protocol.traces else len(real["calls"]) >= max(2, _calls(bench.run(job, "real").answer))
    return "resolves" if agrees and (tested or answer.word == "contradicted") else "untested"


def _returns_more(before: Run, fixed: Run) -> bool:
    """Whether the fix lets calls return a tuple in the place of one value, or a longer one: then what they return is no longer the same thing."""

    def form(call: Mapping[str, Any]) -> object:
        result = call.get("result")
        return result.get("length") if isinstance(result, dict) and result.get("type") == "tuple" else None

    return any(form(one) != form(other) for one, other in zip(before["calls"], fixed["calls"]))


def _compared(job: Job) -> Job:
    """The same program, with what it computes written down."""
    return Job(job.files, {**job.settings, "results": True, "memory": False, "calls": CALLS, "survey": 0})


def _calls(run: Run | None) -> int:
    return len(run["calls"]) if run is not None and "calls" in run else 0


def whole(bench: Bench, job: Job, outcome: Outcome) -> Run | None:
    """What a program did that came to its end by itself and lacked nothing; None for any other."""
    run = outcome.answer
    if unusable(outcome) is not None or run is None or run["status"] not in ENDED or outcome.refused or needed(run):
        return None
    if absent(bench, job, run) is not None:
        return None
    number = run.get("exception", -1)  # what ended it
    return None if number >= 0 and run["exceptions"][number]["type"] in LACKING else run


def rounding(bench: Bench, job: Job) -> Tolerated:
    """What rounding makes of the results of a program's calls (child/rounding.py), as part of the largest value."""
    plain, rounded = (whole(bench, job, bench.run(_compared(job), mode)) for mode in ("plain", "rounded"))
    if plain is None or rounded is None or len(plain["calls"]) != len(rounded["calls"]):
        return BY_ITSELF
    most = max((relative(one.get("result"), other.get("result")) for one, other in zip(rounded["calls"], plain["calls"])), default=0.0)
    return Tolerated(part=tolerated_in_calls(rounded["calls"], plain["calls"]).margin * most)


def agreement(first: Run, second: Run, real: Run, rounded: Run | None = None, *, calls: bool = True) -> bool | None:
    """Whether a program did what the uncompiled one did in two runs, by how it ended, what the `calls` of compiled functions returned, and which
    arrays its names hold at its end. What differs between the two is left out; None where nothing is left. `rounded`: the uncompiled program with
    more rounding errors; what differs by no more than that does is the same."""
    if (first["status"] == "ok") == (second["status"] == "ok") != (real["status"] == "ok"):
        return False
    noisy = (
        rounded if rounded is not None and (rounded["status"], len(rounded["calls"])) == (first["status"], len(first["calls"])) else None
    )
    found: list[bool | None] = []
    if calls and len(first["calls"]) == len(second["calls"]) == len(real["calls"]):
        for number, (one, other, mine) in enumerate(zip(first["calls"], second["calls"], real["calls"]), 1):
            if (one["error"] is None) == (other["error"] is None) != (mine["error"] is None):
                return False
            results = one.get("result"), other.get("result"), mine.get("result")
            if None not in results:
                found.append(agreed(*results, noisy and noisy["calls"][number - 1].get("result"), _tolerated(noisy, first, number)))
    if first["status"] == second["status"] == real["status"] == "ok":
        most = _tolerated(noisy, first, len(first["calls"]))
        for name in first["end"].keys() & second["end"].keys() & real["end"].keys():
            held = only_arrays(first["end"][name]), only_arrays(second["end"][name]), only_arrays(real["end"][name])
            if None not in held:
                found.append(agreed(*held, noisy and only_arrays(noisy["end"].get(name)), most))
    return _all(found)


def _tolerated(rounded: Run | None, plain: Run, number: int) -> Tolerated:
    return tolerated_in_calls(rounded["calls"][:number], plain["calls"]) if rounded is not None else BY_ITSELF


def agreed(first: Any, second: Any, real: Any, rounded: Any = None, most: Tolerated = BY_ITSELF) -> bool | None:
    """Whether a value is what it was in two runs, in all parts that were the same in both; None if none was. What differs by no more than `rounded`
    does is the same, up to what is tolerated."""
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys() and not is_array(first):
        if not isinstance(real, dict) or real.keys() != first.keys():
            return False
        named = rounded if isinstance(rounded, dict) else {}
        return _all([agreed(first[key], second[key], real[key], named.get(key), most) for key in first])
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        if not isinstance(real, list) or len(real) != len(first):
            return False
        others = rounded if isinstance(rounded, list) and len(rounded) == len(first) else [None] * len(first)
        return _all([agreed(*parts, most) for parts in zip(first, second, real, others)])
    if not same(first, second):
        return None
    return same(first, real) or (rounded is not None and explained(real, first, rounded, most))


def _all(found: Iterable[bool | None]) -> bool | None:
    """Kleene's conjunction of what is known; None if nothing is."""
    known = [one for one in found if one is not None]
    return all(known) if known else None
