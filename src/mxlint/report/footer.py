"""The last line of a run for people. It stands apart from the excerpts, since most runs have nothing to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mxlint.finding import SEVERITIES

if TYPE_CHECKING:
    from mxlint.engine import Result


def footer(result: Result) -> str:
    """The last line of a run."""
    counts = [_counted(result.count(severity), severity) for severity in SEVERITIES if result.count(severity)]
    if counts:
        return f"Found {', '.join(counts)}.\n"
    if result.problems:
        return "No findings, but not every path could be checked.\n"
    return f"All checks passed: {_counted(result.files, 'file')}, {_counted(len(result.sites), 'compiled function')}.\n"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 or noun == "info" else f"{count} {noun}s"
