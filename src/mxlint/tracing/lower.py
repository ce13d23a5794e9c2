"""Source → the lowered form: the one door. LibCST ends behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import libcst as cst

from mxlint.syntax.ir import Body, ClassDef, FuncDef, Stmt, UnknownStmt
from mxlint.tracing.chunks import Suite
from mxlint.tracing.lowering import definitions, displays, expressions, literals, simple  # noqa: F401  # each registers what it lowers
from mxlint.tracing.lowering.compound import statements
from mxlint.tracing.lowering.cursor import Cursor, NotLowered
from mxlint.tracing.lowering.depth import too_deep

_EMPTY = "(): pass"


def lower_statements(text: str, start: int, end: int, binds: tuple[str, ...] = (), later: tuple[Suite, ...] = ()) -> Body:
    """Lower the whole lines `text[start:end]`, complete top-level statements; what cannot be lowered is one unknown that binds `binds`.

    The functions in `later` get no parameters and no body: methods of a class, or the one function itself; `lower_method` lowers such a one in full.
    """
    waiting = {suite.start + len(_EMPTY): suite.last for suite in later}
    source = _emptied_text(text, start, end, later, lambda suite: "\n")
    if later:  # every offset stays what it is: in what the cursor follows, blanks stand for what is left out
        blank = _emptied_text(text, start, end, later, lambda suite: " " * (suite.end - suite.start - len(_EMPTY) - 1) + "\n")
        text = text[:start] + blank + text[end:]
    lowered = None if too_deep(source) else _lower(source, text, start, end)
    if lowered is None:
        return (UnknownStmt(start, end, binds),)
    if waiting and isinstance(lowered[0], ClassDef):
        members = tuple(_emptied(member, waiting) for member in lowered[0].body)
        return (replace(lowered[0], body=members, end=members[-1].end),)
    return tuple(_emptied(statement, waiting) for statement in lowered)


def lower_method(text: str, method: FuncDef) -> FuncDef | None:
    """Lower a function that `lower_statements` left empty; None if that cannot be done."""
    start = max(text.rfind("\n", 0, method.start), text.rfind("\r", 0, method.start)) + 1
    end = text.find("\n", method.end) + 1 or len(text)
    indented = start < method.start
    source = "if 1:\n" * indented + text[start:end]
    lowered = None if too_deep(source) else _lower(source, text, start, end, indented=indented)
    return replace(lowered[0], decorators=method.decorators) if lowered and isinstance(lowered[0], FuncDef) else None


def _lower(source: str, text: str, start: int, end: int, *, indented: bool = False) -> Body | None:
    """Lower `source`, which stands in `text` from `start` to `end`; None if that cannot be done."""
    try:
        with _unchecked():
            suite: Any = cst.parse_module(source)
        # One more newline lets the cursor look at the next character without asking for the end.
        cursor = Cursor(text if end < len(text) else text + "\n", start)
        body = statements(cursor, suite.body[0].body.body if indented else suite.body)
    except (cst.ParserSyntaxError, SyntaxError, UnicodeError, RecursionError, NotLowered, IndexError):
        return None
    # A cursor that does not arrive at the end went astray: better nothing known than wrong places.
    return body if cursor.at(end) else None


_CHECK = cst.CSTNode.__post_init__


@contextmanager
def _unchecked() -> Iterator[None]:
    """LibCST checks every node that it makes, which takes a seventh of a parse; what its own parser makes is right."""
    cst.CSTNode.__post_init__ = lambda self: None  # type: ignore[method-assign]
    try:
        yield
    finally:  # what was there at first, not at the start of this: another thread may be at it as well
        cst.CSTNode.__post_init__ = _CHECK  # type: ignore[method-assign]


def _emptied_text(text: str, start: int, end: int, later: tuple[Suite, ...], filler: Callable[[Suite], str]) -> str:
    """The lines `text[start:end]` with the functions in `later` left empty, each followed by what `filler` gives."""
    parts = []
    for suite in later:
        parts += [text[start : suite.start], _EMPTY, filler(suite)]
        start = suite.end
    return "".join((*parts, text[start:end]))


def _emptied(member: Stmt, waiting: Mapping[int, int]) -> Stmt:
    if isinstance(member, FuncDef) and member.end in waiting:
        return replace(member, body=(), end=waiting[member.end])
    return member
