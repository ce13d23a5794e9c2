"""MX304 varying-shape."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import COMES_BACK, Argument, Modality, Where
from mxlint.facts.rows import AGAIN
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
    """Arrays whose shapes change from call to call. Those of one call are one finding, at the first of them."""
    for compiled in program.log.compiled:
        if compiled.shapeless is not False:
            continue
        groups: dict[tuple[Where, Modality, tuple[str, str]], dict[Where, None]] = {}
        for found in series(program, compiled):
            shown = found.shown()
            if found.grows and not shown or any(shapes_vary(row) or lengths_vary(row) for row in shown or found.turns.values()):
                if 0 < found.most <= AGAIN:
                    continue
                besides = (LONG,) if found.grows == COMES_BACK else (f"{found.most} shapes are too many",) if found.most else ()
                presumed = (*found.modality.presumed, *besides)
                modality = Modality(found.modality.conditions, presumed)
                groups.setdefault((found.call, modality, _what(found.argument)), {})[found.argument.where] = None
        for argument in spread(program, compiled):
            groups.setdefault((argument.where, Modality(), _what(argument)), {})[argument.where] = None
        for (_, modality, (what, help)), (first, *others) in groups.items():
            yield from finding(
                RULE, first,
                f"{name_of(compiled)} is compiled again for every {what} of {quoted(first.text)}", help,
                compiled, modality, also=[(f"another {what} each time, too", other) for other in others],
                note=f"the {what} changes from call to call; each trace is kept for ever",
            )  # fmt: skip


def _what(argument: Argument) -> tuple[str, str]:
    """What of an argument is another one from call to call, and what helps."""
    return LIST if isinstance(argument.value, ContainerValue) else ARRAY


RULE = Rule("MX304", "varying-shape", "warning", check, cost_only=True, experiment="many shapes")
