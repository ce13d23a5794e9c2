"""Comments that silence findings: `# mxlint: ignore[...]`, `# mxlint: file-ignore[...]` and `# noqa`.

A comment at the end of a line covers the logical line it stands in, all its physical lines; a comment on a line of its own covers the next one.
Decorators and the `def` or `class` line under them count as one logical line: a finding on either is silenced from either.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from mxlint.finding import Edit, Finding, Fix
from mxlint.headline import LONGEST, fitted
from mxlint.rules.registry import NAMES, RULES, UNJUDGED, code_of
from mxlint.source import Source
from mxlint.stretches import Stretches

# Both say that a file was not analysed; silence would read as approval.

# What follows is a reason, up to the next comment on the line. "see #12" is still a reason.
_REASON = r"(?:(?!\s#\s*[a-zA-Z]).)*"
_OURS = re.compile(r"#\s*mxlint:\s*(?P<verb>[\w-]+)(?P<list>\s*\[(?P<rules>[^\]]*)\])?" + _REASON)
# After a word that mxlint does not know: the way other tools name what they shall silence, or nothing at all. Anything else is prose.
_MEANT = re.compile(r"\s*(?:$|[=:(]\s*MX[0-9])", re.IGNORECASE)
_NOQA = re.compile(r"#\s*noqa\b(?:\s*:(?P<rules>[\w\s,-]*))?", re.IGNORECASE)
# Without the flag for case, and with a literal first: that is what lets the expression skip through the bytes.
_RULES_BYTES = re.compile(rb"#\s*(?:mxlint:|[nN][oO][qQ][aA]\s*:[^\r\n#]*\b[mM][xX][0-9])")
_NAME = re.compile(r"[\w-]+")
_CODE_OF_SOME_TOOL = re.compile(r"[A-Za-z]+[0-9]+")
_CODE_OF_OURS = re.compile(r"MX[0-9]+", re.IGNORECASE)
_VERBS = ("ignore", "file-ignore")
_EVERY: Final = "every rule"
"""Stands for the code of a suppression that names none and silences all."""


@dataclass(frozen=True, slots=True)
class _Name:
    """A rule as a comment names it: what stands there, at which offset, and the code that is meant, if there is one."""

    text: str
    start: int
    code: str | None


@dataclass(slots=True)
class Suppression:
    """One directive. Offsets are into the text: of the directive without its reason, of the reason's end, of what stands in brackets.

    `rows` None covers the whole file, `names` None silences every rule.
    """

    start: int
    end: int
    rows: tuple[int, int] | None
    names: tuple[_Name, ...] | None
    reason_end: int = 0
    list_span: tuple[int, int] | None = None
    verb: str = ""
    """What follows `mxlint:`; nothing for a `noqa`."""
    used: set[str] = field(default_factory=set)


class _Covering:
    """The suppressions of a file, asked which of them cover a finding."""

    def __init__(self, suppressions: Iterable[Suppression]) -> None:
        self._whole_file: dict[str | None, list[Suppression]] = {}
        rows: dict[str | None, list[tuple[int, int, Suppression]]] = {}
        for suppression in suppressions:
            for code in (_EVERY,) if suppression.names is None else {name.code for name in suppression.names}:
                if suppression.rows is None:
                    self._whole_file.setdefault(code, []).append(suppression)
                else:
                    rows.setdefault(code, []).append((*suppression.rows, suppression))
        self._rows = {code: Stretches(stretches) for code, stretches in rows.items()}

    def of(self, finding: Finding) -> Iterator[Suppression]:
        """Those that cover it, one or the other more than once."""
        if finding.code in UNJUDGED:
            return
        for code in (finding.code, _EVERY):
            yield from self._whole_file.get(code, ())
            stretches = self._rows.get(code)
            if stretches is not None:
                for first, last in rows_of(finding):
                    yield from stretches.met(first, last)


def names_rules(data: bytes) -> bool:
    """Whether the bytes hold what may be a suppression that names a rule of ours: reason enough to look into a file."""
    return _RULES_BYTES.search(data) is not None


def suppress(source: Source, findings: Iterable[Finding], selected: Collection[str], compiles: bool = True) -> list[Finding]:
    """What is left of one file's findings, and what is wrong with its suppressions: MX001 and MX002.

    `selected` are the codes that this run reports: a suppression of another code may well be needed in the next run. So may one in a
    function or class of a file that does not itself compile anything (`compiles`): what compiles it may lie in a file that this run leaves out.
    """
    findings = list(findings)
    if not (
        names_rules(source.data if source.layout is None else source.text.encode(errors="surrogatepass"))
        or (findings and _NOQA.search(source.text))
    ):
        return findings
    suppressions = list(read_suppressions(source))
    covering = _Covering(suppressions)
    left = _unsilenced(findings, covering)
    left += _unsilenced([finding for suppression in suppressions for finding in _unknown(source, suppression)], covering)
    unused = [(suppression, finding) for suppression in suppressions for finding in _unused(source, suppression, selected)]
    unused = unused if "MX001" in selected else []
    elsewhere = Stretches(_definitions(source) if unused and not compiles else ())
    left += _unsilenced([finding for suppression, finding in unused if not _touches(suppression, elsewhere)], covering)
    return left


def suppression_row(source: Source, row: int) -> int:
    """The row at whose end a comment silences what starts in `row`: the row itself, or the first after it that ends neither in a string nor with
    a backslash."""
    ends = _ends(source)
    at = bisect_left(ends, row)
    return ends[at] if at < len(ends) else row


@lru_cache(maxsize=4)
def _ends(source: Source) -> list[int]:
    """The rows that end neither in a string nor with a backslash, as far as tokenize gets."""
    import tokenize

    lines = iter([source.line(number) + "\n" for number in range(1, len(source.starts) + 1)])
    found = []
    try:
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            if token.type in (tokenize.NEWLINE, tokenize.NL):
                found.append(token.start[0])
    except (tokenize.TokenError, SyntaxError):
        pass  # a file that Python reads and tokenize does not
    return found


def _definitions(source: Source) -> list[tuple[int, int, None]]:
    """First and last row of every function and class, decorators included."""
    import ast

    found = []
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.append((min(part.lineno for part in (node, *node.decorator_list)), node.end_lineno or node.lineno, None))
        elif isinstance(node, ast.Lambda):
            found.append((node.lineno, node.end_lineno or node.lineno, None))
    return found


def _touches(suppression: Suppression, stretches: Stretches[None]) -> bool:
    """Whether a suppression covers a row of any of the stretches."""
    return any(True for _ in stretches.met(*(suppression.rows or (1, sys.maxsize))))


def _unsilenced(findings: Iterable[Finding], suppressions: _Covering) -> list[Finding]:
    """The findings that no suppression covers. Every suppression that covers one is marked as used."""
    left = []
    for finding in findings:
        silenced = False
        for suppression in suppressions.of(finding):
            suppression.used.add(finding.code)
            silenced = True
        if not silenced:
            left.append(finding)
    return left


def rows_of(finding: Finding) -> Iterator[tuple[int, int]]:
    """First and last row of the finding's span, and of its statement."""
    for span in (finding.span, finding.statement):
        if span is not None:
            ends_before_row = span.end.column == 1 and span.end.row > span.start.row
            yield span.start.row, span.end.row - ends_before_row


