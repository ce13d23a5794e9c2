"""Notebooks as Jupyter stores them (nbformat 4): JSON in which the rows of cells are strings.

They are read with where each row stands, so that a row is changed by itself: all other bytes stay. Writing the whole document anew would lose indentation,
the order of keys, the spelling of numbers and escapes.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, pairwise
from json.decoder import scanstring  # type: ignore[attr-defined]

from mxlint.documents.errors import DocumentError
from mxlint.source import line_starts

_BLANK = re.compile(r"[ \t\r\n]*")
_ROW = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# What stands for one character of a string of JSON, as it is written there.
_WRITTEN = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL)
_DECODER = json.JSONDecoder()
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Part:
    """A string of JSON that holds text of a cell. `start`, `end`: where it is in the document, quotes included."""

    start: int
    end: int
    value: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell. `number` counts the cells of any kind, from 1; `parts` are the strings that make its text, `listed` if they are in a list;
    `start`, `end`: where what holds the text is in the document."""

    number: int
    parts: tuple[Part, ...]
    listed: bool
    start: int
    end: int

    @property
    def text(self) -> str:
        return "".join(part.value for part in self.parts)


@dataclass(frozen=True, slots=True)
class Notebook:
    """The code cells of a notebook for Python, in order, and the document that they are in."""

    document: str
    cells: tuple[Cell, ...]

    def rows(self) -> Iterator[tuple[Cell, tuple[int, ...]]]:
        """The cells, each with the row of the document in which each row of its text begins; where a string holds several, that is the same."""
        row, at = 1, 0
        for cell in self.cells:
            offset, offsets, rows = 0, list[int](), list[int]()
            for start, length in [(part.start, len(part.value)) for part in cell.parts] or [(cell.start, 0)]:
                row, at = row + self.document.count("\n", at, start), start
                offsets.append(offset)
                rows.append(row)
                offset += length
            yield cell, tuple(rows[bisect_right(offsets, start) - 1] for start in line_starts(cell.text))

    def with_texts(self, texts: Mapping[int, str]) -> str:
        """The document with other texts in some cells, by their number."""
        made, at = [], 0
        for cell in self.cells:
            if cell.number in texts:
                made += [self.document[at : cell.start], _written(self.document, cell, texts[cell.number])]
                at = cell.end
        return "".join([*made, self.document[at:]])


# -- reading -----------------------------------------------------------------------------------------------------------


def read(data: bytes) -> Notebook:
    """The code cells of a notebook. None of them if its language is not Python. Raises DocumentError for what is no notebook of format 4."""
    try:
        document = data.decode("utf-8")
        content = json.loads(document.removeprefix(_BOM))
    except UnicodeDecodeError as error:
        raise DocumentError(f"not a notebook: not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise DocumentError(f"not a notebook: not JSON at line {error.lineno}, column {error.colno}: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"not a notebook: JSON that cannot be read: {error}") from None
    _check(content)
    if not _is_python(content):
        return Notebook(document, ())
    return Notebook(document, tuple(_Reader(document).code_cells()))


def _check(content: object) -> None:
    if not isinstance(content, dict) or "nbformat" not in content and "cells" not in content:
        raise DocumentError("not a notebook: JSON without the keys `cells` and `nbformat`")
    version = content.get("nbformat")
    if version in (1, 2, 3) or "worksheets" in content:
        raise DocumentError(
            f"a notebook of format {version}, and mxlint reads format 4: `jupyter nbconvert --to notebook --inplace` makes it one"
        )
    if version != 4:
        raise DocumentError(f"not a notebook that mxlint reads: nbformat is {json.dumps(version)[:40]}, expected 4")
    cells = content.get("cells")
    if not isinstance(cells, list):
        raise DocumentError("not a notebook: `cells` is no list")
    for number, cell in enumerate(cells, 1):
        source = cell.get("source") if isinstance(cell, dict) else None
        lines = source if isinstance(source, list) else [source]
        if not isinstance(cell, dict) or not isinstance(cell.get("cell_type"), str) or not all(isinstance(line, str) for line in lines):
            raise DocumentError(f"not a notebook: cell {number} has no `cell_type` or no text as `source`")


def _is_python(content: dict[str, object]) -> bool:
    """Whether its kernel runs Python, as far as it says."""
    metadata = content.get("metadata")
    if not isinstance(metadata, dict):
        return True
    info, kernel = metadata.get("language_info"), metadata.get("kernelspec")
    name = info.get("name") if isinstance(info, dict) else kernel.get("language") if isinstance(kernel, dict) else None
    return not isinstance(name, str) or name.lower() in ("python", "ipython", "python3")


