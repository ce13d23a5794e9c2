"""The frozen records that every floor of the program shares: where something is, and what was found there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from mxlint.headline import hanging

Severity = Literal["error", "warning", "info"]
Applicability = Literal["safe", "unsafe", "display"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a file: 1-based row, 1-based column in Unicode code points."""

    row: int
    column: int


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of one file; `filename` is as shown to the user, `end` is exclusive."""

    filename: str
    start: Position
    end: Position

    def __contains__(self, inner: Span) -> bool:
        return self.filename == inner.filename and self.start <= inner.start and inner.end <= self.end


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that explains a finding: "compiled here", "called from here", a step of the chain."""

    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of `span` by `content`."""

    content: str
    span: Span


@dataclass(frozen=True, slots=True)
class Fix:
    """What to write instead, as edits, and how sure we are that behaviour stays what the author meant."""

    applicability: Applicability
    message: str
    edits: tuple[Edit, ...]


VerdictWord = Literal["confirmed", "refuted", "inconclusive", "unavailable"]
Level = Literal["in-place", "stand-in", "witness"]

VERDICTS: tuple[VerdictWord, ...] = ("confirmed", "refuted", "inconclusive", "unavailable")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was seen under real MLX, beside what the uncompiled function does. `per_call`: how often the body was traced in each of the calls.
    `function`, `arguments`: what was called, and the arguments that did it, in the notation of the inputs comment."""

    kind: str
    observed: str
    expected: str
    traces: int | None = None
    calls: int | None = None
    note: str | None = None
    per_call: tuple[int, ...] = ()
    function: str | None = None
    arguments: str | None = None


@dataclass(frozen=True, slots=True)
class Slowdown:
    """What the flagged form costs: median of the paired ratios of its time to that of the form it is measured against, with the interval
    that covers the true ratio in 95 of 100 runs. `observed_ms`, `fixed_ms`: median times in milliseconds; `samples`: one tuple per process,
    of pairs (observed, fixed) in milliseconds; `first_ms`: the first call of each form, which is not in the others; `note`: what else was seen.

    Where the rounds agree on no more than a lower bound, `ratio` and `low` are that bound, and there is no `high`."""

    ratio: float
    low: float
    high: float | None
    observed_ms: float
    fixed_ms: float
    rounds: int
    samples: tuple[tuple[tuple[float, float], ...], ...] = ()
    first_ms: tuple[float, float] | None = None
    note: str | None = None


FixWord = Literal["resolves", "fails", "changes-result", "untested"]
"""What became of the fixed form: the pitfall is gone and the result is the uncompiled function's; it is still there; it gives another
result; it could not be run."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What real MLX says of a finding. `level`: how much of the user's program was run; `reason`: why there is no clear answer, in a line;
    `note`: what there is to say beside it, such as what would help; `fix_reason`: why the fix is not proved; `refused`: what the program tried and was not let do; `missing`: modules
    that it used and that are not installed."""

    verdict: VerdictWord
    level: Level | None
    reason: str | None
    evidence: Evidence | None
    mlx: tuple[str, str] | None
    duration: float
    guard: tuple[str, ...] = ()
    slowdown: Slowdown | None = None
    fix: FixWord | None = None
    fix_reason: str | None = None
    refused: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect. `code` names a rule of the registry; `message` is its headline: what happens at run time; `note` says why, and what MLX says;
    `object` is the enclosing qualified name, if any.

    `statement` is the whole logical statement that holds the finding: a suppression on any of its lines counts. `verdict` is there if the
    finding was verified; one that was refuted has the severity info, and `claimed` is what it had. `remedy` is what the rule knows of a fix,
    then the call that makes it, until it is made. `uncalled`: where the function is compiled, if its file shows no call of it. `forced`: no rule made it, somebody asked
    for the experiment of one. `cause`: what is said of its compiled object, where several expressions may show it. `right_on`: devices on which what it says was measured not to happen. `conditions`, `presumed`: what it depends on, in words.
    """

    code: str
    severity: Severity
    message: str
    help: str
    span: Span
    object: str | None = None
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    statement: Span | None = None
    verdict: Verdict | None = None
    claimed: Severity | None = None
    remedy: Any = None
    uncalled: Span | None = None
    forced: bool = False
    right_on: tuple[str, ...] = ()
    note: str = ""
    conditions: tuple[str, ...] = ()
    presumed: tuple[str, ...] = ()
    cause: str = ""

    def with_fix(self) -> Finding:
        """The finding of an analysis with its fix, if there is one."""
        return self if self.remedy is None else replace(self, fix=self.remedy(), remedy=None)

    @property
    def site(self) -> Span:
        """The compile site that it is about; its own place where it is about none."""
        return next((related.span for related in self.related if related.message == "compiled here"), self.span)

    @property
    def proved(self) -> bool:
        """Whether MLX showed that its fix cures it, and computes what the uncompiled program does."""
        return self.verdict is not None and self.verdict.fix == "resolves"

    @property
    def in_one_line(self) -> str:
        """The headline, with what it depends on if that has moved to the note."""
        hang = hanging(self.conditions, self.presumed)
        return f"{self.message} ({hang})" if hang and self.note.startswith(f"only {hang}") else self.message

    @property
    def below(self) -> tuple[str, ...]:
        """What stands below the headline, each with its label: the note and the help, as far as there are any."""
        return tuple(f"{label}: {text}" for label, text in (("note", self.note), ("help", self.help)) if text)

    @property
    def elsewhere(self) -> tuple[Related, ...]:
        """The related spans that are not its own: what a report has still to show. A finding may lie on its own compile site."""
        return tuple(related for related in self.related if related.span != self.span)
