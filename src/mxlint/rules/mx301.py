"""MX301 compile-in-loop."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import Compiled, Modality, Where
from mxlint.finding import Finding
from mxlint.fixes.remedies import Hoist
from mxlint.rules.findings import finding, name_of
from mxlint.rules.program import Program
from mxlint.rules.repetition import dropped, ending, made_again
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """A loop makes a new compiled object in each round and drops it."""
    for group in program.sites.values():
        made = dropped(program, group)
        if made is None:
            continue
        loop = made_again((compiled, ending(program, compiled, compiled.loops)) for compiled in made)
        if loop is not None:
            yield from _finding(made[0], loop)


def _finding(compiled: Compiled, loop: Where) -> Iterator[Finding]:
    yield from finding(
        RULE, compiled.site,
        f"every iteration traces and compiles {name_of(compiled)} again",
        "compile once before the loop and call that object in it; pass what changes as an array argument", compiled, Modality(),
        remedy=Hoist(compiled.site.span, loop.span), note="mx.compile makes a new compiled object in each, whose trace dies with it",
    )  # fmt: skip


RULE = Rule("MX301", "compile-in-loop", "warning", check, fixes=("unsafe", "display"), cost_only=True, experiment="made again")
