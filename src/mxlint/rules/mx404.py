"""MX404 shapeless-unsafe-op."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import GRADIENT
from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule
from mxlint.rules.sizes import applies, briefly, consequences, right_on, varying_axes
from mxlint.rules.unsupported import comes_to_nothing

HELP = "leave out shapeless=True, or do this outside the compiled function"
HELPS = {
    "nn.Linear": "use nn.Linear(bias=False) and add the bias (x @ W.T + b), or leave out shapeless=True",
    "mx.fast.scaled_dot_product_attention": "pass the mask as an array argument, or leave out shapeless=True",
}


def check(program: Program) -> Iterator[Finding]:
    """An operation that runs at the first shape and goes wrong when it changes."""
    for number, compiled in program.objects.items():
        for event in program.events.get(number, ()):
            if event.kind != "unsafe":
                continue
            varying = varying_axes(program, compiled)
            effects = [effect for effect in event.effects if applies(program, compiled, effect, varying, event.trace)]
            if not effects or comes_to_nothing(program, event):
                continue
            certain = varying is not None or any(effect.when in ("every", "seen", "always", "over") for effect in effects)
            gradient = event.note == GRADIENT
            reduced = all(effect.way == "crash" and effect.when in ("seen", "always") for effect in effects)
            unit = all(effect.when in ("unit", "seen", "always") for effect in effects)
            changes = "when an axis gets or loses length 1" if unit else "when sizes change"
            note = f"from the first trace of {name_of(compiled)} it keeps {'whether an axis has length 1' if unit else 'sizes'}, and then {consequences(effects)}"
            if all(effect.when == "always" for effect in effects):
                changes = "at every call"
                note = "what works element by element takes the broadcast up and broadcasts for itself: its result is only as large as what else it is given"
            elif all(effect.when == "over" for effect in effects):
                changes = "when an axis gets longer than it reaches"
                note = f"at the first call of {name_of(compiled)} it takes all, so there is nothing of it in the trace, which then {consequences(effects)}"
            if reduced:
                changes = "along an axis of length 1"
                summed = "it sums along that: MLX leaves such a sum out" if gradient else "MLX leaves such a reduction out"
                note = f"{summed}, but not what it needs: a call {consequences(effects)}"
            yield from finding(
                RULE, event.where,
                f"{'the gradient of ' if gradient else ''}{quoted(event.what)} {briefly(effects)} {changes}, under shapeless=True",
                HELP if gradient else HELPS.get(event.what, HELP), compiled, event.modality, severity=None if certain else "warning", within=event.within, calls=event.calls,
                uncalled=program.uncalled(compiled), right_on=right_on(effects),
                note=note,
            )  # fmt: skip


RULE = Rule(
    "MX404", "shapeless-unsafe-op", "error", check, exports=True, after=("MX403", "MX401"), by_arguments=True, experiment="unsafe operation"
)
