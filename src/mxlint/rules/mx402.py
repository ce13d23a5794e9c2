"""MX402 shape-condition."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule
from mxlint.rules.sizes import matters, varying_axes


def check(program: Program) -> Iterator[Finding]:
    """A condition on a size is decided once, by the first trace."""
    for number, compiled in program.objects.items():
        for event in program.events.get(number, ()):
            if event.kind == "branch" and matters(program, compiled, event.axes, varying_axes(program, compiled), features=True):
                yield from finding(
                    RULE, event.where,
                    f"{name_of(compiled)} decides {quoted(event.what)} once, for all later shapes",
                    "leave out shapeless=True, or make the choice outside the compiled function", compiled, event.modality, within=event.within,
                    calls=event.calls, uncalled=not program.calls.get(number),
                    note="under shapeless=True the shape of the first trace decides, and the branch is kept silently",
                )  # fmt: skip


RULE = Rule("MX402", "shape-condition", "error", check, exports=True, after=("MX403",), by_arguments=True, experiment="frozen branch")
