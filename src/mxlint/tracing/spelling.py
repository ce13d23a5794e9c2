"""Where a text spells `compile`. A plain search: patterns with lookbehind cost ten times as much, and every file is asked."""

from __future__ import annotations

from collections.abc import Iterator


def compile_words(text: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """The offsets of `compile` in `text[start:end]`, also as a part of longer names; `re.compile` is none of ours."""
    end = len(text) if end is None else end
    at = text.find("compile", start, end)
    while at >= 0:
        if text[max(at - 3, 0) : at] != "re." or at > 3 and (text[at - 4].isalnum() or text[at - 4] in "_."):
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
