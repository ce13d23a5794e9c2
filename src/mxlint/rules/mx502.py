"""MX502 unsupported-argument."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import Argument, Call, Compiled, Modality
from mxlint.finding import Finding
from mxlint.rules.findings import among, finding, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

MODULE = "nn.Module"
TRACED = ("traced", "replayed", "either")
"""The outcomes of calls that have a trace of their own, by which it is known how the body uses an argument."""
REFUSES = "ValueError: [compile] Function arguments must be trees of arrays or constants"


def check(program: Program) -> Iterator[Finding]:
    """An argument that is neither an array nor a constant nor a tree of these."""
    for number, compiled in program.objects.items():
        for call in program.calls.get(number, ()):
            for argument in call.arguments:
                use = _used(program, call) if argument.bad == MODULE else None
                if argument.bad and (use is not None or argument.bad != MODULE):
                    message, note, help = _words(compiled, argument)
                    of_use = use or Modality()
                    modality = Modality(
                        tuple(dict.fromkeys((*argument.conditions, *of_use.conditions))),
                        tuple(dict.fromkeys((*call.modality.presumed, *of_use.presumed))),
                    )
                    yield from finding(RULE, argument.where, message, help, compiled, modality, within=call.within, note=note)


def _used(program: Program, call: Call) -> Modality | None:
    """On what it hangs that a module, which is a dict in a trace, is used there as only a module can be; None if it is not. Nothing is known of that
    where the call begins no trace of its own."""
    if call.outcome not in TRACED:
        return Modality()
    uses = (event.modality for event in program.events.get(call.object, ()) if event.kind == "module")
    return min(uses, key=lambda modality: modality.steps, default=None)


def _words(compiled: Compiled, argument: Argument) -> tuple[str, str, str]:
    """Headline, note and help."""
    text, kind = quoted(argument.where.text), argument.bad
    inside = argument.inside or argument.starred
    verb = "holds" if inside else "is"
    if kind == MODULE:
        return (
            f"{text} {verb} an nn.Module: in {name_of(compiled)} it is a dict and cannot be called",
            "a module is a dict of its arrays, and arrives as one",
            "close over the module and pass inputs=model.state, or compile the module itself",
        )
    if kind == "NoneType":
        return (
            f"{text} {verb} None: this call raises ValueError{among(argument.versions, argument.judged)}",
            f'MLX says "{REFUSES} (floats, ints, or strings), but received type NoneType"',
            "bind None with functools.partial or a closure, or require a newer MLX",
        )
    if kind.startswith("int"):
        what = f"{text} {verb} an {kind}: this call of {name_of(compiled)} raises RuntimeError"
        return what, 'MLX says "std::bad_cast"', "pass an array of a dtype that holds the number"
    return (
        f"{text} {verb} {_article(kind)} {kind}: this call of {name_of(compiled)} raises ValueError",
        f'MLX says "{REFUSES} (floats, ints, strings, or None), but received type …"',
        f"pass mx.array({'…' if inside else argument.where.text})"
        if kind.startswith("numpy")
        else "pass arrays, numbers, strings, None, or lists, tuples and dicts of these; bind anything else with functools.partial or a closure",
    )


def _article(kind: str) -> str:
    return "an" if kind[0].lower() in "aeiou" else "a"


RULE = Rule("MX502", "unsupported-argument", "error", check, after=("MX505", "MX501"), experiment="bad argument")
