"""MX507 compile-without-effect."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import Compiled, Modality, Note
from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

INSTANCE = (
    "calling the object still runs the uncompiled code: Python looks __call__ up on the class",
    "an attribute of that name on the instance is never used",
    "keep the compiled function under another name and call that, or compile where the object is used",
)
DISCARDED = (
    "nothing is compiled here: the result of mx.compile is thrown away",
    "mx.compile changes nothing in place",
    "bind the result and call it: fast = mx.compile(f)",
)
LATE = (
    "setting MLX_DISABLE_COMPILE has no effect here",
    "it is read once, at the first compiled call, which comes before",
    "set it before the program starts, or call mx.disable_compile()",
)
ANY_VALUE = (
    "this switches compilation off: MLX_DISABLE_COMPILE does so with any value",
    "",
    "delete the variable to enable compilation, or call mx.enable_compile()",
)
SETTINGS = {"environment set late": LATE, "environment set to off": ANY_VALUE}


def check(program: Program) -> Iterator[Finding]:
    """A compiled object, or a setting, that does nothing."""
    for note, compiled in program.noted("call on an instance"):
        yield from _finding(note, INSTANCE, compiled)
    for note, compiled in program.noted("discarded"):
        if program.uncalled(compiled):
            yield from _finding(note, DISCARDED, compiled)
    for kind, words in SETTINGS.items():
        for note in program.notes.get(kind, ()):
            yield from _finding(note, words, None)
    yield from _shared(program)


def _finding(note: Note, words: tuple[str, str, str], compiled: Compiled | None) -> Iterator[Finding]:
    message, why, help = words
    yield from finding(RULE, note.where, message, help, compiled, note.modality, note=why)


def _shared(program: Program) -> Iterator[Finding]:
    seen: dict[int, Compiled] = {}
    for compiled in program.log.compiled:
        if compiled.identity is None or not program.calls.get(compiled.number):
            continue
        first = seen.setdefault(compiled.identity, compiled)
        if _outputs(first) != _outputs(compiled):
            yield from finding(
                RULE, compiled.site,
                f"{name_of(compiled)} is compiled twice: the one that is called later does not write its outputs=",
                "compile two different functions (wrap one in a lambda)", compiled, Modality(), also=[("compiled before here", first.site)],
                note="both objects share one trace, and its outputs",
            )  # fmt: skip


def _outputs(compiled: Compiled) -> tuple[object, ...]:
    if compiled.outputs is None:
        return ()
    return tuple(element.object if element.object is not None else element.where.text for element in compiled.outputs.elements)


RULE = Rule("MX507", "compile-without-effect", "warning", check, experiment="no effect")
