"""A verdict in words."""

from __future__ import annotations

from mxlint.finding import Evidence, Slowdown, Verdict

FIXES = {
    "resolves": "the fix resolves it",
    "fails": "the fix does not resolve it",
    "changes-result": "the fix changes what the program computes",
    "untested": "the fix is not proved",
}
"""What became of the fixed form."""


def told(verdict: Verdict) -> tuple[str, str]:
    """The verdict itself, and what it rests on."""
    label = f"{verdict.verdict} {verdict.level}" if verdict.level and verdict.verdict in ("confirmed", "refuted") else verdict.verdict
    evidence = verdict.evidence
    if evidence is None:
        return label, f": {verdict.reason}" if verdict.reason else ""
    text = f"{_called(evidence)}{evidence.observed}; uncompiled: {evidence.expected}"
    if verdict.level == "witness":  # it shows the mechanism, and decides nothing
        return label, f": {verdict.reason}; a witness shows what would happen: {text}"
    return label, f": {text}" + (f"; {fixed(verdict)}" if verdict.fix is not None else "")


def fixed(verdict: Verdict) -> str:
    """What became of the fixed form of what was confirmed, and why it is no cure."""
    why = f" ({verdict.fix_reason})" if verdict.fix_reason else ""
    return FIXES[verdict.fix] + why if verdict.fix is not None else ""


def _called(evidence: Evidence) -> str:
    """What was called with what."""
    if evidence.function is None or evidence.arguments is None:
        return ""
    return f"called {evidence.function}{', then '.join(f'({given})' for given in evidence.arguments.split('; then '))}: "


def notes(verdict: Verdict) -> str | None:
    """What there is to say beside the line."""
    return "; ".join(filter(None, (verdict.note, verdict.evidence.note if verdict.evidence is not None else None))) or None


def slowdown(verdict: Verdict) -> str | None:
    """What the flagged form costs, if that was measured."""
    found = verdict.slowdown
    if found is None:
        return None
    device = f"{verdict.mlx[1]}, " if verdict.mlx else ""
    times = f"{milliseconds(found.observed_ms)} against {milliseconds(found.fixed_ms)}"
    first = ""
    if found.first_ms is not None and found.rounds > 1:
        first = f"; first time {milliseconds(found.first_ms[0])} against {milliseconds(found.first_ms[1])}"
    note = f"; {found.note}" if found.note else ""
    return f"{_times(found)}: {times}, {device}{found.rounds} rounds{first}{note}"


def _times(found: Slowdown) -> str:
    def word(ratio: float) -> str:
        return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"

    return f"at least {word(found.low)}×" if found.high is None else f"{word(found.ratio)}× ({word(found.low)}–{word(found.high)})"


def milliseconds(time: float) -> str:
    """Three digits that count."""
    return f"{time:.{max(0, 3 - len(str(int(time)))) if time >= 1 else 3 if time >= 0.1 else 4}f} ms"
