"""MX601 nothing-to-fuse."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import Modality
from mxlint.facts.values import ArrayValue, ContainerValue
from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """The body is one operation."""
    for compiled in program.log.compiled:
        traces = program.traces.get(compiled.number, ())
        calls = program.calls.get(compiled.number, ())
        if not traces or compiled.public or compiled.escapes or compiled.function.kind == "transform":
            continue
        if (
            compiled.shapeless is not False
            or program.tests(compiled.site.span.filename)
            or any(call.outcome == "differentiated" for call in calls)
        ):
            continue
        if program.writes.get(compiled.number) or not all(trace.operations == 1 and trace.full for trace in traces):
            continue
        if all(isinstance(trace.returns, (ArrayValue, ContainerValue)) for trace in traces):
            yield from finding(
                RULE, compiled.site,
                f"compiling {name_of(compiled)} saves nothing: it is one operation, or compiled already",
                "leave out mx.compile here, or compile the function around it", compiled, Modality(),
            )  # fmt: skip


RULE = Rule("MX601", "nothing-to-fuse", "info", check, cost_only=True, experiment="nothing to fuse")
