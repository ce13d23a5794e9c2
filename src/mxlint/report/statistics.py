"""How often each rule spoke, and how far the compiled functions were followed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mxlint.report.style import Style, one_line
from mxlint.rules.registry import NAMES

if TYPE_CHECKING:
    from mxlint.result import Result


def statistics(result: Result) -> list[tuple[str, int]]:
    """Codes with the number of their findings, the most frequent first."""
    counts = Counter(finding.code for finding in result.findings)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


_HOW_FAR = {"full": "followed in full", "partial": "followed in part", "none": "not followed"}


def render(result: Result, style: Style) -> str:
    """A line a rule: count, code, name. Then how far the compiled functions were followed, and why not: where findings may be missing."""
    text = _table([(count, f"{code}  {NAMES[code]}") for code, count in statistics(result)])
    if result.coverage.get("sites"):
        text += "\nCompiled functions:\n" + _table([(result.coverage.get(key, 0), how) for key, how in _HOW_FAR.items()])
    if result.reasons:
        text += "\nNot followed:\n" + _table(
            [(count, one_line(reason)) for reason, count in sorted(result.reasons.items(), key=lambda item: (-item[1], item[0]))]
        )
    return text


def _table(rows: list[tuple[int, str]]) -> str:
    width = max((len(str(count)) for count, _ in rows), default=0)
    return "".join(f"{count:>{width}}  {what}\n" for count, what in rows)
