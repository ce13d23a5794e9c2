"""One file from source to findings by the new interpreter. Takes the place of analysis.py when it is at least as good everywhere."""

from __future__ import annotations

from collections.abc import Mapping

from mxlint.analysis import Analysis, SiteReport
from mxlint.facts.events import Log
from mxlint.finding import Finding
from mxlint.interpreter.entry import analyse
from mxlint.project import Project
from mxlint.rules.judge import judge
from mxlint.rules.program import Program
from mxlint.rules.registry import RULES
from mxlint.source import Source
from mxlint.syntax.lower import lower
from mxlint.tracing.mlx.table import Table


def analyze(
    source: Source, project: Project, table: Table, *, wrappers: tuple[str, ...] = (), everything: bool = False, with_facts: bool = False
) -> Analysis:
    """Analyse one file; raises SyntaxError (or ValueError, RecursionError, MemoryError from the parser) for what is not Python."""
    source = project.add(source)
    lower(source.text)
    log = _facts(source, project, table)
    found = _found(log)
    if any(finding.remedy is not None for finding in found):
        from mxlint.fixes.table import with_fixes

        def again(changed: Mapping[str, Source]) -> tuple[Finding, ...]:
            return _found(_facts(changed.get(source.name, source), project.changed(changed.values()), table))

        found = tuple(with_fixes(found, {**project.named(), source.name: source}, again))
    sites = tuple(
        SiteReport(site.span, group[0].form, group[0].text, {}, group[0].within or None) for site, group in Program(log).sites.items()
    )
    return Analysis(found, sites, {}, {"sites": len(sites), "full": len(sites), "partial": 0, "none": 0})


def _facts(source: Source, project: Project, table: Table) -> Log:
    log: Log = analyse(source, project, table).journal.log()
    return log


def _found(log: Log) -> tuple[Finding, ...]:
    return tuple(judge(Program(log), RULES))
