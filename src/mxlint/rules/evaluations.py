"""What MX101 to MX105 share: a place of the traced body needs the value of a placeholder, which has none."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mxlint.facts.events import EXPORT, Compiled, Event
from mxlint.finding import Finding
from mxlint.fixes.remedies import Remedy
from mxlint.rules.findings import EVAL_ERROR, finding, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

CONSTRUCTS = {
    "truth": "a condition",
    "f-string": "an f-string",
    "[]": "an index of a Python sequence",
    "%": "% formatting",
    "in": "`in`",
    "not in": "`not in`",
    "numpy": "a numpy value on the left of the operator",
    "repeat": "the repetition of a sequence",
}
"""What uses a value, in words, where it is no call; operators stand for themselves."""


def construct(what: str) -> str:
    """What uses a value, as a reader knows it: `builtins.print` is `print()`."""
    if what in CONSTRUCTS:
        return CONSTRUCTS[what]
    if not what.replace(".", "").isidentifier():
        return what if what.endswith(")") or " " in what else quoted(what)
    if what.startswith("mlx.core.array."):
        return f".{what.rpartition('.')[2]}()"
    return f"{what.removeprefix('builtins.').removeprefix('mlx.core.')}()"


Remedies = Callable[[Compiled, Event], Remedy | None]


def evaluations(
    program: Program, rule: Rule, kind: str, help: str, error: str = f'"{EVAL_ERROR}"', remedy: Remedies = lambda compiled, event: None
) -> Iterator[Finding]:
    """A finding for each place at which an event of a kind happens."""
    for number, compiled in program.objects.items():
        for event in program.events.get(number, ()):
            if event.kind == kind:
                yield from _finding(
                    program, rule, compiled, event, help, error, remedy(compiled, event) if compiled.form != EXPORT else None
                )


def _finding(
    program: Program, rule: Rule, compiled: Compiled, event: Event, help: str, error: str, remedy: Remedy | None
) -> Iterator[Finding]:
    about = f" of {quoted(event.note)}" if event.note else " of a traced array"
    ending = (
        f"it raises {error}, and what becomes part of the trace is the handler"
        if event.swallowed
        else f"{'a call that comes here' if event.modality.conditions else 'the first call'} raises {error}"
    )
    tracer = "the export" if compiled.form == EXPORT else "mx.compile"
    message = f"{construct(event.what)} needs the value{about}, but {tracer} traces {name_of(compiled)} with placeholders that have none: {ending}"
    if compiled.inputs is not None and not event.swallowed:
        message += "; and what inputs= captures stays full of placeholders"
    also = [
        (f"the placeholder comes from here: {quoted(step.text)}", step.place) for step in event.chain[-2:] if step.place != event.where.span
    ]
    for found in finding(
        rule, event.where, message, help, compiled, event.modality, within=event.within, calls=event.calls,
        uncalled=not program.calls.get(compiled.number), remedy=remedy,
    ):  # fmt: skip
        from dataclasses import replace

        from mxlint.finding import Related

        yield replace(found, related=(*found.related, *(Related(text, span) for text, span in also)))
