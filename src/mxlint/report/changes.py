"""What a fix changes, as rows that go and rows that come."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher

from mxlint.finding import Fix
from mxlint.report.style import Style, printable
from mxlint.source import Source, lines_of

MOST_LINES = 12
"""Lines of a change that are shown; --diff shows all."""


def changes(fix: Fix, sources: Mapping[str, Source], gutter: int, style: Style) -> Iterator[str]:
    """The lines to print: a row number, `-` or `+`, the row. Nothing for a fix of several files, or of the cells of a notebook."""
    from mxlint.fixes.edits import EditError, apply

    source = sources.get(fix.edits[0].span.filename) if fix.edits else None
    if source is None or source.layout is not None or any(edit.span.filename != source.name for edit in fix.edits):
        return
    try:
        made = lines_of(apply(source.text, fix.edits))
    except EditError:
        return
    lines = list(_changes(lines_of(source.text), made))
    for sign, row, text in lines[:MOST_LINES]:
        yield style.change(f"{sign} {row:>{gutter}} | {printable(text.expandtabs(4))}".rstrip())
    if len(lines) > MOST_LINES:
        yield style.frame("...") + f" {len(lines) - MOST_LINES} more lines: --diff shows them"


def _changes(before: list[str], after: list[str]) -> Iterator[tuple[str, int, str]]:
    for kind, start, end, new_start, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            yield from (("-", row + 1, before[row]) for row in range(start, end))
            yield from (("+", row + 1, after[row]) for row in range(new_start, new_end))
