"""Files that hold Python, as sources: the program that they make, and where its rows are in the file."""

from __future__ import annotations

import builtins
import re
import symtable
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mxlint.documents import markdown, notebook
from mxlint.documents.ipython import is_python, python
from mxlint.documents.kinds import Kind
from mxlint.documents.layout import Layout, Piece
from mxlint.source import Source, line_starts

SESSION = "__session__"
"""The module that a program has the names from that nothing in it binds: a kernel has them from IPython, from `%run`, from cells of other languages."""

_BUILTINS = frozenset(dir(builtins))
_NOT_END = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class _Part:
    """A cell or block on its way into a program: as it is written, as Python reads it, and what `Piece` says of it."""

    written: str
    code: str
    rows: tuple[int, ...]
    cell: int | None
    shifts: tuple[int, ...]
    added: str
    opens: bool


def code_of(data: bytes, kind: Kind) -> bytes:
    """All Python that a file holds, and in a notebook what other code there is, for what looks at bytes alone. Raises DocumentError."""
    texts = (
        [cell.text for cell in notebook.read(data).cells]
        if kind == "notebook"
        else ["".join(block.lines) for block in markdown.read(data)[1]]
    )
    return "\n".join(texts).encode(errors="surrogatepass")


def read_document(data: bytes, kind: Kind, name: str, path: Path | None) -> Source:
    """A file as a source. Raises DocumentError.

    Each program begins with a row that is in no cell or block: there stand the names that it does not bind itself.
    """
    parts = list(_parts(data, kind))
    texts, written, pieces, broken, row = list[str](), list[str](), list[Piece](), list[tuple[int, str]](), 1
    good = [is_python(part.code) for part in parts]
    for number, part in enumerate(parts):
        if part.opens:
            following = next((end for end in range(number + 1, len(parts)) if parts[end].opens), len(parts))
            names = _names_from_outside(other.code for other, sound in zip(parts[number:following], good[number:following]) if sound)
            head = f"from {SESSION} import {', '.join(names)}\n" if names else " \n"  # a row end alone would be one with a \r before it
            texts.append(head)
            written.append(head)
            row += 1
        if not good[number]:
            broken.append((number, part.code))
        texts.append((part.code if good[number] else _NOT_END.sub(" ", part.code)) + part.added)
        written.append(part.written + part.added)
        pieces.append(Piece(row, part.rows, part.cell, part.shifts, part.added, part.opens))
        row += len(part.rows)
    return Source(path, name, data, "".join(texts), Layout(kind, tuple(pieces), "".join(written), tuple(broken)))


def programs(source: Source) -> Iterator[Source]:
    """The programs that a source holds as plain sources, each with its rows where they are in the whole."""
    if source.layout is None:
        yield source
        return
    pieces = source.layout.pieces
    starts = [piece.first - 1 for piece in pieces if piece.opens]
    for number, start in enumerate(starts):
        if source.layout.kind == "notebook" and source.layout.broken:
            return  # what is left of it is not the program
        end = starts[number + 1] if number + 1 < len(starts) else len(source.starts) + 1
        text = "\n" * (start - 1) + source.text[source.offset(start) : source.offset(end)]
        yield _plain(source, text, source.layout.kind == "notebook")


def broken(source: Source) -> Iterator[Source]:
    """The cells or blocks that are not Python as plain sources, each with its rows where they are in the whole."""
    for number, code in source.layout.broken if source.layout is not None else ():
        assert source.layout is not None
        yield _plain(source, "\n" * (source.layout.pieces[number].first - 1) + code)


def _plain(source: Source, text: str, session: bool = False) -> Source:
    return Source(source.path, source.name, text.encode(errors="surrogatepass"), text, session=session)


def _parts(data: bytes, kind: Kind) -> Iterator[_Part]:
    return _cells(data) if kind == "notebook" else _blocks(data)


def _cells(data: bytes) -> Iterator[_Part]:
    opens = True
    for cell, rows in notebook.read(data).rows():
        text = cell.text
        code = python(text)
        if code is not None:
            added = "\r\n" if "\r\n" in text else "\n"  # rows that a fix adds behind the last are to end as others do
            count = len(line_starts(text + added)) - 1  # one less than before where a \r has become a \r\n
            yield _Part(text, code, rows[:count], cell.number, (), added, opens)
            opens = False


def _blocks(data: bytes) -> Iterator[_Part]:
    first = True
    for block in markdown.read(data)[1]:
        text, count = "".join(block.lines), len(block.lines)
        added = "" if text.endswith(("\n", "\r")) else "\n"
        yield _Part(text, text, tuple(range(block.row, block.row + count)), None, block.shifts, added, first or not block.continues)
        first = False


def _names_from_outside(codes: Iterable[str]) -> list[str]:
    """The names that a program reads as globals and does not bind anywhere, less Python's own."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            top = symtable.symtable("\n".join(codes), "<program>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    read, bound, waiting = set[str](), set[str](), [top]
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        for symbol in table.get_symbols():
            if symbol.is_global() or table is top:
                (read.add if symbol.is_referenced() else bound.add)(symbol.get_name())
                if symbol.is_assigned() or symbol.is_imported():
                    bound.add(symbol.get_name())
    return sorted(read - bound - _BUILTINS - {"__name__", "__file__", "__doc__", "__builtins__"})
