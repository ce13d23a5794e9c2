"""Comments that ignore findings, put where they are read: `--add-ignore`.

A comment is added at the end of a row that may have one, or its rules to a comment that is there. Nothing else of the file changes, and its syntax tree not
at all.
"""

from __future__ import annotations

import ast
import re
import tokenize
from bisect import bisect_left
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace

from mxlint.discover import Problem
from mxlint.finding import Edit, Finding, Span
from mxlint.fixes.edits import EditError, changed
from mxlint.fixes.passes import unsaved
from mxlint.fixes.writing import Rewrite, WriteError, write_together
from mxlint.result import Result
from mxlint.rules.registry import UNJUDGED
from mxlint.source import Source
from mxlint.stretches import Stretches
from mxlint.suppressions import Suppression, read_suppressions, rows_of, suppress

LEFT_ALONE = UNJUDGED | {"MX001", "MX002"}
"""What no comment is written for: that a file was not judged, and what is wrong with comments."""
_MOST_PASSES = 3
_DIRECTIVE = re.compile(r"#\s*(mxlint:|noqa\b)", re.IGNORECASE)
_FSTRING = {getattr(tokenize, name): step for name, step in (("FSTRING_START", 1), ("FSTRING_END", -1)) if hasattr(tokenize, name)}

