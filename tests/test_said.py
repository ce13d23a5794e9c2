"""All that mxlint says of the fixtures, rule by rule, in two files that are read when they change.

In golden/said each sentence stands once, without names, numbers and code. In golden/shown stands for each program what is found where, what else is
shown with it, and what the fix writes. MXLINT_GOLDEN=write writes the files anew: read what changed before you commit it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from cases import Case, read_cases
from writing import write

from mxlint.engine import check
from mxlint.finding import Finding, Span
from mxlint.rules.registry import RULES

GOLDEN = Path(__file__).parent / "golden"
FILES = ("found.md", "written.md", "silent.md", "unknown.md", "library.md", "varied.md")
CODES = sorted(code for code in RULES if not code.startswith("MX0"))


def cases() -> dict[str, list[Case]]:
    """The programs of the fixtures, by the rule that they are about."""
    found: dict[str, list[Case]] = {}
    for file in FILES:
        for case in read_cases(file).values():
            found.setdefault(case.code, []).append(case)
    return found


CASES = cases()


def general(text: str) -> str:
    """A sentence without the code and the numbers in it; codes of rules stay."""
    return re.sub(r"\b\d+", "0", re.sub(r"`[^`]*`", "`…`", text))


def sentences(finding: Finding) -> Iterator[str]:
    """All that is said beside the place, on lines of their own."""
    claimed = f", {finding.claimed} where it holds" if finding.claimed else ""
    yield f"{finding.code} {finding.severity}{claimed}"
    yield finding.message
    yield from finding.below
    yield from sorted({f"at: {related.message}" for related in finding.related})
    yield from (f"if: {text}" for text in (*finding.conditions, *finding.presumed))
    yield from (f"not on: {device}" for device in finding.right_on)
    if finding.fix is not None:
        yield f"{finding.fix.applicability} fix: {finding.fix.message}"
    if finding.remedy is not None or finding.uncalled is not None:
        yield f"uncalled: {finding.uncalled is not None}"


def place(span: Span) -> str:
    """A span in short: `3:5-9`, with its file where that is not the program's first."""
    file = "" if span.filename == "main.py" else f"{span.filename}:"
    end = f"{span.end.row}:" if span.end.row != span.start.row else ""
    return f"{file}{span.start.row}:{span.start.column}-{end}{span.end.column}"


def details(finding: Finding) -> Iterator[str]:
    """What is found where, and all that is shown with it beside sentences."""
    yield f"{place(finding.span)} {finding.code} {finding.severity} in {finding.object or 'the module'}"
    yield from (f"  {place(related.span)} {related.message}" for related in finding.related)
    yield from (f"  if {text}" for text in (*finding.conditions, *finding.presumed))
    if finding.fix is not None:
        yield f"  {finding.fix.applicability} fix"
        yield from (f"    {place(edit.span)} {edit.content!r}" for edit in finding.fix.edits)


def compared(text: str, file: Path) -> None:
    if os.environ.get("MXLINT_GOLDEN") == "write":
        file.write_text(text, encoding="utf-8", newline="\n")
    assert text == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("code", CODES)
def test_what_is_said(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: set[str] = set()
    shown: list[str] = []
    for number, case in enumerate(CASES.get(code, ())):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        write(folder, case.files)
        findings = check(["."]).findings
        said |= {"\n  ".join(map(general, sentences(finding))) for finding in findings}
        if findings:
            shown += ["", f"## {case.name}", *(line for finding in findings for line in details(finding))]
    compared("\n\n".join(sorted(said)) + "\n", GOLDEN / "said" / f"{code}.txt")
    compared("\n".join(shown[1:]) + "\n", GOLDEN / "shown" / f"{code}.txt")
