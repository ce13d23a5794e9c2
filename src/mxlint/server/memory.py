"""The analyses that were made, each kept for as long as all that it read is what it was: the file, its imports, its settings."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from time import thread_time

from mxlint.analysis import Analysis, analyze
from mxlint.config import Config
from mxlint.engine import Analyse, Survey, tests_of
from mxlint.faults import syntax_error
from mxlint.models.mlx.table import Table
from mxlint.project import Project, Reads, has_elsewhere
from mxlint.server.moving import Shift, moved, shift_between
from mxlint.source import Source, SourceError, source_from_bytes

INSTANT_S = 0.05
"""How long an analysis may have taken so that it is simply made again while somebody types."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """An analysis, all that it rests on, and the seconds that it took."""

    analysis: Analysis
    source: Source
    config: Config
    table: Table
    reads: Reads
    cost: float


@dataclass(slots=True)
class Memory:
    """The newest analysis of each program, by where its file is, and what was made of the files that they read. Markdown holds several."""

    cwd: Path
    _kept: dict[tuple[str, bytes | None], _Kept] = field(default_factory=dict)
    _sources: dict[str, Source] = field(default_factory=dict)
    _base: Project = field(default_factory=Project)

    def forget(self) -> None:
        """Let go of everything: which file an import means may have changed."""
        self._kept.clear()
        self._sources.clear()
        self._base = Project()

    def keep_only(self, files: Collection[str]) -> None:
        """Let go of the analyses of other files than these."""
        for key in [key for key in self._kept if key[0] not in files]:
            del self._kept[key]

    def analyser(self, found: Survey, go_on: Callable[[], None], stale: list[str] | None = None) -> Analyse:
        """The analysis of the files of a survey. `go_on`: as for a project. `stale`: with it, only the files that the editor shows are analysed
        anew, and these only if it is a matter of an instant; the analysis of any other file is made to fit as far as it does, and the file noted there.
        """
        return partial(self._analyse, _Now(found), go_on, stale)

    def _analyse(self, now: _Now, go_on: Callable[[], None], stale: list[str] | None, source: Source, config: Config) -> Analysis:
        assert now.found.table is not None and source.path is not None
        at = str(source.path)
        key = at, None if source.layout is None else source.data
        known = self._kept.get(key)
        if known is not None and self._holds(known, now, source, config):
            return known.analysis
        if stale is not None and (now.real(at) not in now.found.unsaved or (known is not None and known.cost > INSTANT_S)):
            stale.append(at)
            ast.parse(source.text)  # what is not Python any more has nothing else to say
            return Analysis((), ()) if known is None else moved(known.analysis, dict(now.shifts(known, source)))
        reads, started = Reads(), thread_time()
        sources = [other for real, other in self._sources.items() if now.bytes_of(real) == other.data]
        analysis = self._analysed(now.found, source, config, sources, reads, go_on)
        if known is not None:
            self._base.forget(known.source)
        for real, other in reads.files.items():
            if other is not None:
                if (before := self._sources.get(real)) is not None and before is not other:
                    self._base.forget(before)
                self._sources[real] = other
        self._kept[key] = _Kept(analysis, source, config, now.found.table, reads, thread_time() - started)
        return analysis

    def _analysed(
        self, found: Survey, source: Source, config: Config, sources: list[Source], reads: Reads, go_on: Callable[[], None]
    ) -> Analysis:
        assert found.table is not None
        project = self._base.changed(sources, contents=found.contents, unsaved=found.unsaved, reads=reads, go_on=go_on)
        run = partial(
            analyze, source, table=found.table, wrappers=config.compile_wrappers, tests=tests_of(config, self.cwd), with_facts=True
        )
        try:
            return _remembering(run(project))
        except RecursionError:
            if syntax_error(source):
                raise
        from mxlint.deep import on_a_deep_stack

        self._base = Project()
        return _remembering(on_a_deep_stack(lambda: run(Project(found.contents, found.unsaved, reads, go_on))))

    def _holds(self, known: _Kept, now: _Now, source: Source, config: Config) -> bool:
        """Whether an analysis rests on what is there now."""
        table = now.found.table
        return (
            table is not None
            and known.source.data == source.data
            and known.config == config
            and known.table.judged == table.judged
            and all(now.bytes_of(real) == (other and other.data) for real, other in known.reads.files.items())
            and all(has_elsewhere(now.found.contents, word, own) == answer for (word, own), answer in known.reads.words.items())
        )


def _remembering(analysis: Analysis) -> Analysis:
    """The analysis with fixes that are made once, however often somebody asks."""
    return replace(
        analysis,
        findings=tuple(
            finding if finding.remedy is None else replace(finding, remedy=lru_cache(maxsize=1)(finding.remedy))
            for finding in analysis.findings
        ),
    )


@dataclass(slots=True)
class _Now:
    """What the files hold at the moment of a run; those outside of it as they are on the disk."""

    found: Survey
    _at: dict[str, str] = field(default_factory=dict)
    _outside: dict[str, bytes | None] = field(default_factory=dict)

    def real(self, at: str) -> str:
        return next((file.real for file in self.found.files if file.at == at), at)

    def bytes_of(self, real: str) -> bytes | None:
        """What a file holds; None if nobody knows."""
        if not self._at:
            self._at.update((file.real, file.at) for file in self.found.files)
        if (unsaved := self.found.unsaved.get(real)) is not None:
            return unsaved
        if real in self._at:
            return self.found.contents[self._at[real]]
        if real not in self._outside:
            try:
                self._outside[real] = Path(real).read_bytes()
            except OSError:
                self._outside[real] = None
        return self._outside[real]

    def shifts(self, known: _Kept, source: Source) -> Iterator[tuple[str, Shift]]:
        """How the places of the file of an analysis, and of those that it read, have moved since."""
        yield source.name, shift_between(known.source, source)
        for real, before in known.reads.files.items():
            data = self.bytes_of(real)
            if before is not None and data is not None and data != before.data:
                try:
                    yield before.name, shift_between(before, source_from_bytes(data, before.name, before.path))
                except SourceError:
                    continue
