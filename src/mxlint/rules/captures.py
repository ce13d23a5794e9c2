"""What the rules about state share: which containers a compiled function captures, and which it would have to."""

from __future__ import annotations

from collections.abc import Iterable

from mxlint.facts.events import Compiled, Element, Stale, Write
from mxlint.fixes.remedies import Recapture
from mxlint.rules.program import Program


def elements(compiled: Compiled) -> tuple[Element, ...]:
    """What inputs= and outputs= are given, less what lies in another container that is given, too."""
    given = [element for capture in (compiled.inputs, compiled.outputs) if capture is not None for element in capture.elements]
    return tuple(element for element in given if not any(_lies_in(element, other) for other in given))


def _lies_in(element: Element, other: Element) -> bool:
    """Whether a container lies in another one, and not the other way round as well."""
    return element.object in other.inside and other.object not in element.inside


def is_outside(write: Write) -> bool:
    """Whether what a trace writes is captured in neither direction."""
    return not (write.captured_in or write.captured_out)


def captured(compiled: Compiled) -> tuple[str, ...]:
    """The containers that inputs= and outputs= give, each as it is written."""
    return tuple(dict.fromkeys(element.where.text for element in elements(compiled)))


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
        if write.placeholder and is_outside(write) and write.container:
            states[write.container] = None
    for stale in state_stale(program, compiled):
        if stale.container:
            states[stale.container] = None
    if _draws(program, compiled):
        states["mx.random.state"] = None
    return tuple(states)


def _draws(program: Program, compiled: Compiled) -> bool:
    """Whether a trace draws from the global random state, which is not captured at all."""
    traces = program.traces.get(compiled.number, ())
    draws = any(event.kind == "draw" for event in program.events.get(compiled.number, ()))
    return draws and not any(trace.random_in or trace.random_out for trace in traces)


def with_the_rest(program: Program, compiled: Compiled) -> Recapture:
    """Capture everything at once: what is captured already, what optimizers update, and the random state if the body draws."""
    states = elements(compiled)
    updates = dict.fromkeys(
        write.where.span for write in program.writes.get(compiled.number, ()) if write.how in ("moments", "step") and is_outside(write)
    )
    return Recapture(compiled.site.span, states, states, _draws(program, compiled), tuple(updates), models=not states)


def advice(program: Program, compiled: Compiled, otherwise: str) -> str:
    """What to capture, in words."""
    states = needed(program, compiled)
    return f"pass inputs={whole(states)} and outputs={whole(states)}" if states else otherwise
