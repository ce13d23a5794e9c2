"""MX501 compiled-method."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import RAN, Modality
from mxlint.finding import Finding
from mxlint.fixes.remedies import CompileBound
from mxlint.rules.findings import finding, function_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """A class holds a compiled object of its own function: self is not bound. That it lies there under another name than that of the method shows nothing, and
    calls in sight that work show that none is wanted."""
    ran = {compiled.number for _, compiled in program.noted(RAN)}
    for compiled in program.log.compiled:
        called = program.calls.get(compiled.number, ())
        if compiled.method_of is None or not (compiled.decorates or compiled.replaces or called):
            continue
        if compiled.number in ran or called and any(trace.ended for trace in program.traces.get(compiled.number, ())):
            continue
        name = compiled.replaces or compiled.text.rpartition(".")[2]
        calling = "calling an instance" if name == "__call__" else f"calling {quoted(name)} on an instance"
        options = ", inputs=self.state" if compiled.in_module else ""
        options += ", shapeless=True" if compiled.shapeless else ""
        cls = program.class_of(compiled.site)
        remedy = CompileBound(compiled.decorates.span, function_of(compiled), compiled.in_module, cls) if compiled.decorates else None
        yield from finding(
            RULE, compiled.decorates or compiled.site,
            f"{calling} raises TypeError: the compiled object does not bind self",
            f"compile the bound method in __init__: self._{name.strip('_')} = mx.compile(self.{name}{options})",
            compiled, Modality(), within=compiled.method_of,
            remedy=remedy,
            note=f'on an instance of {compiled.method_of} the first argument is left out: "missing 1 required positional argument"',
        )  # fmt: skip


RULE = Rule("MX501", "compiled-method", "error", check, fixes=("unsafe",), experiment="method")
