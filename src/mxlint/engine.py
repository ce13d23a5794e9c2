"""The whole run: discover → read → gate → analyse → suppress → select → sort. What it finds is data; to report it is left to others."""

from __future__ import annotations

import gc
import os
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from mxlint.config import Config, Configs, FailOn, Settings
from mxlint.discover import File, Problem, discover, display, is_excluded
from mxlint.documents.kinds import kind_of
from mxlint.faults import internal_error, needed_python, syntax_error, undecodable
from mxlint.finding import SEVERITIES, Applicability, Finding, Fix, Span
from mxlint.gate import admitted, last_names
from mxlint.rules.registry import RULES
from mxlint.run import Run
from mxlint.source import Source, SourceError, read_source, source_from_bytes
from mxlint.suppressions import names_rules, suppress

if TYPE_CHECKING:
    from mxlint.analysed import Analysis, SiteReport
    from mxlint.facts.events import Log
    from mxlint.models.mlx.table import Table
    from mxlint.since import Since

Progress = Callable[[int, int], None]
Analyse = Callable[[Source, Config], "Analysis"]
"""The analysis of one file of a run, with the settings that hold for it. Raises what `analysis.analyze` raises."""
Ahead = Callable[[Sequence[tuple[Source, Config]], Progress | None], None]
"""Is told what will be analysed, before the first analysis is asked for."""
COLLECT_FROM = 300_000
"""Objects made since the last run of the cycle collector from which it is run again: they take some 50 MB, and looking through them a tenth of a second."""


@dataclass(frozen=True, slots=True)
class Stdin:
    """What `mxlint check -` reads: the bytes, and the file that they are said to be."""

    data: bytes
    filename: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What a run found. `sources` are the files that were looked into, by name; `reasons` counts what could not be followed there.
    `fail_on`: by file, what fails the run; `verified`: its findings were put to the test; `python`: by file, the interpreter that is named for that.

    `newer`: by file that this Python cannot parse, the version that it needs; nothing in it was checked.

    `coverage` counts the sites followed in full, in part and not at all. `facts`: what the tracer knows, one for each file that was analysed
    on its own; nothing unless they were asked for.

    `own`: the names of the files that were asked for. `fixed`: the findings whose fixes were made, None where nothing was to be fixed;
    `unsafe_fixes`: fixes that may change behaviour are meant as well, where fixes are made or counted. `baselined`: how many findings the baseline
    has; `imprecise`: what `reasons` counts, by place; `since`: the commit whose findings are left out. `imported`: the real paths of the files that were read for imports.
    `callers`: how many files were analysed besides, because they import one of those. `cached`: of how many files the analysis was taken from the cache.
    """

    findings: tuple[Finding, ...]
    sites: tuple[SiteReport, ...]
    files: int
    parsed: int
    fail_on: Mapping[str, FailOn]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    tracebacks: tuple[str, ...]
    sources: Mapping[str, Source]
    mlx_versions: tuple[str, ...]
    reasons: Mapping[str, int]
    coverage: Mapping[str, int]
    timings: Mapping[str, float]
    verified: bool = False
    facts: tuple[Log, ...] = ()
    python: Mapping[str, Path] = field(default_factory=dict)
    newer: Mapping[str, str] = field(default_factory=dict)
    own: frozenset[str] = frozenset()
    fixed: tuple[Finding, ...] | None = None
    unsafe_fixes: bool = False
    baselined: int = 0
    since: Since | None = None
    imported: frozenset[str] = frozenset()
    imprecise: tuple[tuple[Span, str], ...] = ()
    cached: int = 0
    callers: int = 0

    @property
    def exit_code(self) -> int:
        """0 nothing that fails the run, 1 findings that do, 2 something could not be judged for a reason that does not lie in the code."""
        if self.problems or any(finding.code == "MX004" for finding in self.findings):
            return 2
        return int(self.failed)

    @property
    def failed(self) -> bool:
        """Whether a finding is as severe as what fails the run in its file."""
        return any(_fails(finding, self.fail_on.get(finding.span.filename, "warning")) for finding in self.findings)

    @property
    def duration(self) -> float:
        return sum(self.timings.values())

    def count(self, severity: str) -> int:
        """How many findings have a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def fixable(self, finding: Finding) -> bool:
        """Whether --fix, with the flags of this run, would make the finding's fix."""
        return self._fixed_with(finding, self.unsafe_fixes) and (finding.proved or not self.verified)

    def unproved(self, finding: Finding) -> bool:
        """Whether --fix makes the finding's fix without --verify only."""
        return self._fixed_with(finding, self.unsafe_fixes) and not self.fixable(finding)

    def hidden(self, finding: Finding) -> bool:
        """Whether it is --unsafe-fixes that the finding's fix lacks."""
        return self._fixed_with(finding, True) and not self._fixed_with(finding, self.unsafe_fixes)

    def _fixed_with(self, finding: Finding, unsafe_fixes: bool) -> bool:
        """Whether a fix is of a kind that is written, and changes only files that were asked for."""
        fix = finding.fix
        return (
            fix is not None and fix.applicability in fixed_with(unsafe_fixes) and all(edit.span.filename in self.own for edit in fix.edits)
        )


