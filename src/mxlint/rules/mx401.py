"""MX401 baked-shape."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import Event
from mxlint.finding import Finding
from mxlint.fixes.remedies import Unbake
from mxlint.rules.findings import finding, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule
from mxlint.rules.sizes import briefly, consequences, matters, varying_axes
from mxlint.rules.unsupported import comes_to_nothing

HELP = "use an operation that follows the shape (x.flatten(), reshape(-1, …), mx.zeros_like, mx.mean), or leave out shapeless=True"


def check(program: Program) -> Iterator[Finding]:
    """A size of an argument goes into the graph of a shapeless trace."""
    for number, compiled in program.objects.items():
        for event in program.events.get(number, ()):
            if (
                event.kind == "bake"
                and matters(program, compiled, event.axes, varying_axes(program, compiled), features=False)
                and not comes_to_nothing(program, event)
            ):
                yield from finding(
                    RULE, event.where,
                    f"{name_of(compiled)} {briefly(event.effects) or 'gives wrong values or raises'} at another size: {_what(event)} keeps the first",
                    HELP, compiled, event.modality, within=event.within, calls=event.calls, uncalled=program.uncalled(compiled),
                    remedy=Unbake(event.where.span, compiled.site.span, event.shape, event.sizes),
                    note=f"a size that is taken from a shape is a constant of the first trace; under shapeless=True, when it changes, the function "
                    f"{consequences(event.effects) or 'raises or silently returns wrong values'}",
                )  # fmt: skip


def _what(event: Event) -> str:
    """What takes the size: a function by its name, an operator as such."""
    if event.what.startswith(".__"):
        return "an operator"
    return event.what if " " in event.what else quoted(event.what)


RULE = Rule(
    "MX401",
    "baked-shape",
    "error",
    check,
    exports=True,
    after=("MX403", "MX402"),
    by_arguments=True,
    fixes=("unsafe", "display"),
    experiment="frozen size",
)
