"""The last line of a run for people. It stands apart from the excerpts, since most runs have nothing to show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from mxlint.finding import SEVERITIES, VERDICTS, Finding
from mxlint.report.style import one_line

if TYPE_CHECKING:
    from mxlint.result import Result


def footer(result: Result) -> str:
    """The last lines of a run."""
    return _outcome(result) + "".join(_left_out(result))


def _left_out(result: Result) -> Iterator[str]:
    """What there is besides, and why it is not reported."""
    if result.baselined:
        yield f"Not reported: {_counted(result.baselined, 'finding')} of the baseline.\n"
    if result.since is not None and result.since.known:
        yield f"Not reported: {_counted(result.since.known, 'finding')} that {one_line(result.since.ref)} has, too.\n"


def _outcome(result: Result) -> str:
    counts = severities((*result.findings, *(result.fixed or ())))
    if counts:
        outcome = f" ({len(result.fixed)} fixed, {len(result.findings)} remaining)" if result.fixed else ""
        return f"Found {counts}{outcome}.\n" + _fixes(result) + (_verified(result) if result.verified else "")
    if result.problems or result.newer:
        return "No findings, but not every path could be checked.\n"
    return (
        f"All checks passed: {_counted(result.files, 'file')}, {_counted(len(result.sites), 'compiled function')}{_unfollowed(result)}.\n"
    )


def _unfollowed(result: Result) -> str:
    """How many of the compiled functions were not followed in full: that nothing was found says less of these."""
    left = len(result.sites) - result.coverage.get("full", 0)
    if not left:
        return ""
    return f", {f'{left} of them ' if left < len(result.sites) else ''}not followed in full (see `mxlint sites --why`)"


def would_fix(result: Result) -> str:
    """The last line of a run that only shows what --fix would do."""
    hidden, fixed = sum(map(result.hidden, result.findings)), severities(result.fixed or ())
    fix = "additional fix" if fixed else "fix"
    more = f" ({_counted(hidden, fix)} available with `--unsafe-fixes`)" if hidden else ""
    return f"Would fix {fixed}{more}.\n" if fixed else f"No findings would be fixed{more}.\n" if more else ""


def severities(findings: Iterable[Finding]) -> str:
    """How many findings there are of each severity."""
    counts = Counter(finding.severity for finding in findings)
    return ", ".join(_counted(counts[severity], severity) for severity in SEVERITIES if counts[severity])


def _fixes(result: Result) -> str:
    """What --fix would do, or would do with --unsafe-fixes as well."""
    fixable = sum(map(result.fixable, result.findings)) if result.fixed is None else 0
    hidden = sum(map(result.hidden, result.findings))
    more = f"{_counted(hidden, 'unsafe fix')} available with `--fix --unsafe-fixes`" if hidden else ""
    unproved = sum(map(result.unproved, result.findings))
    left = f"Not proved by MLX, and not written with `--verify`: {_counted(unproved, 'fix')}.\n" if unproved else ""
    if fixable:
        return f"[*] {fixable} fixable with `--fix`{f' ({more})' if more else ''}.\n{left}"
    return (f"{more}.\n" if more else "") + left


def _verified(result: Result) -> str:
    """How the findings fared under real MLX, and under which."""
    verdicts = [finding.verdict for finding in result.findings if finding.verdict is not None]
    if not verdicts and result.fixed:  # what was verified is fixed
        return ""
    if not verdicts:
        return "Nothing to verify: no experiment is about these rules.\n"
    counts = [f"{count} {word}" for word in VERDICTS if (count := sum(verdict.verdict == word for verdict in verdicts))]
    text = f"Verified {_counted(len(verdicts), 'finding')}: {', '.join(counts)}"
    mlx = next((verdict.mlx for verdict in verdicts if verdict.mlx is not None), None)
    text += f" (MLX {mlx[0]} on {mlx[1]})" if mlx is not None else ""
    missing = sorted({module for verdict in verdicts for module in verdict.missing})
    return text + ".\n" + (f"Not installed, and used by what was run: {one_line(', '.join(missing))}.\n" if missing else "")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 or noun == "info" else f"{count} {noun}{'es' if noun.endswith('x') else 's'}"
