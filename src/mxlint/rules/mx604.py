"""MX604 compile-disabled."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.finding import Finding
from mxlint.rules.findings import finding
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """Compilation is switched off for good."""
    if program.notes.get("compile enabled"):
        return
    for note in program.notes.get("compile disabled", ()):
        if not note.modality.conditions and not program.tests(note.where.span.filename):
            yield from finding(
                RULE, note.where, "every mx.compile of the process does nothing: this always switches compilation off",
                "put it under a debug option, or pair it with mx.enable_compile()", None, note.modality,
            )  # fmt: skip


RULE = Rule("MX604", "compile-disabled", "warning", check, experiment="switch")
