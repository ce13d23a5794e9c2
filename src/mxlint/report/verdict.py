"""A verdict in words."""

from __future__ import annotations

from mxlint.finding import Verdict


def told(verdict: Verdict) -> tuple[str, str]:
    """The verdict itself, and what it rests on."""
    label = f"{verdict.verdict} {verdict.level}" if verdict.level and verdict.verdict in ("confirmed", "refuted") else verdict.verdict
    evidence = verdict.evidence
    if evidence is None:
        return label, f": {verdict.reason}" if verdict.reason else ""
    text = f": {evidence.observed}; uncompiled: {evidence.expected}"
    return label, text + (f" ({evidence.note})" if evidence.note else "")
