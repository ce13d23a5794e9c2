"""Where a text spells `compile`. A plain search: patterns with lookbehind cost ten times as much, and every file is asked."""

from __future__ import annotations

from collections.abc import Iterator


def compile_words(text: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """The offsets of `compile` in `text[start:end]`, also as a part of longer names; `re.compile` and what a comment says are none of ours."""
    end = len(text) if end is None else end
    at = text.find("compile", start, end)
    while at >= 0:
        if not (text[max(at - 3, 0) : at] == "re." and (at <= 3 or not text[at - 4].isalnum() and text[at - 4] not in "_.")):
            line = text[text.rfind("\n", 0, at) + 1 : at]
            if "#" not in line or '"' in line or "'" in line or "\r" in line:  # there, a # may stand in a string or end before this
                yield at
        at = text.find("compile", at + 7, end)


def whole_words(text: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """The same where `compile` is the whole word, as it is at a compile site."""
    for at in compile_words(text, start, end):
        around = text[at - 1 : at] + text[at + 7 : at + 8]
        if "_" not in around and not any(map(str.isalnum, around)):
            yield at


def says_compile(text: str, start: int = 0, end: int | None = None) -> bool:
    """Whether `text[start:end]` spells `compile`."""
    return next(compile_words(text, start, end), None) is not None
