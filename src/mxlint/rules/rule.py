"""What a rule is, and how it makes a finding from facts: the policy of severities, the related spans, the words that all share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from mxlint.facts.events import Call, Compiled, Event, Log, Loop, Modality, Note, Read, Stale, Trace, Where, Write
from mxlint.finding import SEVERITIES, Finding, Related, Severity
from mxlint.fixes.remedies import Remedy

EVAL_ERROR = "ValueError: [eval] Attempting to eval an array during function transformations like compile or vmap is not allowed"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its identity, its check, and what others must know of it.

    `check` turns the facts of a run into findings. `after`: codes that speak first on the same expression or, with `same_object`, for the
    same compiled object: where one of them is found, this rule is silent.
    """

    code: str
    name: str
    severity: Severity
    check: Callable[[Program], Iterator[Finding]]
    after: tuple[str, ...] = ()
    after_in_object: tuple[str, ...] = ()


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

    @cached_property
    def notes(self) -> Mapping[str, tuple[Note, ...]]:
        """By kind."""
        found: dict[str, list[Note]] = {}
        for note in self.log.notes:
            found.setdefault(note.kind, []).append(note)
        return {kind: tuple(group) for kind, group in found.items()}

    def relied(self, number: int) -> Mapping[Where, Where]:
        """What traces of an object changed, and where host code relies on it."""
        return {where: note.where for note in self.notes.get("relied", ()) if note.object == number for where in note.also}


_Record = TypeVar("_Record", Call, Loop, Trace, Event, Read, Write, Stale)


def _by_object(records: Iterable[_Record]) -> dict[int, tuple[_Record, ...]]:
    found: dict[int, list[_Record]] = {}
    for record in records:
        found.setdefault(record.object, []).append(record)
    return {number: tuple(group) for number, group in found.items()}


def quoted(text: str, width: int = 48) -> str:
    """Source text in one short line, between backticks."""
    text = " ".join(text.split())
    return f"`{text if len(text) <= width else text[: width - 1] + '…'}`"


def name_of(compiled: Compiled) -> str:
    """How to speak of the compiled function."""
    return quoted(compiled.text) if compiled.form != "lambda" else "the compiled lambda"


def line(where: Where) -> str:
    """Where a place is, in words."""
    return f"line {where.span.start.row}"


def among(versions: Collection[str], judged: Sequence[str]) -> str:
    """Some of the versions of MLX that were judged, as ` with mlx 0.25.2 to 0.28.0`; nothing where it is all of them."""
    runs: list[list[str]] = []
    for before, version in zip(("", *judged), judged):
        if version in versions:
            if runs and runs[-1][-1] == before:
                runs[-1].append(version)
            else:
                runs.append([version])
    words = [run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]
    return f" with mlx {' and '.join(words)}" if len(versions) < len(judged) else ""


def lowered(severity: Severity, modality: Modality) -> Severity | None:
    """The severity of what happens under conditions or on a presumption: one step lower for each of the two; None: silent."""
    steps = bool(modality.conditions) + bool(modality.presumed)
    place = SEVERITIES.index(severity) + steps
    return SEVERITIES[place] if place < len(SEVERITIES) else None


def hanging(modality: Modality) -> str:
    """The conditions and presumptions in words, to end a message with."""
    words = []
    for condition in modality.conditions[:2]:
        if condition.outcome is None:
            words.append(f"if {quoted(condition.where.text)} comes to that")
        else:
            words.append(f"when {quoted(condition.where.text)} is {'true' if condition.outcome else 'false'}")
    words += [f"if {presumption}" for presumption in modality.presumed]
    return f" ({', '.join(words)})" if words else ""


def finding(
    rule: str, severity: Severity, where: Where, message: str, help: str, compiled: Compiled | None, modality: Modality, *,
    within: str = "", calls: Iterable[Where] = (), also: Iterable[tuple[str, Where]] = (), uncalled: bool = False,
    remedy: Remedy | None = None,
) -> Iterator[Finding]:  # fmt: skip
    """A finding with its related spans, at the severity that its modality leaves; nothing if it leaves none."""
    effective = lowered(severity, modality)
    if effective is None:
        return
    related = [Related(text, place.span) for text, place in also]
    if compiled is not None:
        related.append(Related("compiled here", compiled.site.span))
    related += [Related("called from here", call.span) for call in calls if call.span != where.span]
    yield Finding(
        rule,
        effective,
        message + hanging(modality),
        help,
        where.span,
        within or (compiled.within if compiled is not None else "") or None,
        tuple(related),
        claimed=severity if effective != severity else None,
        remedy=remedy,
        uncalled=compiled.site.span if compiled is not None and uncalled else None,
    )
