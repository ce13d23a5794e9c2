"""MX305 transform-of-compiled."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import Modality
from mxlint.finding import Finding
from mxlint.fixes.remedies import CompileTransform
from mxlint.rules.captures import elements
from mxlint.rules.findings import finding, name_of
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

PAIRS = ("mx.vjp", "mx.jvp")
"""Transforms that run the function where they stand."""
CHECKPOINTS = ("mx.checkpoint", "nn.utils.checkpoint")
"""Transforms of which something else takes the gradient."""


def check(program: Program) -> Iterator[Finding]:
    """A transform of a compiled function: the Python body runs at every call."""
    for note, compiled in program.noted("transform of compiled"):
        alone = note.what not in PAIRS + CHECKPOINTS
        yield from finding(
            RULE, note.where,
            f"{note.what} runs the Python body of {name_of(compiled)} at every {'gradient' if note.what in CHECKPOINTS else 'call'}: it is not compiled",
            _help(note.what),
            compiled, Modality(),
            remedy=CompileTransform(note.where.span, elements(compiled), note.what == "nn.value_and_grad") if alone else None,
            note="inside a transform the arguments are placeholders already",
        )  # fmt: skip


def _help(what: str) -> str:
    if what in CHECKPOINTS:
        return f"give {what} the function itself, and compile what computes the gradient"
    return f"compile what calls {what}" if what in PAIRS else f"compile the transform instead: mx.compile({what}(f))"


RULE = Rule("MX305", "transform-of-compiled", "warning", check, fixes=("unsafe", "display"), cost_only=True, experiment="transform")
