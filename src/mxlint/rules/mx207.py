"""MX207 lost-mutation."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """The body changes an argument in place, which is a copy, and the caller goes on with its own object."""
    for compiled in program.log.compiled:
        relied = program.relied(compiled.number)
        for event in program.events.get(compiled.number, ()):
            if event.kind == "mutate" and event.where in relied:
                relies = relied[event.where]
                depends_on = event.modality.but(conditions=tuple(dict.fromkeys((*event.modality.conditions, *relies.modality.conditions))))
                yield from finding(
                    RULE, event.where,
                    f"the caller never sees this change: {name_of(compiled)} works on a copy of its argument",
                    "return the new value and let the caller keep it, or capture the container with inputs= and outputs=", compiled, depends_on,
                    within=event.within, calls=event.calls, also=[("the caller goes on with its own object here", relies.where)],
                )  # fmt: skip


RULE = Rule("MX207", "lost-mutation", "error", check, experiment="mutation")