def fixed_with(unsafe_fixes: bool) -> tuple[Applicability, ...]:
    """The kinds of fixes that are written. One for display is never."""
    return ("safe", "unsafe") if unsafe_fixes else ("safe",)


@dataclass(frozen=True, slots=True)
class Survey:
    """The files of a run. `contents`: the Python that each holds, by where it is; `documents`: the bytes of notebooks and Markdown; `relevant`: those that may have to do with something compiled; `table`: what is
    known of the MLX that they are judged for, None if none is relevant. `unsaved`: as in `check`."""

    files: tuple[File, ...]
    problems: tuple[Problem, ...]
    contents: Mapping[str, bytes]
    documents: Mapping[str, bytes]
    relevant: frozenset[str]
    table: Table | None
    configs: Configs
    settings: Settings
    unsaved: Mapping[str, bytes]
    timings: Mapping[str, float]

    @property
    def by_real(self) -> Mapping[str, bytes]:
        """The Python that each file holds, by its real path."""
        return {file.real: self.contents[file.at] for file in self.files if file.at in self.contents}

    def is_unsaved(self, at: str) -> bool:
        """Whether a file is taken to hold something else than the disk has."""
        return next((file.real for file in self.files if file.at == at), at) in self.unsaved


@dataclass(slots=True)
class _Analysed:
    """What analysis gathers on its way through the files. `unjudged` names those that ended in MX003 or MX004 or need a newer Python.
    `unsaved`: as in `check`. `findings`: with the file whose analysis made each."""

    unsaved: Mapping[str, bytes] = field(default_factory=dict)
    findings: list[tuple[str, Finding]] = field(default_factory=list)
    sites: list[SiteReport] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    unjudged: set[str] = field(default_factory=set)
    tracebacks: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    coverage: Counter[str] = field(default_factory=Counter)
    imprecise: set[tuple[Span, str]] = field(default_factory=set)
    called: set[Span] = field(default_factory=set)
    facts: list[Log] = field(default_factory=list)
    newer: dict[str, str] = field(default_factory=dict)
    callers: set[str] = field(default_factory=set)

    def add(self, name: str, analysis: Analysis) -> None:
        self.findings.extend((name, finding) for finding in analysis.findings)
        self.called |= analysis.called
        self.sites.extend(analysis.sites)
        self.reasons.update(analysis.reasons)
        self.coverage.update(analysis.coverage)
        self.imprecise.update(analysis.imprecise)
        if analysis.facts is not None:
            self.facts.append(analysis.facts)

    def add_caller(self, name: str, analysis: Analysis) -> None:
        """What a file has to say that nobody asked for: its own sites and what was not followed in it are not of the run."""
        self.callers.add(name)
        self.findings.extend((name, finding) for finding in analysis.findings)
        self.called |= analysis.called
        if analysis.facts is not None:
            self.facts.append(analysis.facts)

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


