"""MX105 array-as-python-index."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.finding import Finding
from mxlint.rules.evaluations import evaluations
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

HELP = "pass sizes, counts and scales as Python numbers"
HELPS = {
    "seed of mx.random.key": "make the key outside, and pass that",
    "[]": "index an mx.array instead of a Python list (table[i], mx.take), and pass the bounds of slices as Python numbers",
    "numpy.ndarray.__getitem__": "make an mx.array of the table (mx.array(table)) and index that, and pass the bounds of slices as Python numbers",
}


def check(program: Program) -> Iterator[Finding]:
    """A traced array where Python wants an integer."""
    return evaluations(program, RULE, "index", HELP, helps=HELPS)


RULE = Rule("MX105", "array-as-python-index", "error", check, exports=True, by_arguments=True, experiment="index")
