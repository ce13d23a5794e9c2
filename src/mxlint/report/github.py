"""GitHub's workflow commands: printed in a job, each becomes an annotation of the line that it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mxlint.documents.layout import Place
from mxlint.finding import Finding, Severity
from mxlint.report.places import place_of
from mxlint.report.style import Style, one_line

if TYPE_CHECKING:
    from mxlint.result import Result

_COMMANDS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}


def render(result: Result, style: Style) -> str:
    """A command a finding, and one for each path that could not be checked."""
    problems = [
        f"::error title=mxlint,file={_property(problem.name)}::{_data(f'{problem.name}: {problem.message}')}\n"
        for problem in result.problems
    ]
    return "".join([*problems, *(_command(finding, result) for finding in result.findings)])


def _command(finding: Finding, result: Result) -> str:
    place = place_of(finding.span, result.sources)
    lines = [f"{place}: {finding.code} {finding.message}"]
    lines += [f"  note: {finding.note}"] if finding.note else []
    lines += [f"  {place_of(related.span, result.sources)}: {related.message}" for related in finding.elsewhere]
    if finding.verdict is not None:
        lines.append(f"  verify: {finding.verdict.verdict}")
    lines.append(f"  help: {finding.help}")
    name = _property(finding.span.filename)
    text = "%0A".join(map(_data, lines))
    return f"::{_COMMANDS[finding.severity]} title=mxlint ({finding.code}),file={name},{_rows(place)}::{text}\n"


def _rows(place: Place) -> str:
    """GitHub takes columns only of what lies in one row. It knows of no cells: of a notebook it is told the rows of the file."""
    start, end = place.start, place.end
    if place.cell is not None:
        return f"line={place.rows[0]},endLine={place.rows[1]}"
    if start.row == end.row:
        return f"line={start.row},col={start.column},endLine={end.row},endColumn={end.column}"
    return f"line={start.row},endLine={end.row}"


def _data(text: str) -> str:
    """Text as the message of a command: in one line, with what begins an escape escaped."""
    return one_line(text).replace("%", "%25")


def _property(text: str) -> str:
    """Text as the value of a property, which a colon or a comma would end."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
