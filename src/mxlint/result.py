"""What a run found, as data: its findings and sites, what fails it, and which fixes --fix would make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mxlint.config import FailOn
from mxlint.discover import Problem
from mxlint.finding import SEVERITIES, Applicability, Finding, Span
from mxlint.source import Source

if TYPE_CHECKING:
    from mxlint.analysed import SiteReport
    from mxlint.facts.events import Log
    from mxlint.since import Since


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


def _fails(finding: Finding, fail_on: FailOn) -> bool:
    return fail_on != "never" and SEVERITIES.index(finding.severity) <= SEVERITIES.index(fail_on)
