"""How often each rule spoke."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mxlint.rules.registry import RULES

if TYPE_CHECKING:
    from mxlint.engine import Result


def statistics(result: Result) -> list[tuple[str, int]]:
    """Codes with the number of their findings, the most frequent first."""
    counts = Counter(finding.code for finding in result.findings)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def render(result: Result) -> str:
    """A line a rule: count, code, name."""
    counts = statistics(result)
    width = len(str(counts[0][1])) if counts else 0
    return "".join(f"{count:>{width}}  {code}  {RULES[code].name}\n" for code, count in counts)
