"""What MX101 to MX105 share: a place of the traced body needs the value of a placeholder, which has none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from mxlint.facts.events import EXPORT, PARAMETER_OF, Compiled, Event
from mxlint.finding import Finding
from mxlint.fixes.remedies import Remedy
from mxlint.rules.findings import EVAL_ERROR, finding, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

CONSTRUCTS = {
    "truth": "a condition",
    "f-string": "an f-string",
    "[]": "an index",
    "%": "% formatting",
    "in": "`in`",
    "not in": "`not in`",
    "numpy": "an operator of numpy",
    "repeat": "a repetition",
}
"""What uses a value, in words, where it is no call; operators stand for themselves."""
METHODS = {"__getitem__": "an index of", "__setitem__": "an index of", "__delitem__": "an index of", "__contains__": "`in` with"}
"""What a special method of a class of a library is, as a reader writes it."""


REFUSAL: Final = "an argument that has to be a Python number is refused"
"""Why a function of MLX raises that wants one: by a TypeError or RuntimeError of its own."""


def construct(what: str) -> str:
    """What uses a value, as a reader knows it: `builtins.print` is `print()`."""
    if what in CONSTRUCTS:
        return CONSTRUCTS[what]
    if not what.replace(".", "").isidentifier():
        return what if what.endswith(")") or " " in what else quoted(what)
    owner, _, method = what.rpartition(".")
    if method in METHODS:
        return f"{METHODS[method]} {owner.removeprefix('builtins.')}"
    return f"{what.removeprefix('builtins.').removeprefix('mlx.core.')}()"


NONE: Final[Mapping[str, str]] = MappingProxyType({})
Remedies = Callable[[Compiled, Event], Remedy | None]


def evaluations(
    program: Program, rule: Rule, kind: str, help: str, remedy: Remedies = lambda compiled, event: None, *, helps: Mapping[str, str] = NONE
) -> Iterator[Finding]:
    """A finding for each place at which an event of a kind happens. `helps`: what to do instead, by what uses the value, where `help` does not fit."""
    for number, compiled in program.objects.items():
        for event in program.events.get(number, ()):
            if event.kind == kind:
                instead = remedy(compiled, event) if compiled.form != EXPORT else None
                yield from _finding(program, rule, compiled, event, helps.get(event.what, help), instead)


def _finding(program: Program, rule: Rule, compiled: Compiled, event: Event, help: str, remedy: Remedy | None) -> Iterator[Finding]:
    value = f"the value of {quoted(event.note)}" if event.note else "an array's value"
    needs = f"{construct(event.what)} needs {value}"
    name, exported = name_of(compiled), compiled.form == EXPORT
    refused = PARAMETER_OF in event.what
    raises = "raises" if refused else "raises ValueError"
    ends = f"what {name} records is the handler" if event.swallowed else f"{'exporting' if exported else 'tracing'} {name} {raises}"
    tracer = "the export" if exported else "mx.compile"
    note = f"{tracer} traces {name} with placeholders, which have no value: " + (REFUSAL if refused else f'"{EVAL_ERROR}"')
    if event.swallowed:
        note += " is raised and caught here, so that the handler becomes part of the trace"
    elif compiled.inputs is not None:
        note += "; and what inputs= captures stays full of placeholders"
    also = [
        (f"the placeholder comes from here: {quoted(step.text)}", step.place) for step in event.chain[-2:] if step.place != event.where.span
    ]
    for found in finding(
        rule, event.where, f"{needs}: {ends}", help, compiled, event.modality, within=event.within, calls=event.calls,
        uncalled=program.uncalled(compiled), remedy=remedy, note=note,
    ):  # fmt: skip
        from dataclasses import replace

        from mxlint.finding import Related

        yield replace(found, related=(*found.related, *(Related(text, span) for text, span in also)))
