"""f-strings and template strings → IR.

Before Python 3.12 an f-string is one token, and ast places what is in it only roughly: there the braces are looked for in the text,
and each replaced expression is parsed once more by itself.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from mxlint.syntax import ir

if TYPE_CHECKING:
    from mxlint.syntax.lower import Lowering

_ONE_TOKEN = sys.version_info < (3, 12)
_CONVERSIONS: dict[int, Literal["", "s", "r", "a"]] = {-1: "", ord("s"): "s", ord("r"): "r", ord("a"): "a"}


@dataclass(frozen=True, slots=True)
class _Field:
    """`{expression!r:spec}`: from `start` to `end`, the expression from `first` to `last`; `spec` are the fields in its format spec, from `colon` on."""

    start: int
    first: int
    last: int
    colon: int
    spec: tuple[_Field, ...]
    end: int


def fstring(low: Lowering, node: Any, start: int, end: int) -> ir.FString:
    """Lower a JoinedStr or a TemplateStr that stands from `start` to `end`; its literal texts have no place of their own."""
    fields = _fields(low.positions.text, start, end) if _ONE_TOKEN else None
    return ir.FString(start, end, _parts(low, node.values, start, end, fields), not isinstance(node, ast.JoinedStr))


def _parts(low: Lowering, values: list[Any], start: int, end: int, fields: Iterator[_Field] | None) -> tuple[ir.Const | ir.Format, ...]:
    parts: list[ir.Const | ir.Format] = []
    for value in values:
        if isinstance(value, ast.Constant):
            if value.value:  # Python 3.12 may end a format spec with an empty text
                parts.append(ir.Const(start, end, value.value))
        elif fields is None:
            spec = value.format_spec
            lowered = None if spec is None else ir.FString(*low.span(spec), _parts(low, spec.values, *low.span(spec), None), False)
            parts.append(ir.Format(*low.span(value), low.expr(value.value), _CONVERSIONS[value.conversion], lowered))
        else:
            parts.append(_field(low, value, next(fields)))
    return tuple(parts)


def _field(low: Lowering, value: ast.FormattedValue, field: _Field) -> ir.Format:
    expression = ast.parse(f"({low.positions.text[field.first : field.last]})", mode="eval").body
    around, low.positions = low.positions, low.positions.part(field.first - 1)
    try:
        lowered = low.expr(expression)
    finally:
        low.positions = around
    if lowered.start < field.first:  # `{a, b}`: these are not its parentheses
        written = around.text[field.first : field.last].rstrip()
        lowered = lowered.moved(around.token(field.first), field.first + len(written))
    spec = None
    if isinstance(value.format_spec, ast.JoinedStr):
        place = field.colon, field.end - 1
        spec = ir.FString(*place, _parts(low, value.format_spec.values, *place, iter(field.spec)), False)
    return ir.Format(field.start, field.end, lowered, _CONVERSIONS[value.conversion], spec)


# -- where the fields of a token are ------------------------------------------------------------------------------------


def _fields(text: str, start: int, end: int) -> Generator[_Field, None, None]:
    """The fields of string literals that stand in a row from `start` to `end`, with blanks and comments between them."""
    at = start
    while at < end:
        if text[at] == "#":
            while text[at] not in "\r\n":
                at += 1
        first = at
        while text[at].isalpha():
            at += 1
        if text[at] in "'\"":
            quote = text[at] * 3 if text.startswith(text[at] * 3, at) else text[at]
            at = yield from _literal(text, at + len(quote), quote, text[first:at].lower())
        else:
            at += 1


def _literal(text: str, at: int, quote: str, prefix: str) -> Generator[_Field, None, int]:
    """The fields of one literal from behind its opening quote; returns where it ends."""
    formatted, raw = "f" in prefix, "r" in prefix
    while not text.startswith(quote, at):
        if text[at] == "\\":
            named = formatted and not raw and text.startswith("N{", at + 1)
            at = text.index("}", at) + 1 if named else at + 1 if text[at + 1] in "{}" else at + 2
        elif formatted and text[at] == "{" and text[at + 1] != "{":
            field = _replaced(text, at)
            yield field
            at = field.end
        else:
            at += 2 if formatted and text[at] in "{}" else 1
    return at + len(quote)


def _replaced(text: str, start: int) -> _Field:
    """The field that opens at `start`."""
    last = at = _expression_end(text, start + 1)
    fields: list[_Field] = []
    while text[at] not in ":}":
        at += 1
    colon = at
    while text[at] != "}":
        if text[at] == "{":
            fields.append(_replaced(text, at))
            at = fields[-1].end
        else:
            at += 1
    return _Field(start, start + 1, last, colon, tuple(fields), at + 1)


def _expression_end(text: str, at: int) -> int:
    """Where a replaced expression ends: at `!`, `:`, `=` or `}`, none of them in brackets, in a string or in a comparison."""
    depth, quote = 0, ""
    while True:
        char = text[at]
        if quote and text.startswith(quote, at):
            step, quote = len(quote), ""
        elif quote:
            step = 1
        elif char in "'\"":
            quote = char * 3 if text.startswith(char * 3, at) else char
            step = len(quote)
        elif char in "([{":
            depth, step = depth + 1, 1
        elif depth:
            depth, step = depth - (char in ")]}"), 1
        elif char in "!=<>" and text[at + 1] == "=":
            step = 2
        elif char in "!:=}":
            return at
        else:
            step = 1
        at += step
