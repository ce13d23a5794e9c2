"""SARIF 2.1.0, which code scanning services and editors read: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_from_bytes

from mxlint import __version__
from mxlint.discover import Problem
from mxlint.finding import Edit, Finding, Fix, Severity, Span
from mxlint.pages import load_page
from mxlint.report.ascii import dumped
from mxlint.report.fingerprint import fingerprints
from mxlint.report.json import location, verdict
from mxlint.report.places import in_cell, place_of
from mxlint.report.style import Style
from mxlint.rules.registry import NAMES, family, page_url
from mxlint.source import Source

if TYPE_CHECKING:
    from mxlint.result import Result

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
HOME = "https://github.com/mxlint/mxlint"
_ROOT = "%SRCROOT%"
_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}


def render(result: Result, style: Style) -> str:
    """The run as a log with one run. Plain ASCII."""
    codes = sorted({finding.code for finding in result.findings})
    prints = fingerprints(result.findings, result.sources)
    run = {
        "tool": {
            "driver": {
                "name": "mxlint",
                "version": __version__,
                "semanticVersion": __version__,
                "informationUri": HOME,
                "rules": [_rule(code) for code in codes],
            }
        },
        "invocations": [
            {
                "executionSuccessful": result.exit_code != 2,
                "toolExecutionNotifications": [_notification(problem) for problem in result.problems],
            }
        ],
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The folder that mxlint was run in."}}},
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "results": [
            _result(finding, codes.index(finding.code), printed, result.sources) for finding, printed in zip(result.findings, prints)
        ],
    }
    return dumped({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(code: str) -> dict[str, Any]:
    page = load_page(code)
    return {
        "id": code,
        "name": NAMES[code],
        "shortDescription": {"text": NAMES[code].replace("-", " ").capitalize()},
        "fullDescription": {"text": page.claim},
        "help": {"text": page.text, "markdown": page.text},
        "helpUri": page_url(code),
        "defaultConfiguration": {"enabled": True, "level": _LEVELS[page.severity]},
        "properties": {
            "id": code,
            "kind": "problem",
            "name": NAMES[code],
            "tags": [family(code)],
            "problem.severity": _LEVELS[page.severity].replace("note", "recommendation"),
        },
    }


def _result(finding: Finding, rule: int, fingerprint: str, sources: Mapping[str, Source]) -> dict[str, Any]:
    where = place_of(finding.span, sources)
    cell = f"{in_cell(where)}: " if where.cell is not None else ""
    found: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": "\n\n".join((f"{cell}{finding.message}", *finding.below))},
        "locations": [_within(finding, sources)],
        "partialFingerprints": {"primaryLocationLineHash": fingerprint},
        "properties": {
            "family": family(finding.code),
            **({"cell": {"number": where.cell, **location(where.start)}} if where.cell is not None else {}),
            **({"claimedSeverity": finding.claimed} if finding.claimed is not None else {}),
            **({"conditions": list(finding.conditions)} if finding.conditions else {}),
            **({"presumed": list(finding.presumed)} if finding.presumed else {}),
            **({"verify": verdict(finding.verdict)} if finding.verdict is not None else {}),
        },
    }
    if finding.related:
        found["relatedLocations"] = [
            {"id": number, **_location(related.span, sources, related.message)} for number, related in enumerate(finding.related)
        ]
    if len(finding.related) > 1:  # more than where it is compiled: the way from there
        steps = [*((related.span, sources, related.message) for related in finding.related), (finding.span, sources, finding.message)]
        found["codeFlows"] = [{"threadFlows": [{"locations": [{"location": _location(*step)} for step in steps]}]}]
    if finding.fix is not None and finding.fix.applicability != "display" and not _in_documents(finding.fix, sources):
        found["fixes"] = [_fix(finding.fix, sources)]
    return found


def _in_documents(fix: Fix, sources: Mapping[str, Source]) -> bool:
    """Whether edits are of cells or blocks, whose text is not that of the file."""
    return any((source := sources.get(edit.span.filename)) is not None and source.layout is not None for edit in fix.edits)


def _within(finding: Finding, sources: Mapping[str, Source]) -> dict[str, Any]:
    place = _location(finding.span, sources)
    return {**place, "logicalLocations": [{"fullyQualifiedName": finding.object}]} if finding.object else place


def _fix(fix: Fix, sources: Mapping[str, Source]) -> dict[str, Any]:
    """A change a file: viewers apply all of them or none. One that is unsafe says so."""
    safety = "" if fix.applicability == "safe" else f" ({fix.applicability})"
    edits = sorted(fix.edits, key=lambda edit: edit.span)
    by_file = groupby(edits, key=lambda edit: edit.span.filename)
    return {"description": {"text": fix.message + safety}, "artifactChanges": [_change(name, edits, sources) for name, edits in by_file]}


def _change(name: str, edits: Iterable[Edit], sources: Mapping[str, Source]) -> dict[str, Any]:
    return {
        "artifactLocation": _artifact(name),
        "replacements": [{"deletedRegion": _region(edit.span, sources), "insertedContent": {"text": edit.content}} for edit in edits],
    }


def _notification(problem: Problem) -> dict[str, Any]:
    return {
        "level": "error",
        "message": {"text": problem.message},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(problem.name)}}],
    }


def _location(span: Span, sources: Mapping[str, Source], message: str | None = None) -> dict[str, Any]:
    place: dict[str, Any] = {"physicalLocation": {"artifactLocation": _artifact(span.filename), "region": _region(span, sources)}}
    return place if message is None else {**place, "message": {"text": message}}


def _region(span: Span, sources: Mapping[str, Source]) -> dict[str, int]:
    """SARIF knows of no cells: of a notebook it is told the rows of the file."""
    place = place_of(span, sources)
    if place.cell is not None:
        return {"startLine": place.rows[0], "endLine": place.rows[1]}
    return {"startLine": place.start.row, "startColumn": place.start.column, "endLine": place.end.row, "endColumn": place.end.column}


def _artifact(name: str) -> dict[str, str]:
    """A file by its URI, relative to the folder that mxlint was run in if it lies below it."""
    if os.path.isabs(name):
        return {"uri": Path(name).as_uri()}
    return {"uri": quote_from_bytes(os.fsencode(name)), "uriBaseId": _ROOT}
