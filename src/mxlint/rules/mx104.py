"""MX104 array-condition."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.finding import Finding
from mxlint.rules.evaluations import evaluations
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

HELP = "compute both sides and choose with mx.where, mx.minimum or mx.maximum, or decide outside the compiled function"


def check(program: Program) -> Iterator[Finding]:
    """The truth of a traced array."""
    return evaluations(program, RULE, "truth", HELP)


RULE = Rule("MX104", "array-condition", "error", check, exports=True, by_arguments=True, experiment="truth")
