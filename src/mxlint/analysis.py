"""One file from source to findings: parse, trace, judge. Everything heavy is imported here and nowhere earlier."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath

from mxlint.facts.model import Facts, Site
from mxlint.finding import Finding, Span
from mxlint.project import Project
from mxlint.rules import advice, arguments, evaluation, frozen, recompilation, shapeless, signature, state
from mxlint.rules.report import is_test, span
from mxlint.source import Source
from mxlint.tracing import presume, run
from mxlint.tracing.attribute import WEIGHTS
from mxlint.tracing.events import Read, Record, Trace, Write
from mxlint.tracing.facts import facts
from mxlint.tracing.files import Files
from mxlint.tracing.machine import Machine
from mxlint.tracing.mlx.table import Table
from mxlint.tracing.spelling import whole_words
from mxlint.tracing.unreached import spelled
from mxlint.tracing.values import Array, Scalar

MIN_RECURSION = 6000


@dataclass(frozen=True, slots=True)
class SiteReport:
    """One place where something is compiled: its form, what is compiled, the options as written, and what its trace was seen to do.

    `takes` are the parameters, `freezes` the names of outside values that become constants, `mutates` the outside things it writes, `draws` the
    random draws without a key; `calls` counts the calls in sight.
    """

    span: Span
    form: str
    compiled: str
    options: Mapping[str, str]
    object: str | None
    takes: tuple[str, ...] = ()
    freezes: tuple[str, ...] = ()
    mutates: tuple[str, ...] = ()
    draws: tuple[str, ...] = ()
    calls: int = 0

    @property
    def key(self) -> str:
        """What the cache tells calls apart by."""
        shapes = "number of dimensions and dtype" if self.options.get("shapeless") == "True" else "shape and dtype"
        return f"{shapes} of every array, value of every number and string, in {', '.join(self.takes) or 'no argument'}"


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is known of one file. `reasons` counts what could not be followed, `coverage` the sites followed in full, in part and not at all.

    `called`: the sites of other files whose compiled functions it calls, each call followed. `facts`: None unless they were asked for.
    """

    findings: tuple[Finding, ...]
    sites: tuple[SiteReport, ...]
    reasons: Mapping[str, int] = field(default_factory=dict)
    coverage: Mapping[str, int] = field(default_factory=dict)
    called: frozenset[Span] = frozenset()
    facts: Facts | None = None


