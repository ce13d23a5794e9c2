"""What `mxlint verify FILE:ROW` is about: the findings in that row, or one that no rule made."""

from __future__ import annotations

from pathlib import Path

from mxlint.finding import Finding
from mxlint.result import Result
from mxlint.verify.claims import forced
from mxlint.verify.protocols.table import protocol_of


def asked(result: Result, file: Path, row: int, rule: str | None, cell: int | None = None) -> tuple[Finding, ...]:
    """The findings to verify; with a rule, one of that rule, the found one if there is one. `row` is one of the cell, where there is one."""
    here = file.resolve()
    name = next((name for name, source in result.sources.items() if source.path is not None and source.path.resolve() == here), None)
    if name is None or (rule is not None and protocol_of(rule) is None):
        return ()
    layout = result.sources[name].layout
    if layout is not None:
        there = layout.row(cell, row)
        if there is None:
            return ()
        row = there
    found = [item for item in result.findings if item.span.filename == name and item.span.start.row <= row <= item.span.end.row]
    if rule is None:
        return tuple(item for item in found if protocol_of(item.code) is not None)
    if any(item.code == rule for item in found):
        return tuple(item for item in found if item.code == rule)[:1]
    claim = forced(result.sources[name], row, rule, [site.span for site in result.sites if site.span.filename == name])
    return () if claim is None else (claim,)
