"""MX304 varying-shape."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import Modality
from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule
from mxlint.rules.variation import lengths_vary, series, shapes_vary, spread


def check(program: Program) -> Iterator[Finding]:
    """An array whose shape changes from call to call."""
    for compiled in program.log.compiled:
        if compiled.shapeless is not False:
            continue
        found = [
            (argument, modality)
            for argument, _, _, grows, modality, turns in series(program, compiled)
            if grows or any(shapes_vary(values) or lengths_vary(values) for values in turns.values())
        ]
        for argument, modality in (*found, *((argument, Modality()) for argument in spread(program, compiled))):
            yield from finding(
                RULE, argument.where,
                f"{name_of(compiled)} is compiled again for every shape of {quoted(argument.where.text)}",
                "pad to a few sizes, or keep the data in an array of fixed size; or try shapeless=True, which MX401 to MX404 check",
                compiled, modality, note="the shape changes from call to call; each trace is kept for ever",
            )  # fmt: skip


RULE = Rule("MX304", "varying-shape", "warning", check, cost_only=True, experiment="many shapes")
