"""The fixed form of a program put to the same test: is the pitfall gone, and does it do what the uncompiled program did?

Only programs that come to their end by themselves are compared: a run that was cut short, or that lacked something, says nothing about a fix.
"""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mxlint.finding import Finding, FixWord
from mxlint.fixes.edits import EditError, fixed_finding, fixed_sources
from mxlint.project import Project
from mxlint.verify.absence import needed
from mxlint.verify.bench import Bench, watched
from mxlint.verify.called import standing_in
from mxlint.verify.child.refusals import said
from mxlint.verify.claims import claim_of, places
from mxlint.verify.comparison import (
    BY_ITSELF,
    Call,
    Claim,
    Run,
    Tolerated,
    explained,
    is_array,
    only_arrays,
    relative,
    same,
    tolerated_in_calls,
)
from mxlint.verify.endings import unusable
from mxlint.verify.modules import Modules
from mxlint.verify.neutral import neutralised
from mxlint.verify.programs import job_of, pieces, rows_of_its_own
from mxlint.verify.protocols.answer import Answer, Protocol
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


@dataclass(frozen=True, slots=True)
class Cure:
    """What became of the fixed form of a program, and why it is no cure."""

    word: FixWord
    reason: str | None = None


def cured(bench: Bench, finding: Finding, job: Job, protocol: Protocol) -> Cure:
    """What became of the fixed form: by the protocol that saw the pitfall in a job, and beside the program as it was, uncompiled."""
    fixed = fixed_program(bench, finding, job, protocol)
    if fixed is None:
        return Cure("untested", "there is no program to run with it")
    answer, _, _ = tried(fixed.bench, fixed.job, fixed.claim, protocol)
    if answer.word == "seen":
        return _still(answer)
    if (harmless := neutralised(fixed.bench, fixed.job, fixed.claim, protocol)) is not None:  # what others do is not for this fix to mend
        fixed = replace(fixed, job=harmless[0])
        answer, _, _ = tried(fixed.bench, fixed.job, fixed.claim, protocol)
        if answer.word == "seen":
            return _still(answer)
    # Where the fix is to change what is computed, its own program is what it has to agree with.
    original, source = (fixed.bench, fixed.job) if protocol.incomplete else (bench, job)
    first, second = (original.run(_compared(source), "plain", again) for again in (0, 1))
    real = fixed.bench.run(_compared(fixed.job), "real")
    for place, ran, outcome in ((original, source, first), (original, source, second), (fixed.bench, fixed.job, real)):
        if (why := cut_short(place, ran, outcome)) is not None:
            return Cure("untested", why)
    return _agreed(original, source, fixed, _run(first), _run(second), _run(real), protocol, contradicted=answer.word == "contradicted")


def _still(answer: Answer) -> Cure:
    """With the fix, the pitfall is there."""
    return Cure("fails", answer.evidence.observed if answer.evidence is not None else None)


def _agreed(original: Bench, job: Job, fixed: Fixed, first: Run, second: Run, real: Run, protocol: Protocol, *, contradicted: bool) -> Cure:
    """Whether the fixed program did what the uncompiled one did twice, and showed as much."""
    another = protocol.cost is not None and protocol.cost.event == "transform"  # there it is another function that is compiled
    found = list(compared(first, second, real, calls=not another))
    if _all(same for _, same in found) is False:
        rounded = whole(original, job, original.run(_compared(job), "rounded"))
        found = list(compared(first, second, real, rounded, calls=not another))
    if (differs := next((what for what, same in found if same is False), None)) is not None:
        # What another finding of the same function does to its results is not the fix's doing.
        others = [one for one in fixed.bench.claims if set(one.sites) & set(fixed.claim.sites)]
        if not others:
            return Cure("changes-result", differs)
        codes = ", ".join(sorted({one.code for one in others}))
        return Cure("untested", f"{differs} is not what it was, which {codes} in the same function may do")
    if _all(same for _, same in found) is None:
        return Cure("untested", "nothing that the program computes is the same in two runs, or it computes nothing that could be compared")
    # That nothing is seen any more says something only if as much was there to be seen.
    lacks = None if contradicted else _without_reuse(real) if protocol.traces else _less(first, real)
    return Cure("resolves") if lacks is None else Cure("untested", lacks)


def _without_reuse(run: Run) -> str | None:
    reused = any(not call["traced"] and call["error"] is None for call in run["calls"])
    return None if reused else "no call of the fixed program uses a trace again"


def _less(before: Run, fixed: Run) -> str | None:
    """What a run lacks of the calls that returned in another, and of the exceptions that ended calls there, wherever they are raised here; of either
    it takes two."""
    ended = Counter((item["type"], item["message"]) for item in before["exceptions"] if item["left"])
    raised = Counter((item["type"], item["message"]) for item in fixed["exceptions"])
    if lost := list(ended - raised):
        return f"the fixed program raises no {lost[0][0]} as it was"
    known, made = len(_returned(before)), len(_returned(fixed))
    if made < known:
        return f"of {known} calls that return, the fixed program makes {made}"
    return None if made + ended.total() > 1 else "one call is too little to tell"


