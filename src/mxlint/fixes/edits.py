"""Edits put into effect: on a text, on the files of a finding, and on the places that lie behind them."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from tokenize import COMMENT, generate_tokens

from mxlint.documents.layout import Layout
from mxlint.finding import Edit, Finding, Related, Span
from mxlint.source import Source, SourceError, lines_of, rewritten
from mxlint.suppressions import names_rules


class EditError(ValueError):
    """Edits that overlap, that lie outside the text, or that leave something which is not Python."""


def apply(text: str, edits: Sequence[Edit]) -> str:
    """The text with the edits made, all at once. Whatever lies outside them stays as it is, to the character."""
    source = _source(text)
    result, at = [], 0
    for start, end, edit in _ordered(source, edits):
        result += [text[at:start], edit.content]
        at = end
    made = "".join([*result, text[at:]])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(made)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise EditError(f"the result is not Python: {error}") from None
    return made


def fixed_sources(finding: Finding, sources: Mapping[str, Source]) -> Mapping[str, Source]:
    """The sources with the finding's fix made; the same ones where it changes nothing. Raises EditError where that cannot be done."""
    edits = by_file(finding.fix.edits) if finding.fix is not None else {}
    if missing := edits.keys() - sources.keys():
        raise EditError(f"not at hand: {', '.join(sorted(missing))}")
    return {**sources, **{name: changed(sources[name], own) for name, own in edits.items()}}


def loses_comments(finding: Finding, sources: Mapping[str, Source]) -> bool:
    """Whether the finding's fix would take out what somebody wrote beside the code, other than what is said to mxlint."""
    for name, edits in by_file(finding.fix.edits if finding.fix is not None else ()).items():
        source = sources[name]
        if any("#" in source.text[start:end] for start, end, _ in _ordered(source, edits)):
            before, after = _comments(source.text), _comments(apply(source.text, edits))
            if any(not names_rules(comment.encode()) for comment in before - after):
                return True
    return False


def _comments(text: str) -> Counter[str]:
    lines = iter([line + "\n" for line in lines_of(text)])
    return Counter(token.string for token in generate_tokens(lambda: next(lines, "")) if token.type == COMMENT)


def fixed_finding(finding: Finding, sources: Mapping[str, Source]) -> Finding:
    """The finding as it would be about the fixed sources: its places moved along with the code, and what was written added to them."""
    edits = by_file(finding.fix.edits) if finding.fix is not None else {}

    def moved(span: Span) -> Span:
        return _moved(sources[span.filename], edits[span.filename], span) if span.filename in edits else span

    return replace(
        finding,
        span=moved(finding.span),
        statement=moved(finding.statement) if finding.statement is not None else None,
        related=(
            *(replace(related, span=moved(related.span)) for related in finding.related),
            *(Related("fixed here", span) for name, own in edits.items() for span in _written(sources[name], own)),
        ),
        fix=None,
    )


def _written(source: Source, edits: Sequence[Edit]) -> Iterator[Span]:
    """Where what the edits write is afterwards, without the blank lines around it."""
    ordered = _ordered(source, edits)
    after = _source(apply(source.text, edits))
    for (at, content), (_, _, edit) in zip(_landed(ordered), ordered):
        if text := content.strip():
            start = at + content.index(text)
            yield Span(edit.span.filename, after.position(start), after.position(start + len(text)))


def by_file(edits: Sequence[Edit]) -> dict[str, list[Edit]]:
    """The edits of each file."""
    files: dict[str, list[Edit]] = {}
    for edit in edits:
        files.setdefault(edit.span.filename, []).append(edit)
    return files


def joined(inserted: Edit, edits: list[Edit]) -> list[Edit]:
    """An insertion and other edits, as one with the edit that starts where it stands, if one does."""
    start = inserted.span.start
    first = next((edit for edit in edits if edit.span.start == start), None)
    if first is None:
        return [inserted, *edits]
    return [Edit(inserted.content + first.content, first.span), *(edit for edit in edits if edit is not first)]


def _source(text: str) -> Source:
    return Source(None, "", b"", text)


def changed(source: Source, edits: Sequence[Edit]) -> Source:
    """A file with edits made, in its own encoding. Raises EditError where that cannot be done."""
    try:
        if source.layout is not None:
            return _changed_document(source, source.layout, edits)
        return rewritten(source, apply(source.text, edits))
    except SourceError as error:
        raise EditError(error.message) from None


def _changed_document(source: Source, layout: Layout, edits: Sequence[Edit]) -> Source:
    from mxlint.documents.editing import rewritten_document
    from mxlint.documents.errors import DocumentError

    try:
        return rewritten_document(source, layout, [(start, end, edit.content) for start, end, edit in _ordered(source, edits)])
    except DocumentError as error:
        raise EditError(str(error)) from None


def _ordered(source: Source, edits: Sequence[Edit]) -> list[tuple[int, int, Edit]]:
    """The edits by where they start and end. Two that start at one place have no order, so that they count as overlapping."""
    found = sorted(
        ((source.offset_of(edit.span.start), source.offset_of(edit.span.end), edit) for edit in edits), key=lambda item: item[:2]
    )
    for (start, end, _), (following, _, _) in pairwise(found):
        if following < end or following == start:
            raise EditError("the edits overlap")
    if any(not 0 <= start <= end <= len(source.text) for start, end, _ in found):
        raise EditError("an edit lies outside the text")
    return found


def _moved(source: Source, edits: Sequence[Edit], span: Span) -> Span:
    """Where a stretch of the file is once the edits are made. One that an edit rewrites is where its text has gone to, else what has
    taken its place."""
    start, end = source.offset_of(span.start), source.offset_of(span.end)
    ordered = _ordered(source, edits)
    after = _source(apply(source.text, edits))
    landed = list(_landed(ordered))

    def spanned(first: int, last: int) -> Span:
        return Span(span.filename, after.position(first), after.position(last))

    # An insertion at the very start or end of a stretch lies outside it.
    touching = [number for number, (first, last, _) in enumerate(ordered) if first < end and start < last or start < first == last < end]
    if not touching:
        shift = sum(len(edit.content) - (last - first) for first, last, edit in ordered if last <= start)
        return spanned(start + shift, end + shift)
    text = source.text[start:end]
    for at, content in landed:
        if (found := content.find(text)) >= 0:
            return spanned(at + found, at + found + len(text))
    written = [landed[number] for number in touching if landed[number][1].strip()] or [item for item in landed if item[1].strip()] or landed
    return spanned(written[0][0], written[-1][0] + len(written[-1][1].rstrip()))


def _landed(ordered: Sequence[tuple[int, int, Edit]]) -> Iterator[tuple[int, str]]:
    """Where the content of each edit is afterwards."""
    shift = 0
    for start, end, edit in ordered:
        yield start + shift, edit.content
        shift += len(edit.content) - (end - start)