Look = Callable[[Mapping[str, bytes]], Result]
"""What is found where some files hold these bytes, by their real paths."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """`result`: what is left once the comments stand in the files; how many findings are ignored now, in how many files."""

    result: Result
    findings: int
    files: int


def is_reason(text: str) -> bool:
    """Whether a text can stand behind a comment as its reason."""
    return text.isprintable() and _DIRECTIVE.search(text) is None


def ignored(result: Result, look: Look, reason: str) -> Ignored:
    """Write comments for the findings of a run to the files that it was asked for. A file that cannot be written is a problem, and stays as it is."""
    before: dict[str, Source] = {}
    after: dict[str, Source] = {}
    problems: dict[str, str] = {}
    found = result
    for _ in range(_MOST_PASSES):
        new = dict(_commented(found, after, reason, problems))
        if not new:
            break
        before = {**{name: found.sources[name] for name in new}, **before}
        after |= new
        found = look(unsaved(after.values()))
    for name in list(after):
        source = before[name]
        assert source.path is not None
        try:
            write_together([Rewrite(name, str(source.path), source.data, after[name].data)])
        except WriteError as error:
            problems[name] = error.message
            del after[name]
    if problems.keys() & before.keys():
        found = look({})
    written = _count(result, after.keys()) - _count(found, after.keys())
    made = tuple(Problem(name, message) for name, message in sorted(problems.items()))
    return Ignored(replace(found, problems=(*found.problems, *made)), written, len(after))


def _count(result: Result, names: Collection[str]) -> int:
    return sum(finding.span.filename in names and finding.code not in LEFT_ALONE for finding in result.findings)


def _commented(result: Result, known: Mapping[str, Source], reason: str, problems: dict[str, str]) -> Iterable[tuple[str, Source]]:
    """The files with comments for what is found in them. Those that cannot have any are noted as problems."""
    files: dict[str, list[Finding]] = {}
    for finding in result.findings:
        if finding.code not in LEFT_ALONE and finding.span.filename in result.own and finding.span.filename not in problems:
            files.setdefault(finding.span.filename, []).append(finding)
    for name, findings in files.items():
        source = known.get(name) or result.sources[name]
        edits = ignore_edits(source, findings, reason)
        try:
            new = changed(source, edits)
        except EditError as error:
            problems[name] = f"its findings cannot be ignored: {error}"
            continue
        if _tree(new) != _tree(source):
            problems[name] = "its findings cannot be ignored: a comment would change the code"
        elif new.text != source.text:
            yield name, new


def ignore_edits(source: Source, findings: Iterable[Finding], reason: str = "") -> list[Edit]:
    """What makes comments of a file ignore its findings: each logical line has one for all of its rules."""
    lines = _logical_lines(source)
    existing = [found for found in read_suppressions(source) if found.verb == "ignore" and found.list_span is not None]
    covering = Stretches((*found.rows, number) for number, found in enumerate(existing) if found.rows is not None)
    extended: dict[int, set[str]] = {}
    added: dict[int, set[str]] = {}
    for finding in findings:
        number = min((number for rows in rows_of(finding) for number in covering.met(*rows)), default=None)
        if number is not None:
            extended.setdefault(number, set()).add(finding.code)
        else:
            line = lines.of(finding.span.start.row)
            added.setdefault(line.row_for_comment(finding.span.start.row, added), set()).add(finding.code)
    return [
        *(_extension(source, existing[number], codes, reason) for number, codes in extended.items()),
        *(_addition(source, row, codes, reason) for row, codes in added.items()),
    ]


def ignore_edit(source: Source, finding: Finding) -> Edit | None:
    """What makes a comment ignore one finding; None where no comment can."""
    if finding.code in UNJUDGED:
        return None
    (edit,) = ignore_edits(source, [finding])
    try:
        return edit if finding not in suppress(changed(source, [edit]), [finding], set()) else None
    except EditError:
        return None


@dataclass(slots=True)
class _Line:
    """A logical line, with the decorators above it: its first and last row, and the rows at whose end a comment may stand."""

    first: int
    last: int
    ends: list[int] = field(default_factory=list)

    def row_for_comment(self, row: int, taken: Container[int]) -> int:
        """That of a comment which the line has been given, else the first from `row` on."""
        return next(
            (known for known in (*self.ends, self.last) if known in taken), next((end for end in self.ends if end >= row), self.last)
        )


@dataclass(frozen=True, slots=True)
class _Lines:
    lines: list[_Line]

    def of(self, row: int) -> _Line:
        """The logical line of a row."""
        at = bisect_left(self.lines, row, key=lambda line: line.last)
        return self.lines[at] if at < len(self.lines) and self.lines[at].first <= row else _Line(row, row)


def _logical_lines(source: Source) -> _Lines:
    """The logical lines of a file, as far as tokenize gets."""
    between = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    rows = iter([source.line(row) + "\n" for row in range(1, len(source.starts) + 1)])
    found: list[_Line] = []
    line: _Line | None = None
    starting, decorator, strings = True, False, 0
    try:
        for token in tokenize.generate_tokens(lambda: next(rows, "")):
            row = token.start[0]
            strings += _FSTRING.get(token.type, 0)
            if token.type not in (*between, tokenize.NEWLINE) and starting:
                starting, decorator = False, token.string == "@"
                line = line or _Line(row, row)
            if line is not None and token.type in (tokenize.NL, tokenize.NEWLINE) and not strings and not starting:
                line.ends.append(row)
                line.last = row
            if token.type == tokenize.NEWLINE:
                starting = True
                if line is not None and not decorator:
                    found.append(line)
                    line = None
    except (tokenize.TokenError, SyntaxError):
        pass  # a file that Python reads and tokenize does not
    return _Lines(found)


def _extension(source: Source, suppression: Suppression, codes: set[str], reason: str) -> Edit:
    """Rules added to those that a comment names, and a reason to one that has none."""
    assert suppression.list_span is not None
    start, end = suppression.list_span
    text = source.text[start:end].rstrip()
    new = sorted(codes - {name.code for name in suppression.names or ()})
    listed = ", ".join([*([text] if text.strip() else []), *new])
    row = source.position(end).row
    behind = source.text[end : source.offset(row) + len(source.line(row))]
    if reason and behind.rstrip() == "]":
        return Edit(f"{listed}] {reason}", source.span(start, end + 1))
    return Edit(listed, source.span(start, end))


def _addition(source: Source, row: int, codes: set[str], reason: str) -> Edit:
    """A comment at the end of a row."""
    start, line = source.offset(row), source.line(row)
    comment = f"  # mxlint: ignore[{', '.join(sorted(codes))}]" + (f" {reason}" if reason else "")
    at = start + len(line.rstrip())
    return Edit(comment, Span(source.name, source.position(at), source.position(start + len(line))))


def _tree(source: Source) -> str:
    return ast.dump(ast.parse(source.text))