def read_suppressions(source: Source) -> Iterator[Suppression]:
    """Every suppression of a file, in order."""
    for comment, offset, covered in _comments(source):
        rows = _within_piece(source, offset, covered)
        for match in _OURS.finditer(comment):
            verb, has_list = match["verb"], match["list"] is not None
            if verb in _VERBS or has_list or _MEANT.match(comment, match.end("verb")):
                yield Suppression(
                    start=offset + match.start(),
                    end=offset + match.end("list" if has_list else "verb"),
                    rows=rows if verb == "ignore" else None,
                    names=tuple(_named(match["rules"] or "", offset + match.start("rules"))) if verb in _VERBS else (),
                    reason_end=offset + match.end(),
                    list_span=(offset + match.start("rules"), offset + match.end("rules")) if has_list else None,
                    verb=verb,
                )
        for match in _NOQA.finditer(comment):
            codes = list(_noqa_codes(match["rules"] or "", offset + match.start("rules")))
            names = tuple(name for name in codes if name.code or _CODE_OF_OURS.fullmatch(name.text))
            # As in flake8, a colon with no code after it is a bare noqa.
            if names or not codes:
                own = source.position(offset).row
                alone = not source.line(own)[: offset - source.offset(own)].strip()
                # As for everyone who knows noqa, one on a line of its own is about that line, where there is nothing.
                yield Suppression(offset + match.start(), offset + match.end(), (own, own) if alone else rows, names or None)


def _within_piece(source: Source, offset: int, rows: tuple[int, int]) -> tuple[int, int]:
    """The rows that a comment covers, less those of the next cell or block: at the end of one it is about nothing."""
    piece = source.layout.piece(source.position(offset).row) if source.layout is not None else None
    return rows if piece is None else (rows[0], min(rows[1], piece.last))


def _named(text: str, offset: int) -> Iterator[_Name]:
    for match in _NAME.finditer(text):
        yield _Name(match[0], offset + match.start(), code_of(match[0]))


def _noqa_codes(text: str, offset: int) -> Iterator[_Name]:
    """The codes after `noqa:`, of any tool, up to the first word that is none."""
    for name in _named(text, offset):
        if name.code is None and not _CODE_OF_SOME_TOOL.fullmatch(name.text):
            return
        yield name


