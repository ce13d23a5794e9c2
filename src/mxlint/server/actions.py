"""What can be done about the findings of a range: fix one, fix all, ignore one here, put one to the test."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lsprotocol import types

from mxlint.documents.editing import piece_text
from mxlint.finding import Edit, Finding
from mxlint.fixes.passes import fixed_by_passes
from mxlint.fixes.run import wanted_by
from mxlint.ignores import ignore_edit
from mxlint.result import Result
from mxlint.rules.registry import RULES
from mxlint.server.moving import shift_between
from mxlint.server.session import Session
from mxlint.server.views import View
from mxlint.source import Source

FIX_ALL = "source.fixAll.mxlint"
VERIFY = "mxlint.verify"
APPLY = "mxlint.fixAll"


def wants(only: Sequence[str] | None, kind: str) -> bool:
    """Whether a client that asks for these kinds of actions asks for one of `kind`; kinds are dotted, and one stands for all below it."""
    return only is None or any(kind == asked or kind.startswith(asked + ".") for asked in only)


def made_fixes(findings: Sequence[Finding]) -> list[Finding]:
    """The findings with their fixes. It takes analyses of the fixed code: for the thread of these."""
    return [finding.with_fix() for finding in findings]


def quick_fixes(view: View, findings: Sequence[Finding]) -> Iterator[types.CodeAction]:
    """An action for each finding with a fix that is ever written, the safe ones first and preferred."""
    for finding in sorted(findings, key=lambda finding: finding.fix is None or finding.fix.applicability != "safe"):
        fix = finding.fix
        if fix is None or fix.applicability == "display" or (edit := view.edit(fix.edits)) is None:
            continue
        unsafe = fix.applicability == "unsafe"
        yield types.CodeAction(
            title=f"{finding.code}: {fix.message}" + (" (may change behaviour)" if unsafe else ""),
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[view.diagnostic(finding)],
            is_preferred=not unsafe,
            edit=edit,
        )


def ignores(view: View, findings: Sequence[Finding]) -> Iterator[types.CodeAction]:
    """An action for each finding that a comment in its row can silence."""
    for finding in findings:
        source = view.outcome.result.sources.get(finding.span.filename)
        edit = ignore_edit(source, finding) if source is not None else None
        if edit is not None and (changes := view.edit((edit,))) is not None:
            yield types.CodeAction(
                title=f"{finding.code}: ignore here",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[view.diagnostic(finding)],
                edit=changes,
            )


def experiments(view: View, findings: Sequence[Finding]) -> Iterator[types.CodeAction]:
    """An action for each finding that an experiment is about."""
    for finding in findings:
        if RULES[finding.code].experiment is not None:
            where: dict[str, Any] = {
                "uri": view.document.uri,
                "code": finding.code,
                "row": finding.span.start.row,
                "column": finding.span.start.column,
            }
            title = f"{finding.code}: verify this finding"
            yield types.CodeAction(
                title=title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[view.diagnostic(finding)],
                command=types.Command(title, VERIFY, arguments=[where]),
            )


def fix_all_action(view: View) -> types.CodeAction:
    """The action that makes all safe fixes of a document; its edit is made when somebody asks for it."""
    return types.CodeAction("mxlint: make all safe fixes", kind=FIX_ALL, data={"uri": view.document.uri})


def fix_all(view: View, session: Session) -> types.WorkspaceEdit:
    """All safe fixes of a document, in passes, as --fix makes them. For the thread of the analyses."""
    name = view.outcome.names.get(view.document.key)

    def own(result: Result) -> Result:
        found = [finding.with_fix() for finding in result.findings if finding.span.filename == name]
        return replace(result, findings=tuple(found))

    def look(unsaved: Mapping[str, bytes]) -> Result:
        return own(session.with_changes(view.outcome, unsaved))

    fixed = fixed_by_passes(own(view.outcome.result), look, wanted_by(unsafe_fixes=False, verify=False))
    edits: list[Edit] = []
    for group in fixed.groups:
        for changed, before in group.before.items():
            edits += _between(before, group.after[changed])
    return (view.edit(tuple(edits)) if edits else None) or types.WorkspaceEdit(document_changes=[])


def _between(before: Source, after: Source) -> Iterator[Edit]:
    """What makes one text of another: of a notebook, an edit for each cell that differs."""
    if before.layout is None or after.layout is None:
        shift = shift_between(before, after)
        middle = after.text[shift.same : len(after.text) - shift.tail]
        yield Edit(middle, before.span(shift.same, len(before.text) - shift.tail))
        return
    for number, piece in enumerate(before.layout.pieces):
        old, new = piece_text(before, before.layout, number), piece_text(after, after.layout, number)
        if old != new:
            start = before.offset(piece.first)
            yield Edit(new, before.span(start, start + len(old)))


def matching(view: View, where: Mapping[str, Any]) -> Finding | None:
    """The finding that an action was offered for."""
    for finding in view.findings:
        start = finding.span.start
        if (finding.code, start.row, start.column) == (where.get("code"), where.get("row"), where.get("column")):
            return finding
    return None


def cores() -> int:
    """How many experiments are run at a time."""
    return max(1, (os.cpu_count() or 1) - 1)
