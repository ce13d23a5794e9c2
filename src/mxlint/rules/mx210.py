"""MX210 lazy-capture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mxlint.facts.events import Call, Compiled, Modality, Read
from mxlint.finding import Finding
from mxlint.fixes.remedies import Evaluate
from mxlint.rules.findings import finding, function_of, module_of, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """An array from outside that was never computed is part of the trace, and computed again at every call."""
    for compiled in program.log.compiled:
        calls = [call for call in program.calls.get(compiled.number, ()) if call.outcome in ("traced", "replayed", "either")]
        if len(calls) < 2 or compiled.shapeless is not False or program.tests(compiled.site.span.filename):
            continue
        lazy = [read for read in program.reads.get(compiled.number, ()) if read.lazy]
        if lazy:
            first = lazy[0]
            place = compiled.site if any(call.where == first.where for call in calls) else first.where  # a module that is compiled itself
            others = dict.fromkeys(read.where for read in lazy if read.where != first.where)
            what = f"the weights of {quoted(module)}" if (module := module_of(first)) else quoted(first.name)
            yield from finding(
                RULE, place,
                f"every call of {name_of(compiled)} computes {what} again",
                "call mx.eval on it before the first call (mx.eval(model.parameters()) for a model), or capture it with inputs=", compiled,
                Modality(first.modality.conditions, first.modality.presumed), calls=first.calls, also=[("read here, too", where) for where in others],
                remedy=_evaluate(compiled, calls[0], lazy),
                note="nothing evaluates it before the function is traced, so the whole computation behind it becomes part of the trace",
            )  # fmt: skip


def _evaluate(compiled: Compiled, call: Call, lazy: Sequence[Read]) -> Evaluate:
    names = [(next(iter((*read.calls, read.where))).span if read.container else read.where.span, _evaluated(read)) for read in lazy]
    return Evaluate(tuple(dict.fromkeys(names)), compiled.site.span, call.where.span, function_of(compiled))


def _evaluated(read: Read) -> str:
    """What to compute, as the body calls it: all that a module holds, or a list or dict; "" for what stands where it is read."""
    module = module_of(read)
    return f"{module}.parameters()" if module else read.container


STATE = ("MX201", "MX202", "MX203", "MX204", "MX205", "MX206", "MX207", "MX209", "MX211", "MX212")
RULE = Rule("MX210", "lazy-capture", "warning", check, after_in_object=STATE, fixes=("unsafe",), cost_only=True, experiment="recomputation")
