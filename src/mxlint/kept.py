"""The analyses of a run that hold since an earlier one, from a cache on the disk: as data, with the fixes that were asked for.

An entry is found by what is known before an analysis: the bytes and the name of the file, its settings, the table of MLX, this mxlint and this Python. It
holds if every question that the analysis asked has the same answer still (`Reads`).
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

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
    coverage: Mapping[str, int]
    called: frozenset[Span]
    imprecise: tuple[tuple[Span, str], ...]
    imports: tuple[tuple[Import, Module | None], ...]
    texts: tuple[tuple[str, tuple[str, str] | None], ...]
    names: tuple[tuple[str, str], ...]
    words: tuple[tuple[Word, bool], ...]
    sayers: tuple[tuple[Word, tuple[str, ...]], ...]
    tests: tuple[tuple[str, bool], ...]


@dataclass(slots=True)
class _Fixes:
    """The fixes of one analysis. `asked`, `made`: as in the entry that it is from; `anew`: makes the analysis again, which is done where somebody asks
    for other fixes than before, or in another order."""

    anew: Anew
    reads: Reads
    asked: list[int] = field(default_factory=list)
    made: list[Fix | None] = field(default_factory=list)
    live: Analysis | None = None
    changed: bool = False
    _at: int = 0

    def fix(self, number: int) -> Fix | None:
        """The fix of a finding, by its number."""
        at = self._at
        if self.asked[at : at + 1] != [number]:
            del self.asked[at:], self.made[at:]
            if self.live is None:
                self.reads = Reads()
                self.live = self.anew(self.reads)
                for before in self.asked:  # the budget is then what it was
                    self.live.findings[before].with_fix()
            self.asked.append(number)
            self.made.append(self.live.findings[number].with_fix().fix)
            self.changed = True
        self._at += 1
        return self.made[at]


class Kept:
    """The analyses of one run, each from the cache if it holds. `project`: that of the run; `count`: how many were from the cache."""

    def __init__(self, cache: Cache, project: Project, judged: Collection[str], here: str) -> None:
        """`judged`: the versions of MLX; `here`: the working directory, as a real path."""
        self._cache = cache
        self._project = project
        self._judged = tuple(judged)
        self._here = os.path.join(here, "")
        self._waiting: list[tuple[str, Analysis, _Fixes]] = []
        self.count = 0

    def analysis(self, source: Source, wrappers: Collection[str], tests: Tests, anew: Anew, *, read: bool = True) -> Analysis:
        """The analysis of a file. Without `read` it is made anew in any case. Raises what `anew` raises."""
        key = self._key(source, wrappers)
        stored = self._stored(key, source, tests, anew) if read else None
        if stored is not None:
            self.count += 1
            self._project.add(source)
            analysis, fixes = stored
        else:
            reads = Reads()
            analysis = anew(reads)
            fixes = _Fixes(anew, reads, live=analysis, changed=True)
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
            if fixes.changed:
                self._write(key, analysis, fixes)
        self._waiting.clear()
        self._cache.prune()

    def _key(self, source: Source, wrappers: Collection[str]) -> str:
        document = None if source.layout is None else (source.text, repr(source.layout))
        where = [self._relative(str(source.path)), self._relative(os.path.realpath(source.path))] if source.path is not None else []
        return key_of([source.name, where, source.digest, document, list(wrappers), self._judged])

    def _stored(self, key: str, source: Source, tests: Tests, anew: Anew) -> tuple[Analysis, _Fixes] | None:
        found = self._cache.read(key)
        if found is None:
            return None
        try:
            entry = decode_as(_Entry, found, "entry")
            reads = self._reads(entry)
            own = os.path.realpath(source.path) if source.path is not None else ""
            if not (_is_sound(entry, source.name, reads) and _is_led_to(reads, own) and reads.hold(self._project, tests)):
                return None
        except (FactsError, OSError, ValueError, RecursionError):
            return None
        mendable = frozenset(entry.mendable)
        findings = (replace(finding, remedy=number) if number in mendable else finding for number, finding in enumerate(entry.findings))
        analysis = Analysis(tuple(findings), entry.sites, entry.reasons, entry.coverage, entry.called, None, entry.imprecise)
        return analysis, _Fixes(anew, reads, list(entry.asked), list(entry.made))

    def _write(self, key: str, analysis: Analysis, fixes: _Fixes) -> None:
        reads, relative = fixes.reads, self._relative
        entry = _Entry(
            findings=tuple(replace(finding, remedy=None) for finding in analysis.findings),
            mendable=tuple(number for number, finding in enumerate(analysis.findings) if finding.remedy is not None),
            asked=tuple(fixes.asked),
            made=tuple(fixes.made),
            sites=analysis.sites,
            reasons=analysis.reasons,
            coverage=analysis.coverage,
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
    yield from (site.span for site in entry.sites)
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
