"""The two findings that say a file was not judged: MX003, Python cannot read it, and MX004, we failed."""

from __future__ import annotations

import ast
import sys

from mxlint.deep import some_room
from mxlint.finding import Finding, Position, Span
from mxlint.headline import LONGEST
from mxlint.source import Source, SourceError


def syntax_error(source: Source, what: str = "file") -> Finding | None:
    """What keeps Python from parsing a file, if anything does. `what`: what is not checked then."""
    try:
        some_room(ast.parse)(source.text)
    except SyntaxError as error:
        start = _within(source, error.lineno, error.offset)
        return unreadable(source.name, error.msg, start, max(start, _within(source, error.end_lineno, error.end_offset)), what)
    except (RecursionError, MemoryError):
        return unreadable(source.name, "too deeply nested to parse", _beginning(source), what=what)
    except ValueError as error:
        return unreadable(source.name, str(error), _beginning(source), what=what)
    return None


def needed_python(source: Source, *, isolated: bool = False) -> str | None:
    """The newer Python that a file which cannot be parsed is for; None if it is broken for every one, or in a project that is also for this one.

    `isolated`: what the project says does not count.
    """
    from mxlint.syntax.newer import needed_python as needed

    version = needed(source.text)
    if version is None:
        return None
    if source.path is not None and not isolated:
        from mxlint.versions import requires_python

        admitted = requires_python(source.path.parent)
        if admitted is not None and admitted.contains(".".join(map(str, sys.version_info[:3])), prereleases=True):
            return None
    return ".".join(map(str, version))


def undecodable(name: str, error: SourceError) -> Finding:
    """A file whose bytes are no text."""
    return unreadable(name, error.message, error.position)


def unreadable(name: str, reason: str, start: Position, end: Position | None = None, what: str = "file") -> Finding:
    """MX003."""
    grammar = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    help = f"the {what} was not checked; mxlint reads it as {grammar}, the version it runs on"
    headline, note = _headline(f"not valid {grammar}", reason)
    return Finding("MX003", "error", headline, help, Span(name, start, end or start), note=note)


def internal_error(name: str, error: BaseException) -> Finding:
    """MX004: the place is where our own code raised, which for a rule is the rule."""
    headline, note = _headline(f"mxlint failed in {_place(error)}", f"{type(error).__name__}: {error}".rstrip(": "))
    help = "the file was not checked, the others were; please report this with the traceback that --verbose prints"
    return Finding("MX004", "error", headline, help, Span(name, Position(1, 1), Position(1, 1)), note=note)


def _headline(what: str, reason: str) -> tuple[str, str]:
    """Headline and note: the reason is in the note where there is no room for it."""
    whole = f"{what}: {reason}"
    return (whole, "") if len(whole) <= LONGEST and "\n" not in whole else (what, reason)


def _place(error: BaseException) -> str:
    place, traceback = "mxlint", error.__traceback__
    while traceback is not None:
        module = str(traceback.tb_frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] == "mxlint":
            place = f"{module}.{traceback.tb_frame.f_code.co_name}"
        traceback = traceback.tb_next
    return place


def _beginning(source: Source) -> Position:
    """Where a text begins, blank rows left out: those stand for what is before a cell or block."""
    blank = len(source.text) - len(source.text.lstrip("\r\n"))
    return Position(source.position(blank).row, 1) if blank < len(source.text) else Position(1, 1)


def _within(source: Source, row: int | None, column: int | None) -> Position:
    """A position as Python gives it, which may lie past the last line or be missing, moved into the file."""
    row = min(max(row or 1, 1), len(source.starts))
    return Position(row, min(max(column or 1, 1), len(source.line(row)) + 1))
