"""Edits of a program, made in the file that holds it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from mxlint.documents import markdown, notebook
from mxlint.documents.errors import DocumentError
from mxlint.documents.layout import Layout, Piece
from mxlint.documents.reading import read_document
from mxlint.source import Source

if TYPE_CHECKING:
    from mxlint.finding import Edit

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")

Replacement = tuple[int, int, str]
"""Offsets into the program's text, and what is to stand between them."""


def rewritten_document(source: Source, layout: Layout, edits: Iterable[Replacement]) -> Source:
    """A file with edits made in its cells or blocks; all that is not edited is the same to the byte. Raises DocumentError for an edit that does not lie
    in one of them, that meets what only IPython reads, or that leaves something else than was meant."""
    by_piece: dict[int, list[Replacement]] = defaultdict(list)
    for edit in edits:
        by_piece[_holds(source, layout, edit)].append(edit)
    texts = {number: _edited(source, layout, number, own) for number, own in by_piece.items()}
    made = read_document(_data(source, layout, texts), layout.kind, source.name, source.path)
    after = made.layout
    assert after is not None
    if len(after.pieces) != len(layout.pieces) or len(after.broken) != len(layout.broken):
        raise DocumentError("the fix would take the file apart in another way")
    for number, text in texts.items():
        if piece_text(made, after, number) != text:
            raise DocumentError("the fix would not be read as it was meant")
    return made


def in_pieces(source: Source, edits: Iterable[Edit]) -> bool:
    """Whether edits can be made in a source: of a document, each in one cell or block."""
    if source.layout is None:
        return True
    try:
        rewritten_document(
            source, source.layout, [(source.offset_of(edit.span.start), source.offset_of(edit.span.end), edit.content) for edit in edits]
        )
    except DocumentError:
        return False
    return True


def _holds(source: Source, layout: Layout, edit: Replacement) -> int:
    """The number of the piece that an edit lies in."""
    start, end, _ = edit
    found = [number for number, piece in enumerate(layout.pieces) if _start(source, piece) <= start and end <= _end(source, piece)]
    if not found:
        raise DocumentError("an edit does not lie in one cell or block")
    if source.text[start:end] != layout.written[start:end] or any(number in found[-1:] for number, _ in layout.broken):
        raise DocumentError("an edit meets what only IPython reads")
    return found[-1]  # what is inserted between two belongs to the second


def _edited(source: Source, layout: Layout, number: int, edits: list[Replacement]) -> str:
    """The text of a piece after its edits."""
    piece = layout.pieces[number]
    at, end = _start(source, piece), _end(source, piece)
    made = []
    for first, last, content in sorted(edits):
        made += [layout.written[at:first], content]
        at = last
    text = "".join([*made, layout.written[at:end]])
    if not piece.added:
        if text and not text.endswith(("\n", "\r")):
            raise DocumentError("the last row of a block would have no end")
        return text
    if text and not text.endswith(piece.added):
        raise DocumentError("a cell would run into the next")
    return text[: -len(piece.added)] if text else ""


def piece_text(source: Source, layout: Layout, number: int) -> str:
    """The text of a piece as it is written in the file."""
    piece = layout.pieces[number]
    return layout.written[_start(source, piece) : _end(source, piece) - len(piece.added)]


def _start(source: Source, piece: Piece) -> int:
    return source.offset(piece.first)


def _end(source: Source, piece: Piece) -> int:
    return source.offset(piece.last + 1)


def _data(source: Source, layout: Layout, texts: Mapping[int, str]) -> bytes:
    """The file with other texts in some pieces."""
    if layout.kind == "notebook":
        document = notebook.read(source.data).with_texts({layout.pieces[number].cell or 0: text for number, text in texts.items()})
    else:
        text, blocks = markdown.read(source.data)
        document = markdown.with_lines(text, {blocks[number]: _LINE.findall(new) for number, new in texts.items()})
    return document.encode()
