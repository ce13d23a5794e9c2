"""MX507 compile-without-effect."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import Compiled, Modality
from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

INSTANCE = (
    "Python looks __call__ up on the class: an instance attribute of that name is never used, so calling the object still runs the uncompiled code",
    "keep the compiled function under another name and call that, or compile where the object is used",
)
DISCARDED = (
    "the result of mx.compile is thrown away: mx.compile changes nothing in place, so nothing is compiled",
    "bind the result and call it: fast = mx.compile(f)",
)
LATE = (
    "MLX_DISABLE_COMPILE is read once, at the first compiled call: set after it, it has no effect",
    "set it before the program starts, or call mx.disable_compile()",
)
ANY_VALUE = (
    "any value of MLX_DISABLE_COMPILE disables compilation, this one too",
    "delete the variable to enable compilation, or call mx.enable_compile()",
)
NOTES = {"call on an instance": INSTANCE, "discarded": DISCARDED, "environment set late": LATE, "environment set to off": ANY_VALUE}


def check(program: Program) -> Iterator[Finding]:
    """A compiled object, or a setting, that does nothing."""
    for kind, (message, help) in NOTES.items():
        for note in program.notes.get(kind, ()):
            compiled = program.objects.get(note.object) if note.object is not None else None
            if kind != "discarded" or note.object is not None and not program.calls.get(note.object):
                yield from finding(RULE, note.where, message, help, compiled, note.modality)
    yield from _shared(program)


def _shared(program: Program) -> Iterator[Finding]:
    seen: dict[int, Compiled] = {}
    for compiled in program.log.compiled:
        if compiled.identity is None or not program.calls.get(compiled.number):
            continue
        first = seen.setdefault(compiled.identity, compiled)
        if first.site != compiled.site and _outputs(first) != _outputs(compiled):
            yield from finding(
                RULE, compiled.site,
                f"{name_of(compiled)} is compiled twice with different outputs=: both objects share one trace, so the one called later does not "
                "write what it captures",
                "compile two different functions (wrap one in a lambda)", compiled, Modality(), also=[("compiled before here", first.site)],
            )  # fmt: skip


def _outputs(compiled: Compiled) -> tuple[object, ...]:
    if compiled.outputs is None:
        return ()
    return tuple(element.object if element.object is not None else element.where.text for element in compiled.outputs.elements)


RULE = Rule("MX507", "compile-without-effect", "warning", check, experiment="no effect")
