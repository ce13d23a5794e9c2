"""One file from source to findings: interpret, judge. Everything heavy is imported here and nowhere earlier."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial

from mxlint.analysed import Analysis, SiteReport
from mxlint.deep import some_room
from mxlint.facts.events import EXPORT, Compiled, Read, Write
from mxlint.facts.values import ArrayValue, ScalarValue
from mxlint.faults import syntax_error
from mxlint.finding import Finding, Span
from mxlint.interpreter.entry import analyse
from mxlint.models.mlx.table import Table
from mxlint.project import Project
from mxlint.rules.judge import judge
from mxlint.rules.program import Program
from mxlint.rules.registry import RULES
from mxlint.source import Source
from mxlint.syntax.index import COMPILE, TRACERS


@some_room
def analyze(
    source: Source,
    project: Project,
    table: Table,
    *,
    wrappers: tuple[str, ...] = (),
    tests: Callable[[str], bool] = lambda filename: False,
    everything: bool = False,
    with_facts: bool = False,
) -> Analysis:
    """Analyse one file; raises SyntaxError (or ValueError, RecursionError, MemoryError from the parser) for what is not Python.

    `wrappers`: dotted names of functions that compile as `mx.compile` does; `tests`: whether a file, by the name that users see, belongs to tests;
    `everything`: each function is taken to be compiled.
    """
    source = project.add(source)

    def program(source: Source, project: Project) -> Program:
        return Program(analyse(source, project, table, wrappers=wrappers, everything=everything), tests)

    known = program(source, project)
    findings = tuple(_with_object(finding, project, wrappers) for finding in judge(known, RULES))
    if any(finding.remedy is not None for finding in findings):
        from mxlint.fixes.table import Attempts

        def again(changed: Mapping[str, Source]) -> tuple[Finding, ...]:
            own = changed.get(source.name, source)
            return tuple(judge(program(own, project.tried(changed.values())), RULES))

        def used(name: str, attribute: bool) -> bool:
            return project.used_elsewhere(name, source, attribute=attribute)

        attempts = Attempts(findings, lambda: {**project.named(), source.name: source}, again, used)
        findings = tuple(
            replace(finding, remedy=partial(attempts.fix, finding)) if finding.remedy is not None else finding for finding in findings
        )
    sites = tuple(_sites(known, source, project, wrappers))
    return Analysis(
        findings,
        sites,
        Counter(reason for _, reason in known.log.imprecise),
        tuple(_elsewhere(known, source)),
        frozenset(_called(known, source)),
        known.log if with_facts else None,
        tuple(sorted((place.span, reason) for place, reason in known.log.imprecise)),
    )


def as_deep_as_needed(
    run: Callable[[Source, Project], Analysis], source: Source, project: Project, anew: Callable[[], Project]
) -> Analysis:
    """The analysis that `run` makes, on a deep stack where it does not fit on this one: generated code nests deeper than people do. What the first
    try left half done in its project is not used again: `anew` gives the next one. Raises what `analyze` raises."""
    try:
        return run(source, project)
    except RecursionError:
        if syntax_error(source):
            raise
    from mxlint.deep import on_a_deep_stack

    return on_a_deep_stack(partial(run, source, anew()))


def _with_object(finding: Finding, project: Project, wrappers: tuple[str, ...]) -> Finding:
    """A finding with the function or class that it stands in, where its rule leaves that to its place."""
    source = project.named().get(finding.span.filename) if finding.object is None else None
    if source is None:
        return finding
    at = source.offset_of(finding.span.start)
    around = [block for block in project.symbols(source, (*TRACERS, *wrappers)).blocks if block.start <= at < block.end]
    return replace(finding, object=around[-1].name.replace(".<locals>", "") or None) if around else finding


# -- sites -------------------------------------------------------------------------------------------------------------


def _sites(program: Program, source: Source, project: Project, wrappers: tuple[str, ...]) -> Iterator[SiteReport]:
    """The sites that the interpreter came to, and those that it did not, in order."""
    followed = {site.span: group for site, group in program.sites.items() if site.span.filename == source.name and group[0].form != EXPORT}
    spelled = {
        source.span(site.start, site.end): site
        for site in project.symbols(source, (*TRACERS, *wrappers)).sites
        if site.sure and site.form != "reference" and site.meant in (COMPILE, *wrappers)
    }
    for span in sorted(followed.keys() | spelled.keys()):
        if span in followed:
            yield _site(program, span, followed[span])
        elif not any(span.start < other.end and other.start < span.end for other in followed):
            yield SiteReport(
                span, spelled[span].form, " ".join(spelled[span].compiled.split()), {}, None, because=_because(program, span, ())
            )


def _elsewhere(program: Program, source: Source) -> Iterator[SiteReport]:
    """The sites of other files of which the interpreter came to a trace."""
    for site, group in sorted(program.sites.items(), key=lambda item: item[0].span):
        if site.span.filename != source.name and group[0].form != EXPORT and _followed(program, group) != "none":
            yield _site(program, site.span, group)


def _site(program: Program, span: Span, group: tuple[Compiled, ...]) -> SiteReport:
    compiled = next((one for one in group if one.function.kind != "unknown"), group[0])  # a base may leave the function to classes below it
    options = {
        name: capture.where.text for name, capture in (("inputs", compiled.inputs), ("outputs", compiled.outputs)) if capture is not None
    }
    if compiled.shapeless is not False:
        options["shapeless"] = "True" if compiled.shapeless else "?"
    numbers = [other.number for other in group]
    parameters = compiled.function.parameters[compiled.function.bound :]
    return SiteReport(
        span,
        compiled.form,
        compiled.text,
        options,
        compiled.within or None,
        takes=tuple(parameter.star + parameter.name for parameter in parameters),
        freezes=_names(_frozen(read) for number in numbers for read in program.reads.get(number, ()) if _freezes(read)),
        mutates=_names(_mutated(write) for number in numbers for write in program.writes.get(number, ()) if write.how != "differentiate"),
        draws=_names(event.what for number in numbers for event in program.events.get(number, ()) if event.kind == "draw"),
        followed=_followed(program, group),
        because=_because(program, span, group),
        calls=len({call.where for number in numbers for call in program.calls.get(number, ()) if call.outcome in CALLED}),
    )


CALLED = frozenset({"traced", "replayed", "either", "disabled"})
"""Outcomes of calls that are not inside of another trace or transform."""


def _freezes(read: Read) -> bool:
    """Whether what was read is a value that the trace keeps, and not a function, a layer or what inputs= captures. A number that is the default of
    a parameter never changes; an array that is one may, in place."""
    constant = read.default and isinstance(read.value, ScalarValue)
    return not read.captured and not constant and read.kind != "mode" and isinstance(read.value, (ArrayValue, ScalarValue))


def _frozen(read: Read) -> str:
    """What a trace keeps, by its name. What a layer reads where it is called has none in the code: it is what a capture would name that counts."""
    return read.container.removesuffix(".state") if read.container and _is_call(read.where.text) else read.name


@lru_cache(maxsize=1024)  # one call of a layer reads many weights
def _is_call(text: str) -> bool:
    try:
        return isinstance(ast.parse(f"({text}\n)", mode="eval").body, ast.Call)
    except SyntaxError:  # a place that is no expression, such as a parameter
        return False


def _mutated(write: Write) -> str:
    """An update changes an optimizer and a model: the call stands for both."""
    return write.name.partition("(")[0] if write.how in ("update", "moments", "step", "weights") else write.name


def _names(names: Iterable[str]) -> tuple[str, ...]:
    """In order, each once, in one line."""
    return tuple(dict.fromkeys(" ".join(name.split()) for name in names))


# -- coverage ----------------------------------------------------------------------------------------------------------


def _followed(program: Program, group: tuple[Compiled, ...]) -> str:
    """How far the traces of a site were followed."""
    traces = [trace for compiled in group for trace in program.traces.get(compiled.number, ())]
    elsewhere = any(compiled.method_of or program.calls.get(compiled.number) for compiled in group)  # inlined, differentiated, or refused
    if not traces and not elsewhere:
        return "none"
    return "partial" if _because(program, group[0].site.span, group) else "full"


def _because(program: Program, site: Span, group: tuple[Compiled, ...]) -> tuple[tuple[Span, str], ...]:
    """What kept a site from being followed in full, by place: what decided in its traces or about a later call, and what may have called it and was cut short."""
    doubts = [doubt for compiled in group for doubt in program.doubts.get(compiled.number, ())]
    doubts += (doubt for doubt in program.doubts.get(None, ()) if doubt.within is None or any(_holds(span, site) for span in doubt.within))
    return tuple(sorted({(doubt.where.span, doubt.reason) for doubt in doubts}))


def _holds(span: Span, site: Span) -> bool:
    """Whether a site stands in a piece of a file."""
    return span.filename == site.filename and span.start <= site.start and site.end <= span.end


def _called(program: Program, source: Source) -> Iterator[Span]:
    """The sites of other files whose compiled functions are called here."""
    for number, calls in program.calls.items():
        compiled = program.objects.get(number)
        if compiled is None or compiled.site.span.filename == source.name or all(call.alone for call in calls):
            continue
        if not program.doubts.get(number):
            yield compiled.site.span
