"""GitHub's workflow commands: printed in a job, each becomes an annotation of the line that it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mxlint.finding import Finding, Severity, Span
from mxlint.report.style import Style, one_line

if TYPE_CHECKING:
    from mxlint.engine import Result

_COMMANDS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}


def render(result: Result, style: Style) -> str:
    """A command a finding, and one for each path that could not be checked."""
    problems = [
        f"::error title=mxlint,file={_property(problem.name)}::{_data(f'{problem.name}: {problem.message}')}\n"
        for problem in result.problems
    ]
    return "".join([*problems, *map(_command, result.findings)])


def _command(finding: Finding) -> str:
    lines = [f"{_place(finding.span)} {finding.code} {finding.message}"]
    lines += [f"  {_place(related.span)} {related.message}" for related in finding.elsewhere]
    if finding.verdict is not None:
        lines.append(f"  verify: {finding.verdict.verdict}")
    lines.append(f"  help: {finding.help}")
    name = _property(finding.span.filename)
    text = "%0A".join(map(_data, lines))
    return f"::{_COMMANDS[finding.severity]} title=mxlint ({finding.code}),file={name},{_rows(finding.span)}::{text}\n"


def _rows(span: Span) -> str:
    """GitHub takes columns only of what lies in one row."""
    start, end = span.start, span.end
    if start.row == end.row:
        return f"line={start.row},col={start.column},endLine={end.row},endColumn={end.column}"
    return f"line={start.row},endLine={end.row}"


def _place(span: Span) -> str:
    return f"{span.filename}:{span.start.row}:{span.start.column}:"


def _data(text: str) -> str:
    """Text as the message of a command: in one line, with what begins an escape escaped."""
    return one_line(text).replace("%", "%25")


def _property(text: str) -> str:
    """Text as the value of a property, which a colon or a comma would end."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
