"""The last line of a run for people. It stands apart from the excerpts, since most runs have nothing to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mxlint.finding import SEVERITIES, VERDICTS

if TYPE_CHECKING:
    from mxlint.engine import Result


def footer(result: Result) -> str:
    """The last line of a run."""
    counts = [_counted(result.count(severity), severity) for severity in SEVERITIES if result.count(severity)]
    if counts:
        return f"Found {', '.join(counts)}.\n" + (_verified(result) if result.verified else "")
    if result.problems or result.newer:
        return "No findings, but not every path could be checked.\n"
    return f"All checks passed: {_counted(result.files, 'file')}, {_counted(len(result.sites), 'compiled function')}.\n"


def _verified(result: Result) -> str:
    """How the findings fared under real MLX, and under which."""
    verdicts = [finding.verdict for finding in result.findings if finding.verdict is not None]
    if not verdicts:
        return "Nothing to verify: no experiment is about these rules.\n"
    counts = [f"{count} {word}" for word in VERDICTS if (count := sum(verdict.verdict == word for verdict in verdicts))]
    text = f"Verified {_counted(len(verdicts), 'finding')}: {', '.join(counts)}"
    mlx = next((verdict.mlx for verdict in verdicts if verdict.mlx is not None), None)
    text += f" (MLX {mlx[0]} on {mlx[1]})" if mlx is not None else ""
    missing = sorted({module for verdict in verdicts for module in verdict.missing})
    return text + ".\n" + (f"Not installed, and used by what was run: {', '.join(missing)}.\n" if missing else "")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 or noun == "info" else f"{count} {noun}s"
