"""Names, numbers and strings → the lowered form."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from typing import Any

import libcst as cst

from mxlint.syntax.ir import Const, Expr, Format, FString, Name
from mxlint.tracing.lowering.cursor import Cursor, by_type, lowers

_SINGLETONS: dict[str, object] = {"None": None, "True": True, "False": False}
_TEXTS = frozenset(by_type({"FormattedStringText": None, "TemplatedStringText": None}))


@lowers("Name")
def _name(c: Cursor, node: cst.Name, start: int) -> Expr:
    value = node.value
    end = c.pos = start + len(value)
    return Const(start, end, _SINGLETONS[value]) if value in _SINGLETONS else Name(start, end, value)


@lowers("Ellipsis")
def _ellipsis(c: Cursor, node: cst.Ellipsis, start: int) -> Expr:
    end = c.pos = start + 3
    return Const(start, end, ...)


@lowers("Integer")
def _integer(c: Cursor, node: cst.Integer, start: int) -> Expr:
    end = c.pos = start + len(node.value)
    return Const(start, end, int(node.value, 0))


@lowers("Float")
def _float(c: Cursor, node: cst.Float, start: int) -> Expr:
    end = c.pos = start + len(node.value)
    return Const(start, end, float(node.value))


@lowers("Imaginary")
def _imaginary(c: Cursor, node: cst.Imaginary, start: int) -> Expr:
    end = c.pos = start + len(node.value)
    return Const(start, end, complex(node.value))


@lowers("SimpleString")
def _string(c: Cursor, node: cst.SimpleString, start: int) -> Expr:
    end = c.pos = start + len(node.value)
    return Const(start, end, _literal(node.value))


@lowers("FormattedString", "TemplatedString")
def _formatted(c: Cursor, node: Any, start: int) -> Expr:
    parts = _replaced(c, node)
    return FString(start, c.pos, tuple(parts), type(node) is not cst.FormattedString)


@lowers("ConcatenatedString")
def _concatenated(c: Cursor, node: cst.ConcatenatedString, start: int) -> Expr:
    values: list[Any] = []
    replaced: list[Const | Format] = []
    formatted = template = False
    rest: Any = node
    while rest is not None:
        piece, rest = (rest.left, rest.right) if type(rest) is cst.ConcatenatedString else (rest, None)
        if type(piece) is cst.SimpleString:
            c.take(len(piece.value))
            values.append(_literal(piece.value))
            replaced.append(Const(c.pos - len(piece.value), c.pos, values[-1]))
        else:
            formatted = True
            template |= type(piece) is not cst.FormattedString
            replaced += _replaced(c, piece)
    if formatted:
        return FString(start, c.pos, tuple(replaced), template)
    return Const(start, c.pos, values[0][:0].join(values))


def _replaced(c: Cursor, node: Any) -> list[Const | Format]:
    """The parts of one f-string."""
    c.take(len(node.start))
    expressions = _fields(c, node.parts)
    c.pos += len(node.end)
    return expressions


def _fields(c: Cursor, parts: Sequence[Any]) -> list[Const | Format]:
    """`text{expression = !r:format}text`: inside the text of an f-string blanks count, so the cursor must not skip them."""
    expressions: list[Const | Format] = []
    for part in parts:
        if type(part) in _TEXTS:
            expressions.append(Const(c.pos, c.pos + len(part.value), part.value))
            c.pos += len(part.value)
            continue
        start = c.pos
        c.pos += 1
        value = c.expression(part.expression)
        spec = None
        if part.equal is not None:
            c.take(1)
        if part.conversion is not None:
            c.take(1)
            c.take(len(part.conversion))
        if part.format_spec is not None:
            c.take(1)
            begin = c.pos
            fields = tuple(_fields(c, part.format_spec))
            spec = FString(begin, c.pos, fields, False)
            c.pos += 1
        else:
            c.take(1)
        expressions.append(Format(start, c.pos, value, part.conversion or "", spec))
    return expressions


def _literal(source: str) -> Any:
    """The value of one string literal; Python's own reading of it is slow, and needed only for prefixes and escapes."""
    quote = source[0]
    if quote in "'\"" and "\\" not in source and "\r" not in source:
        return source[3:-3] if source.startswith(quote * 3) else source[1:-1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of escapes that mean nothing: not ours to tell
        return ast.literal_eval(source)
