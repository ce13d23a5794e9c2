"""MX403 shapeless-unsupported-op."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import EXPORT, GRADIENT, Compiled
from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule
from mxlint.rules.sizes import applies, consequences, in_versions, varying_axes


def check(program: Program) -> Iterator[Finding]:
    """An operation that cannot infer its output shape raises at the first call."""
    for number, compiled in program.objects.items():
        for event in program.events.get(number, ()):
            if event.kind != "unsupported":
                continue
            varying = varying_axes(program, compiled)
            effects = [effect for effect in event.effects if applies(program, compiled, effect, varying)]
            later = consequences([effect for effect in effects if effect.way != "first"])
            versions = in_versions([effect for effect in effects if effect.way == "first"])
            gradient = event.note == GRADIENT
            asked = "what computes the gradient" if gradient else "the operation"
            yield from finding(
                RULE, event.where,
                f"{_first_call(compiled)} raises{versions}: {'the gradient of ' if gradient else ''}{quoted(event.what)} under shapeless=True",
                "leave out shapeless=True, or do this outside the compiled function", compiled, event.modality, within=event.within,
                calls=event.calls, uncalled=not program.calls.get(number),
                note=f'{asked} cannot infer its output shape: "ValueError: [Primitive::output_shapes] … cannot infer output shapes"'
                + (f"; when a size changes, it {later}" if later else ""),
            )  # fmt: skip


def _first_call(compiled: Compiled) -> str:
    """What raises: a function that is exported does where its file is loaded and called."""
    return f"every call of {name_of(compiled)}, once exported," if compiled.form == EXPORT else f"the first call of {name_of(compiled)}"


RULE = Rule("MX403", "shapeless-unsupported-op", "error", check, exports=True, by_arguments=True, experiment="unsupported operation")
