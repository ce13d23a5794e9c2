"""What was found in a text, moved to where it stands in the next one: shown until the next one was analysed, and never kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from mxlint.analysed import Analysis
from mxlint.finding import Finding, Related, Span
from mxlint.source import Source


@dataclass(frozen=True, slots=True)
class Shift:
    """The one stretch in which two texts differ: what stands before it stays in place, what stands behind it moves along."""

    before: Source
    after: Source
    same: int
    tail: int

    def __call__(self, span: Span) -> Span | None:
        """Where a span is in the newer text; None if it is not the same any more."""
        start, end = self.before.offset_of(span.start), self.before.offset_of(span.end)
        if end <= self.same:
            return span
        if start >= len(self.before.text) - self.tail:
            by = len(self.after.text) - len(self.before.text)
            return Span(span.filename, self.after.position(start + by), self.after.position(end + by))
        return None


def shift_between(before: Source, after: Source) -> Shift:
    """What became of the places in a text."""
    old, new = before.text, after.text
    most = min(len(old), len(new))
    same = _common(old[:most], new[:most])
    tail = _common(old[len(old) - most + same :][::-1], new[len(new) - most + same :][::-1])
    return Shift(before, after, same, tail)


def _common(one: str, other: str) -> int:
    """How many characters two texts of one length have in common at their start."""
    low, high = 0, len(one)
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def moved(analysis: Analysis, shifts: Mapping[str, Shift]) -> Analysis:
    """An analysis with its places moved, by file. What is not there any more is left out, and with it every fix."""

    def move(span: Span) -> Span | None:
        shift = shifts.get(span.filename)
        return span if shift is None else shift(span)

    return replace(
        analysis,
        findings=tuple(_findings(analysis.findings, move)),
        called=frozenset(place for place in map(move, analysis.called) if place is not None),
        facts=None,
    )


def _findings(findings: tuple[Finding, ...], move: Callable[[Span], Span | None]) -> Iterator[Finding]:
    for finding in findings:
        span = move(finding.span)
        if span is not None:
            yield replace(
                finding,
                span=span,
                statement=move(finding.statement) if finding.statement is not None else None,
                related=tuple(Related(related.message, place) for related in finding.related if (place := move(related.span)) is not None),
                uncalled=move(finding.uncalled) if finding.uncalled is not None else None,
                fix=None,
                remedy=None,
            )
