"""The format for people: message, the code it is about with the span underlined, where it is compiled, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING

from mxlint.finding import Applicability, Finding, Related
from mxlint.report.changes import changes
from mxlint.report.excerpt import Mark, excerpt
from mxlint.report.places import place_of
from mxlint.report.style import Style, one_line, printable
from mxlint.report.verdict import notes, slowdown, told
from mxlint.rules.registry import page_url

if TYPE_CHECKING:
    from mxlint.result import Result

FIXES: dict[Applicability, str] = {"safe": "safe", "unsafe": "unsafe", "display": "not enough alone"}
"""What an applicability says of a fix: that nothing changes, that behaviour may, that more is to be changed by hand."""

MOST_COLUMNS = 100
"""Of prose: longer lines are hard to read, however wide the window is."""
MOST_PLACES = 4
"""Places beside the finding's own that are shown."""


def render(result: Result, style: Style) -> str:
    """Every finding as a paragraph."""
    return "".join("\n".join(_paragraph(finding, result, style)) + "\n\n" for finding in result.findings)


def _paragraph(finding: Finding, result: Result, style: Style) -> Iterator[str]:
    related = _collapsed(finding.elsewhere)
    spans = [finding.span, *(place.span for place in related)]
    gutter = len(str(max(place_of(span, result.sources).end.row for span in spans) + 1))
    label = f"{finding.severity}[{finding.code}]" + (" [*]" if result.fixable(finding) else "")
    first, *more = _wrapped(f"{label}: {finding.message}", style, "  ")
    linked = label.replace(finding.code, style.link(finding.code, page_url(finding.code)), 1)
    yield style.severity(finding.severity, linked) + style.bold(first[len(label) :])
    yield from (style.bold(line) for line in more)
    marks = [Mark(finding.span, "^", partial(style.severity, finding.severity), context=1)]
    marks += [Mark(place.span, "-", style.frame, one_line(place.message)) for place in related]
    for number, group in enumerate(_by_file(marks, result)):
        yield from _frame(group, "-->" if number == 0 else ":::", gutter, result, style)
    if len(related) < len(finding.elsewhere):
        left_out = len(finding.elsewhere) - len(related)
        places, them = ("place", "it") if left_out == 1 else ("places", "them")
        yield f"{'':{gutter}} {style.frame('=')} {left_out} more {places} between: --output-format json has {them}"
    if finding.note:
        first, *more = _wrapped(f"note: {finding.note}", style, "      ")
        yield style.bold("note:") + first[len("note:") :]
        yield from more
    if finding.help:
        first, *more = _wrapped(f"help: {finding.help}", style, "      ")
        yield style.bold("help:") + first[len("help:") :]
        yield from more
    if finding.fix is not None:
        first, *more = _wrapped(f"fix: {finding.fix.message} ({FIXES[finding.fix.applicability]})", style, "     ")
        yield style.bold("fix:") + first[len("fix:") :]
        yield from more
        yield from changes(finding.fix, result.sources, gutter, style)
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
    yield f"{style.bold('more:')} mxlint explain {finding.code}"


def _collapsed(related: tuple[Related, ...]) -> tuple[Related, ...]:
    """The places to show: of a long chain its beginning and its end."""
    return related if len(related) <= MOST_PLACES else (*related[: MOST_PLACES - 1], related[-1])


def _by_file(marks: Sequence[Mark], result: Result) -> list[list[Mark]]:
    """The marks that one excerpt shows: those of a file or a cell. The finding's own come first."""
    groups: dict[tuple[str, int | None], list[Mark]] = {}
    for mark in marks:
        place = place_of(mark.span, result.sources)
        groups.setdefault((place.filename, place.cell), []).append(mark)
    return list(groups.values())


def _frame(marks: Sequence[Mark], arrow: str, gutter: int, result: Result, style: Style) -> Iterator[str]:
    """A place, and the excerpt around it. Of a file that is not at hand there are only places."""
    source = result.sources.get(marks[0].span.filename)
    where = f"{'':{gutter}}{style.frame(arrow)} "
    if source is not None:
        yield where + one_line(str(place_of(marks[0].span, result.sources)))
        yield from excerpt(source, marks, gutter, style)
        return
    for mark in marks:
        label = f": {style.bold(mark.label)}" if mark.label else ""
        yield where + one_line(str(place_of(mark.span, result.sources))) + label


def _wrapped(text: str, style: Style, indent: str) -> list[str]:
    """The text in lines of the terminal's width; line breaks of its own stay. No line begins with two colons: in a job of GitHub's it would be a command."""
    lines: list[str] = []
    for number, part in enumerate(printable(text).splitlines()):
        first = indent if number else ""
        for line in wrap(
            part,
            min(style.width, MOST_COLUMNS),
            initial_indent=first,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]:
            if lines and line.lstrip().startswith("::"):
                while len(lines) > 1 and not lines[-1].strip():
                    lines.pop()
                lines[-1] += f" {line.lstrip()}"
            else:
                lines.append(line)
    return lines
