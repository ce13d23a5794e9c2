"""The diagnostic format of reviewdog, which writes findings as comments of a review, with fixes to take over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mxlint.documents.layout import Place, place
from mxlint.finding import Edit, Finding, Fix, Position, Span
from mxlint.report.ascii import dumped
from mxlint.report.places import in_cell, place_of
from mxlint.report.style import Style
from mxlint.rules.registry import page_url
from mxlint.source import Source

if TYPE_CHECKING:
    from mxlint.result import Result

HOME = "https://github.com/mxlint/mxlint"


def render(result: Result, style: Style) -> str:
    """One object with every finding."""
    diagnostics = [_diagnostic(finding, result.sources) for finding in result.findings]
    return dumped({"source": {"name": "mxlint", "url": HOME}, "diagnostics": diagnostics})


def _diagnostic(finding: Finding, sources: Mapping[str, Source]) -> dict[str, Any]:
    source = sources.get(finding.span.filename)
    at = place_of(finding.span, sources)
    where = f"{label}: " if (label := in_cell(at)) else ""
    suggestions = list(_suggestions(finding.fix, source)) if finding.fix is not None and source is not None else []
    return {
        "message": "\n".join((f"{where}{finding.message}", *finding.below)),
        "location": {"path": finding.span.filename, "range": _rows(at) if at.cell is not None else _range(finding.span, source)},
        "severity": finding.severity.upper(),
        "code": {"value": finding.code, "url": page_url(finding.code)},
        **({"suggestions": suggestions} if suggestions else {}),
    }


def _suggestions(fix: Fix, source: Source) -> Iterator[dict[str, Any]]:
    """The fix as one replacement: reviewdog offers several as alternatives. None if it changes other files, or is not enough alone."""
    if fix.applicability == "display" or source.layout is not None or any(edit.span.filename != source.name for edit in fix.edits):
        return
    edits = sorted(fix.edits, key=lambda edit: (edit.span.start, edit.span.end))
    if edits:
        whole = Span(source.name, edits[0].span.start, max(edit.span.end for edit in edits))
        yield {"range": _range(whole, source), "text": _replaced(whole, edits, source)}


def _replaced(whole: Span, edits: list[Edit], source: Source) -> str:
    """The text of a stretch after edits, which lie in it in order and do not overlap."""
    parts, at = [], source.offset_of(whole.start)
    for edit in edits:
        parts += [source.text[at : source.offset_of(edit.span.start)], edit.content]
        at = source.offset_of(edit.span.end)
    return "".join(parts) + source.text[at : source.offset_of(whole.end)]


def _range(span: Span, source: Source | None) -> dict[str, Any]:
    return {"start": _position(span.start, source), "end": _position(span.end, source)}


def _rows(at: Place) -> dict[str, Any]:
    """The format knows of no cells: of a notebook it is told the rows of the file."""
    return {"start": {"line": at.rows[0]}, "end": {"line": at.rows[1]}}


def _position(position: Position, source: Source | None) -> dict[str, int]:
    """Line and column: the format counts the bytes of UTF-8."""
    if source is None:
        return {"line": position.row, "column": position.column}
    before = source.line(position.row)[: position.column - 1]
    at = place(Span(source.name, position, position), source.layout).start
    before_block = at.column - position.column
    return {"line": at.row, "column": before_block + len(before.encode(errors="surrogatepass")) + 1}
