"""The files of a run, analysed one by one: what each has to say, and why some have nothing."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mxlint.analysed import come_to
from mxlint.config import Config
from mxlint.discover import File
from mxlint.documents.kinds import kind_of
from mxlint.faults import internal_error, needed_python, syntax_error, undecodable
from mxlint.finding import Finding, Span
from mxlint.source import Source, SourceError, source_from_bytes
from mxlint.survey import Survey

if TYPE_CHECKING:
    from mxlint.analysed import Analysis, SiteReport
    from mxlint.facts.events import Log

Progress = Callable[[int, int], None]
Analyse = Callable[[Source, Config], "Analysis"]
"""The analysis of one file of a run, with the settings that hold for it. Raises what `analysis.analyze` raises."""
Ahead = Callable[[Sequence[tuple[Source, Config]], Progress | None], None]
"""Is told what will be analysed, before the first analysis is asked for."""
COLLECT_FROM = 1_000_000
"""Objects made since the last run of the cycle collector, and not gone by themselves, from which it is run again: they take some 170 MB, and looking through
them two thirds of a second. Nearly all of them are the syntax trees that the project keeps: what an analysis makes goes with its interpreter."""


@dataclass(slots=True)
class Analysed:
    """What analysis gathers on its way through the files. `unjudged` names those that ended in MX003 or MX004 or need a newer Python.
    `unsaved`: as in `check`. `findings`: with the file whose analysis made each."""

    unsaved: Mapping[str, bytes] = field(default_factory=dict)
    findings: list[tuple[str, Finding]] = field(default_factory=list)
    sites: list[SiteReport] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    unjudged: set[str] = field(default_factory=set)
    tracebacks: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    elsewhere: dict[Span, list[SiteReport]] = field(default_factory=dict)
    imprecise: set[tuple[Span, str]] = field(default_factory=set)
    called: set[Span] = field(default_factory=set)
    facts: list[Log] = field(default_factory=list)
    newer: dict[str, str] = field(default_factory=dict)
    callers: set[str] = field(default_factory=set)

    def add(self, name: str, analysis: Analysis) -> None:
        self.findings.extend((name, finding) for finding in analysis.findings)
        self._come_to(analysis)
        self.sites.extend(analysis.sites)
        self.reasons.update(analysis.reasons)
        self.imprecise.update(analysis.imprecise)
        if analysis.facts is not None:
            self.facts.append(analysis.facts)

    def add_caller(self, name: str, analysis: Analysis) -> None:
        """What a file has to say that nobody asked for: its own sites and what was not followed in it are not of the run."""
        self.callers.add(name)
        self.findings.extend((name, finding) for finding in analysis.findings)
        self._come_to(analysis)
        if analysis.facts is not None:
            self.facts.append(analysis.facts)

    def _come_to(self, analysis: Analysis) -> None:
        """What a file says of the sites of others."""
        self.called |= analysis.called
        for site in analysis.elsewhere:
            self.elsewhere.setdefault(site.span, []).append(site)

    def all_sites(self) -> tuple[SiteReport, ...]:
        """The sites of the run in order, each as far as any file came to it."""
        return tuple(come_to(site, self.elsewhere.get(site.span, ())) for site in sorted(self.sites, key=lambda site: site.span))

    def give_up(self, finding: Finding) -> None:
        self.findings.append((finding.span.filename, finding))
        self.unjudged.add(finding.span.filename)

    def is_broken(self, source: Source, isolated: bool, what: str = "file") -> bool:
        """Whether this Python cannot parse a file; if so, note why. `what`: what is not checked then."""
        broken = syntax_error(source, what)
        if broken is None:
            return False
        if version := needed_python(source, isolated=isolated):
            self.newer[source.name] = version
            self.unjudged.add(source.name)
        else:
            self.give_up(broken)
        return True

    def parts(self, source: Source, isolated: bool) -> Iterable[Source]:
        """The programs of a file that can be analysed. Of a notebook with a broken cell that is none; a block of Markdown stands for itself."""
        if source.layout is None:
            return (source,)
        from mxlint.documents.reading import broken, programs

        unjudged = set(self.unjudged)
        for part in broken(source):
            self.is_broken(part, isolated, "notebook" if source.layout.kind == "notebook" else "block")
        if source.layout.kind == "markdown":
            self.unjudged = unjudged
        return programs(source)


def analysed_files(files: Sequence[File], found: Survey, analyse: Analyse, ahead: Ahead | None, progress: Progress | None) -> Analysed:
    """Findings and sites of the relevant files; of the others, whether they are Python at all."""
    analysed, isolated = Analysed(found.unsaved), found.settings.isolated
    programs = {file.name: list(_programs(file, found, analysed)) for file in files}
    if ahead is not None:
        ahead([(part, file.config) for file in files for part in programs[file.name] if file.at in found.relevant], progress)
    for done, file in enumerate(_sparing_collector(files)):
        if progress is not None:
            progress(done, len(files))
        for part in programs[file.name]:
            if file.caller:
                _ask_caller(file, part, analyse, analysed)
                continue
            if file.at not in found.relevant:
                analysed.is_broken(part, isolated)
                continue
            try:
                analysis = analyse(part, file.config)
            except Exception as error:  # noqa: BLE001 nothing that a file causes may end the run
                if not analysed.is_broken(part, isolated):
                    analysed.give_up(internal_error(file.name, error))
                    analysed.tracebacks.append(_traceback(file.name, error))
                continue
            analysed.add(file.name, analysis)
    return analysed


def _programs(file: File, found: Survey, analysed: Analysed) -> Iterable[Source]:
    """The programs of a file. Why it has none is noted, if somebody asked for it."""
    try:
        source = _read_source(found.documents.get(file.at, found.contents[file.at]), file.name, file.path)
    except SourceError as error:
        if not file.caller:
            analysed.give_up(undecodable(file.name, error))
        return ()
    if file.caller:
        return (source,)
    analysed.sources[file.name] = source
    return analysed.parts(source, found.settings.isolated)


def _ask_caller(file: File, source: Source, analyse: Analyse, analysed: Analysed) -> None:
    """What a file that nobody asked for has to say of others. One that cannot be analysed has nothing to say; a failure of ours is no finding in it, but its traceback is kept."""
    try:
        analysis = analyse(source, file.config)
    except Exception as error:  # noqa: BLE001 nothing that a file causes may end the run
        if syntax_error(source) is None:
            analysed.tracebacks.append(_traceback(file.name, error))
        return
    analysed.add_caller(file.name, analysis)


def _read_source(data: bytes, name: str, path: Path) -> Source:
    """The bytes of a file as a source. Raises SourceError."""
    kind = kind_of(str(path))
    if kind is None:
        return source_from_bytes(data, name, path)
    from mxlint.documents.reading import read_document

    return read_document(data, kind, name, path)


def _sparing_collector(files: Sequence[File]) -> Iterator[File]:
    """The files, with Python's cycle collector run now and then instead of all the time, which a third of a run would go into."""
    enabled = gc.isenabled()
    gc.disable()
    gc.freeze()  # what is there already stays: no collection need look at it
    try:
        for file in files:
            if gc.get_count()[0] > COLLECT_FROM:  # before the next one: after the last there is no need
                gc.collect()
                gc.freeze()  # what is left is kept by the project: the next collection need not look at it
            yield file
    finally:
        if enabled:
            gc.unfreeze()
            gc.enable()
        else:
            gc.freeze()  # the process ends soon: nor need the collection at its end


def _traceback(name: str, error: Exception) -> str:
    import traceback

    return f"{name}:\n" + "".join(traceback.format_exception(error))