def analyze(
    source: Source,
    project: Project,
    table: Table,
    *,
    wrappers: tuple[str, ...] = (),
    everything: bool = False,
    with_facts: bool = False,
) -> Analysis:
    """Analyse one file; raises SyntaxError (or ValueError, RecursionError, MemoryError from the parser) for what is not Python."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), MIN_RECURSION))
    source = project.add(source)
    m = _traced(source, project, table, wrappers, everything)
    findings = _found(m)
    if any(finding.remedy is not None for finding in findings):
        from mxlint.fixes.table import with_fixes

        def again(changed: Mapping[str, Source]) -> tuple[Finding, ...]:
            own = changed.get(source.name, source)
            other = project.changed(changed.values())
            return _found(_traced(own, other, table, wrappers, everything))

        findings = tuple(with_fixes(findings, {**project.named(), source.name: source}, again))
    sites = _all_sites(m.records, source)
    known = facts(m, source, project, [Site(site.span, site.form, site.compiled) for site in sites]) if with_facts else None
    return Analysis(findings, sites, dict(m.unknown), _coverage(m.records, source, sites), frozenset(_called(m.records, source)), known)


def _traced(source: Source, project: Project, table: Table, wrappers: tuple[str, ...], everything: bool) -> Machine:
    """All that the static tracer sees of a file."""
    if project.files is None:
        project.files = Files()
    if not project.files.pieces(source):
        ast.parse(source.text)  # an empty file, or none that is Python: then this raises
    m = Machine(project, table, frozenset(wrappers), project.files)
    m.load = lambda found: run.load(m, found)
    m.sample = lambda cls, frame: run.generic_instance(m, cls, frame)
    run.run_file(m, source, everything=everything)
    return m


def _found(m: Machine) -> tuple[Finding, ...]:
    """The findings, each once."""
    found: dict[tuple[str, Span], Finding] = {}
    for item in _judge(m):
        found.setdefault((item.code, item.span), item)
    return tuple(found.values())


def _judge(m: Machine) -> Iterator[Finding]:
    by_site: dict[object, list[Record]] = {}
    for record in m.records:
        by_site.setdefault(record.site, []).append(record)
    for record in m.records:
        if record.method_of is not None:
            yield from signature.method(record)
            continue
        yield from signature.arguments(record)
        if record.bad_arguments and len(record.bad_arguments) >= len(record.calls):
            continue
        yield from evaluation.evaluation(record)
        about_state = [*state.state(record), *frozen.frozen(record)]
        yield from about_state or frozen.lazy_capture(record)
        yield from state.raises(record)
        yield from arguments.varying(record)
        yield from arguments.ambiguous(record)
        yield from signature.returned(record)
        yield from shapeless.shapeless(record)
    for records in by_site.values():
        yield from recompilation.recompilation(records)
        yield from advice.advice(records, m.project)
    yield from signature.without_effect(m.records)
    yield from signature.environment(m.environment)
    yield from state.random_assigned(m.random_assigned)
    for place, what, compiled in m.not_functions:
        yield signature.not_a_function(place, what, compiled)
    for place, record, first in m.mistimed:
        yield advice.mistimed(place, record, first)
    if m.disabled_at is not None:
        yield from advice.disabled(m.disabled_at)
    for place, record, kind in m.transformed:
        yield recompilation.transformed(place, record, kind)


def _coverage(records: list[Record], source: Source, sites: tuple[SiteReport, ...]) -> dict[str, int]:
    """How far the functions compiled in this file were followed."""
    by_site: dict[object, list[Record]] = {}
    for record in records:
        if record.site.source is source:
            by_site.setdefault(record.site, []).append(record)
    counts = {"sites": len(sites), "full": 0, "partial": 0, "none": len(sites) - len(by_site)}
    for group in by_site.values():
        traces = [trace for record in group for trace in record.traces if trace.root is not None or trace.returned is not None]
        elsewhere = any(record.inlined or record.differentiated or record.method_of for record in group)
        counts["none" if not traces and not elsewhere else "partial" if any(trace.lost for trace in traces) else "full"] += 1
    return counts


def _called(records: list[Record], source: Source) -> Iterator[Span]:
    """The sites of other files whose compiled functions are called here. What a test calls is not all that is called."""
    if is_test(PurePath(source.name).parts):
        return
    for record in records:
        if record.site.source is not source and record.calls and record.traces and not any(trace.lost for trace in record.traces):
            yield span(record.site)


def _all_sites(records: list[Record], source: Source) -> tuple[SiteReport, ...]:
    """The sites that the tracer came to, and those that it did not, in order."""
    found = {site.span: site for site in _sites(records, source)}
    rows = {source.span(at, at).start.row for at in whole_words(source.text) if not _covered(source, at, found)}
    if rows:
        for other in spelled(source, ast.parse(source.text), rows):
            span = source.span(other.start, other.end)
            if not any(site.start <= span.start < site.end for site in found):
                found[span] = SiteReport(span, other.form, " ".join(other.compiled.split()), {}, None)
    return tuple(found[span] for span in sorted(found))


def _covered(source: Source, offset: int, spans: Iterable[Span]) -> bool:
    at = source.span(offset, offset).start
    return any(span.start <= at < span.end for span in spans)


def _sites(records: list[Record], source: Source) -> Iterator[SiteReport]:
    by_site: dict[object, list[Record]] = {}
    for record in records:
        if record.site.source is source:
            by_site.setdefault(record.site, []).append(record)
    for group in sorted(by_site.values(), key=lambda group: group[0].site.start):
        record = group[0]
        options = {name: capture.text for name, capture in (("inputs", record.inputs), ("outputs", record.outputs)) if capture is not None}
        if record.shapeless is not False:
            options["shapeless"] = "True" if record.shapeless else "?"
        target, bound, _ = presume.target_of(record.function)
        traces = [trace for other in group for trace in other.traces]
        yield SiteReport(
            source.span(record.site.start, record.site.end),
            record.form,
            record.compiled,
            options,
            record.object or None,
            takes=tuple(param.star + param.name for param in target.node.params[bound:])
            if target is not None and target.node is not None
            else (),
            freezes=_names(_frozen_name(read) for trace in traces for read in trace.reads if _freezes(read, trace)),
            mutates=_names(_mutated_name(write) for trace in traces for write in trace.writes),
            draws=_names(event.what for trace in traces for event in trace.events if event.kind == "draw"),
            calls=sum(len(other.calls) for other in group),
        )


def _freezes(read: Read, trace: Trace) -> bool:
    """Whether what was read is a value that the trace keeps, and not a function, a layer or what inputs= captures."""
    if id(read.target) in trace.reach_in or read.key in ("version", "training"):
        return False
    return read.key == WEIGHTS or isinstance(read.value, (Array, Scalar))


def _frozen_name(read: Read) -> str:
    return f"weights of {read.name}" if read.key == WEIGHTS else read.name


def _mutated_name(write: Write) -> str:
    """An update changes an optimizer and a model: the call stands for both."""
    return write.name.partition("(")[0] if write.how == "update" else write.name


def _names(names: Iterable[str]) -> tuple[str, ...]:
    """In order, each once, in one line."""
    return tuple(dict.fromkeys(" ".join(name.split()) for name in names))
