"""Where things stand in a text: what ast says in rows and UTF-8 columns, and the few tokens whose places it does not keep."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from mxlint.source import line_starts

_BLANK = " \t\f\r\n\\"


class Positions:
    """The places of one text, as offsets in code points. Rows end where Python ends them: at \\n, \\r\\n and \\r."""

    __slots__ = ("starts", "text", "wide")

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *line_starts(text)]
        """By row, from 1 on, where it starts."""
        self.wide = not text.isascii()
        """Whether a column of ast may differ from the number of characters before it."""

    def at(self, row: int, column: int) -> int:
        """The offset of what stands behind `column` bytes of UTF-8 in a row, from 1 on."""
        start = self.starts[row]
        if not self.wide or not column:
            return start + column
        line = self.text[start : start + column]  # no character takes less than a byte
        return start + (column if line.isascii() else len(line.encode("utf-8")[:column].decode("utf-8", "ignore")))

    def part(self, start: int) -> Positions:
        """The positions in a text that is parsed by itself and begins at `start`."""
        made = Positions.__new__(Positions)
        made.text, made.wide = self.text, self.wide
        made.starts = [0, start, *self.starts[bisect_right(self.starts, start, 1) :]]
        return made

    def token(self, at: int, also: str = "") -> int:
        """Where the next token begins, at or after `at`; characters of `also` are stepped over like blanks, line ends and comments."""
        text, end = self.text, len(self.text)
        while at < end:
            if text[at] == "#":
                while at < end and text[at] not in "\r\n":
                    at += 1
            elif text[at] in _BLANK or text[at] in also:
                at += 1
            else:
                break
        return at

    def closed(self, end: int, before: int) -> int:
        """The end of an expression that ends at `end`, with the parentheses that are closed behind it, but those at `before` or later left out."""
        at = end
        while (at := self.token(at)) < before and self.text[at] == ")":
            end = at = at + 1
        return end

    def starred(self, start: int, star: str) -> int:
        """Where the star of a parameter stands whose name begins at `start`; no comment may stand between them."""
        at = start
        while star and self.text[at - 1] in _BLANK:
            at -= 1
        return at - len(star) if star and self.text.endswith(star, 0, at) else start

    def name(self, start: int, words: Iterable[str], name: str) -> tuple[int, int]:
        """Where the name of a definition stands that begins at `start` with these words."""
        for word in words:
            start = self.token(start + len(word))
        return start, self._word(start, name)

    def _word(self, at: int, word: str) -> int:
        """Where a word ends that begins at `at`. Python keeps names in a normal form, which may be shorter or longer than what is written."""
        if self.text.startswith(word, at) and not self._continues(at + len(word)):
            return at + len(word)
        while self._continues(at):
            at += 1
        return at

    def _continues(self, at: int) -> bool:
        return at < len(self.text) and f"a{self.text[at]}".isidentifier()
