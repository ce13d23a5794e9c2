"""MX304 varying-shape."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import COMES_BACK, Modality
from mxlint.facts.values import ContainerValue
from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule
from mxlint.rules.variation import lengths_vary, series, shapes_vary, spread

ARRAY = (
    "shape",
    "pad to a few sizes, or keep the data in an array of fixed size; or try shapeless=True, which MX401 to MX404 check",
)
LIST = ("length", "make one array of it, padded to a few sizes, and pass that: each item of a list or tuple is an argument of its own")
LONG = "the inner loop, which begins anew and brings the same shapes again, has many rounds"
"""What has to be so where each trace is used again in each round of the loop around."""


def check(program: Program) -> Iterator[Finding]:
    """An array whose shape changes from call to call."""
    for compiled in program.log.compiled:
        if compiled.shapeless is not False:
            continue
        found = [
            (argument, Modality(modality.conditions, (*modality.presumed, LONG)) if grows == COMES_BACK else modality)
            for argument, _, _, grows, modality, turns in series(program, compiled)
            if grows or any(shapes_vary(values) or lengths_vary(values) for values in turns.values())
        ]
        for argument, modality in (*found, *((argument, Modality()) for argument in spread(program, compiled))):
            what, help = LIST if isinstance(argument.value, ContainerValue) else ARRAY
            yield from finding(
                RULE, argument.where,
                f"{name_of(compiled)} is compiled again for every {what} of {quoted(argument.where.text)}", help,
                compiled, modality, note=f"the {what} changes from call to call; each trace is kept for ever",
            )  # fmt: skip


RULE = Rule("MX304", "varying-shape", "warning", check, cost_only=True, experiment="many shapes")
