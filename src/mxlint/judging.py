"""Which findings of the analysed files are told, and how: each once, by the comments and settings of the file that it lies in, with its fix."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from mxlint.config import Config, Configs, FailOn
from mxlint.discover import File, is_excluded
from mxlint.examining import Analysed
from mxlint.finding import SEVERITIES, Finding, Fix, Span
from mxlint.rules.precedence import gives_way_to
from mxlint.rules.registry import RULES
from mxlint.source import Source, SourceError, read_source, source_from_bytes
from mxlint.suppressions import suppress


def judged(
    analysed: Analysed, files: Mapping[str, File], configs: Configs, cwd: Path, fixes: bool
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
        at = _by_place(unique.values())
        findings = [finding for finding in unique.values() if not gives_way_to(finding, RULES[finding.code].after, at[finding.span])]
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


def _by_place(findings: Iterable[Finding]) -> Mapping[Span, list[Finding]]:
    """The findings of each expression: what one file shows gives way to what another does, as within one."""
    at: dict[Span, list[Finding]] = {}
    for finding in findings:
        at.setdefault(finding.span, []).append(finding)
    return at


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


def _called(analysed: Analysed) -> Iterator[tuple[str, Finding]]:
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


def _source(path: Path, name: str, analysed: Analysed) -> Source | None:
    """A file that was not asked for, but that a finding lies in."""
    try:
        known = analysed.unsaved.get(os.path.realpath(path))
        analysed.sources[name] = read_source(path, name) if known is None else source_from_bytes(known, name, path)
    except (OSError, SourceError):
        return None
    return analysed.sources[name]
