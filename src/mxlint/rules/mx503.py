"""MX503 untracked-return."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """An object that holds placeholders is returned: MLX does not look for arrays in it."""
    for compiled in program.log.compiled:
        for event in program.events.get(compiled.number, ()):
            if event.kind == "return":
                yield from finding(
                    RULE, event.where,
                    f"using what {name_of(compiled)} returns raises: {event.what} keeps its placeholders",
                    "return the arrays in a list, tuple or dict, and build the object outside", compiled, event.modality, within=event.within,
                    note="MLX looks for arrays in lists, tuples and dicts only: in anything else they are never replaced by results, and every call "
                    "returns the same object",
                )  # fmt: skip


RULE = Rule("MX503", "untracked-return", "error", check, experiment="untracked return")
