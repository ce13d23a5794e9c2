"""The one line that says what happens at run time, so short that a log of CI or a list of problems shows it whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

LONGEST: Final = 90
"""Characters of a headline."""
SHORTEST: Final = 12
"""Characters that stay of a name, however little room there is."""

_NAME = re.compile(r"(`[^`]*`)")


def hanging(conditions: Sequence[str], presumed: Sequence[str]) -> str:
    """The conditions, of many the two that are nearest to what happens, and presumptions as one phrase; empty if there are none."""
    return " and ".join((*conditions[-2:], *(f"if {presumption}" for presumption in presumed)))


def fitted(text: str) -> str:
    """The text in at most `LONGEST` characters: the pieces of code in it, which stand between backticks, end in … where they are too long."""
    if len(text) <= LONGEST:
        return text
    parts = _NAME.split(text)
    width = max(len(part) - 2 for part in parts)
    while len(text) > LONGEST and width > SHORTEST:
        width -= 1
        text = "".join(_cut(part, width) if part.startswith("`") else part for part in parts)
    return text


def _cut(name: str, width: int) -> str:
    return name if len(name) - 2 <= width else f"{name[:width]}…`"
