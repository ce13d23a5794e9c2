"""An expression that is written over several lines, as it would be in one."""

from __future__ import annotations

import io
import re
import tokenize

_CONTINUED = re.compile(r"\\(?:\r\n|\r|\n)")


def in_one_line(text: str) -> str:
    """The text without line breaks, what continues lines, and comments."""
    if "\n" in text or "\r" in text:
        text = _CONTINUED.sub(" ", _uncommented(text) if "#" in text else text)
    return " ".join(text.split())


def _uncommented(text: str) -> str:
    """The text without its comments; as it is where it is no expression."""
    rows = list(io.StringIO(f"({text}"))
    try:
        tokens = tokenize.generate_tokens(io.StringIO(f"({text}\n)").readline)
        comments = [token for token in tokens if token.type == tokenize.COMMENT]
    except (tokenize.TokenError, SyntaxError):
        return text
    for comment in comments:
        row, column = comment.start
        rows[row - 1] = rows[row - 1][:column] + " " + rows[row - 1][column + len(comment.string) :]
    return "".join(rows)[1:]
