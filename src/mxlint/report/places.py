"""Where a finding is, as reports tell it: row and column of a cell in a notebook, of the file everywhere else."""

from __future__ import annotations

from collections.abc import Mapping

from mxlint.documents.layout import Place, place
from mxlint.finding import Span
from mxlint.source import Source


def place_of(span: Span, sources: Mapping[str, Source]) -> Place:
    """Where a span is for people and for formats that know of cells; `rows` for those that do not."""
    source = sources.get(span.filename)
    return place(span, source.layout if source is not None else None)


def in_cell(place: Place) -> str:
    """Cell, row and column, for formats that have no place for a cell but their text; empty for what is in none."""
    return f"cell {place.cell}:{place.start.row}:{place.start.column}" if place.cell is not None else ""
