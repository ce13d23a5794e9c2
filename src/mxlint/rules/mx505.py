"""MX505 not-a-function."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mxlint.finding import Finding
from mxlint.rules.findings import finding, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

KINDS: Final = {
    "generator": ("a generator function", "calling it only makes a generator, which raises"),
    "coroutine": ("an async function", "calling it only makes a coroutine, which raises"),
    "descriptor": ("a class method or property, and no function", "compiling it raises TypeError"),
    "value": ("no function", "compiling it raises TypeError"),
    "result": ("the result of a call and no function", "compiling it raises TypeError"),
}


def check(program: Program) -> Iterator[Finding]:
    """Something that cannot be compiled."""
    for compiled in program.log.compiled:
        if compiled.function.kind in KINDS:
            what, why = KINDS[compiled.function.kind]
            message = f"{quoted(compiled.text)} is {what}: {why}"
            yield from finding(RULE, compiled.site, message, "compile a plain function that returns arrays", compiled, compiled.modality)
    for note in program.notes.get("not a function", ()):
        yield from finding(
            RULE, note.where,
            "mx.compile without a function raises TypeError: it is no factory of decorators",
            "write @mx.compile, or @partial(mx.compile, shapeless=True) with options", None, note.modality,
        )  # fmt: skip


RULE = Rule("MX505", "not-a-function", "error", check, experiment="no function")
