"""MX203 uncaptured-random-state."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import Compiled, Event, Trace
from mxlint.finding import Finding
from mxlint.rules.captures import advice, with_the_rest
from mxlint.rules.findings import finding, name_of
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """A draw from the global random state, which is not captured in both directions. All draws of one function are one finding."""
    for compiled in program.log.compiled:
        traces = {trace.number: trace for trace in program.traces.get(compiled.number, ())}
        draws = [
            event
            for event in program.events.get(compiled.number, ())
            if event.kind == "draw" and event.trace in traces and not (traces[event.trace].random_in and traces[event.trace].random_out)
        ]
        if not draws:
            continue
        first = min(draws, key=lambda event: (event.modality.steps, bool(event.modality.conditions)))
        others = dict.fromkeys(event.where for event in draws if event.where != first.where)
        yield from finding(
            RULE, first.where,
            _message(first, compiled, traces[first.trace]),
            f"{advice(program, compiled, 'capture mx.random.state')}, or give an explicit key= that is an argument", compiled, first.modality,
            within=first.within, calls=first.calls, also=[("drawn here, too", where) for where in others],
            remedy=with_the_rest(program, compiled), note=_note(traces[first.trace]),
        )  # fmt: skip


def _message(draw: Event, compiled: Compiled, trace: Trace) -> str:
    if trace.random_in:
        return f"{draw.what} in {name_of(compiled)}: the second call raises"
    return f"{draw.what} draws the same numbers at every call of {name_of(compiled)}"


def _note(trace: Trace) -> str:
    if trace.random_in:
        return "mx.random.state is in inputs= but not in outputs=, so the first call leaves a placeholder in the global generator"
    if trace.random_out:
        return "mx.random.state is in outputs= but not in inputs=: the key of the first draw is a constant of the trace"
    return "it draws from the global random state, and mx.random.state is not captured: the key is a constant of the trace"


RULE = Rule(
    "MX203",
    "uncaptured-random-state",
    "error",
    check,
    after=("MX403",),
    after_in_object=("MX205",),
    fixes=("unsafe",),
    experiment="random state",
)