def check(
    paths: Sequence[str],
    settings: Settings | None = None,
    *,
    stdin: Stdin | None = None,
    force_exclude: bool = False,
    gate: bool = True,
    everything: bool = False,
    with_facts: bool = False,
    unsaved: Mapping[str, bytes] | None = None,
    cache: Path | None = None,
    callers: bool = False,
    fixes: bool = True,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Result:
    """Check files and folders, or `stdin` in their place. Raises ConfigError, and nothing that a checked file could cause.

    Without `gate` every file is analysed; `everything` and `with_facts` are passed on to the analysis. `unsaved`: what some files are taken to
    hold, by their real paths, whatever is on the disk, or came from stdin. `cache`: the folder in which analyses are kept from one run to the next.
    `callers`: files that import a named one are analysed as well, for what they have to say of the files that were asked for. `fixes`: as for `examine`.
    `jobs`: the processes that analyse, where there is enough to do for more than one.
    """
    cwd = Path.cwd()
    with warnings.catch_warnings():
        # Python would print what it thinks of a checked file's own string escapes.
        warnings.simplefilter("ignore")
        found = survey(paths, settings, cwd, stdin=stdin, force_exclude=force_exclude, gate=gate, unsaved=unsaved, with_callers=callers)
        with closing(Run(found, cwd, everything, with_facts, cache, jobs)) as run:
            return run.finished(examine(found, cwd, run.analyse, ahead=run.ahead, fixes=fixes, progress=progress))


def survey(
    paths: Sequence[str],
    settings: Settings | None,
    cwd: Path,
    *,
    stdin: Stdin | None = None,
    force_exclude: bool = False,
    gate: bool = True,
    unsaved: Mapping[str, bytes] | None = None,
    with_callers: bool = False,
) -> Survey:
    """What `check` looks into, with the same arguments, before anything is analysed. Raises ConfigError."""
    unsaved, settings = unsaved or {}, settings or Settings()
    timings: dict[str, float] = {}
    with _timed("discover", timings):
        configs = Configs(settings, cwd)
        if stdin is None:
            files, problems = discover(paths, configs, cwd, force_exclude)
        else:
            files, problems = _stdin_file(stdin, configs, cwd, force_exclude), []
    with _timed("read", timings):
        contents = _read(files, stdin, unsaved, problems)
        documents = _documents(files, contents, problems)
        files = [file for file in files if file.at in contents]
    with _timed("callers", timings):
        if with_callers and (stdin is None or stdin.filename) and any(file.explicit for file in files):
            from mxlint.callers import callers

            for caller, data in callers(files, contents, unsaved, configs, cwd):
                files.append(caller)
                contents[caller.at] = data
    with _timed("gate", timings):
        wrappers = last_names({name for file in files for name in file.config.compile_wrappers})
        relevant = admitted(contents, {file.at for file in files if file.explicit}, wrappers) if gate else set(contents)
    table = None
    with _timed("table", timings):
        if relevant:
            table = table_for(next(file for file in files if file.at in relevant), settings)
    return Survey(tuple(files), tuple(problems), contents, documents, frozenset(relevant), table, configs, settings, unsaved, timings)


def examine(
    found: Survey,
    cwd: Path,
    analyse: Analyse,
    *,
    ahead: Ahead | None = None,
    only: Collection[str] | None = None,
    fixes: bool = True,
    progress: Progress | None = None,
) -> Result:
    """Analyse the files of a survey with `analyse`, and judge what it finds. `ahead`: is told of all programs before. `only`: these files of it alone, by where they are. Without `fixes`
    none is made that takes analyses: `with_fix` of the finding makes it."""
    timings = dict(found.timings)
    looked_at = [
        file
        for file in found.files
        if (only is None or file.at in only)
        and (file.at in found.relevant or file.explicit or not file.caller and names_rules(found.contents[file.at]))
    ]
    asked = [file for file in found.files if not file.caller]
    with _timed("analyse", timings):
        analysed = _analyse(looked_at, found, analyse, ahead, progress)
    with _timed("suppress", timings):
        findings, fail_on, python = _judge(analysed, {file.name: file for file in asked}, found.configs, cwd, fixes)
    table = found.table
    return Result(
        findings=tuple(sorted(findings, key=_order)),
        own=frozenset(file.name for file in asked),
        sites=tuple(sorted(analysed.sites, key=lambda site: site.span)),
        files=len(asked),
        parsed=sum(not file.caller for file in looked_at),
        callers=sum(file.caller for file in looked_at),
        fail_on=fail_on,
        python=python,
        newer=analysed.newer,
        problems=found.problems,
        notes=(table.note,) if table is not None and table.note else (),
        tracebacks=tuple(analysed.tracebacks),
        sources=analysed.sources,
        mlx_versions=table.judged if table is not None else (),
        reasons=dict(analysed.reasons),
        coverage=dict(analysed.coverage),
        imprecise=tuple(sorted(analysed.imprecise)),
        timings=timings,
        facts=tuple(analysed.facts),
    )


def _stdin_file(stdin: Stdin, configs: Configs, cwd: Path, force_exclude: bool) -> list[File]:
    path = Path(os.path.normpath(cwd / (stdin.filename or "-")))
    config = configs.of(path.parent)
    if force_exclude and stdin.filename and is_excluded(path, config):
        return []
    return [File(str(path), display(str(path), cwd), config, explicit=True, real=os.path.realpath(path))]


def _read(files: Iterable[File], stdin: Stdin | None, unsaved: Mapping[str, bytes], problems: list[Problem]) -> dict[str, bytes]:
    """The bytes of every file that can be read."""
    contents: dict[str, bytes] = {}
    for file in files:
        try:
            known = unsaved.get(file.real, stdin.data if stdin is not None else None)
            contents[file.at] = _bytes(file.at) if known is None else known
        except OSError as error:
            problems.append(Problem(file.name, f"cannot be read: {error.strerror or error}"))
    return contents


def _documents(files: Iterable[File], contents: dict[str, bytes], problems: list[Problem]) -> dict[str, bytes]:
    """The bytes of notebooks and Markdown; `contents` has of them from here on the Python that they hold, and nothing of what cannot be read."""
    found: dict[str, bytes] = {}
    for file in files:
        kind = kind_of(file.at)
        if kind is None or file.at not in contents:
            continue
        from mxlint.documents.errors import DocumentError
        from mxlint.documents.reading import code_of

        data = found[file.at] = contents.pop(file.at)
        try:
            contents[file.at] = code_of(data, kind)
        except DocumentError as error:
            problems.append(Problem(file.name, str(error)))
    return found


def _bytes(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()


def table_for(first: File, settings: Settings) -> Table:
    """What is known of the MLX versions that the first file, and with it the whole run, is judged for. --isolated sets requirements aside."""
    from mxlint.models.mlx.table import load_table
    from mxlint.versions import resolve_mlx_versions

    configured = first.config.mlx_version
    newest = load_table()
    if configured is None and settings.isolated:
        return newest
    return load_table(*resolve_mlx_versions(first.path.parent, configured, newest.versions))


def _analyse(files: Sequence[File], found: Survey, analyse: Analyse, ahead: Ahead | None, progress: Progress | None) -> _Analysed:
    """Findings and sites of the relevant files; of the others, whether they are Python at all."""
    analysed, isolated = _Analysed(found.unsaved), found.settings.isolated
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


def _programs(file: File, found: Survey, analysed: _Analysed) -> Iterable[Source]:
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


def _ask_caller(file: File, source: Source, analyse: Analyse, analysed: _Analysed) -> None:
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


def _judge(
    analysed: _Analysed, files: Mapping[str, File], configs: Configs, cwd: Path, fixes: bool
) -> tuple[list[Finding], dict[str, FailOn], dict[str, Path]]:
    """The findings that no comment and no setting silences, each once, by file what fails the run, and by file the interpreter that is named.

    A finding is judged by the file that it lies in, which need not be the one that was analysed, or any that was asked for.
    """
    by_file: dict[str, dict[tuple[object, ...], Finding]] = {name: {} for name in analysed.sources}
    causes: dict[tuple[object, ...], Span] = {}
    compiling = {site.span.filename for site in analysed.sites}
    named = _given_names(files, cwd)
    if analysed.facts:
        from mxlint.facts.places import with_places

        analysed.facts = [with_places(facts, named) for facts in analysed.facts]
    for analysed_file, finding in _called(analysed):
        finding = _by_given_name(finding, named)
        if analysed_file in analysed.callers and finding.span.filename not in files:
            continue
        same = by_file.setdefault(finding.span.filename, {})
        span = finding.span
        if finding.cause:  # another run may come to it by another expression
            span = causes.setdefault((span.filename, finding.code, finding.site, finding.cause), span)
        known = same.setdefault((finding.code, span), finding)
        if SEVERITIES.index(finding.severity) < SEVERITIES.index(known.severity):
            known = same[finding.code, span] = replace(finding, remedy=finding.remedy or known.remedy)
        if finding.remedy is not None and (known.remedy is None or analysed_file == finding.span.filename) and known.span == finding.span:
            same[finding.code, span] = replace(known, remedy=finding.remedy)  # a fix is tried where the finding lies, if that shows it
    kept: list[Finding] = []
    fail_on: dict[str, FailOn] = {}
    python: dict[str, Path] = {}
    for name, unique in by_file.items():
        config, path = _whose(name, files, configs, cwd)
        if name not in files and is_excluded(path, config):
            continue
        source = analysed.sources.get(name) or _source(path, name, analysed)
        selected = config.rules_for(path)
        codes = _codes(unique.values())
        findings = [finding for finding in unique.values() if codes[finding.span].isdisjoint(RULES[finding.code].after)]
        if name not in files:
            selected -= {"MX001"}  # what else there is to silence in it was not looked for
        if source is not None and name not in analysed.unjudged:
            findings = suppress(source, findings, selected, name in compiling)
        findings = [_as_configured(finding, config) for finding in findings if finding.code in selected]
        if fixes:
            findings = [_in_document(_with_fix(finding, named), analysed.sources) for finding in findings]
        else:
            later = [replace(finding, remedy=partial(_fix, finding, named, analysed.sources)) for finding in findings]
            findings = [_in_document(finding, analysed.sources) for finding in later]
        for other in {related.span.filename for finding in findings for related in finding.related} - analysed.sources.keys():
            _source(_whose(other, files, configs, cwd)[1], other, analysed)
        fail_on[name] = config.fail_on
        if config.python is not None:
            python[name] = config.python
        kept.extend(findings)
    return kept, fail_on, python


def _codes(findings: Iterable[Finding]) -> Mapping[Span, set[str]]:
    """The rules that speak of each expression: what one file shows gives way to what another does, as within one."""
    codes: dict[Span, set[str]] = {}
    for finding in findings:
        codes.setdefault(finding.span, set()).add(finding.code)
    return codes


def _as_configured(finding: Finding, config: Config) -> Finding:
    """The finding with the severity that the user gives its rule, less the steps by which conditions lower it."""
    severity = config.severities.get(finding.code)
    if severity is None:
        return finding
    lowered = SEVERITIES.index(finding.severity) - SEVERITIES.index(finding.claimed or finding.severity)
    effective = SEVERITIES[min(SEVERITIES.index(severity) + lowered, len(SEVERITIES) - 1)]
    return replace(finding, severity=effective, claimed=severity if effective != severity else None)


def _in_document(finding: Finding, sources: Mapping[str, Source]) -> Finding:
    """The finding as it is told of a notebook or of Markdown: with their rows in its message, and without a fix that crosses cells or meets what
    only IPython reads."""
    edited = {edit.span.filename for edit in finding.fix.edits} if finding.fix is not None else set()
    documents = {
        name: source for name in {finding.span.filename, *edited} if (source := sources.get(name)) is not None and source.layout is not None
    }
    if not documents:
        return finding
    from mxlint.documents.editing import in_pieces
    from mxlint.documents.wording import with_own_rows

    fix = finding.fix
    if fix is not None:
        own = {name: [edit for edit in fix.edits if edit.span.filename == name] for name in documents}
        fix = fix if all(in_pieces(source, own[name]) for name, source in documents.items()) else None
    return with_own_rows(replace(finding, fix=fix), sources)


def _called(analysed: _Analysed) -> Iterator[tuple[str, Finding]]:
    """The findings without those that a file tells of arguments which nobody gives there, where another file shows the calls."""
    for name, finding in analysed.findings:
        if finding.uncalled not in analysed.called or not RULES[finding.code].by_arguments:
            yield name, finding


def _given_names(files: Mapping[str, File], cwd: Path) -> Callable[[Span], Span]:
    """A function that gives a place the name that its file has in this run: imports lead to real paths, the user may have named a link."""
    given = {file.real: file.name for file in files.values()}
    names: dict[str, str] = {}

    def named(span: Span) -> Span:
        if span.filename not in names:
            known = span.filename in files
            names[span.filename] = span.filename if known else given.get(os.path.realpath(cwd / span.filename), span.filename)
        return span if names[span.filename] == span.filename else replace(span, filename=names[span.filename])

    return named


def _by_given_name(finding: Finding, named: Callable[[Span], Span]) -> Finding:
    """The finding with each file under the name that it has in this run."""
    return replace(
        finding,
        span=named(finding.span),
        statement=named(finding.statement) if finding.statement else None,
        related=tuple(replace(related, span=named(related.span)) for related in finding.related),
    )


def _with_fix(finding: Finding, named: Callable[[Span], Span]) -> Finding:
    """The finding with its fix, which is made for those that are reported only: it takes analyses of the fixed code."""
    finding = finding.with_fix()
    if finding.fix is None:
        return finding
    return replace(finding, fix=replace(finding.fix, edits=tuple(replace(edit, span=named(edit.span)) for edit in finding.fix.edits)))


def _fix(finding: Finding, named: Callable[[Span], Span], sources: Mapping[str, Source]) -> Fix | None:
    """The fix of a finding that is reported without it."""
    return _in_document(_with_fix(finding, named), sources).fix


def _whose(name: str, files: Mapping[str, File], configs: Configs, cwd: Path) -> tuple[Config, Path]:
    if name in files:
        return files[name].config, files[name].path
    path = Path(os.path.normpath(cwd / name))
    return configs.of(path.parent), path


def _source(path: Path, name: str, analysed: _Analysed) -> Source | None:
    """A file that was not asked for, but that a finding lies in."""
    try:
        known = analysed.unsaved.get(os.path.realpath(path))
        analysed.sources[name] = read_source(path, name) if known is None else source_from_bytes(known, name, path)
    except (OSError, SourceError):
        return None
    return analysed.sources[name]


def _fails(finding: Finding, fail_on: FailOn) -> bool:
    return fail_on != "never" and SEVERITIES.index(finding.severity) <= SEVERITIES.index(fail_on)


def _order(finding: Finding) -> tuple[object, ...]:
    return finding.span, finding.code, finding.message


def _traceback(name: str, error: Exception) -> str:
    import traceback

    return f"{name}:\n" + "".join(traceback.format_exception(error))


@contextmanager
def _timed(stage: str, timings: dict[str, float]) -> Iterator[None]:
    start = perf_counter()
    yield
    timings[stage] = perf_counter() - start
