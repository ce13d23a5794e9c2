"""One file: its bytes, its text as Python would read it, and where an offset into that text stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mxlint.finding import Position, Span

if TYPE_CHECKING:
    from mxlint.documents.layout import Layout

# What ends a line for Python. str.splitlines knows more (form feed, U+2028, ...), which would shift every row after them.
_NEWLINE = re.compile(r"\r\n|\r|\n")
_BYTES_NEWLINE = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


class SourceError(Exception):
    """The bytes are not Python text. `position` is where reading stopped."""

    def __init__(self, message: str, position: Position) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


@dataclass(frozen=True, slots=True)
class Source:
    """A decoded file. `name` is what users see, `text` has no BOM and the newlines of the file. `layout`: of a file that holds Python among other
    things, where the rows of `text` are in it. `session`: it is the program of a notebook, whose cells run whatever another one has raised."""

    path: Path | None
    name: str
    data: bytes
    text: str
    layout: Layout | None = field(default=None, compare=False, repr=False)
    session: bool = field(default=False, compare=False, repr=False)
    places: dict[tuple[int, int], Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The stretches of it that somebody has asked for, each once (`domain/place.py`)."""
    _starts: list[int] = field(default_factory=list, init=False, repr=False, compare=False)
    _digest: list[str] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def starts(self) -> list[int]:
        """The offset of every row; built when first asked for, since most files are never asked."""
        if not self._starts:
            self._starts.extend(line_starts(self.text))
        return self._starts

    @property
    def digest(self) -> str:
        """What stands for the bytes of the file where they are compared; made when first asked for."""
        if not self._digest:
            from hashlib import sha256

            self._digest.append(sha256(self.data).hexdigest())
        return self._digest[0]

    def newline(self, row: int) -> str:
        """What ends a 1-based row, and so what a new line beside it is to end with; for the last one, what ends the row before it."""
        for near in (row, row - 1):
            if near >= 1 and (found := _NEWLINE.search(self.text, self.offset(near))) is not None:
                return found[0]
        return "\n"

    def position(self, offset: int) -> Position:
        """Row and column, 1-based, of an offset into `text`."""
        row = bisect_right(self.starts, offset)
        return Position(row, offset - self._starts[row - 1] + 1)

    def offset(self, row: int) -> int:
        """The offset at which a 1-based row starts; the end of the text for rows after the last."""
        return self.starts[row - 1] if row <= len(self.starts) else len(self.text)

    def offset_of(self, position: Position) -> int:
        """The offset into `text` of a row and column."""
        return self.offset(position.row) + position.column - 1

    def span(self, start: int, end: int) -> Span:
        """The stretch between two offsets into `text`, `end` exclusive."""
        return Span(self.name, self.position(start), self.position(end))

    def line(self, row: int) -> str:
        """The text of a 1-based row, without what ends it."""
        return self.text[self.offset(row) : self.offset(row + 1)].rstrip("\r\n")


def line_starts(text: str) -> list[int]:
    """The offset of every row."""
    if "\r" in text:
        return [0, *(match.end() for match in _NEWLINE.finditer(text))]
    return list(accumulate((len(line) + 1 for line in text.split("\n")[:-1]), initial=0))


def lines_of(text: str) -> list[str]:
    """The lines of a text as Python counts them, without what ends them."""
    return _NEWLINE.split(text)


def read_source(path: Path, name: str) -> Source:
    """Read and decode a file. Raises OSError when it cannot be read, SourceError when it is not Python text."""
    return source_from_bytes(path.read_bytes(), name, path)


def source_from_bytes(data: bytes, name: str, path: Path | None = None) -> Source:
    """Decode as Python does: a BOM, then the declaration of PEP 263, else UTF-8."""
    if b"\0" in data:
        raise SourceError("source code cannot contain null bytes", _position(data, data.index(b"\0"), "utf-8"))
    encoding = _encoding(data)
    body = data.removeprefix(_BOM)
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        message = f"cannot decode byte 0x{error.object[error.start : error.start + 1].hex()} as {encoding}: {error.reason}"
        raise SourceError(message, _position(body, error.start, encoding)) from None
    except (LookupError, ValueError) as error:
        # "hex", "rot13", "idna": codecs by name, but none that turns a file into text.
        raise SourceError(f"cannot decode as {encoding}: {error}", Position(1, 1)) from None
    if "\0" in text:
        raise SourceError("source code cannot contain null characters", Position(1, 1))
    return Source(path, name, data, text)


def rewritten(source: Source, text: str) -> Source:
    """The file with another text, in its own encoding. Raises SourceError where the bytes would not be read as that text again, or where those of
    the text that was there would change."""
    encoding, bom = _encoding(source.data), source.data.startswith(_BOM)
    try:
        if source.text.encode(encoding) != source.data.removeprefix(_BOM):
            raise SourceError(f"{encoding} has several ways to write what the file holds", Position(1, 1))
        made = source_from_bytes((_BOM if bom else b"") + text.encode(encoding), source.name, source.path)
    except UnicodeEncodeError as error:
        raise SourceError(f"cannot encode {error.object[error.start]!a} as {encoding}", Position(1, 1)) from None
    if made.text != text:
        raise SourceError("the file would be read in another encoding", Position(1, 1))
    return made


def _encoding(data: bytes) -> str:
    """The encoding that the first two lines declare."""
    lines = _BYTES_NEWLINE.split(data, 2)[:2]
    if not any(b"coding" in line for line in lines):
        return "utf-8"
    from tokenize import detect_encoding

    # Lines of our own, because detect_encoding itself relies on \n.
    readline = iter([line + b"\n" for line in lines]).__next__
    try:
        encoding, _ = detect_encoding(readline)
    except SyntaxError as error:
        raise SourceError(str(error.msg), Position(1, 1)) from None
    return "utf-8" if encoding == "utf-8-sig" else encoding


def _position(data: bytes, offset: int, encoding: str) -> Position:
    before = data[:offset].decode(encoding, "replace").removeprefix("\ufeff")
    lines = _NEWLINE.split(before)
    return Position(len(lines), len(lines[-1]) + 1)
