"""MX302 compile-per-call."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import Compiled, Modality, Where
from mxlint.finding import Finding
from mxlint.fixes.remedies import Hoist
from mxlint.rules.findings import finding, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.repetition import RECURSION, dropped, ending, made_again
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """A function that is called again and again makes a compiled object and drops it."""
    for group in program.sites.values():
        made = dropped(program, group)
        if made is None:
            continue
        loop = made_again((compiled, ending(program, compiled, compiled.caller_loops)) for compiled in made)
        layer = next((compiled.layer for compiled in made if compiled.layer), "")
        if loop is not None or layer:
            yield from _finding(program, made[0], loop, layer)


def _finding(program: Program, compiled: Compiled, loop: Where | None, layer: str) -> Iterator[Finding]:
    remedy = None if layer and compiled.returned else Hoist(compiled.site.span, cls=program.class_of(compiled.site))
    yield from finding(
        RULE, compiled.site,
        f"every call of {quoted(layer or compiled.within)} traces and compiles {name_of(compiled)} again",
        "compile once, at module level or in __init__, and call the kept object here", compiled, Modality(),
        also=[("in this recursion" if loop.text.startswith(RECURSION) else "in this loop", loop)] if loop is not None else [], remedy=remedy,
        note="mx.compile makes a new compiled object in each, which is dropped with its trace",
    )  # fmt: skip


RULE = Rule(
    "MX302",
    "compile-per-call",
    "warning",
    check,
    after=("MX505", "MX301"),
    fixes=("unsafe", "display"),
    cost_only=True,
    experiment="made again",
)
