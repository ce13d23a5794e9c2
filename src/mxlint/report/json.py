"""JSON, version 1: the format that programs read. schema/v1.json describes it; keys are only ever added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mxlint import __version__
from mxlint.finding import SEVERITIES, VERDICTS, Finding, Fix, Position, Slowdown, Span, Verdict
from mxlint.report.ascii import dumped
from mxlint.report.fingerprint import fingerprints
from mxlint.report.places import place_of
from mxlint.report.statistics import statistics
from mxlint.report.style import Style
from mxlint.rules.registry import NAMES, UNJUDGED, family, page_url
from mxlint.source import Source
from mxlint.suppressions import suppression_row

if TYPE_CHECKING:
    from mxlint.result import Result


COVERAGE = ("sites", "full", "partial", "none")


def render(result: Result, style: Style) -> str:
    """The whole run as one JSON object. Plain ASCII, so that no encoding of a terminal or a pipe can break it."""
    return dumped(_document(result))


def render_with_statistics(result: Result, style: Style) -> str:
    """The whole run as one JSON object, with how often each rule spoke."""
    fixable = Counter(finding.code for finding in result.findings if result.fixable(finding))
    counts = [
        {"code": code, "name": NAMES[code], "count": count, "fixable": fixable[code] > 0, "fixable_count": fixable[code]}
        for code, count in statistics(result)
    ]
    return dumped({**_document(result), "statistics": counts})


def diagnostics(result: Result) -> list[dict[str, Any]]:
    """The findings as objects."""
    prints = fingerprints(result.findings, result.sources)
    return [_diagnostic(finding, printed, result.sources) for finding, printed in zip(result.findings, prints)]


def _document(result: Result) -> dict[str, Any]:
    return {
        "version": 1,
        "tool": tool(result),
        "summary": _summary(result),
        "diagnostics": diagnostics(result),
        "errors": [{"filename": problem.name, "message": problem.message} for problem in result.problems],
        "unchecked": [{"filename": name, "requires_python": version} for name, version in sorted(result.newer.items())],
    }


def tool(result: Result) -> dict[str, Any]:
    """Who says all this, and of which MLX."""
    judged = result.mlx_versions or (_newest(),)
    return {"name": "mxlint", "version": __version__, "mlx_table": judged[-1], "mlx_versions": list(judged)}


def location(position: Position) -> dict[str, int]:
    return {"row": position.row, "column": position.column}


def place(span: Span, sources: Mapping[str, Source]) -> dict[str, Any]:
    """A span, as every object that stands somewhere in a file has it; with the cell of a notebook, whose rows are meant then."""
    where = place_of(span, sources)
    return {
        "filename": where.filename,
        **({"cell": where.cell} if where.cell is not None else {}),
        "location": location(where.start),
        "end_location": location(where.end),
    }


def _newest() -> str:
    from mxlint.models.mlx.table import load_table

    return load_table().version


def _summary(result: Result) -> Mapping[str, Any]:
    return {
        "files": result.files,
        "parsed": result.parsed,
        "sites": len(result.sites),
        **{severity: result.count(severity) for severity in SEVERITIES},
        "baselined": result.baselined,
        "since": None if result.since is None else {"ref": result.since.ref, "commit": result.since.commit, "known": result.since.known},
        "fixed": None if result.fixed is None else len(result.fixed),
        "duration_s": round(result.duration, 3),
        "coverage": {**{key: result.coverage.get(key, 0) for key in COVERAGE}, "reasons": dict(result.reasons)},
        "verify": _verified(result),
    }


def _verified(result: Result) -> dict[str, Any] | None:
    """How many findings got which verdict, and at which levels those that were confirmed or refuted; None if nothing was verified. `missing`: modules that
    programs used and that are not installed."""
    verdicts = [finding.verdict for finding in result.findings if finding.verdict is not None]
    if not result.verified:
        return None
    levels = Counter(verdict.level for verdict in verdicts if verdict.level is not None and verdict.verdict in ("confirmed", "refuted"))
    missing = sorted({module for verdict in verdicts for module in verdict.missing})
    return {
        **{word: sum(verdict.verdict == word for verdict in verdicts) for word in VERDICTS},
        "by_level": dict(levels),
        "missing": missing,
    }


def _diagnostic(finding: Finding, fingerprint: str, sources: Mapping[str, Source]) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": NAMES[finding.code],
        "severity": finding.severity,
        **({"claimed_severity": finding.claimed} if finding.claimed is not None else {}),
        "family": family(finding.code),
        "conditions": list(finding.conditions),
        "presumed": list(finding.presumed),
        "message": finding.message,
        "note": finding.note or None,
        "help": finding.help,
        "url": page_url(finding.code),
        "filename": finding.span.filename,
        "cell": None,
        **place(finding.span, sources),
        "noqa_row": _noqa_row(finding, sources),
        "object": finding.object,
        "related": [{"message": related.message, **place(related.span, sources)} for related in finding.related],
        "fingerprint": fingerprint,
        "fix": _fix(finding.fix, sources) if finding.fix is not None else None,
        "verify": verdict(finding.verdict) if finding.verdict is not None else None,
    }


def verdict(verdict: Verdict) -> dict[str, Any]:
    """What real MLX says, as an object."""
    evidence = verdict.evidence
    return {
        "verdict": verdict.verdict,
        "level": verdict.level,
        "reason": verdict.reason,
        "note": verdict.note,
        "evidence": None
        if evidence is None
        else {
            "kind": evidence.kind,
            "observed": evidence.observed,
            "expected": evidence.expected,
            "traces": evidence.traces,
            "calls": evidence.calls,
            "note": evidence.note,
            "per_call": list(evidence.per_call),
            "function": evidence.function,
            "arguments": evidence.arguments,
        },
        "slowdown": _slowdown(verdict.slowdown) if verdict.slowdown is not None else None,
        "fix": verdict.fix,
        "fix_reason": verdict.fix_reason,
        "mlx": None if verdict.mlx is None else {"version": verdict.mlx[0], "device": verdict.mlx[1]},
        "guard": list(verdict.guard),
        "refused": list(verdict.refused),
        "missing": list(verdict.missing),
        "duration_s": round(verdict.duration, 3),
    }


def _slowdown(slowdown: Slowdown) -> dict[str, Any]:
    return {
        "ratio": round(slowdown.ratio, 4),
        "low": round(slowdown.low, 4),
        "high": None if slowdown.high is None else round(slowdown.high, 4),
        "observed_ms": round(slowdown.observed_ms, 6),
        "fixed_ms": round(slowdown.fixed_ms, 6),
        "rounds": slowdown.rounds,
        "first_ms": None if slowdown.first_ms is None else [round(time, 3) for time in slowdown.first_ms],
        "note": slowdown.note,
    }


def _noqa_row(finding: Finding, sources: Mapping[str, Source]) -> int | None:
    """The row at whose end a comment silences the finding."""
    source = sources.get(finding.span.filename)
    if source is None or finding.code in UNJUDGED:
        return None
    at = Position(suppression_row(source, finding.span.start.row), 1)
    return place_of(replace(finding.span, start=at, end=at), sources).start.row


def _fix(fix: Fix, sources: Mapping[str, Source]) -> dict[str, Any]:
    return {
        "applicability": fix.applicability,
        "message": fix.message,
        "edits": [{"content": edit.content, **place(edit.span, sources)} for edit in fix.edits],
    }
