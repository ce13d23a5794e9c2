"""Which of several findings on one expression speaks, in one file or in several. Without anything that only an analysis needs."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from mxlint.finding import SEVERITIES, Finding


def gives_way_to(finding: Finding, after: Collection[str], others: Iterable[Finding]) -> bool:
    """Whether one of the others on an expression is the cause of a finding, and there whenever that is. `after`: the rules whose findings are causes."""
    return any(other.code in after and _lowered(other) <= _lowered(finding) for other in others)


def _lowered(finding: Finding) -> int:
    """By how many steps conditions lower the severity of a finding: one that hangs on more is not the cause of one that is there without."""
    return SEVERITIES.index(finding.severity) - SEVERITIES.index(finding.claimed or finding.severity)
