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


def check(program: Program) -> Iterator[Finding]:
    """A transform of a compiled function: the Python body runs at every call."""
    for note, compiled in program.noted("transform of compiled"):
        yield from finding(
            RULE, note.where,
            f"{note.what} runs the Python body of {name_of(compiled)} at every call: it is not compiled",
            f"compile what calls {note.what}" if note.what in PAIRS else f"compile the transform instead: mx.compile({note.what}(f))",
            compiled, Modality(),
            remedy=None if note.what in PAIRS else CompileTransform(note.where.span, elements(compiled), note.what == "nn.value_and_grad"),
            note="inside a transform the arguments are placeholders already",
        )  # fmt: skip


RULE = Rule("MX305", "transform-of-compiled", "warning", check, fixes=("unsafe", "display"), cost_only=True, experiment="transform")
