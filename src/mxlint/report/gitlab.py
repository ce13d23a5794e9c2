"""GitLab's code quality report: a JSON array, which the artifact `reports: codequality` of a job takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mxlint.documents.layout import Place
from mxlint.finding import Finding, Position, Severity
from mxlint.report.ascii import dumped
from mxlint.report.fingerprint import fingerprints
from mxlint.report.places import in_cell, place_of
from mxlint.report.style import Style

if TYPE_CHECKING:
    from mxlint.result import Result

_SEVERITIES: dict[Severity, str] = {"error": "major", "warning": "minor", "info": "info"}


def render(result: Result, style: Style) -> str:
    """An entry a finding. GitLab matches the findings of two runs by the fingerprint."""
    prints = fingerprints(result.findings, result.sources)
    entries = [_entry(finding, place_of(finding.span, result.sources), printed) for finding, printed in zip(result.findings, prints)]
    return dumped(entries)


def _entry(finding: Finding, place: Place, fingerprint: str) -> dict[str, Any]:
    where = f"{label}: " if (label := in_cell(place)) else ""
    return {
        "check_name": finding.code,
        "description": f"{finding.code}: {where}{finding.message}",
        "severity": _SEVERITIES[finding.severity],
        "fingerprint": fingerprint,
        "location": {"path": finding.span.filename, **_where(place)},
    }


def _where(place: Place) -> dict[str, Any]:
    """GitLab knows of no cells: of a notebook it is told the rows of the file."""
    if place.cell is not None:
        return {"lines": {"begin": place.rows[0], "end": place.rows[1]}}
    return {"positions": {"begin": _position(place.start), "end": _position(place.end)}}


def _position(position: Position) -> dict[str, int]:
    return {"line": position.row, "column": position.column}
