"""The patterns of match statements → IR, and the names that they capture."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from mxlint.syntax import ir

if TYPE_CHECKING:
    from mxlint.syntax.lower import Lowering


def pattern(low: Lowering, node: ast.pattern, binds: list[str]) -> ir.Pattern:
    """Lower a pattern; the names that it captures are added to `binds`, in the order of the text."""

    def many(nodes: Iterable[ast.pattern]) -> tuple[ir.Pattern, ...]:
        return tuple([pattern(low, item, binds) for item in nodes])

    def capture(name: str | None) -> str | None:
        if name is not None:
            binds.append(name)
        return name

    start, end = low.span(node)
    match node:
        case ast.MatchValue(value):
            return ir.ValuePattern(start, end, low.expr(value))
        case ast.MatchSingleton(value):
            return ir.ValuePattern(start, end, ir.Const(start, end, value))
        case ast.MatchAs(inner, name):
            return ir.NamePattern(start, end, None if inner is None else pattern(low, inner, binds), capture(name))
        case ast.MatchOr(alternatives):
            return ir.OrPattern(start, end, many(alternatives))
        case ast.MatchStar(name):
            return ir.StarPattern(start, end, capture(name))
        case ast.MatchSequence(items):
            return ir.SequencePattern(start, end, many(items))
        case ast.MatchMapping(keys, patterns, rest):
            pairs = tuple([(low.expr(key), pattern(low, value, binds)) for key, value in zip(keys, patterns, strict=True)])
            return ir.MappingPattern(start, end, pairs, capture(rest))
        case ast.MatchClass(cls, positional, names, patterns):
            keywords = [(name, value) for name, value in zip(names, patterns, strict=True)]
            args = many(positional)
            return ir.ClassPattern(start, end, low.expr(cls), args, tuple([(name, pattern(low, value, binds)) for name, value in keywords]))
    raise TypeError(type(node).__name__)
