"""MX506 ambiguous-argument."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from mxlint.facts.events import Call, Modality
from mxlint.finding import Finding
from mxlint.rules.findings import finding, line, name_of
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """Two calls whose arguments differ for Python and are the same for the cache."""
    for compiled in program.log.compiled:
        calls = program.calls.get(compiled.number, ())
        found = _confused(calls, lambda call: (call.flat, call.exact), lambda first, call: True)
        shapes = found is None
        found = found or _confused(
            [call for call in calls if call.alone], lambda call: call.forms, lambda first, call: first.within != call.within
        )
        if found is None:
            continue
        first, call = found
        between = Modality(tuple(c for c in call.modality.conditions if c not in first.modality.conditions), call.modality.presumed)
        other = "an earlier one" if first.where == call.where else f"the one in {line(first.where, call.where)}"
        yield from finding(
            RULE, call.where,
            f"the cache of {name_of(compiled)} {'may take' if shapes else 'takes'} this call for {other}, and {'run' if shapes else 'runs'} its trace",
            "give both calls the same form of arguments, or compile two functions", compiled, between, also=[("the other call", first.where)],
            note=f"True and 1, 0 and 0.0, and differently nested lists and dicts have one key{', if the arrays have the same shapes' if shapes else ''}",
        )  # fmt: skip


def _confused(
    calls: Iterable[Call], key: Callable[[Call], tuple[str, str]], related: Callable[[Call, Call], bool]
) -> tuple[Call, Call] | None:
    """The first two calls that the cache takes for one and Python does not. `key`: what is equal for the cache, and for Python; `related`: which two are
    meant. Two arrays of one function may well have two shapes; what two functions are given is what their callers have."""
    seen: dict[str, Call] = {}
    for call in calls:
        flat, exact = key(call)
        first = seen.setdefault(flat, call)
        if key(first)[1] != exact and related(first, call):
            return first, call
    return None


RULE = Rule("MX506", "ambiguous-argument", "warning", check, experiment="ambiguous argument")
