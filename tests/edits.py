"""Random edits of a text: as somebody types, deletes, pastes, or moves lines."""

from __future__ import annotations

import random
import re

SNIPPETS = (
    "(", ")", ":", "\n", "\r\n", "\r", "\f", "\u2028", "é𝒙", "'", '"""', "#", "  # mxlint: ignore[MX101]\n", "# noqa\n", "    ", "\t", "\\\n",
    "print(x)\n", "x.item()", "mx.compile(", "@mx.compile\n", "import mlx.core as mx\n", "import use\n", "return", "lambda: ", "for i in range(3):\n",
    "self.", "\0", "\ufeff", "# -*- coding: latin-1 -*-\n",
)  # fmt: skip

DEAR = ("evaluate.py", "sampling.py")
"""Files of tests/fixtures/project that run its training loop again, which costs as much as all others together. Tests of something else do without them."""


def between(text: str, offset: int) -> int:
    """An offset that does not lie inside of a CRLF."""
    return offset - 1 if text[offset - 1 : offset + 1] == "\r\n" else offset


def random_edit(text: str, dice: random.Random) -> tuple[int, int, str]:
    """A stretch of the text, and what to put there."""
    start = dice.randrange(len(text) + 1)
    kind = dice.randrange(5)
    lines = text.splitlines(keepends=True) or [""]
    if kind == 0:
        return between(text, start), between(text, start), dice.choice(SNIPPETS)
    if kind == 1:
        return between(text, start), between(text, min(len(text), start + dice.choice([1, 2, 5, 40]))), ""
    if kind == 2:
        return between(text, start), between(text, start), dice.choice(lines)
    number = dice.randrange(len(lines))
    first = sum(map(len, lines[:number]))
    if kind == 3:  # a line goes, or is written twice
        return between(text, first), between(text, first + len(lines[number])), dice.choice(["", lines[number] * 2])
    words = [match.span() for match in re.finditer(r"\w+", text)] or [(0, 0)]
    return (*dice.choice(words), dice.choice(["x", "step", "None", "3", dice.choice(lines).strip()]))
