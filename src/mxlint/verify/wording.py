"""What a verdict says, for people: the call that did it, a reason of one line, and nothing of the place where it was made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from mxlint.finding import Evidence, Verdict
from mxlint.verify.arguments import MOST_REASON, arguments
from mxlint.verify.comparison import Call, Comparison, Run
from mxlint.verify.protocols.answer import Answer
from mxlint.verify.protocols.comparing import differing
from mxlint.verify.runner import PREFIX
from mxlint.verify.witness import PLACE

MOST_CALLS = 3
"""Calls that are named where several did it together."""
THEN = "; then "
"""Between the arguments of calls."""
_OWN = re.compile(rf"[^\s'\"(,]*{re.escape(PREFIX)}[^\s'\"),:;]*|__mxlint_\w+?__|mxlint_program")
_ENDS = ("; ", ", ")


def with_call(answer: Answer, comparison: Comparison) -> Answer:
    """The answer with the function that was called, and the arguments that did it."""
    evidence = answer.evidence
    if answer.word != "seen" or evidence is None or comparison.claim.place == PLACE:  # which is nobody's function
        return answer
    run = comparison.real if comparison.real["calls"] else comparison.plain  # a run that crashed has told nothing
    calls = list(_calls(comparison, run, evidence))[:MOST_CALLS]
    if not calls:
        return answer
    made = run["objects"][calls[0]["object"]]
    given = dict.fromkeys(arguments(call, run["objects"][call["object"]]["parameters"]) for call in calls)
    return replace(answer, evidence=replace(evidence, function=made["name"], arguments=THEN.join(given)))


def _calls(comparison: Comparison, run: Run, evidence: Evidence) -> Iterator[Call]:
    """The call that shows it: where it was raised, of what the claim is about before others, else where a result differs, else the last; of traces
    that need not be all calls."""
    calls = comparison.calls(run)
    if evidence.kind == "traces":
        yield from calls
        return
    if run is comparison.real:
        if raised := list(_raised(comparison, run, evidence)):
            yield next((call for call in raised if call in calls), raised[0])
            return
        if (found := next((real for _, real, _, _ in differing(comparison)), None)) is not None:
            yield found
            return
    yield from calls[-1:]


def _raised(comparison: Comparison, run: Run, evidence: Evidence) -> Iterator[Call]:
    """The calls that end by an exception: with compile only, or, where placeholders stay behind, by that of the flagged expression."""
    for item in comparison.exceptions(new=evidence.kind == "exception") if evidence.kind in ("exception", "leak") else ():
        if item["left"] and item["call"] is not None and item["call"] >= 0 and (evidence.kind == "exception" or comparison.hits(item)):
            yield run["calls"][item["call"]]


def worded(verdict: Verdict) -> Verdict:
    """The verdict with a reason of one line; what does not go into it is its note."""
    reason, rest = _short(_clean(verdict.reason)) if verdict.reason else (None, None)
    evidence = verdict.evidence
    if evidence is not None:
        observed, expected, note = (_clean(text) if text else text for text in (evidence.observed, evidence.expected, evidence.note))
        given = _clean(evidence.arguments) if evidence.arguments is not None else None
        evidence = replace(evidence, observed=observed or "", expected=expected or "", note=note, arguments=given)
    unproved = _short(_clean(verdict.fix_reason))[0] if verdict.fix_reason else None
    return replace(verdict, reason=reason, note=rest, evidence=evidence, fix_reason=unproved)


def _clean(text: str) -> str:
    """A text in one line, without the names and places that only an experiment has."""
    return _OWN.sub("…", " ".join(text.split()))


def _short(text: str) -> tuple[str, str | None]:
    """The first part of a text that is too long for a reason, and what follows it."""
    if len(text) <= MOST_REASON:
        return text, None
    for end in _ENDS:
        at = text.rfind(end, 0, MOST_REASON)
        if at > MOST_REASON // 4:
            return text[:at], text[at + len(end) :]
    at = text.rfind(" ", 0, MOST_REASON - 1)
    at = at if at > 0 else MOST_REASON - 1
    return f"{text[:at]}…", f"…{text[at:].strip()}"