def _comments(source: Source) -> Iterator[tuple[str, int, tuple[int, int]]]:
    """Each comment, its offset, and the rows it covers: from its own, or the start of its logical line, to that line's end."""
    import tokenize

    between = (tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    lines = iter([source.line(row) + "\n" for row in range(1, len(source.starts) + 1)])
    waiting: list[tuple[str, int, int]] = []
    first = 0  # row of the logical line at hand, or of the first decorator above it; 0 between logical lines
    starting, decorator = True, False
    try:
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            row, column = token.start
            if token.type == tokenize.COMMENT:
                waiting.append((token.string, source.offset(row) + column, row))
            elif token.type == tokenize.NEWLINE:
                starting = True
                if not decorator:
                    yield from ((text, offset, (min(first, own), row)) for text, offset, own in waiting)
                    waiting, first = [], 0
            elif token.type not in between and starting:
                starting, decorator = False, token.string == "@"
                first = first or row
    except (tokenize.TokenError, SyntaxError):
        pass  # a file that Python reads and tokenize does not: its last comments count for their own row
    yield from ((text, offset, (own, own)) for text, offset, own in waiting)


def _unknown(source: Source, suppression: Suppression) -> Iterator[Finding]:
    """MX002: what a suppression says that means nothing."""
    from mxlint.nearness import nearest

    if suppression.verb not in (*_VERBS, ""):
        message = f"`# mxlint: {suppression.verb}{'[...]' if suppression.list_span else ''}` does nothing"
        close = nearest(suppression.verb, _VERBS)
        help = (
            f"did you mean `{close}`?" if close else "mxlint knows `ignore[...]` and `file-ignore[...]`: `mxlint explain MX002` shows both"
        )
        yield _finding("MX002", source, suppression.start, suppression.end, message, help)
    elif suppression.names == ():
        message = f"`# mxlint: {suppression.verb}` names no rule, so it silences nothing"
        help = f"name the rules that it shall silence: `# mxlint: {suppression.verb}[MX101]`"
        yield _finding("MX002", source, suppression.start, suppression.end, message, help)
    for name in suppression.names or ():
        if name.code is None:
            message, help = _no_rule(name.text)
            yield _finding("MX002", source, name.start, name.start + len(name.text), message, help)


@lru_cache(maxsize=256)
def _no_rule(text: str) -> tuple[str, str]:
    """What is wrong with a name that is no rule's, and what to do about it."""
    from mxlint.config import nearest_rule

    prefix = text.upper()
    meant = [code for code in NAMES if prefix == "ALL" or (code.startswith(prefix) and prefix.startswith("MX"))]
    if meant:
        return f"`{text}` is no rule but a selector of several, which a comment cannot silence at once", f"name each rule: `{meant[0]}`"
    close = nearest_rule(text)
    return (
        f"`{text}` is no rule of mxlint, so naming it silences nothing",
        f"did you mean `{close}`?" if close else "`mxlint rules` lists the rules there are",
    )


def _unused(source: Source, suppression: Suppression, selected: Collection[str]) -> Iterator[Finding]:
    """MX001: the rules that one of our comments names and that have nothing to silence. MX001 itself would bite its own tail."""
    if suppression.list_span is None or not suppression.names:
        return
    needed = suppression.used | (NAMES.keys() - selected) | {"MX001", None}
    kept = [name.text for name in suppression.names if name.code in needed]
    unused = [name.text for name in suppression.names if name.code not in needed]
    if not unused:
        return
    if kept:
        start, end = suppression.list_span
        fix = Fix("safe", f"take {_listed(unused)} out of the comment", (Edit(", ".join(kept), source.span(start, end)),))
    else:
        fix = Fix("safe", "delete the comment", (Edit("", source.span(*_whole(source, suppression))),))
    where = "in the whole file" if suppression.rows is None else "here"
    what = f"this comment silences nothing: there is no finding of {_listed(unused)} {where}"
    message = what if len(what) <= LONGEST else f"this comment silences nothing: there is no finding of {len(unused)} rules that it names"
    yield _finding("MX001", source, suppression.start, suppression.end, message, fix.message, fix)


def _whole(source: Source, suppression: Suppression) -> tuple[int, int]:
    """What to delete so that no trace of the directive is left: the blanks before it, its reason, the line if nothing else stands there."""
    row = source.position(suppression.start).row
    line_start, line = source.offset(row), source.line(row)
    before = line[: suppression.start - line_start].rstrip()
    after = line[suppression.reason_end - line_start :].strip()
    if after:
        return suppression.start, line_start + line.index(after, suppression.reason_end - line_start)
    if before:
        return line_start + len(before), line_start + len(line)
    return line_start, source.offset(row + 1)


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _finding(code: str, source: Source, start: int, end: int, message: str, help: str, fix: Fix | None = None) -> Finding:
    return Finding(code, RULES[code].severity, fitted(message), help, source.span(start, end), fix=fix)
