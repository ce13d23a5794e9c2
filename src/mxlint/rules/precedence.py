"""Which of several findings on one expression speaks, in one file or in several. Without anything that only an analysis needs."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from mxlint.finding import Finding


def gives_way_to(finding: Finding, after: Collection[str], others: Iterable[Finding]) -> bool:
    """Whether one of the others on an expression is the cause of a finding, and there whenever that is. `after`: the rules whose findings are causes."""
    return any(other.code in after and _depends_on(other) <= _depends_on(finding) for other in others)


def _depends_on(finding: Finding) -> set[str]:
    """What a finding hangs on: one that hangs on something else as well is not the cause of one that is there without."""
    return {*finding.conditions, *finding.presumed}
