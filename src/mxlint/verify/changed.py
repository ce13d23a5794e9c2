"""State that is said, or was seen, to change between calls, where no change in sight shows: it is changed by hand, and the function called again."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from mxlint.verify.bench import Bench, watch, watched
from mxlint.verify.comparison import Claim, Comparison, Run, same
from mxlint.verify.protocols.answer import Answer, Protocol
from mxlint.verify.protocols.comparing import differing
from mxlint.verify.protocols.state import read_stale
from mxlint.verify.runner import Job
from mxlint.verify.trial import tried
from mxlint.verify.units import library_names
from mxlint.verify.variants import state_read

WAYS = ("more", "opposite")
"""How what is read is changed (child/changes.py)."""
Changed = tuple[Answer, Mapping[str, Any], Job]
"""The answer for a program after which what is read is changed, the run, and the job."""


def with_change(bench: Bench, job: Job, claim: Claim, protocol: Protocol) -> Changed | None:
    """The first change that shows the claim, else the first that can be made; None where there is nothing to change, or where nobody says
    that it changes and the program does not, either."""
    libraries = library_names(ast.parse(job.files[claim.place]))
    read = (name for one in claim.group if one.place == claim.place for name in state_read(one, libraries))
    names = list(dict.fromkeys(read))
    if not protocol.changing or not names:
        return None
    stale = _stale(bench, job, claim)
    if not claim.changes and not stale:
        return None
    first = None
    for found in _ways(bench, job, claim, protocol, names, stale):
        if found[0].word == "seen":
            return found
        first = first or found
    return first


def _ways(bench: Bench, job: Job, claim: Claim, protocol: Protocol, names: list[str], stale: bool) -> Iterator[Changed]:
    for way in WAYS:
        other = replace(job, settings={**job.settings, "change": {"names": names, "file": claim.place, "way": way}})
        plain = bench.run(other, "plain").answer
        if plain is None or not plain.get("changed") or any(call["error"] is not None for call in plain["calls"][-2:]):
            continue
        if way != WAYS[0] and not _matters(plain):
            continue
        answer, run, _ = tried(bench, other, claim, protocol)
        if run is not None:
            yield _with_note(answer, _compared(other, claim, run, plain), stale), run, other


def _with_note(answer: Answer, comparison: Comparison, stale: bool) -> Answer:
    """The answer with what mxlint did, and what the call after that returned."""
    if answer.evidence is None:
        return answer
    what = ", ".join(f"`{name}`" for name in dict.fromkeys(comparison.plain["changed"]))
    why = "its values in the program make no difference" if stale else "the program was not seen to"
    by_hand = len(comparison.calls(comparison.plain)) - 1
    shows = next((found for number, _, _, found in differing(comparison) if number > by_hand), None) if stale else None
    kept = answer.evidence if shows is None else replace(answer.evidence, observed=shows.observed, expected=shows.expected, kind=shows.kind)
    note = "; ".join(filter(None, (kept.note, f"mxlint changed {what} between two calls; {why}")))
    return replace(answer, evidence=replace(kept, note=note))


def _matters(plain: Run) -> bool:
    """Whether, without compile, the call after the change returns something else than the one before."""
    last: dict[int, list[Mapping[str, Any]]] = {}
    for call in plain["calls"]:
        last.setdefault(call["object"], []).append(call)
    pairs = (calls[-2:] for calls in last.values() if len(calls) > 1)
    return any("result" in one and "result" in other and not same(one["result"], other["result"]) for one, other in pairs)


def _stale(bench: Bench, job: Job, claim: Claim) -> bool:
    """Whether what is read changed before a call of the program as it is that was not traced."""
    plain, real = (bench.run(job, mode).answer for mode in ("plain", "real"))
    if plain is None or real is None or "calls" not in plain or "calls" not in real:
        return False
    return read_stale(_compared(job, claim, real, plain))


def _compared(job: Job, claim: Claim, real: Run, plain: Run) -> Comparison:
    return Comparison(claim, real, plain, None, job.settings["watches"].index(watch(watched(claim))))
