"""The facts of a run as rules read them: found by compiled object."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from mxlint.facts.events import ASSERTED, Call, Class, Compiled, Doubt, Event, Log, Loop, Note, Read, Stale, Trace, Where, Write
from mxlint.finding import Span


@dataclass(frozen=True)
class Program:
    """The facts of a run, found by compiled object."""

    log: Log
    tests: Callable[[str], bool] = field(default=lambda filename: False)

    @cached_property
    def objects(self) -> Mapping[int, Compiled]:
        return {compiled.number: compiled for compiled in self.log.compiled}

    @cached_property
    def sites(self) -> Mapping[Where, tuple[Compiled, ...]]:
        """The objects of each compile site."""
        found: dict[Where, list[Compiled]] = {}
        for compiled in self.log.compiled:
            found.setdefault(compiled.site, []).append(compiled)
        return {site: tuple(group) for site, group in found.items()}

    @cached_property
    def calls(self) -> Mapping[int, tuple[Call, ...]]:
        return _by_object(self.log.calls)

    @cached_property
    def compiled_calls(self) -> Mapping[int, tuple[Call, ...]]:
        """The calls of objects while compilation is enabled. Where there is none, all: nothing is known of others."""
        enabled = {number: tuple(call for call in calls if call.outcome != "disabled") for number, calls in self.calls.items()}
        return {number: enabled[number] or calls for number, calls in self.calls.items()}

    def uncalled(self, compiled: Compiled) -> Span | None:
        """Where an object is compiled that nothing in sight calls."""
        return None if self.calls.get(compiled.number) else compiled.site.span

    def calls_of_site(self, site: Where) -> tuple[Span, ...]:
        """Where objects of a site are called."""
        return tuple(dict.fromkeys(call.where.span for made in self.sites.get(site, ()) for call in self.calls.get(made.number, ())))

    def class_of(self, site: Where) -> Class | None:
        """The innermost class that a site stands in."""
        around = [
            cls
            for cls in self.log.classes
            if cls.where.filename == site.span.filename and cls.where.start <= site.span.start and site.span.end <= cls.where.end
        ]
        return max(around, key=lambda cls: cls.where.start, default=None)

    def leaving(self, number: int) -> tuple[Span, ...]:
        """Where a trace of an object gives traced arrays to something outside of it: text, a log, something older than the trace."""
        return self._left.get(number, ())

    @cached_property
    def _left(self) -> Mapping[int, tuple[Span, ...]]:
        told = [(event.object, event.where.span) for event in self.log.events if event.kind in ("format", "log")]
        kept = [(write.object, write.where.span) for write in self.log.writes if write.placeholder]
        found: dict[int, dict[Span, None]] = {}
        for number, span in (*told, *kept):
            found.setdefault(number, {})[span] = None
        return {number: tuple(spans) for number, spans in found.items()}

    @cached_property
    def doubts(self) -> Mapping[int | None, tuple[Doubt, ...]]:
        """What could not be followed, by the object that it kept from being followed in full; None: any of them."""
        found: dict[int | None, list[Doubt]] = {}
        for doubt in self.log.doubts:
            found.setdefault(doubt.object, []).append(doubt)
        return {number: tuple(doubts) for number, doubts in found.items()}

    @cached_property
    def traces(self) -> Mapping[int, tuple[Trace, ...]]:
        return _by_object(self.log.traces)

    @cached_property
    def events(self) -> Mapping[int, tuple[Event, ...]]:
        return _by_object(self.log.events)

    @cached_property
    def reads(self) -> Mapping[int, tuple[Read, ...]]:
        return _by_object(self.log.reads)

    @cached_property
    def writes(self) -> Mapping[int, tuple[Write, ...]]:
        return _by_object(self.log.writes)

    @cached_property
    def stale(self) -> Mapping[int, tuple[Stale, ...]]:
        return _by_object(self.log.stale)

    @cached_property
    def loops(self) -> Mapping[int, tuple[Loop, ...]]:
        return _by_object(self.log.loops)

    def never_reused(self, number: int) -> bool:
        """Whether there are several calls of an object in sight, and each makes a trace of its own, or runs the function as it is: what a trace does, each
        call does."""
        calls = self.calls.get(number, ())
        return len(calls) > 1 and all(call.outcome in ("traced", "disabled") and not call.alone for call in calls)

    def reused(self, number: int) -> bool:
        """Whether a call may use a trace of an object again. Those do not that run its function as it is, as where compilation is disabled."""
        return any(call.outcome in ("replayed", "either") or call.alone for call in self.calls.get(number, ()))

    @cached_property
    def notes(self) -> Mapping[str, tuple[Note, ...]]:
        """By kind."""
        found: dict[str, list[Note]] = {}
        for note in self.log.notes:
            found.setdefault(note.kind, []).append(note)
        return {kind: tuple(group) for kind, group in found.items()}

    def noted(self, kind: str) -> Iterator[tuple[Note, Compiled]]:
        """The notes of a kind that is about compiled objects, each with its own."""
        for note in self.notes.get(kind, ()):
            assert note.object is not None
            yield note, self.objects[note.object]

    def relied(self, number: int) -> Mapping[Where, Note]:
        """What traces of an object changed, and where host code relies on it most surely. What an assertion says that is so is meant to be so."""
        notes = [note for note in self.notes.get("relied", ()) if note.object == number and note.what != ASSERTED]
        notes.sort(key=lambda note: note.modality.steps, reverse=True)
        return {where: note for note in notes for where in note.also}


_Record = TypeVar("_Record", Call, Loop, Trace, Event, Read, Write, Stale)


def _by_object(records: Iterable[_Record]) -> dict[int, tuple[_Record, ...]]:
    found: dict[int, list[_Record]] = {}
    for record in records:
        found.setdefault(record.object, []).append(record)
    return {number: tuple(group) for number, group in found.items()}
