"""MX502 unsupported-argument."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import Argument, Compiled, Modality
from mxlint.finding import Finding
from mxlint.rules.findings import among, finding, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

REFUSES = "ValueError: [compile] Function arguments must be trees of arrays or constants"


def check(program: Program) -> Iterator[Finding]:
    """An argument that is neither an array nor a constant nor a tree of these."""
    for number, compiled in program.objects.items():
        for call in program.calls.get(number, ()):
            for argument in call.arguments:
                if argument.bad:
                    message, note, help = _words(compiled, argument)
                    modality = Modality(argument.conditions, call.modality.presumed)
                    yield from finding(RULE, argument.where, message, help, compiled, modality, within=call.within, note=note)


def _words(compiled: Compiled, argument: Argument) -> tuple[str, str, str]:
    """Headline, note and help."""
    text, kind = quoted(argument.where.text), argument.bad
    verb = "holds" if argument.inside else "is"
    if kind == "nn.Module":
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
        f"pass mx.array({'…' if argument.inside else argument.where.text})"
        if kind.startswith("numpy")
        else "pass arrays, numbers, strings, None, or lists, tuples and dicts of these; bind anything else with functools.partial or a closure",
    )


def _article(kind: str) -> str:
    return "an" if kind[0].lower() in "aeiou" else "a"


RULE = Rule("MX502", "unsupported-argument", "error", check, after=("MX505", "MX501"), experiment="bad argument")