class _Reader:
    """Finds the strings that hold code in a document that is known to be a notebook. Of a key that stands twice, the last counts, as in JSON."""

    def __init__(self, document: str) -> None:
        self._document = document

    def code_cells(self) -> Iterator[Cell]:
        top = dict(self._object(self._skip(document_start(self._document))))
        for number, start in enumerate(self._array(top["cells"]), 1):
            fields = dict(self._object(start))
            kind, _ = scanstring(self._document, fields["cell_type"] + 1, True)
            if kind == "code" and "source" in fields:
                yield self._cell(number, fields["source"])

    def _cell(self, number: int, start: int) -> Cell:
        if self._document[start] == '"':
            part = self._part(start)
            return Cell(number, (part,), False, start, part.end)
        parts = tuple(self._part(item) for item in self._array(start))
        return Cell(number, parts, True, start, self._end(start))

    def _part(self, start: int) -> Part:
        value, end = scanstring(self._document, start + 1, True)
        return Part(start, end, value)

    def _object(self, start: int) -> Iterator[tuple[str, int]]:
        """The keys of the object at an offset, each with where its value starts."""
        at = self._skip(start + 1)
        while self._document[at] != "}":
            key, at = scanstring(self._document, at + 1, True)
            value = self._skip(self._skip(at) + 1)
            yield key, value
            at = self._next(value)

    def _array(self, start: int) -> Iterator[int]:
        """Where the items of the array at an offset start."""
        at = self._skip(start + 1)
        while self._document[at] != "]":
            yield at
            at = self._next(at)

    def _next(self, value: int) -> int:
        """What comes after a value and the comma behind it."""
        at = self._skip(self._end(value))
        return self._skip(at + 1) if self._document[at] == "," else at

    def _end(self, value: int) -> int:
        return _DECODER.raw_decode(self._document, value)[1]

    def _skip(self, at: int) -> int:
        blank = _BLANK.match(self._document, at)
        return blank.end() if blank is not None else at


def document_start(document: str) -> int:
    """Where the JSON begins."""
    return len(_BOM) if document.startswith(_BOM) else 0


# -- writing -----------------------------------------------------------------------------------------------------------


def _written(document: str, cell: Cell, text: str) -> str:
    """What is to hold the text of a cell, in the form that it has. Rows that stay keep the spelling that they have."""
    split = _split_by(cell)
    old = split(cell.text)
    lines = list(_kept(old, split(text), _spellings(document, cell, old), lambda line: _spelled(line, document)))
    if not cell.listed:
        return f'"{"".join(lines)}"'
    if not lines:
        return "[]"
    opening, between, closing = _gaps(document, cell)
    return f"[{opening}" + between.join(f'"{line}"' for line in lines) + f"{closing}]"


def _split_by(cell: Cell) -> Callable[[str], list[str]]:
    """What takes texts apart as the list of this cell is: writers differ in what ends a line for them."""
    ways: tuple[Callable[[str], list[str]], ...] = (_LINE.findall, _ROW.findall, lambda text: text.splitlines(keepends=True))
    if not cell.listed:
        return _ROW.findall
    values = [part.value for part in cell.parts]
    return next((way for way in ways if way(cell.text) == values), _LINE.findall)


def _kept(old: Sequence[str], new: Sequence[str], spellings: Sequence[str], spelled: Callable[[str], str]) -> Iterator[str]:
    """How the new lines are written: those that were there as they were."""
    for how, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield from spellings[start:end] if how == "equal" else map(spelled, new[first:last])


def _spellings(document: str, cell: Cell, lines: Sequence[str]) -> list[str]:
    """How each line of a cell is written in the document, without quotes."""
    written = [character for part in cell.parts for character in _WRITTEN.findall(document[part.start + 1 : part.end - 1])]
    ends = list(accumulate(map(len, lines)))
    return ["".join(written[start:end]) for start, end in pairwise([0, *ends])]


def _spelled(line: str, document: str) -> str:
    """A line as it is written in this document: one in plain ASCII stays so."""
    return json.dumps(line, ensure_ascii=document.isascii())[1:-1]


def _gaps(document: str, cell: Cell) -> tuple[str, str, str]:
    """What stands before, between and after the strings of a list. In a list of one, each comes on a row as that one does."""
    if not cell.parts:
        return "", ", ", ""
    first, last = cell.parts[0], cell.parts[-1]
    opening, closing = document[cell.start + 1 : first.start], document[last.end : cell.end - 1]
    if len(cell.parts) > 1:
        return opening, document[first.end : cell.parts[1].start], closing
    return opening, f",{opening or ' '}", closing
