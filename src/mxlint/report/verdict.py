"""A verdict in words."""

from __future__ import annotations

from mxlint.finding import Verdict

FIXES = {
    "resolves": "the fix resolves it",
    "fails": "the fix does not resolve it",
    "changes-result": "the fix changes what the program computes",
}
"""What became of the fixed form, where something was seen of it."""


def told(verdict: Verdict) -> tuple[str, str]:
    """The verdict itself, and what it rests on."""
    label = f"{verdict.verdict} {verdict.level}" if verdict.level and verdict.verdict in ("confirmed", "refuted") else verdict.verdict
    evidence = verdict.evidence
    if evidence is None:
        return label, f": {verdict.reason}" if verdict.reason else ""
    text = f": {evidence.observed}; uncompiled: {evidence.expected}" + (f" ({evidence.note})" if evidence.note else "")
    return label, text + (f"; {FIXES[verdict.fix]}" if verdict.fix in FIXES else "")
