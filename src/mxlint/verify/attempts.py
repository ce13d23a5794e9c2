"""Attempts to bring about what the program's own calls did not show: further calls of what it compiled (child/attempts.py makes them)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from mxlint.facts.events import Call
from mxlint.facts.values import ArrayValue
from mxlint.verify.bench import Bench
from mxlint.verify.comparison import Claim, Subject
from mxlint.verify.endings import died
from mxlint.verify.protocols.answer import Answer, Protocol
from mxlint.verify.runner import Job
from mxlint.verify.targets import spec_of
from mxlint.verify.trial import tried

BAKES = frozenset({"bake", "branch", "unsafe", "unsupported", "raise"})
"""Events that a size brings about."""


def attempted(
    bench: Bench, job: Job, claim: Claim, protocol: Protocol, run: Mapping[str, Any]
) -> tuple[Answer, Mapping[str, Any], Job] | None:
    """Return what further calls showed after `run`, the run with them, and its job; None where there are none to make.

    A claim that no rule makes gets no numbers of other types, and other sizes only where the program's own calls vary: nobody says that they come.
    """
    kinds = [kind for kind in protocol.attempts if claim.by_rule or kind != "scalars"]
    if not kinds or not run.get("calls"):
        return None
    order = {
        "sites": [list(site) for site in claim.sites],
        "kinds": kinds,
        "axes": [list(axis) for axis in _axes(claim)],
        # An axis of length 1 is a case of its own for MLX (reductions crash): it comes only where a rule speaks of sizes.
        "shortest": 1 if claim.by_rule else 2,
        "given": list(_given(claim)),
        "raises": [claim.place, claim.start[0], claim.end[0]] if protocol.raises else None,
        "list": None,
    }
    looked = bench.run(_with(job, order), "plain").answer
    if looked is None or not looked.get("attempts"):
        return None
    other = _with(job, {**order, "list": looked["attempts"]})
    if died(bench.run(other, "real")):  # that does not say at which of the calls, and hides what the others show
        for attempt in looked["attempts"]:
            one = _with(job, {**order, "list": [attempt]})
            alone, ended, _ = tried(bench, one, claim, protocol)
            if alone.word == "seen" and ended is not None:
                return _noted(alone), ended, one
    answer, found, _ = tried(bench, other, claim, protocol)
    return None if found is None else (_noted(answer), found, other)


def _with(job: Job, order: Mapping[str, Any]) -> Job:
    return replace(job, settings={**job.settings, "attempts": order})


def _noted(answer: Answer) -> Answer:
    if answer.evidence is None:
        return answer
    note = "; ".join(filter(None, (answer.evidence.note, "in a call that mxlint adds to those of the program")))
    return replace(answer, evidence=replace(answer.evidence, note=note))


def _axes(claim: Claim) -> Iterator[tuple[int, int]]:
    """The axes, by array among the arguments and number, that no call in sight fixes: those that the rule speaks of, and those of a size that
    is not known in some call. Where no rule speaks only those count that the program's own calls vary."""
    for made in claim.objects if claim.by_rule else ():
        yield from (axis for axis in _of_events(claim, made) if not _fixed(axis, made))
        for call in made.calls:
            for number, value in enumerate(_arrays(call)):
                yield from ((number, axis) for axis, size in enumerate(value.shape or ()) if size is None)


def _of_events(claim: Claim, made: Subject) -> Iterator[tuple[int, int]]:
    for event in made.events:
        if event.kind in BAKES and event.where.span == claim.span:
            yield from ((number, axis) for number, axis in event.axes if axis is not None and axis >= 0)


def _fixed(axis: tuple[int, int], made: Subject) -> bool:
    """Whether two calls in sight or more give an axis the same size, and all of them a known one."""
    number, place = axis
    shapes = [arrays[number].shape for call in made.calls if len(arrays := list(_arrays(call))) > number]
    sizes = [shape[place] if shape is not None and place < len(shape) else None for shape in shapes]
    return len(sizes) > 1 and None not in sizes and len(set(sizes)) == 1


def _arrays(call: Call) -> Iterator[ArrayValue]:
    return (argument.value for argument in call.arguments if isinstance(argument.value, ArrayValue))


def _given(claim: Claim) -> Iterator[dict[str, Any]]:
    """The arguments of the calls in sight, as far as they are known, each set once."""
    found: list[dict[str, Any]] = []
    for made in claim.objects:
        for call in made.calls:
            known = {argument.name: spec for argument in call.arguments if (spec := spec_of(argument.value)) is not None}
            if known and known not in found:
                found.append(known)
    yield from found
