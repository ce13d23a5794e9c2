"""MX402 shape-condition."""

from __future__ import annotations

import operator
from collections.abc import Iterator

from mxlint.facts.events import EXPORT, Axis, Call, Compiled, Event
from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule
from mxlint.rules.sizes import matters, size_in, varying_axes
from mxlint.rules.unsupported import comes_to_nothing


def check(program: Program) -> Iterator[Finding]:
    """A condition on a size is decided once, by the first trace."""
    for number, compiled in program.objects.items():
        for event in program.events.get(number, ()):
            if (
                event.kind == "branch"
                and not _alike(program, compiled, event)
                and matters(program, compiled, event.axes, varying_axes(program, compiled), features=True)
                and not comes_to_nothing(program, event)
            ):
                yield from finding(
                    RULE, event.where,
                    f"{name_of(compiled)} decides {quoted(event.what)} once, for all later shapes",
                    "leave out shapeless=True, or make the choice outside the compiled function", compiled, event.modality, within=event.within,
                    calls=event.calls, uncalled=program.uncalled(compiled),
                    note="under shapeless=True the shape of the first trace decides, and the branch is kept silently",
                )  # fmt: skip


def _alike(program: Program, compiled: Compiled, event: Event) -> bool:
    """Whether all calls in sight decide a comparison of lengths in the same way. What is exported is called elsewhere."""
    if compiled.form == EXPORT or event.decision is None:
        return False
    found: set[bool] = set()
    for call in program.compiled_calls.get(compiled.number, ()):
        left, right = _length(call, event.decision.left), _length(call, event.decision.right)
        if left is None or right is None:
            return False
        found.add(OPERATORS[event.decision.op](left, right))
    return len(found) == 1


def _length(call: Call, side: Axis | int) -> int | None:
    """A side of a comparison in a call."""
    if isinstance(side, int):
        return side
    size = size_in(call, side)
    return size if isinstance(size, int) else None


OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}
RULE = Rule("MX402", "shape-condition", "error", check, exports=True, after=("MX403",), by_arguments=True, experiment="frozen branch")
