"""The frozen records that every floor of the program shares: where something is, and what was found there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect. `code` names a rule of the registry; `object` is the enclosing qualified name, if any.

    `statement` is the whole logical statement that holds the finding: a suppression on any of its lines counts.
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
