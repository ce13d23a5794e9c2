"""Rows that texts name, as people count them: of a cell in a notebook, of the file in Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from mxlint.documents.layout import Layout
from mxlint.documents.reading import SESSION
from mxlint.finding import Finding, Position, Span, Verdict
from mxlint.headline import fitted
from mxlint.source import Source

# Rules and experiments write `line 12`. What stands between backticks is the user's.
_LINE = re.compile(r"\bline (?P<row>\d+)\b")
_QUOTED = re.compile(r"(`[^`]*`)")


def with_own_rows(finding: Finding, sources: Mapping[str, Source]) -> Finding:
    """The finding whose message names rows of its cells instead of rows of the program."""
    layout = _layout(finding, sources)
    if layout is None:
        return finding
    return replace(
        finding,
        message=fitted(_reworded(finding.message, layout, None)),
        note=_reworded(finding.note, layout, None),
        help=_reworded(finding.help, layout, None),
    )


def with_own_rows_of_verdict(finding: Finding, sources: Mapping[str, Source]) -> Finding:
    """The finding whose verdict names rows of its cells instead of rows of the program."""
    layout, verdict = _layout(finding, sources), finding.verdict
    if layout is None or verdict is None:
        return finding
    return replace(finding, verdict=_verdict(verdict, layout, finding.span.filename))


def _verdict(verdict: Verdict, layout: Layout, name: str) -> Verdict:
    def reworded(text: str | None) -> str | None:
        return None if text is None else _reworded(text, layout, name)

    evidence = verdict.evidence
    if evidence is not None:
        observed, expected = _reworded(evidence.observed, layout, name), _reworded(evidence.expected, layout, name)
        evidence = replace(evidence, observed=observed, expected=expected, note=reworded(evidence.note))
    missing = tuple(module for module in verdict.missing if module != SESSION)
    return replace(verdict, reason=reworded(verdict.reason), note=reworded(verdict.note), evidence=evidence, missing=missing)


def _layout(finding: Finding, sources: Mapping[str, Source]) -> Layout | None:
    source = sources.get(finding.span.filename)
    return source.layout if source is not None else None


def _reworded(text: str, layout: Layout, name: str | None) -> str:
    """A text with its rows as people count them. `name`: of the file, where `name:12` is a row as well."""

    def line(match: re.Match[str]) -> str:
        cell, row = _at(layout, int(match["row"]))
        return f"line {row} of cell {cell}" if cell is not None else f"line {row}"

    def place(match: re.Match[str]) -> str:
        cell, row = _at(layout, int(match["row"]))
        return f"{name}:cell {cell}:{row}" if cell is not None else f"{name}:{row}"

    parts = [part if part.startswith("`") else _LINE.sub(line, part) for part in _QUOTED.split(text)]
    made = (
        "".join(parts)
        .replace(f"the module {SESSION} is not installed", "a name comes from outside of the cells")
        .replace(f"{SESSION}.", "")
    )
    return re.sub(rf"(?<![\w/]){re.escape(name)}:(?P<row>\d+)\b", place, made) if name is not None else made


def _at(layout: Layout, row: int) -> tuple[int | None, int]:
    place = layout.place(Span("", Position(row, 1), Position(row, 1)))
    return place.cell, place.start.row
