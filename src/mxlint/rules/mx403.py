"""MX403 shapeless-unsupported-op."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mxlint.facts.events import EXPORT, GRADIENT, Compiled, Event
from mxlint.finding import Finding
from mxlint.rules.findings import finding, module_of, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule
from mxlint.rules.sizes import applies, consequences, in_versions, varying_axes
from mxlint.rules.unsupported import groups


def check(program: Program) -> Iterator[Finding]:
    """An operation that cannot infer its output shape raises at the first call."""
    for number, compiled in program.objects.items():
        for event, *others in groups(program, number):
            yield from _raises(program, compiled, event, others)
    yield from _computed_late(program)


def _raises(program: Program, compiled: Compiled, event: Event, others: Sequence[Event]) -> Iterator[Finding]:
    """One finding for the operations of a trace of which each raises whenever the others do."""
    varying = varying_axes(program, compiled)
    effects = [effect for effect in event.effects if applies(program, compiled, effect, varying, event.trace)]
    later = consequences([effect for effect in effects if effect.way != "first"])
    versions = in_versions([effect for effect in effects if effect.way == "first"])
    gradient = event.note == GRADIENT
    asked = "what computes the gradient" if gradient else "the operation"
    also = dict.fromkeys((f"{quoted(other.what)} cannot, either", other.where) for other in others if other.where != event.where)
    yield from finding(
        RULE, event.where,
        f"{_first_call(compiled)} raises{versions}: {'the gradient of ' if gradient else ''}{quoted(event.what)} under shapeless=True",
        "leave out shapeless=True, or do this outside the compiled function", compiled, event.modality, within=event.within,
        calls=event.calls, also=also, uncalled=program.uncalled(compiled),
        note=f'{asked} cannot infer its output shape: "ValueError: [Primitive::output_shapes] … cannot infer output shapes"'
        + (f"; when a size changes, it {later}" if later else ""),
    )  # fmt: skip


def _computed_late(program: Program) -> Iterator[Finding]:
    """What is still to be computed, by an operation that cannot infer its shape, is part of the trace."""
    for number, compiled in program.objects.items():
        traced = any(call.outcome == "traced" for call in program.calls.get(number, ()))
        late = [read for read in program.reads.get(number, ()) if read.unsized] if traced and compiled.shapeless else []
        if late:
            first = late[0]
            what = f"the weights of {quoted(module)} are" if (module := module_of(first)) else f"{quoted(first.name)} is"
            others = dict.fromkeys(read.where for read in late if read.where != first.where)
            yield from finding(
                RULE, first.where,
                f"{_first_call(compiled)} raises: {what} not evaluated before it",
                "call mx.eval on it before the first call (mx.eval(model.parameters()) for a model), or capture it with inputs=", compiled,
                first.modality, calls=first.calls, also=[("read here, too", where) for where in others],
                note=f"so what {quoted(first.unsized)} does is part of the trace, and cannot infer its output shape under shapeless=True: "
                '"ValueError: [Primitive::output_shapes] … cannot infer output shapes"',
            )  # fmt: skip


def _first_call(compiled: Compiled) -> str:
    """What raises: a function that is exported does where its file is loaded and called."""
    return f"every call of {name_of(compiled)}, once exported," if compiled.form == EXPORT else f"the first call of {name_of(compiled)}"


RULE = Rule("MX403", "shapeless-unsupported-op", "error", check, exports=True, by_arguments=True, experiment="unsupported operation")
