"""GitLab's code quality report: a JSON array, which the artifact `reports: codequality` of a job takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mxlint.finding import Finding, Position, Severity
from mxlint.report.ascii import dumped
from mxlint.report.fingerprint import fingerprints
from mxlint.report.style import Style

if TYPE_CHECKING:
    from mxlint.engine import Result

_SEVERITIES: dict[Severity, str] = {"error": "major", "warning": "minor", "info": "info"}


def render(result: Result, style: Style) -> str:
    """An entry a finding. GitLab tells findings of two runs apart by the fingerprint."""
    entries = [_entry(*pair) for pair in zip(result.findings, fingerprints(result.findings, result.sources))]
    return dumped(entries)


def _entry(finding: Finding, fingerprint: str) -> dict[str, Any]:
    return {
        "check_name": finding.code,
        "description": f"{finding.code}: {finding.message}",
        "severity": _SEVERITIES[finding.severity],
        "fingerprint": fingerprint,
        "location": {
            "path": finding.span.filename,
            "positions": {"begin": _position(finding.span.start), "end": _position(finding.span.end)},
        },
    }


def _position(position: Position) -> dict[str, int]:
    return {"line": position.row, "column": position.column}
