"""Where a text spells `compile`. A plain search: patterns with lookbehind cost ten times as much, and every file is asked."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator


def compile_words(text: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """The offsets of `compile` in `text[start:end]`, also as a part of longer names; `re.compile` and prose are none of ours."""
    end = len(text) if end is None else end
    at = text.find("compile", start, end)
    while at >= 0:
        if not (_is_of_re(text, at) or _is_prose(text, at)):
            yield at
        at = text.find("compile", at + 7, end)


def _is_of_re(text: str, at: int) -> bool:
    return text[max(at - 3, 0) : at] == "re." and (at <= 3 or not text[at - 4].isalnum() and text[at - 4] not in "_.")


_BEFORE = re.compile(r"(\w+)[ \t]+[\w.]*$")
_AFTER = re.compile(r"\w*[ \t]+([^\W\d]\w*)|compile-")
_BETWEEN_NAMES = frozenset((*keyword.kwlist, *keyword.softkwlist))


def _is_prose(text: str, at: int) -> bool:
    """Whether it stands in a comment, or beside a word as no name in a program does."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    if "#" in line and not ('"' in line or "'" in line or "\r" in line):  # with these the # may stand in a string, or end before this
        return True
    before, after = _BEFORE.search(line), _AFTER.match(text, at)
    return before is not None and before[1] not in _BETWEEN_NAMES or after is not None and after[1] not in _BETWEEN_NAMES


def whole_words(text: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """The same where `compile` is the whole word, as it is at a compile site."""
    for at in compile_words(text, start, end):
        around = text[at - 1 : at] + text[at + 7 : at + 8]
        if "_" not in around and not any(map(str.isalnum, around)):
            yield at


def says_compile(text: str, start: int = 0, end: int | None = None) -> bool:
    """Whether `text[start:end]` spells `compile`."""
    return next(compile_words(text, start, end), None) is not None
