"""Operations that cannot infer their output shape: which of them speaks for a trace, and what never comes about because of it."""

from __future__ import annotations

from collections.abc import Sequence

from mxlint.facts.events import Event, Modality
from mxlint.rules.program import Program
from mxlint.rules.sizes import in_versions


def groups(program: Program, number: int) -> Sequence[Sequence[Event]]:
    """The operations in the traces of an object that raise at the first call, by what is said of them in one finding: one of them that is there whenever
    the others are, and the others. MLX names the first that it comes to; leaving out shapeless=True mends all."""
    found = [event for event in program.events.get(number, ()) if event.kind == "unsupported"]
    together: list[list[Event]] = []
    for event in sorted(found, key=lambda event: (bool(_versions(event)), len(_depends_on(event.modality)))):
        first = next((group for group in together if _implied(group[0], event) and _versions(group[0]) in ("", _versions(event))), None)
        if first is None:
            together.append([event])
        else:
            first.append(event)
    return together


def comes_to_nothing(program: Program, event: Event) -> bool:
    """Whether the trace that an event is of raises whenever the event happens, with each version of MLX: nothing of it serves a later call."""
    return any(
        other.kind == "unsupported" and not _versions(other) and _implied(other, event) for other in program.events.get(event.object, ())
    )


def _implied(event: Event, by: Event) -> bool:
    """Whether an event is there whenever another one of the same trace is."""
    return event.trace == by.trace and _depends_on(event.modality) <= _depends_on(by.modality)


def _versions(event: Event) -> str:
    """The versions of MLX with which an operation raises, in words; nothing where it does with all of them."""
    return in_versions([effect for effect in event.effects if effect.way == "first"])


def _depends_on(modality: Modality) -> frozenset[object]:
    return frozenset((*modality.conditions, *modality.presumed))
