"""What a run found in one open document, in the words and units of the protocol."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lsprotocol import types

from mxlint.documents.layout import Layout
from mxlint.finding import Edit, Finding, Position, Severity, Span
from mxlint.rules.registry import page_url
from mxlint.server.documents import Document, Documents, uri_of
from mxlint.server.session import Outcome
from mxlint.server.texts import Text

SEVERITY: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
UNNECESSARY = frozenset({"MX001"})
"""Rules about what could as well not be there: an editor shows it pale."""


@dataclass(slots=True)
class View:
    """A document, and the outcome of a run that has seen this text of it. `settled`: nothing is to be added to that."""

    document: Document
    documents: Documents
    outcome: Outcome
    settled: bool
    findings: tuple[Finding, ...]
    """Those that lie in the document; with verdicts, where they were verified."""
    cwd: Path
    cells: Mapping[int, Document] = field(default_factory=dict)
    """The cells of the notebook that the document is one of, by their numbers."""
    _texts: dict[str, Text | None] = field(default_factory=dict)

    def diagnostics(self) -> list[types.Diagnostic]:
        """What to show in the document."""
        return [self.diagnostic(finding) for finding in self.findings]

    def diagnostic(self, finding: Finding) -> types.Diagnostic:
        """A finding as the protocol has it."""
        return types.Diagnostic(
            range=self._range(finding.span),
            message=message(finding),
            severity=SEVERITY[finding.severity],
            code=finding.code,
            code_description=types.CodeDescription(page_url(finding.code)),
            source="mxlint",
            tags=[types.DiagnosticTag.Unnecessary] if finding.code in UNNECESSARY else None,
            related_information=list(self._related(finding)) or None,
        )

    def at(self, range: types.Range) -> Iterator[Finding]:
        """The findings that a range touches."""
        for finding in self.findings:
            own = self._range(finding.span)
            if _key(own.start) <= _key(range.end) and _key(range.start) <= _key(own.end):
                yield finding

    def edit(self, edits: tuple[Edit, ...]) -> types.WorkspaceEdit | None:
        """Edits as the protocol has them; None where a file is not at hand."""
        changes: dict[str, list[types.TextEdit]] = {}
        for edit in edits:
            place = self._place(edit.span)
            if place is None:
                return None
            changes.setdefault(place.uri, []).append(types.TextEdit(place.range, edit.content))
        return self.workspace_edit(changes)

    def workspace_edit(self, changes: dict[str, list[types.TextEdit]]) -> types.WorkspaceEdit:
        """Edits of files by their URIs, each for the version that it was made for."""
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(
                    types.OptionalVersionedTextDocumentIdentifier(uri, self._version(uri)),
                    list(edits),
                )
                for uri, edits in changes.items()
            ]
        )

    def _version(self, uri: str) -> int | None:
        """The version that an edit of a file is for; None if it is not open."""
        document = self.document if uri == self.document.uri else self.documents.get(uri)
        return document.version if document is not None else None

    def uri(self, name: str) -> str:
        """The URI of a file by the name that it has in the run; that of the document that shows it, if one does."""
        path = os.path.normpath(self.cwd / name)
        if self.outcome.names.get(self.document.key) == name:
            return self.document.uri
        document = self.documents.of_file(os.path.realpath(path))
        return document.uri if document is not None else uri_of(path)

    def holds(self, span: Span) -> bool:
        """Whether a span lies in the document."""
        if span.filename != self.outcome.names.get(self.document.key):
            return False
        layout = self._layout(span.filename)
        return layout is None or layout.place(span).cell == self.document.cell

    def position(self, place: types.Position) -> Position:
        """A place of the document as the run knows it: in a notebook, one of the program that the cells make."""
        position = self.document.text.row_and_column(place)
        layout = self._layout(self.outcome.names.get(self.document.key, ""))
        row = layout.row(self.document.cell, position.row) if layout is not None else None
        return position if row is None else Position(row, position.column)

    def _range(self, span: Span) -> types.Range:
        """The range of a span that lies in the document."""
        return self.document.text.range(self._in_cell(span))

    def _in_cell(self, span: Span) -> Span:
        """A span by the rows of the cell that it lies in, if it lies in one."""
        layout = self._layout(span.filename)
        if layout is None:
            return span
        place = layout.place(span)
        return Span(span.filename, place.start, place.end)

    def _layout(self, name: str) -> Layout | None:
        source = self.outcome.result.sources.get(name)
        return source.layout if source is not None else None

    def _related(self, finding: Finding) -> Iterator[types.DiagnosticRelatedInformation]:
        for related in finding.elsewhere:
            if (place := self._place(related.span)) is not None:
                yield types.DiagnosticRelatedInformation(place, related.message)

    def _place(self, span: Span) -> types.Location | None:
        layout = self._layout(span.filename)
        if layout is not None:
            cell = self.cells.get(layout.place(span).cell or 0) if span.filename == self.outcome.names.get(self.document.key) else None
            return None if cell is None else types.Location(cell.uri, cell.text.range(self._in_cell(span)))
        text = self._text(span.filename)
        return None if text is None else types.Location(self.uri(span.filename), text.range(span))

    def _text(self, name: str) -> Text | None:
        if name not in self._texts:
            uri = self.uri(name)
            document, source = self.documents.get(uri), self.outcome.result.sources.get(name)
            if uri == self.document.uri:
                self._texts[name] = self.document.text
            elif document is not None:
                self._texts[name] = document.text
            else:
                self._texts[name] = None if source is None else Text(source.text, self.documents.encoding)
        return self._texts[name]


def message(finding: Finding) -> str:
    """What to show of a finding: what happens, what MLX said to that, and what to do about it."""
    lines = [finding.message]
    if finding.verdict is not None:
        verdict = finding.verdict
        shown = verdict.evidence.observed if verdict.evidence is not None else verdict.reason
        lines.append(f"verify: {verdict.verdict}" + (f": {shown}" if shown else ""))
    return "\n".join((*lines, *finding.below))


def _key(place: types.Position) -> tuple[int, int]:
    return place.line, place.character
