"""The analyses that were made, each kept for as long as all that it read is what it was: the file, its imports, its settings."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from time import thread_time

from mxlint.analysed import Analysis
from mxlint.analysis import analyze, as_deep_as_needed
from mxlint.config import Config, tests_of
from mxlint.examining import Analyse
from mxlint.models.mlx.table import Table
from mxlint.project import Project
from mxlint.reads import Reads
from mxlint.server.moving import Shift, moved, shift_between
from mxlint.source import Source
from mxlint.survey import Survey

INSTANT_S = 0.05
"""How long an analysis may have taken so that it is simply made again while somebody types."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """An analysis, what it rests on, and the seconds that it took. `read`: the files that it read, by real path."""

    analysis: Analysis
    source: Source
    config: Config
    table: Table
    reads: Reads
    read: Mapping[str, Source]
    cost: float


@dataclass(slots=True)
class Memory:
    """The newest analysis of each program, by where its file is, and what was made of the files that they read. Markdown holds several."""

    cwd: Path
    _kept: dict[tuple[str, bytes | None], _Kept] = field(default_factory=dict)
    _project: Project = field(default_factory=Project)

    def keep_only(self, files: Collection[str]) -> None:
        """Let go of the analyses of other files than these."""
        for key in [key for key in self._kept if key[0] not in files]:
            del self._kept[key]

    def analyser(self, found: Survey, go_on: Callable[[], None], stale: list[str] | None = None, *, same_disk: bool = True) -> Analyse:
        """The analysis of the files of a survey. `go_on`: as for a project. `stale`: with it, only the files that the editor shows are analysed
        anew, and these only if it is a matter of an instant; the analysis of any other file is made to fit as far as it does, and the file noted there.
        `same_disk`: no file has come or gone since the last run.
        """
        self._project = self._project.renewed(found.by_real, found.unsaved, go_on, same_disk=same_disk)
        return partial(self._analyse, found, stale)

    def _analyse(self, found: Survey, stale: list[str] | None, source: Source, config: Config) -> Analysis:
        assert found.table is not None and source.path is not None
        at = str(source.path)
        key = at, None if source.layout is None else source.data
        known = self._kept.get(key)
        if known is not None and self._holds(known, found.table, source, config):
            return known.analysis
        if stale is not None and (not found.is_unsaved(at) or (known is not None and known.cost > INSTANT_S)):
            stale.append(at)
            if known is None or known.source.data != source.data:
                ast.parse(source.text)  # what is not Python any more has nothing else to say
            return Analysis((), ()) if known is None else moved(known.analysis, dict(self._shifts(known, source)))
        reads, started = Reads(), thread_time()
        analysis = _remembering(self._analysed(found.table, source, config, reads))
        read = {path: other for path in reads.texts if (other := self._project.source(path)) is not None}
        self._kept[key] = _Kept(analysis, source, config, found.table, reads, read, thread_time() - started)
        return analysis

    def _analysed(self, table: Table, source: Source, config: Config, reads: Reads) -> Analysis:
        def anew() -> Project:
            self._project = self._project.emptied()
            return self._project.noting(reads)

        tests = reads.noting(tests_of(config, self.cwd))
        how = partial(analyze, table=table, wrappers=config.compile_wrappers, tests=tests, with_facts=True)
        return as_deep_as_needed(how, source, self._project.noting(reads), anew)

    def _holds(self, known: _Kept, table: Table, source: Source, config: Config) -> bool:
        """Whether an analysis rests on what is there now."""
        return (
            known.source.data == source.data
            and known.config == config
            and known.table.judged == table.judged
            and known.reads.hold(self._project, tests_of(config, self.cwd))
        )

    def _shifts(self, known: _Kept, source: Source) -> Iterator[tuple[str, Shift]]:
        """How the places of the file of an analysis, and of those that it read, have moved since."""
        yield source.name, shift_between(known.source, source)
        for path, before in known.read.items():
            after = self._project.source(path)
            if after is not None and after.data != before.data:
                yield before.name, shift_between(before, after)


def _remembering(analysis: Analysis) -> Analysis:
    """The analysis with fixes that are made once, however often somebody asks."""
    return replace(
        analysis,
        findings=tuple(
            finding if finding.remedy is None else replace(finding, remedy=lru_cache(maxsize=1)(finding.remedy))
            for finding in analysis.findings
        ),
    )
