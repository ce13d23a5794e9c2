"""MX208 raise-with-captures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mxlint.facts.events import RESTORED, STILL_BROKEN, Capture, Compiled, Event, Note
from mxlint.finding import Finding
from mxlint.fixes.remedies import CheckBefore
from mxlint.rules.captures import captured, whole
from mxlint.rules.findings import enumerated, finding, function_of, line, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """A trace may end by an exception while captured state holds placeholders. All raises of one function are one finding."""
    put_back = {note.object for note in program.notes.get(RESTORED, ())} - {note.object for note in program.notes.get(STILL_BROKEN, ())}
    for compiled in program.log.compiled:
        if compiled.inputs is None or compiled.number in put_back:
            continue
        events = program.events.get(compiled.number, ())
        for event in (event for event in events if event.kind == "misfit"):
            yield from finding(
                RULE, event.where,
                f"{name_of(compiled)} does not take these arguments, and its state is left with placeholders",
                "pass the arguments that the function takes", compiled, event.modality,
                note=f"the trace raises a TypeError while inputs= holds placeholders, and what is captured ({_state(compiled)}) keeps them for ever",
            )  # fmt: skip
        for event in (event for event in events if event.kind == "shapes" and not event.swallowed):
            yield from finding(
                RULE, event.where,
                f"{quoted(event.what)} raises, and the state of {name_of(compiled)} is left with placeholders",
                "check the shapes in a plain function that calls the compiled one", compiled, event.modality, within=event.within, calls=event.calls,
                note=f"its shapes do not fit in a call in sight: the trace ends while inputs= ({_state(compiled)}) holds placeholders, which stay there also "
                f"when the caller catches the exception{_random(compiled.inputs)}",
            )  # fmt: skip
        called = bool(program.calls.get(compiled.number))
        raises = [event for event in events if event.kind == "raise" and not event.swallowed and _by_arguments(event, called)]
        if raises:
            yield from _raise(compiled, compiled.inputs, raises)
    for note, compiled in program.noted("fallback"):
        if not any(event.kind in SEEN for event in program.events.get(compiled.number, ())):
            yield from _fallback(compiled, note)


SEEN: Final = frozenset(("raise", "format", "evaluate", "convert", "truth", "index"))
"""Why a trace is seen to fail: the finding is about that place, and not about who catches the exception."""


def _fallback(compiled: Compiled, note: Note) -> Iterator[Finding]:
    """A handler runs uncompiled what has failed compiled, and nothing has put the captured state back."""
    again = note.also[0]
    yield from finding(
        RULE, note.where,
        f"if tracing {name_of(compiled)} raises, {line(again, note.where)} raises too, on a state of placeholders",
        "put copies of the arrays back into the captured containers first, or decide before the call what to run", compiled, note.modality,
        also=[("uncompiled here", again)],
        note=f"what is captured ({_state(compiled)}) keeps the placeholders of the trace for ever, and the uncompiled function goes on with it",
    )  # fmt: skip


def _by_arguments(event: Event, called: bool) -> bool:
    """Whether it must happen, or depends on an argument: configuration that may be wrong is not the matter here, nor a method to be overridden."""
    conditions = event.modality.conditions
    return called and not conditions or any(condition.argument for condition in conditions)


def _raise(compiled: Compiled, inputs: Capture, raises: list[Event]) -> Iterator[Finding]:
    first = min(raises, key=lambda event: (event.modality.steps, bool(event.modality.conditions), event.where.span))
    others = dict.fromkeys(event.where for event in raises if event.where != first.where)
    written = all(event.what == "raise" for event in raises)
    more = f"; {enumerated(line(where, first.where) for where in others)} {'raise' if len(others) > 1 else 'raises'}, too" if others else ""
    yield from finding(
        RULE, first.where,
        f"{_what(first)} leaves placeholders for ever in what {name_of(compiled)} captures",
        "check the arguments in a plain function that calls the compiled one", compiled, first.modality, within=first.within, calls=first.calls,
        also=[("raised here, too", where) for where in others],
        remedy=CheckBefore(tuple(event.where.span for event in raises), compiled.site.span, function_of(compiled)) if written else None,
        note=f"it ends the trace while inputs= ({_state(compiled)}) holds placeholders, which stay there also when the caller catches the "
        f"exception: whatever uses them later fails{_random(inputs)}{more}",
    )  # fmt: skip


def _state(compiled: Compiled) -> str:
    return quoted(whole(captured(compiled)))


def _random(inputs: Capture) -> str:
    return ", every random operation of the process among them" if any(element.kind == "random" for element in inputs.elements) else ""


def _what(event: Event) -> str:
    """What ends the trace: a `raise`, or an exception of what is done there."""
    name = event.what.rpartition(".")[2]
    return "raising here" if event.what == "raise" else f"{'an' if name[0] in 'AEIOU' else 'a'} {name} here"


RULE = Rule("MX208", "raise-with-captures", "error", check, fixes=("unsafe",), experiment="raise")
