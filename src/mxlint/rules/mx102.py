"""MX102 eval-in-compiled."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.finding import Finding
from mxlint.rules.evaluations import evaluations
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

HELP = "call it outside the compiled function, on what the function returns"


def check(program: Program) -> Iterator[Finding]:
    """mx.eval, mx.save, pickle of a traced array."""
    return evaluations(program, RULE, "evaluate", HELP)


RULE = Rule("MX102", "eval-in-compiled", "error", check, exports=True, by_arguments=True, experiment="evaluation")
