"""One line a finding: `path:row:column: CODE message`, as editors and grep like it, with `[*]` where --fix has something to do. What a finding depends on
is said here in any case: no note stands below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mxlint.report.places import place_of
from mxlint.report.style import Style, at_start, printable

if TYPE_CHECKING:
    from mxlint.result import Result


def render(result: Result, style: Style) -> str:
    """Every finding on a line of its own."""
    lines = []
    for finding in result.findings:
        message = " ".join(printable(finding.in_one_line).split())
        where = f"{at_start(str(place_of(finding.span, result.sources)))}:"
        verdict = f" [{finding.verdict.verdict}]" if finding.verdict is not None else ""
        mark = " [*]" if result.fixable(finding) else ""
        lines.append(f"{style.bold(where)} {style.severity(finding.severity, finding.code)}{mark} {message}{verdict}\n")
    return "".join(lines)
