"""What the rules about state share: which containers a compiled function captures, and which it would have to."""

from __future__ import annotations

from collections.abc import Iterable

from mxlint.facts.events import Compiled, Stale
from mxlint.rules.rule import Program


def captured(compiled: Compiled) -> tuple[str, ...]:
    """The containers that inputs= and outputs= give, each as it is written."""
    captures = [capture for capture in (compiled.inputs, compiled.outputs) if capture is not None]
    return tuple(dict.fromkeys(element.where.text for capture in captures for element in capture.elements))


def whole(states: Iterable[str]) -> str:
    """Several containers as one argument."""
    names = list(dict.fromkeys(states))
    return names[0] if len(names) == 1 else f"[{', '.join(names)}]"


def state_stale(program: Program, compiled: Compiled) -> tuple[Stale, ...]:
    """Arrays that a trace read, that no capture holds, and that a later call finds changed."""
    return tuple(stale for stale in program.stale.get(compiled.number, ()) if stale.kind == "array")


def needed(program: Program, compiled: Compiled) -> tuple[str, ...]:
    """Everything that has to be captured: what is, what the body changes, what changes around it, and the random state if it draws."""
    states = dict.fromkeys(captured(compiled))
    for write in program.writes.get(compiled.number, ()):
        if write.placeholder and not write.captured_in and write.how != "name" and write.container:
            states[write.container] = None
    for stale in state_stale(program, compiled):
        if stale.container:
            states[stale.container] = None
    traces = program.traces.get(compiled.number, ())
    draws = any(event.kind == "draw" for event in program.events.get(compiled.number, ()))
    if draws and not any(trace.random_in or trace.random_out for trace in traces):
        states["mx.random.state"] = None
    return tuple(states)


def advice(program: Program, compiled: Compiled, otherwise: str) -> str:
    """What to capture, in words."""
    states = needed(program, compiled)
    return f"pass inputs={whole(states)} and outputs={whole(states)}" if states else otherwise
