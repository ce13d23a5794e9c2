"""Patterns as in .gitignore: https://git-scm.com/docs/gitignore#_pattern_format. Matching takes time linear in pattern and path, whatever the pattern.

A path is relative, with forward slashes, and ends with one if it is a folder's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

_ANY_FOLDERS = None
"""Stands for `**` among the parts of a pattern."""
_Part = Callable[[str], object] | None


@dataclass(frozen=True, slots=True)
class _Pattern:
    """One line. `parts`: what each part of a path must match; `ignores` is false for `!`; `only_folders`: it ends with a slash; `anywhere`: it is one
    name, in whatever folder."""

    parts: tuple[_Part, ...]
    ignores: bool
    only_folders: bool
    anywhere: bool

    def matches(self, names: list[str], is_folder: bool) -> bool:
        if self.only_folders and not is_folder:
            return False
        if self.anywhere:
            (part,) = self.parts
            return part is not None and bool(part(names[-1]))
        return _match(self.parts, names)


class Globs:
    """The patterns of some lines, of which the last that matches decides."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Lines that mean nothing to git are left out."""
        self._patterns = [pattern for line in lines if (pattern := _parsed(line)) is not None][::-1]

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def of(self, path: str) -> bool | None:
        """True if the path itself is meant, False if it is expressly not, None if no pattern is about it."""
        names = path.rstrip("/").split("/")
        return next((pattern.ignores for pattern in self._patterns if pattern.matches(names, path.endswith("/"))), None)

    def cover(self, path: str) -> bool | None:
        """Whether a path is meant, as `of` says it; one is as well if a folder above it is."""
        above = accumulate(path.rstrip("/").split("/")[:-1], lambda folder, name: f"{folder}/{name}")
        return any(self.of(f"{folder}/") for folder in above) or self.of(path)


def is_pattern(line: str) -> bool:
    """Whether a line means anything to git."""
    return _parsed(line) is not None


def _parsed(line: str) -> _Pattern | None:
    text = _without_end(line)
    ignores = not text.startswith("!")
    text = text.removeprefix("!")
    if not text or line.startswith("#"):
        return None
    if not text.strip("/"):
        return None
    name = text.removesuffix("/")
    parts = name.removeprefix("/").split("/")  # one between two slashes has no name: no path has such a part
    matchers = [_ANY_FOLDERS if part == "**" else _matcher(part) for part in parts]
    anywhere = "/" not in name
    if anywhere and matchers == [_ANY_FOLDERS]:
        matchers = [_matcher("*")]
    return _Pattern(tuple(matchers), ignores, text.endswith("/"), anywhere)


def _without_end(line: str) -> str:
    """The line without what ends it, and without blanks at its end that no backslash protects."""
    text = line.rstrip("\r\n")
    kept = text.rstrip(" ")
    slashes = len(kept) - len(kept.rstrip("\\"))
    return f"{kept} " if slashes % 2 and len(kept) < len(text) else kept


def _match(parts: tuple[_Part, ...], names: list[str]) -> bool:
    """Whether parts match names. Between two `**` the first place that fits is as good as any other."""
    part = name = 0
    again = None  # where to go on if this fails: after the last `**`, one name later than before
    while name < len(names):
        here = parts[part] if part < len(parts) else _never
        if here is _ANY_FOLDERS:
            part += 1
            if part == len(parts):
                return True
            again = (part, name)
        elif here is not None and here(names[name]):
            part, name = part + 1, name + 1
        elif again is not None:
            part, name = again[0], again[1] + 1
            again = (part, name)
        else:
            return False
    return part == len(parts)


def _never(name: str) -> bool:
    return False


@lru_cache(maxsize=1024)
def _matcher(part: str) -> Callable[[str], object]:
    """Whether a name matches a part of a pattern, as a function."""
    try:
        chunks = _chunks(part)
    except ValueError:
        return _never
    if len(chunks) == 1 and not any(character in part for character in "?[\\"):
        return part.__eq__
    first, *others = chunks
    if not others:
        return re.compile(first, re.DOTALL).fullmatch
    *between, last = others
    # What stands between two stars may as well be the first that fits: no other place is tried, which would take time without end.
    atoms = (f"(?=(?P<_{number}>.*?{chunk}))(?P=_{number})" for number, chunk in enumerate(between) if chunk)
    return re.compile(f"{first}{''.join(atoms)}.*{last}", re.DOTALL).fullmatch


def _chunks(part: str) -> list[str]:
    """What stands before, between and after the stars, as regular expressions. Raises ValueError for what matches nothing."""
    chunks = [""]
    at = 0
    while at < len(part):
        character = part[at]
        at += 1
        if character == "*":
            if at < 2 or part[at - 2 : at] != "**":
                chunks.append("")
        elif character == "?":
            chunks[-1] += "."
        elif character == "[":
            text, at = _class(part, at)
            chunks[-1] += text
        elif character == "\\":
            if at == len(part):
                raise ValueError
            chunks[-1] += re.escape(part[at])
            at += 1
        else:
            chunks[-1] += re.escape(character)
    return chunks


def _class(part: str, at: int) -> tuple[str, int]:
    """The class of characters whose bracket is open, and where it ends."""
    negated = part[at : at + 1] in ("!", "^")
    at += negated
    ranges, first = [], True
    while first or part[at : at + 1] != "]":
        low, at = _member(part, at)
        first = False
        high = low
        if part[at : at + 1] == "-" and part[at + 1 : at + 2] not in ("", "]"):
            high, at = _member(part, at + 1)
        if low <= high:
            ranges.append(f"{re.escape(low)}-{re.escape(high)}")
    text = "".join(ranges)
    if negated:
        return (f"[^{text}]" if text else "."), at + 1
    return (f"[{text}]" if text else r"(?!)"), at + 1


def _member(part: str, at: int) -> tuple[str, int]:
    if part[at : at + 1] == "\\":
        at += 1
    if at >= len(part):
        raise ValueError
    return part[at], at + 1
