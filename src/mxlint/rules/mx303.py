"""MX303 varying-scalar-argument."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mxlint.facts.events import Argument, Compiled, Modality
from mxlint.facts.rows import FEW
from mxlint.facts.values import ContainerValue, ScalarValue, Value
from mxlint.finding import Finding
from mxlint.fixes.remedies import Wrap
from mxlint.rules.findings import finding, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule
from mxlint.rules.variation import arrays_given, has_other_keys, is_length, keys_vary, renamed, same_dtypes, scalars_vary, series


def check(program: Program) -> Iterator[Finding]:
    """A Python number, text or key that changes from call to call."""
    for compiled in program.log.compiled:
        for found in series(program, compiled):
            argument, values, modality = found.argument, found.values, found.modality
            if compiled.shapeless is False and is_length(program, compiled, argument):
                continue
            few = FEW if compiled.shapeless is False else 0  # who asks for shapeless=True wants one trace
            if shown := found.shown():
                varies = any(scalars_vary(row, few) for row in shown)
            else:
                varies = scalars_vary(values, few) if found.finite else any(scalars_vary(each, 0) for each in found.turns.values())
            if has_other_keys(values) or any(keys_vary(row, few) for row in shown or found.turns.values()):
                yield from _of_keys(argument, compiled, found.modality)
            elif varies:
                text = argument.where.text
                inside = argument.starred or isinstance(argument.value, ContainerValue)
                modality = Modality((), (*modality.presumed, *filter(None, (argument.presumed,))))
                kind = "text" if all(isinstance(value, ScalarValue) and value.type == "str" for value in values) else "number"
                yield from finding(
                    RULE, argument.where,
                    f"{name_of(compiled)} is compiled again for every {kind} that {quoted(text)} {'holds' if inside else 'is'}",
                    _help(text, kind, inside=inside), compiled, modality, remedy=_wrap(program, compiled, argument, values),
                    note=f"it is a Python {kind} that changes from call to call; each trace is kept for ever",
                )  # fmt: skip
        for call, argument in renamed(program, compiled, FEW if compiled.shapeless is False else 0):
            yield from _of_keys(argument, compiled, Modality((), call.modality.presumed))


def _of_keys(argument: Argument, compiled: Compiled, modality: Modality) -> Iterator[Finding]:
    """The keys of a dict, or the names of arguments, change from call to call."""
    text = quoted(argument.where.text)
    return finding(
        RULE, argument.where,
        f"{name_of(compiled)} is compiled again for every key that {text} holds",
        f"pass what {text} holds under the same keys in each call, or in a list", compiled, modality,
        note="keys and names of arguments belong to what MLX tells calls apart by; each trace is kept for ever",
    )  # fmt: skip


def _help(text: str, kind: str, *, inside: bool) -> str:
    """What to pass in its place: MLX makes no array of a text, but of numbers that stand for it."""
    if kind == "text" and inside:
        return f"pass an array of numbers that stand for the texts in {quoted(text)}"
    return f"make an array of the number in {quoted(text)}" if inside else f"pass an array: mx.array({text})"


def _wrap(program: Program, compiled: Compiled, argument: Argument, values: Sequence[Value]) -> Wrap | None:
    """Pass an array, if the argument itself is what varies, and a number."""
    numbers = all(isinstance(value, ScalarValue) and value.type in ("int", "float", "number") for value in (argument.value, *values))
    function = compiled.function.where
    if function is None or argument.starred or not numbers or not same_dtypes(program, compiled, (argument.value, *values)):
        return None
    return Wrap(argument.where.span, function.span, compiled.function.bound, arrays_given(program, compiled))


RULE = Rule(
    "MX303", "varying-scalar-argument", "warning", check, after=("MX502",), fixes=("unsafe",), cost_only=True, experiment="many values"
)
