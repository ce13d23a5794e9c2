"""Which function makes the fix that a remedy stands for, and whether it may be offered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from mxlint.finding import Finding, Fix
from mxlint.fixes.arguments import wrap
from mxlint.fixes.captures import compile_transform, recapture, refill
from mxlint.fixes.checking import check_before
from mxlint.fixes.edits import EditError, fixed_sources
from mxlint.fixes.evaluating import evaluate
from mxlint.fixes.hoisting import hoist
from mxlint.fixes.methods import compile_bound
from mxlint.fixes.outside import outside
from mxlint.fixes.passing import pass_argument
from mxlint.fixes.remedies import (
    Argument,
    CheckBefore,
    CompileBound,
    CompileTransform,
    Either,
    Evaluate,
    Hoist,
    Outside,
    Recapture,
    Refill,
    Remedy,
    Return,
    Unbake,
    Wrap,
)
from mxlint.fixes.returning import return_last
from mxlint.fixes.sizes import unbake
from mxlint.fixes.syntax import Sources
from mxlint.rules.registry import RULES

MAKERS: dict[type[Remedy], Callable[[Any, Sources], Iterator[Fix]]] = {
    Hoist: hoist,
    Wrap: wrap,
    CompileTransform: compile_transform,
    Evaluate: evaluate,
    Recapture: recapture,
    Refill: refill,
    Unbake: unbake,
    Outside: outside,
    Argument: pass_argument,
    CompileBound: compile_bound,
    Return: return_last,
    CheckBefore: check_before,
}
MOST_TRIES = 16
"""Times that one file is analysed again for its fixes; beyond them none is offered."""

Again = Callable[[Sources], Iterable[Finding]]
"""The findings of the same analysis over the sources given in place of those of the same name."""


def with_fixes(findings: Sequence[Finding], sources: Sources, again: Again) -> Iterator[Finding]:
    """The findings with their fixes in the files that were read, by name. One is offered only if the analysis of the fixed code finds that defect no more, and no other one."""
    before = _counted(findings)
    tries = iter(range(MOST_TRIES))
    for finding in findings:
        fix = _offered(finding, sources, before, again, tries) if finding.remedy is not None else finding.fix
        yield replace(finding, fix=fix, remedy=None)


def _offered(finding: Finding, sources: Sources, before: Counter[str], again: Again, tries: Iterator[int]) -> Fix | None:
    remedy = cast(Remedy, finding.remedy)
    shown = None
    try:
        for fix, _ in zip(_made(remedy, sources), tries):
            try:
                fixed = fixed_sources(replace(finding, fix=fix), sources)
            except EditError:
                continue
            after = _counted(again({name: source for name, source in fixed.items() if source is not sources[name]}))
            if after[finding.code] >= before[finding.code]:
                continue
            if not any(after[code] > before[code] and _matters(code, finding.code) for code in after):
                return fix
            if "display" in RULES[finding.code].fixes:
                shown = shown or replace(fix, applicability="display")
    except Exception:  # noqa: BLE001 - that no fix can be made must not cost the findings of the file
        return shown
    return shown


def _made(remedy: Remedy, sources: Sources) -> Iterator[Fix]:
    for way in remedy.ways if isinstance(remedy, Either) else (remedy,):
        yield from MAKERS[type(way)](way, sources)


def _counted(findings: Iterable[Finding]) -> Counter[str]:
    return Counter(finding.code for finding in findings if finding.severity != "info")


def _matters(new: str, fixed: str) -> bool:
    return not RULES[new].cost_only or RULES[fixed].cost_only
