"""MX504 missing-return."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import Modality
from mxlint.facts.values import ScalarValue
from mxlint.finding import Finding
from mxlint.fixes.remedies import Return
from mxlint.rules.findings import finding, function_of, name_of
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """The body computes arrays, gives none of them back and does nothing else. What it puts into its arguments is put into copies of them."""
    for compiled in program.log.compiled:
        traces, relied = program.traces.get(compiled.number, ()), program.relied(compiled.number)
        does = [event for event in program.events.get(compiled.number, ()) if event.kind != "mutate" or event.where in relied]
        if not traces or compiled.outputs is not None or does or program.writes.get(compiled.number):
            continue
        if all(
            trace.ended and trace.operations and trace.full and trace.returns == ScalarValue("None", None, True, False) for trace in traces
        ):
            yield from finding(
                RULE, compiled.site,
                f"nothing of what {name_of(compiled)} computes is ever done: it returns nothing",
                "return the result, or pass the container that it writes as outputs=", compiled, Modality(),
                remedy=Return(function_of(compiled)),
                note="MLX computes only what is returned or captured, and there is no outputs=",
            )  # fmt: skip


RULE = Rule("MX504", "missing-return", "warning", check, fixes=("unsafe",), experiment="nothing returned")
