"""The format for people: message, the code it is about with the span underlined, where it is compiled, and what to write instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING

from mxlint.finding import Applicability, Finding, Span
from mxlint.report.excerpt import excerpt
from mxlint.report.places import place_of
from mxlint.report.style import Style, one_line, printable
from mxlint.report.verdict import notes, slowdown, told

if TYPE_CHECKING:
    from mxlint.engine import Result

FIXES: dict[Applicability, str] = {"safe": "safe", "unsafe": "unsafe", "display": "not enough alone"}
"""What an applicability says of a fix: that nothing changes, that behaviour may, that more is to be changed by hand."""


def render(result: Result, style: Style) -> str:
    """Every finding as a paragraph."""
    return "".join("\n".join(_paragraph(finding, result, style)) + "\n\n" for finding in result.findings)


def _paragraph(finding: Finding, result: Result, style: Style) -> Iterator[str]:
    spans = [finding.span, *(related.span for related in finding.elsewhere)]
    gutter = len(str(max(place_of(span, result.sources).end.row for span in spans) + 1))
    label = f"{finding.severity}[{finding.code}]" + (" [*]" if result.fixable(finding) else "")
    first, *more = _wrapped(f"{label}: {finding.message}", style, "  ")
    yield style.severity(finding.severity, label) + style.bold(first[len(label) :])
    yield from (style.bold(line) for line in more)
    yield from _place(finding.span, "-->", "", gutter, result, style, "^", partial(style.severity, finding.severity), context=1)
    for related in finding.elsewhere:
        yield from _place(related.span, ":::", related.message, gutter, result, style, "-", style.frame, context=0)
    if finding.help:
        first, *more = _wrapped(f"help: {finding.help}", style, "      ")
        yield style.bold("help:") + first[len("help:") :]
        yield from more
    if finding.fix is not None:
        first, *more = _wrapped(f"fix: {finding.fix.message} ({FIXES[finding.fix.applicability]})", style, "     ")
        yield style.bold("fix:") + first[len("fix:") :]
        yield from more
    if finding.verdict is not None:
        label, text = told(finding.verdict)
        first, *more = _wrapped(f"verify: {label}{text}", style, "        ")
        yield style.bold(f"verify: {label}") + first[len(f"verify: {label}") :]
        yield from more
        if (note := notes(finding.verdict)) is not None:
            first, *more = _wrapped(f"note: {note}", style, "      ")
            yield style.bold("note:") + first[len("note:") :]
            yield from more
        cost = slowdown(finding.verdict)
        if cost is not None:
            first, *more = _wrapped(f"slowdown: {cost}", style, "          ")
            yield style.bold("slowdown:") + first[len("slowdown:") :]
            yield from more


def _place(
    span: Span, arrow: str, label: str, gutter: int, result: Result, style: Style, mark: str, paint: Callable[[str], str], context: int
) -> Iterator[str]:
    where = one_line(str(place_of(span, result.sources)))
    yield f"{'':{gutter}}{style.frame(arrow)} {where}{': ' if label else ''}{style.bold(one_line(label))}"
    source = result.sources.get(span.filename)
    if source is not None:
        yield from excerpt(source, span, gutter, style, mark, paint, context)


def _wrapped(text: str, style: Style, indent: str) -> list[str]:
    """The text in lines of the terminal's width; line breaks of its own stay. No line begins with two colons: in a job of GitHub's it would be a command."""
    lines: list[str] = []
    for number, part in enumerate(printable(text).splitlines()):
        first = indent if number else ""
        for line in wrap(
            part, style.width, initial_indent=first, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        ) or [""]:
            if lines and line.lstrip().startswith("::"):
                lines[-1] += f" {line.lstrip()}"
            else:
                lines.append(line)
    return lines
