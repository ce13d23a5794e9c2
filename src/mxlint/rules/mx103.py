"""MX103 host-conversion."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.finding import Finding
from mxlint.rules.evaluations import evaluations
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

HELP = (
    "stay in MLX inside the compiled function (mx.where, mx.clip, mx.sqrt, …), or return the array and convert it outside; "
    "pass a number that must be a Python number as an argument"
)


def check(program: Program) -> Iterator[Finding]:
    """A traced array becomes a value of Python or numpy."""
    return evaluations(program, RULE, "convert", HELP)


RULE = Rule("MX103", "host-conversion", "error", check, exports=True, by_arguments=True, experiment="conversion")
