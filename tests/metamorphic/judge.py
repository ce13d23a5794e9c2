"""What mxlint says of a program before and after a rewrite."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mxlint.finding import Finding

from .rewrite import Rewritten
from .table import rewrite

MAIN = "main.py"
"""The file that is rewritten."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How findings differ, as texts. `lost` and `new` are errors and warnings, `info` is advice that is lost or new.

    `moved`: found at another place; it does not count as a difference, since places are the rewrite's own at times.
    """

    lost: tuple[str, ...]
    new: tuple[str, ...]
    info: tuple[str, ...]
    moved: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether errors and warnings agree."""
        return not self.lost and not self.new


def rewrite_program(name: str, files: Mapping[str, str]) -> tuple[dict[str, str], Rewritten] | None:
    """The files with `main.py` rewritten; None where there is nothing to rewrite."""
    others = " ".join(text for file, text in files.items() if file != MAIN)
    new = rewrite(name, files[MAIN], frozenset(re.findall(r"\w+", others)))
    return None if new is None else ({**files, MAIN: new.text}, new)


def compare(before: Iterable[Finding], after: Iterable[Finding], rewritten: Rewritten) -> Outcome:
    """Compare findings by code and severity, and those that are found in both by place."""
    old, new = list(before), list(after)
    lost, added = _difference(old, new), _difference(new, old)
    moved = _moved(old, new, rewritten) if not lost and not added else ()
    serious = [[text for text in texts if not text.endswith(" info")] for texts in (lost, added)]
    advice = [f"{sign}{text}" for sign, texts in (("-", lost), ("+", added)) for text in texts if text.endswith(" info")]
    return Outcome(tuple(serious[0]), tuple(serious[1]), tuple(advice), moved)


def _difference(first: Iterable[Finding], second: Iterable[Finding]) -> list[str]:
    return sorted((Counter(map(_word, first)) - Counter(map(_word, second))).elements())


def _word(finding: Finding) -> str:
    return f"{finding.code} {finding.severity}"


def _moved(old: Iterable[Finding], new: Iterable[Finding], rewritten: Rewritten) -> tuple[str, ...]:
    """The findings after the rewrite that stand for none at their old place."""
    left = Counter((item.code, item.span.filename, item.span.start.row) for item in old)
    moved = []
    for item in new:
        row = item.span.start.row
        rows = rewritten.rows.get(row, frozenset()) if item.span.filename == MAIN else {row}
        found = next((key for key in left if left[key] and key[:2] == (item.code, item.span.filename) and key[2] in rows), None)
        if found is None:
            moved.append(f"{_word(item)} at {item.span.filename}:{row}")
        else:
            left[found] -= 1
    return tuple(moved)
