"""The whole run: discover → read → gate → analyse → suppress → select → sort. What it finds is data; to report it is left to others."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from mxlint.analysed import coverage
from mxlint.config import Settings
from mxlint.examining import Ahead, Analyse, Progress, analysed_files
from mxlint.finding import Finding
from mxlint.judging import judged
from mxlint.result import Result
from mxlint.run import Run
from mxlint.suppressions import names_rules
from mxlint.survey import Stdin, Survey, survey, timed


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
    with timed("analyse", timings):
        analysed = analysed_files(looked_at, found, analyse, ahead, progress)
    with timed("suppress", timings):
        findings, fail_on, python = judged(analysed, {file.name: file for file in asked}, found.configs, cwd, fixes)
    table, sites = found.table, analysed.all_sites()
    return Result(
        findings=tuple(sorted(findings, key=_order)),
        own=frozenset(file.name for file in asked),
        sites=sites,
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
        coverage=coverage(sites),
        imprecise=tuple(sorted(analysed.imprecise)),
        timings=timings,
        facts=tuple(analysed.facts),
    )


def _order(finding: Finding) -> tuple[object, ...]:
    return finding.span, finding.code, finding.message
