"""MX101 print-traced-array."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from mxlint.facts.events import Compiled, Event
from mxlint.finding import Finding
from mxlint.fixes.remedies import Outside
from mxlint.rules.evaluations import evaluations
from mxlint.rules.findings import finding, function_of, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

HELP = "return the array and print it outside the compiled function, or print its .shape or .dtype; to debug, call mx.disable_compile() before the first call"
LOST = "log the array outside the compiled function, or log its .shape or .dtype"


def check(program: Program) -> Iterator[Finding]:
    """A traced array becomes text."""
    yield from evaluations(program, RULE, "format", HELP, remedy=partial(_remedy, program))
    for number, compiled in program.objects.items():
        for event in program.events.get(number, ()):
            if event.kind == "log":
                yield from finding(
                    RULE, event.where,
                    f"the record is lost: {quoted(event.what)} formats an array that has no value yet",
                    LOST, compiled, event.modality, severity="warning", within=event.within, calls=event.calls,
                    uncalled=program.uncalled(compiled), remedy=_remedy(program, compiled, event),
                    note=f"the array is a placeholder while {name_of(compiled)} is traced; logging prints a traceback to stderr and goes on",
                )  # fmt: skip


def _remedy(program: Program, compiled: Compiled, event: Event) -> Outside:
    calls, others = program.calls_of_site(compiled.site), program.leaving(compiled.number)
    return Outside(event.where.span, compiled.site.span, function_of(compiled), calls, others, needless=True)


RULE = Rule("MX101", "print-traced-array", "error", check, exports=True, by_arguments=True, fixes=("unsafe",), experiment="text")
