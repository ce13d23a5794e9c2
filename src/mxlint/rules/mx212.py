"""MX212 aliased-capture."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import Compiled, Read
from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

UNCAPTURED = 'MLX says "[compile] Attempting to compile a function with uncaptured inputs is not allowed"'


def check(program: Program) -> Iterator[Finding]:
    """One array is an argument or captured, and read by another name as a constant. What nothing calls is traced as what makes it leaves everything: where
    the same function is called in sight as another compiled object, it is that which says what comes before a call."""
    called = {compiled.function.where for compiled in program.log.compiled if program.calls.get(compiled.number)}
    for compiled in program.log.compiled:
        if compiled.function.where in called and not program.calls.get(compiled.number):
            continue
        reads = program.reads.get(compiled.number, ())
        through = {read.location[0] for read in reads if read.kind == "array"}
        found = next((read for read in reads if read.alias and (read.alias != "captured" or read.holder in through)), None)
        if found is not None:
            yield from _finding(compiled, found)


def _finding(compiled: Compiled, read: Read) -> Iterator[Finding]:
    if read.alias == "operand":
        message = f"tracing {name_of(compiled)} raises: {quoted(read.name)} is still to be computed from its inputs"
        note = f"nothing has evaluated it, so what it is made of is part of the trace, and an argument or captured there; {UNCAPTURED}"
        help = "evaluate it before the call (mx.eval), or capture it with inputs= as well"
    elif read.container.endswith(".state"):
        message = f"the first call of {name_of(compiled)} raises: {quoted(read.name)} has arrays of a captured module"
        note = f"update(), load_weights() and copy.deepcopy() hand arrays on and copy none, and it is not captured itself; {UNCAPTURED}"
        help = "give it arrays of its own before the first call, computed (tree_map(lambda p: p + 0, …) and mx.eval), or capture it, too"
    else:
        what = "an argument" if read.alias == "argument" else "captured"
        message = f"the first call of {name_of(compiled)} raises: {quoted(read.name)} is {what}, and read as a constant"
        note = f"it is read here under another name than the trace knows it by; {UNCAPTURED}"
        help = "use the argument or the captured container in the body"
    yield from finding(RULE, read.where, message, help, compiled, read.modality, calls=read.calls, note=note)


RULE = Rule("MX212", "aliased-capture", "error", check, after_in_object=("MX205",), experiment="alias")
