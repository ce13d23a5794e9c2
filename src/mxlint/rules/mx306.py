"""MX306 compile-used-once."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import Modality
from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """Compiled, and called once, in straight-line code, as far as a run that was cut short nowhere shows."""
    if not program.log.whole:
        return
    for group in program.sites.values():
        compiled = group[0]
        calls = program.calls.get(compiled.number, ())
        if (
            len(group) > 1
            or len(calls) != 1
            or calls[0].alone
            or compiled.escapes
            or compiled.public
            or program.tests(compiled.site.span.filename)
            or any(span.filename != compiled.site.span.filename for span in calls[0].path)  # a function that other files may call, too
        ):
            continue
        if not calls[0].loops and calls[0].outcome == "traced" and not calls[0].modality.conditions and calls[0].thread is None:
            yield from finding(
                RULE, compiled.site, f"{name_of(compiled)} is compiled for one call, which costs more than that call can save",
                "call the function itself", compiled, Modality(),
            )  # fmt: skip


RULE = Rule("MX306", "compile-used-once", "info", check, cost_only=True, experiment="used once")
