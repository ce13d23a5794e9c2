"""One file from source to findings by the new interpreter. Takes the place of analysis.py when it is at least as good everywhere."""

from __future__ import annotations

from mxlint.analysis import Analysis, SiteReport
from mxlint.finding import Finding
from mxlint.interpreter.entry import analyse
from mxlint.project import Project
from mxlint.rules import every
from mxlint.rules.judge import judge
from mxlint.rules.rule import Program
from mxlint.source import Source
from mxlint.syntax.lower import lower
from mxlint.tracing.mlx.table import Table


def analyze(
    source: Source, project: Project, table: Table, *, wrappers: tuple[str, ...] = (), everything: bool = False, with_facts: bool = False
) -> Analysis:
    """Analyse one file; raises SyntaxError (or ValueError, RecursionError, MemoryError from the parser) for what is not Python."""
    source = project.add(source)
    lower(source.text)
    i = analyse(source, project, table)
    log = i.journal.log()
    found: list[Finding] = list(judge(Program(log), every.RULES))
    sites = tuple(
        SiteReport(site.span, group[0].form, group[0].text, {}, group[0].within or None) for site, group in Program(log).sites.items()
    )
    return Analysis(tuple(found), sites, {}, {"sites": len(sites), "full": len(sites), "partial": 0, "none": 0})
