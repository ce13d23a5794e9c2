"""Fenced code blocks of Markdown, as CommonMark has them: in lists and quotes too, each row with the columns that belong to what it is in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from os.path import commonprefix

from mxlint.documents.errors import DocumentError

_LANGUAGES = frozenset(("python", "python3", "py", "py3"))
CONTINUES = "continuation"
"""Says in the line of a fence that the block goes on with the program of the one before; pytest-markdown-docs knows the word, too."""
SKIPPED = "mxlint=skip"
"""Says there that the block is not looked at."""

_INFO = re.compile(r"\{?\s*\.?(?P<language>[\w+-]+)(?P<rest>.*)", re.DOTALL)
_WORD = re.compile(r"[^\s,{}]+")
_ROW = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_END = re.compile(r"(?:\r\n|\r|\n)?$")
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Block:
    """A block of Python: its rows as Python reads them, each with its end; `row`: the row of the file that the first is, 1-based; `shifts`: for
    each, the columns before it."""

    lines: tuple[str, ...]
    row: int
    shifts: tuple[int, ...]
    continues: bool


def read(data: bytes) -> tuple[str, tuple[Block, ...]]:
    """The text of a file, and its blocks of Python in order. Raises DocumentError for what is no text."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DocumentError(f"not UTF-8 at byte {error.start}") from None
    return text, tuple(_blocks(text))


def with_lines(text: str, blocks: Mapping[Block, list[str]]) -> str:
    """The text with other lines in some blocks. Rows that stay are as they were, others stand where those of the block do."""
    rows = _ROW.findall(text)
    for block in sorted(blocks, key=lambda block: block.row, reverse=True):
        first, last = block.row - 1, block.row - 1 + len(block.lines)
        rows[first:last] = _written(rows[first:last], block, blocks[block])
    return "".join(rows)


def _blocks(text: str) -> Iterator[Block]:
    from markdown_it import MarkdownIt

    rows = _ROW.findall(text)
    for token in MarkdownIt("commonmark").parse(text.removeprefix(_BOM)):
        info = _INFO.match(token.info.strip()) if token.type == "fence" else None
        if info is None or token.map is None or info["language"].lower() not in _LANGUAGES:
            continue
        words = _WORD.findall(info["rest"])
        lines = token.content.removesuffix("\n").split("\n") if token.content else []  # the last row of a file may have no end
        block = _block(rows, token.map[0] + 1, lines, CONTINUES in words)
        if block is not None and SKIPPED not in words:
            yield block


def _block(rows: list[str], first: int, lines: list[str], continues: bool) -> Block | None:
    """The block that begins in a row, counted from 0; None if it is empty, or if its columns are not those of the file: a tab that is cut in two."""
    own = rows[first : first + len(lines)]
    ends = [_END.search(row) for row in own]
    bare = [row[: end.start()] for row, end in zip(own, ends) if end is not None]
    if not lines or len(own) < len(lines) or any(not row.endswith(line) for row, line in zip(bare, lines)):
        return None
    indent = commonprefix([line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line.strip()])
    lines = [line[len(indent) :] if line.strip() else line for line in lines]  # a piece of a function is read without its indentation
    with_ends = tuple(line + row[len(text) :] for line, text, row in zip(lines, bare, own))
    return Block(with_ends, first + 1, tuple(len(row) - len(line) for row, line in zip(bare, lines)), continues)


def _written(rows: list[str], block: Block, lines: list[str]) -> Iterator[str]:
    """The rows of the file for the new lines of a block."""
    filled = [(row, shift) for row, shift, line in zip(rows, block.shifts, block.lines) if line.strip()]
    before = next((row[:shift] for row, shift in filled), "")
    for how, start, end, first, last in SequenceMatcher(None, block.lines, lines, autojunk=False).get_opcodes():
        if how == "equal":
            yield from rows[start:end]
        else:
            yield from ((before if line.strip() else before.rstrip()) + line for line in lines[first:last])
