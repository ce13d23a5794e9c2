"""MX603 timing-without-eval."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """A clock that does not time what it is meant to."""
    for note, compiled in (*program.noted("first call timed"), *program.noted("timed without evaluation")):
        if note.kind == "first call timed":
            message = f"this times the first call of {name_of(compiled)}: tracing and compiling, not running"
            help = "call it once and evaluate the result before the first clock reading"
        else:
            message = f"this times only the building of the graph: nothing evaluates what {name_of(compiled)} gives"
            help = "call mx.eval on the result before the second clock reading"
        yield from finding(RULE, note.where, message, help, compiled, note.modality)


RULE = Rule("MX603", "timing-without-eval", "warning", check, after=("MX206",), experiment="clock")
