"""The analyses of a run that hold since an earlier one, from a cache on the disk: as data, with the fixes that were asked for.

An entry is found by what is known before an analysis: the bytes and the name of the file, its settings, the table of MLX, this mxlint and this Python. It
holds if every question that the analysis asked has the same answer still (`Reads`).
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, cast

from mxlint import __version__, resources
from mxlint.analysed import Analysis, SiteReport
from mxlint.cache import Cache, key_of
from mxlint.facts.codec import FactsError, decode_as, encode
from mxlint.finding import Finding, Fix, Span
from mxlint.project import Project
from mxlint.reads import Import, Module, Reads, Tests, Word
from mxlint.rules.registry import NAMES
from mxlint.source import Source

Anew = Callable[[Reads], Analysis]
"""Analyses a file, and notes what that rests on."""
_MOST = 10**9


@dataclass(frozen=True, slots=True)
class _Entry:
    """An analysis as it is stored. `mendable`: the findings that may have a fix, by number; `asked`: those whose fix somebody asked for, in that order, with what was made of it
    in `made`: all fixes of an analysis share one budget. The rest is that of `Reads` and `Analysis`, with paths relative to the working directory."""

    findings: tuple[Finding, ...]
    mendable: tuple[int, ...]
    asked: tuple[int, ...]
    made: tuple[Fix | None, ...]
    sites: tuple[SiteReport, ...]
    reasons: Mapping[str, int]
    elsewhere: tuple[SiteReport, ...]
    called: frozenset[Span]
    imprecise: tuple[tuple[Span, str], ...]
    imports: tuple[tuple[Import, Module | None], ...]
    texts: tuple[tuple[str, tuple[str, str] | None], ...]
    names: tuple[tuple[str, str], ...]
    words: tuple[tuple[Word, bool], ...]
    sayers: tuple[tuple[Word, tuple[str, ...]], ...]
    tests: tuple[tuple[str, bool], ...]


Answer = tuple[Analysis, Reads] | tuple[Fix | None, Reads] | None
"""What another process says: an analysis or a fix, and what that rests on. None: it is to be made here, since it raised something."""
Question = tuple[int, int | None]
"""The number of a program, and of a finding in it whose fix is wanted, or None for its analysis."""


@dataclass(frozen=True, slots=True)
class Task:
    """A program to analyse, and what decides about that. `anew`: makes the analysis here."""

    source: Source
    wrappers: tuple[str, ...]
    tests: Tests
    anew: Anew


class WorkerError(Exception):
    """A process that analysed a file ended before it was done."""


class _Live(Protocol):
    """An analysis whose fixes can be made. `reads`: what it rests on, with the fixes that were made."""

    reads: Reads

    def fix(self, number: int) -> Fix | None:
        """The fix of a finding."""


@dataclass(slots=True)
class _Here:
    """One that was made in this process."""

    analysis: Analysis
    reads: Reads

    def fix(self, number: int) -> Fix | None:
        return self.analysis.findings[number].with_fix().fix


@dataclass(slots=True)
class _There:
    """One that was made in another process, which `ask` asks for the fix of a finding. Raises WorkerError if it has ended since."""

    ask: Callable[[int], Any]
    reads: Reads

    def fix(self, number: int) -> Fix | None:
        answer = self.ask(number)
        if not isinstance(answer, tuple):
            raise WorkerError(str(answer))
        fix, self.reads = answer
        return cast("Fix | None", fix)


@dataclass(slots=True)
class _Fixes:
    """The fixes of one analysis. `asked`, `made`: as in the entry that it is from; `again`: makes the analysis again, which is done where somebody asks
    for other fixes than before, or in another order."""

    again: Callable[[], _Live]
    reads: Reads
    asked: list[int] = field(default_factory=list)
    made: list[Fix | None] = field(default_factory=list)
    live: _Live | None = None
    changed: bool = False
    _at: int = 0

    def fix(self, number: int) -> Fix | None:
        """The fix of a finding, by its number."""
        at = self._at
        if self.asked[at : at + 1] != [number]:
            del self.asked[at:], self.made[at:]
            if self.live is None:
                self.live = self.again()
                for before in self.asked:  # the budget is then what it was
                    self.live.fix(before)
            try:
                fix = self.live.fix(number)
            except WorkerError:  # what it knew went with it
                self.live = self.again()
                fix = [self.live.fix(each) for each in (*self.asked, number)][-1]
            self.asked.append(number)
            self.made.append(fix)
            self.reads = self.live.reads
            self.changed = True
        self._at += 1
        return self.made[at]


_Known = tuple[Analysis, _Fixes]


class Kept:
    """The analyses of one run, each from the cache if it holds. `project`: that of the run; `count`: how many were from the cache."""

    def __init__(self, cache: Cache | None, project: Project, judged: Collection[str], here: str, *, read: bool = True) -> None:
        """`judged`: the versions of MLX; `here`: the working directory, as a real path. Without `read` all is made anew."""
        self._cache = cache
        self._project = project
        self._judged = tuple(judged)
        self._here = os.path.join(here, "")
        self._read = read
        self._known: dict[int, _Known | str | None] = {}
        self._waiting: list[tuple[str, Analysis, _Fixes]] = []
        self.count = 0

    def has(self, task: Task) -> bool:
        """Whether there is an analysis that holds."""
        return self._stored(task) is not None

    def put(self, task: Task, answer: Answer | str, ask: Callable[[int], Any]) -> None:
        """Take the analysis that another process made, or the reason why there is none. `ask`: asks that process for the fix of a finding."""
        if isinstance(answer, str):
            self._known[id(task.source)] = answer
        elif answer is not None:
            analysis, reads = cast("tuple[Analysis, Reads]", answer)
            live = _There(ask, reads)
            self._known[id(task.source)] = analysis, _Fixes(partial(_made, task), reads, live=live, changed=True)

    def analysis(self, task: Task) -> Analysis:
        """The analysis of a program. Raises what `anew` raises, and WorkerError where another process did not come to an end with it."""
        known = self._stored(task)
        if isinstance(known, str):
            raise WorkerError(known)
        if known is None:
            live = _made(task)
            analysis, fixes = live.analysis, _Fixes(lambda: live, live.reads, live=live, changed=True)
        else:
            analysis, fixes = known
            self.count += not fixes.changed
            self._project.add(task.source)
            for path in fixes.reads.texts:
                self._project.source(path)
        key = self._key(task.source, task.wrappers)
        if all(finding.remedy is None for finding in analysis.findings):
            self._write(key, analysis, fixes)
            return analysis
        self._waiting.append((key, analysis, fixes))
        return replace(
            analysis,
            findings=tuple(
                finding if finding.remedy is None else replace(finding, remedy=partial(fixes.fix, number))
                for number, finding in enumerate(analysis.findings)
            ),
        )

    def finish(self) -> None:
        """Store what was to wait for its fixes, and make room."""
        for key, analysis, fixes in self._waiting:
            self._write(key, analysis, fixes)
        self._waiting.clear()
        if self._cache is not None:
            self._cache.prune()

    def _stored(self, task: Task) -> _Known | str | None:
        """What is known of a program, looked for once."""
        name = id(task.source)
        if name not in self._known:
            self._known[name] = self._found(task) if self._cache is not None and self._read else None
        return self._known[name]

    def _key(self, source: Source, wrappers: Collection[str]) -> str:
        document = None if source.layout is None else (source.text, repr(source.layout))
        where = [self._relative(str(source.path)), self._relative(os.path.realpath(source.path))] if source.path is not None else []
        return key_of([source.name, where, source.digest, document, list(wrappers), self._judged])

    def _found(self, task: Task) -> _Known | None:
        assert self._cache is not None
        found = self._cache.read(self._key(task.source, task.wrappers))
        if found is None:
            return None
        try:
            entry = decode_as(_Entry, found, "entry")
            reads = self._reads(entry)
            own = os.path.realpath(task.source.path) if task.source.path is not None else ""
            if not (_is_sound(entry, task.source.name, reads) and _is_led_to(reads, own) and reads.hold(self._project, task.tests)):
                return None
        except (FactsError, OSError, ValueError, RecursionError):
            return None
        mendable = frozenset(entry.mendable)
        findings = (replace(finding, remedy=number) if number in mendable else finding for number, finding in enumerate(entry.findings))
        analysis = Analysis(tuple(findings), entry.sites, entry.reasons, entry.elsewhere, entry.called, None, entry.imprecise)
        return analysis, _Fixes(partial(_made, task), reads, list(entry.asked), list(entry.made))

    def _write(self, key: str, analysis: Analysis, fixes: _Fixes) -> None:
        if self._cache is None or not fixes.changed:
            return
        reads, relative = fixes.reads, self._relative
        entry = _Entry(
            findings=tuple(replace(finding, remedy=None) for finding in analysis.findings),
            mendable=tuple(number for number, finding in enumerate(analysis.findings) if finding.remedy is not None),
            asked=tuple(fixes.asked),
            made=tuple(fixes.made),
            sites=analysis.sites,
            reasons=analysis.reasons,
            elsewhere=analysis.elsewhere,
            called=analysis.called,
            imprecise=analysis.imprecise,
            imports=tuple(
                ((relative(path), name, level), module and (module[0], relative(module[1]), relative(module[2])))
                for (path, name, level), module in reads.imports.items()
            ),
            texts=tuple((relative(path), text) for path, text in reads.texts.items()),
            names=tuple((relative(path), name) for path, name in reads.names.items()),
            words=tuple(((word, own and relative(own)), said) for (word, own), said in reads.words.items()),
            sayers=tuple(((word, own and relative(own)), tuple(map(relative, paths))) for (word, own), paths in reads.sayers.items()),
            tests=tuple(reads.tests.items()),
        )
        self._cache.write(key, encode(entry))

    def _reads(self, entry: _Entry) -> Reads:
        full = self._full
        return Reads(
            {
                (full(path), name, level): module and (module[0], full(module[1]), full(module[2]))
                for (path, name, level), module in entry.imports
            },
            {full(path): text for path, text in entry.texts},
            {full(path): name for path, name in entry.names},
            {(word, own and full(own)): said for (word, own), said in entry.words},
            {(word, own and full(own)): tuple(map(full, paths)) for (word, own), paths in entry.sayers},
            dict(entry.tests),
        )

    def _relative(self, path: str) -> str:
        return path.removeprefix(self._here)

    def _full(self, path: str) -> str:
        return os.path.join(self._here, path) if path else ""


class Answering:
    """Analyses programs for another process, by number, and makes the fixes of what it found."""

    def __init__(self, programs: Sequence[Anew]) -> None:
        self._programs = programs
        self._live: dict[int, _Here] = {}

    def __call__(self, question: Question) -> Answer:
        number, finding = question
        if finding is not None:
            live = self._live[number]
            return live.fix(finding), live.reads
        reads = Reads()
        try:
            analysis = self._programs[number](reads)
        except Exception:  # noqa: BLE001 it is raised again by who is to tell of it
            return None
        marked = tuple(replace(finding, remedy=None if finding.remedy is None else True) for finding in analysis.findings)
        if any(finding.remedy for finding in marked):
            self._live[number] = _Here(analysis, reads)
        return replace(analysis, findings=marked), reads


def _made(task: Task) -> _Here:
    reads = Reads()
    return _Here(task.anew(reads), reads)


def cache_in(folder: Path) -> Cache:
    """The analyses that are kept in a folder."""
    return Cache(folder, "check", key_of(list(_environment()))[:16])


def _environment() -> Iterator[str]:
    """What every analysis depends on beside the project: this mxlint, this Python, and the library that makes fixes."""
    yield from (__version__, sys.version, sys.platform, platform.machine())
    yield from _state(resources.PACKAGE)
    for folder in sys.path:
        with_version = os.path.join(folder, "libcst", "_version.py")
        if os.path.isfile(with_version):
            yield Path(with_version).read_text(encoding="utf-8", errors="replace")
            return


def _state(package: Path) -> Iterator[str]:
    """The state of our own source: what the installer noted of each file, in a working copy when each was changed."""
    try:
        record = (package.parent / f"{package.name}-{__version__}.dist-info" / "RECORD").read_text(encoding="utf-8")
        yield from (line for line in record.splitlines() if line.startswith(f"{package.name}/") and "sha256=" in line)
        return
    except OSError:
        pass
    waiting = [package if package.is_dir() else next(path for path in package.parents if path.exists())]
    while waiting:
        path = waiting.pop()
        if path.is_dir():
            waiting.extend(sorted(below for below in path.iterdir() if below.name != "__pycache__"))
        else:
            about = path.stat()
            yield f"{path} {about.st_size} {about.st_mtime_ns}"


def _is_sound(entry: _Entry, name: str, reads: Reads) -> bool:
    """Whether what an entry says of the file of a name can be: it may be anybody's. Its places lie in files that the analysis has read: whoever
    reports them opens those, and shows what is there."""
    count = len(entry.findings)
    files = {name, *(text[0] for text in reads.texts.values() if text is not None)}
    numbers = (*entry.mendable, *entry.asked)
    return (
        len(entry.asked) == len(entry.made)
        and all(0 <= number < count for number in numbers)
        and set(entry.asked) <= set(entry.mendable)
        and all(finding.code in NAMES and finding.fix is None and finding.verdict is None for finding in entry.findings)
        and all(span.filename in files and _is_place(span) for span in _spans(entry))
    )


def _spans(entry: _Entry) -> Iterator[Span]:
    for finding in entry.findings:
        yield finding.span
        yield from (related.span for related in finding.related)
        yield from (span for span in (finding.statement, finding.uncalled) if span is not None)
    for fix in entry.made:
        yield from (edit.span for edit in fix.edits) if fix is not None else ()
    yield from (site.span for site in (*entry.sites, *entry.elsewhere))
    yield from entry.called
    yield from (span for span, _ in entry.imprecise)


def _is_place(span: Span) -> bool:
    numbers = (span.start.row, span.start.column, span.end.row, span.end.column)
    return span.start <= span.end and all(1 <= number < _MOST for number in numbers)


def _is_led_to(reads: Reads, own: str) -> bool:
    """Whether only files are read that imports lead to, from the file of the real path `own` on, or that are of the run: nothing else is opened on
    the word of an entry."""
    led = {module[2] for module in reads.imports.values() if module is not None}.union(*reads.sayers.values())
    return reads.texts.keys() <= led and {path for path, _, _ in reads.imports} <= {own, *led}
