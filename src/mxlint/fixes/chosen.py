"""Edits that are chosen to be made together, none of which touches another one."""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mxlint.finding import Edit, Position, Span
from mxlint.fixes.edits import changed
from mxlint.source import Source

_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class Chosen:
    """By file: edits, where they stand, and the words that are new in it."""

    sources: Mapping[str, Source]
    edits: dict[str, list[Edit]] = field(default_factory=dict)
    spans: dict[str, list[tuple[Position, Position]]] = field(default_factory=dict)
    words: dict[str, set[str]] = field(default_factory=dict)
    known: dict[str, frozenset[str]] = field(default_factory=dict)

    def meets(self, name: str, edits: Sequence[Edit]) -> bool:
        """Whether edits overlap or touch one that is chosen, or name something new as a chosen one does."""
        return bool(self.words.get(name, set()) & self.new_words(name, edits)) or self.touches(name, edits)

    def touches(self, name: str, edits: Sequence[Edit]) -> bool:
        """Whether edits overlap or touch one that is chosen."""
        return any(self._touched(name, edit.span) for edit in edits)

    def _touched(self, name: str, span: Span) -> bool:
        """Whether a stretch overlaps or touches a chosen edit. Those do not overlap each other, so that the last which begins before its end ends last."""
        spans = self.spans.get(name, [])
        at = bisect_right(spans, span.end, key=_start)
        return at > 0 and span.start <= spans[at - 1][1]

    def new_words(self, name: str, edits: Sequence[Edit]) -> set[str]:
        """The words of edits that the file does not have yet: fixes choose names that are free, and two may choose the same."""
        written = {word for edit in edits for word in _WORD.findall(edit.content)}
        if not written:
            return written
        if name not in self.known:
            self.known[name] = frozenset(_WORD.findall(self.sources[name].text))
        return written - self.known[name]

    def take(self, name: str, edits: Sequence[Edit]) -> None:
        self.edits.setdefault(name, []).extend(edits)
        self.words.setdefault(name, set()).update(self.new_words(name, edits))
        for edit in edits:
            insort(self.spans.setdefault(name, []), (edit.span.start, edit.span.end))

    def made(self, name: str, more: Sequence[Edit] = ()) -> Source:
        """A file with all that is chosen for it, and more edits. Raises EditError where that cannot be done."""
        return changed(self.sources[name], [*self.edits.get(name, ()), *more])


def _start(span: tuple[Position, Position]) -> Position:
    return span[0]