def _without_more(before: Any, result: Any) -> Any:
    """What a call of the fixed program returned, without what a fix lets it return besides: a tuple in the place of one value, or a longer one,
    that begins with what the call returned before."""
    if not _is_tuple(result) or _is_tuple(before) and before["length"] >= result["length"]:
        return result
    first: Any = result["items"][0] if result["items"] else None
    if not _is_tuple(before) or _is_tuple(first) and first["length"] == before["length"]:
        return first
    return {**result, "length": before["length"], "items": result["items"][: before["length"]]}


def _is_tuple(result: Any) -> bool:
    return isinstance(result, dict) and result.get("type") == "tuple"


def _returned(run: Run) -> list[Mapping[str, Any]]:
    """The calls of compiled functions that returned something."""
    return [call for call in run["calls"] if call["error"] is None]


def _compared(job: Job) -> Job:
    """The same program, with what it computes written down."""
    return Job(job.files, {**job.settings, "results": True, "memory": False, "calls": CALLS, "survey": 0})


def cut_short(bench: Bench, job: Job, outcome: Outcome) -> str | None:
    """Why a program did not come to its end by itself, or lacked something."""
    run = outcome.answer
    if (why := unusable(outcome)) is not None or run is None:
        return why
    if run["status"] not in ENDED:
        return f"the program makes more than {CALLS} calls" if run["status"] == "enough" else "the program was cut short"
    if outcome.refused:
        return f"the program {said(outcome.refused[0])}"
    if needed(run):
        return f"not installed: {', '.join(needed(run))}"
    if (name := absent(bench, job, run)) is not None:
        return f"the program lacks the file {name}"
    number = run.get("exception", -1)  # what ended it
    lacked = number >= 0 and run["exceptions"][number]["type"] in LACKING
    return f"the program lacks something: {run['detail']}" if lacked else None


def whole(bench: Bench, job: Job, outcome: Outcome) -> Run | None:
    """What a program did that came to its end by itself and lacked nothing; None for any other."""
    return outcome.answer if cut_short(bench, job, outcome) is None else None


def _run(outcome: Outcome) -> Run:
    assert outcome.answer is not None
    return outcome.answer


def rounding(bench: Bench, job: Job) -> Tolerated:
    """What rounding makes of the results of a program's calls (child/rounding.py), as part of the largest value."""
    plain, rounded = (whole(bench, job, bench.run(_compared(job), mode)) for mode in ("plain", "rounded"))
    if plain is None or rounded is None or len(plain["calls"]) != len(rounded["calls"]):
        return BY_ITSELF
    most = max((relative(one.get("result"), other.get("result")) for one, other in zip(rounded["calls"], plain["calls"])), default=0.0)
    return Tolerated(part=tolerated_in_calls(rounded["calls"], plain["calls"]).margin * most)


def compared(first: Run, second: Run, real: Run, rounded: Run | None = None, *, calls: bool = True) -> Iterator[tuple[str, bool | None]]:
    """What a program did, and whether it is what the uncompiled one did in two runs: how it ended, what the `calls` of compiled functions
    returned, and which arrays its names hold at its end. What differs between the two runs is None. `rounded`: the uncompiled program with more
    rounding errors; what differs by no more than that does is the same."""
    if (first["status"] == "ok") == (second["status"] == "ok") != (real["status"] == "ok"):
        yield "how the program ends", False
        return
    noisy = (
        rounded if rounded is not None and (rounded["status"], len(rounded["calls"])) == (first["status"], len(first["calls"])) else None
    )
    if calls and len(first["calls"]) == len(second["calls"]) == len(real["calls"]):
        for number, (one, other, mine) in enumerate(zip(first["calls"], second["calls"], real["calls"]), 1):
            if (one["error"] is None) == (other["error"] is None) != (mine["error"] is None):
                yield f"how call {number} ends", False
                return
    if calls and len(_returned(first)) == len(_returned(second)) == len(_returned(real)):
        others = _returned(noisy) if noisy is not None and len(_returned(noisy)) == len(_returned(first)) else None
        for number, (one, other, mine) in enumerate(zip(_returned(first), _returned(second), _returned(real)), 1):
            results = one.get("result"), other.get("result"), _without_more(one.get("result"), mine.get("result"))
            if None not in results:
                moved = others and others[number - 1].get("result")
                yield f"what call {number} returns", agreed(*results, moved, _tolerated(others, _returned(first), number))
    if first["status"] == second["status"] == real["status"] == "ok":
        most = _tolerated(noisy["calls"] if noisy is not None else None, first["calls"], len(first["calls"]))
        for name in sorted(first["end"].keys() & second["end"].keys() & real["end"].keys()):
            held = only_arrays(first["end"][name]), only_arrays(second["end"][name]), only_arrays(real["end"][name])
            if None not in held:
                moved = noisy and only_arrays(noisy["end"].get(name))
                yield f"what {name.removeprefix('__main__.')} holds at the end", agreed(*held, moved, most)


def _tolerated(rounded: Sequence[Call] | None, plain: Sequence[Call], number: int) -> Tolerated:
    return tolerated_in_calls(rounded[:number], plain) if rounded is not None else BY_ITSELF


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
