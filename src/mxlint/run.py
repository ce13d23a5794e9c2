"""The analyses of one run: from the cache, by other processes, or here."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from mxlint.config import Config, tests_of
from mxlint.source import Source

if TYPE_CHECKING:
    from mxlint.analysed import Analysis
    from mxlint.examining import Progress
    from mxlint.kept import Answer, Kept, Question, Task
    from mxlint.project import Project
    from mxlint.reads import Reads
    from mxlint.result import Result
    from mxlint.survey import Survey
    from mxlint.workers import Workers

ENOUGH = 100_000
"""Bytes of programs from which several processes pay: the analysis of so many takes about a second, and a process has to read what it imports itself."""


class Run:
    """What analyses the files of a survey. It is imported with the first one, with all of the tracer behind it, because most runs need none of it."""

    def __init__(self, found: Survey, cwd: Path, everything: bool, with_facts: bool, cache: Path | None, jobs: int) -> None:
        self._found = found
        self._cwd = cwd
        self._everything = everything
        self._with_facts = with_facts
        self._cache = None if everything else cache
        self._jobs = jobs
        self._workers: Workers | None = None

    def close(self) -> None:
        """End the processes that were begun."""
        if self._workers is not None:
            self._workers.end()

    @cached_property
    def _project(self) -> Project:
        from mxlint.project import Project

        return Project(self._found.by_real, self._found.unsaved)

    @cached_property
    def _kept(self) -> Kept:
        from mxlint.kept import Kept, cache_in

        assert self._found.table is not None  # there is one where a file is relevant
        cache = cache_in(self._cache) if self._cache is not None else None
        return Kept(cache, self._project, self._found.table.judged, os.path.realpath(self._cwd), read=not self._with_facts)

    def ahead(self, programs: Sequence[tuple[Source, Config]], progress: Progress | None) -> None:
        """Have programs analysed by other processes, if they are many, and not all kept."""
        if self._jobs < 2 or len(programs) < 2:
            return
        tasks = [self._task(source, config) for source, config in programs]
        missing = [number for number, task in enumerate(tasks) if not self._kept.has(task)]
        missing.sort(key=lambda number: len(tasks[number].source.text), reverse=True)  # what takes long is begun first
        if len(missing) < 2 or sum(len(tasks[number].source.text) for number in missing) < ENOUGH:
            return
        import mxlint.analysis  # noqa: F401 once for all that are copied of this process
        from mxlint.workers import Ended, Workers

        self._workers = Workers(
            min(self._jobs, len(missing)), partial(_answering, self._found, self._cwd, self._with_facts, tuple(programs))
        )
        done = len(tasks) - len(missing)
        for at, answer, worker in self._workers.ask_all([(number, None) for number in missing]):
            task = tasks[missing[at]]
            self._kept.put(task, str(answer) if isinstance(answer, Ended) else answer, partial(_asked, worker, missing[at]))
            done += 1
            if progress is not None:
                progress(done, len(tasks))

    def analyse(self, source: Source, config: Config) -> Analysis:
        """The analysis of a program. Raises what `analysis.analyze` raises."""
        return self._kept.analysis(self._task(source, config))

    def finished(self, result: Result) -> Result:
        """The result with what the run knows besides, and the cache brought up to date."""
        if "_project" in vars(self):
            result = replace(result, imported=frozenset(self._project.paths()))
        if "_kept" in vars(self):
            self._kept.finish()
            result = replace(result, cached=self._kept.count)
        return result

    def _task(self, source: Source, config: Config) -> Task:
        from mxlint.kept import Task

        return Task(source, config.compile_wrappers, tests_of(config, self._cwd), partial(self.anew, source, config))

    def anew(self, source: Source, config: Config, reads: Reads) -> Analysis:
        """The analysis of a program, made here."""
        from mxlint.analysis import analyze, as_deep_as_needed

        assert self._found.table is not None
        how = partial(
            analyze,
            table=self._found.table,
            wrappers=config.compile_wrappers,
            tests=reads.noting(tests_of(config, self._cwd)),
            everything=self._everything,
            with_facts=self._with_facts,
        )
        return as_deep_as_needed(how, source, self._project.noting(reads), lambda: self._project.emptied().noting(reads))


def _asked(worker: object, number: int, finding: int) -> Answer:
    """What the worker that analysed a program says of the fix of a finding."""
    from mxlint.workers import Worker

    assert isinstance(worker, Worker)
    return worker.ask((number, finding))  # type: ignore[no-any-return]


def _answering(found: Survey, cwd: Path, with_facts: bool, programs: Sequence[tuple[Source, Config]]) -> Callable[[Question], Answer]:
    """What answers in a worker: analyses programs by number, and makes fixes of what it found in them."""
    import gc
    import warnings

    from mxlint.kept import Answering

    gc.disable()
    gc.freeze()
    warnings.simplefilter("ignore")
    run = Run(found, cwd, False, with_facts, None, 1)
    return Answering([partial(run.anew, source, config) for source, config in programs])
