"""MX602 nested-compile."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import Modality
from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """A private compiled function that is called from other traces only, as far as a run that was cut short nowhere shows."""
    if not program.log.whole:
        return
    for group in program.sites.values():
        calls = [call for compiled in group for call in program.calls.get(compiled.number, ())]
        if any(compiled.public or compiled.escapes for compiled in group) or program.tests(group[0].site.span.filename):
            continue
        functions = {compiled.function.name for compiled in program.log.compiled}
        exposed = any(call.within not in functions and not call.within.rpartition(".")[2].startswith("_") for call in calls)
        if calls and not exposed and all(call.outcome == "inlined" for call in calls):
            yield from finding(
                RULE, group[0].site, f"the compilation of {name_of(group[0])} is never used: only other traces call it",
                "leave out mx.compile here: the outer function is compiled as a whole", group[0], Modality(),
            )  # fmt: skip


RULE = Rule("MX602", "nested-compile", "info", check, cost_only=True, experiment="idle inside")
