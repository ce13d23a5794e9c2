"""MX202 uncaptured-write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mxlint.facts.events import Compiled, Write
from mxlint.finding import Finding
from mxlint.rules.captures import advice
from mxlint.rules.findings import finding, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

UPDATES: Final = ("update", "fill", "weights", "moments", "step", "differentiate")
LEFT: Final = "what is kept there is a placeholder, written once per trace and not once per call"
USED: Final = 'using it later raises "[eval] Attempting to eval an array without a primitive"'


def check(program: Program) -> Iterator[Finding]:
    """A traced value is kept in something older than the trace that no capture takes out."""
    for compiled in program.log.compiled:
        relied = program.relied(compiled.number)
        for write in program.writes.get(compiled.number, ()):
            if write.how == "fill" and write.where not in relied:
                continue  # a module that is filled with arguments before each use
            if write.placeholder and not write.captured_in and not write.captured_out:
                yield from _finding(program, compiled, write)


def _finding(program: Program, compiled: Compiled, write: Write) -> Iterator[Finding]:
    if write.how in UPDATES:
        message = (
            f"{quoted(write.where.text)} changes state that is not in outputs=: the model is left with placeholders instead of weights"
        )
        help = advice(program, compiled, "give the container that it changes, such as model.state, to inputs= and to outputs=")
    else:
        verb = {"items": "changes", "content": "writes into"}.get(write.how, "writes")
        message = f"{name_of(compiled)} {verb} {quoted(write.name)}, which is older than the trace: {LEFT}; {USED}"
        help = "return the value and store it outside the compiled function, or pass the container as outputs="
    yield from finding(RULE, write.where, message, help, compiled, write.modality, calls=write.calls)


RULE = Rule("MX202", "uncaptured-write", "error", check, after=("MX503",), after_in_object=("MX205", "MX204"), experiment="lost write")
