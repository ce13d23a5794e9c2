"""Source → the lowered form: the one door. LibCST ends behind it."""

from __future__ import annotations

import libcst as cst

from mxlint.tracing.lowering import definitions, displays, expressions, literals, simple  # noqa: F401  # each registers what it lowers
from mxlint.tracing.lowering.compound import statements
from mxlint.tracing.lowering.cursor import Cursor, NotLowered
from mxlint.tracing.lowering.depth import too_deep
from mxlint.tracing.nodes import Body, UnknownStmt


def lower_statements(text: str, start: int, end: int, binds: tuple[str, ...] = ()) -> Body:
    """Lower the whole lines `text[start:end]`, complete top-level statements; what cannot be lowered is one unknown that binds `binds`."""
    source = text[start:end]
    unknown = (UnknownStmt(start, end, binds),)
    if too_deep(source):
        return unknown
    try:
        module = cst.parse_module(source)
        # One more newline lets the cursor look at the next character without asking for the end.
        cursor = Cursor(text if end < len(text) else text + "\n", start)
        body = statements(cursor, module.body)
    except (cst.ParserSyntaxError, SyntaxError, UnicodeError, RecursionError, NotLowered, IndexError):
        return unknown
    # A cursor that does not arrive at the end went astray: better nothing known than wrong places.
    return body if cursor.at(end) else unknown
