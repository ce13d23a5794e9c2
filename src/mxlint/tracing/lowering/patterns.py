"""The patterns of match statements, and the names that they capture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from mxlint.syntax.ir import (
    ClassPattern,
    Expr,
    MappingPattern,
    NamePattern,
    OrPattern,
    Pattern,
    SequencePattern,
    StarPattern,
    ValuePattern,
)
from mxlint.tracing.lowering.cursor import Cursor, NotLowered, by_type


def pattern(c: Cursor, node: Any, binds: list[str]) -> Pattern:
    """Lower a pattern, and add the names that it captures to `binds`."""
    if isinstance(node, (cst.MatchValue, cst.MatchSingleton)):
        return ValuePattern(c.expression(node.value))
    lower = _LOWER.get(type(node))
    if lower is None:
        raise NotLowered(type(node).__name__)
    around = len(node.lpar)
    for _ in range(around):
        c.take(1)
    lowered = lower(c, node, binds)
    for _ in range(around):
        c.take(1)
    return lowered


def _name(c: Cursor, name: cst.Name | None, binds: list[str]) -> str | None:
    if name is None:
        c.take(1)
        return None
    binds.append(c.word(name))
    return name.value


def _capture(c: Cursor, node: cst.MatchAs, binds: list[str]) -> Pattern:
    inner = None
    if node.pattern is not None:
        inner = pattern(c, node.pattern, binds)
        c.take(2)
    return NamePattern(inner, _name(c, node.name, binds))


def _or(c: Cursor, node: cst.MatchOr, binds: list[str]) -> Pattern:
    patterns: list[Pattern] = []
    for element in node.patterns:
        patterns.append(pattern(c, element.pattern, binds))
        if isinstance(element.separator, cst.BitOr):
            c.take(1)
    return OrPattern(tuple(patterns))


def _elements(c: Cursor, nodes: Sequence[Any], binds: list[str]) -> tuple[Pattern, ...]:
    found: list[Pattern] = []
    for node in nodes:
        if isinstance(node, cst.MatchStar):
            c.take(1)
            found.append(StarPattern(_name(c, node.name, binds)))
        else:
            found.append(pattern(c, node.value, binds))
        c.comma()
    return tuple(found)


def _tuple(c: Cursor, node: cst.MatchTuple, binds: list[str]) -> Pattern:
    return SequencePattern(_elements(c, node.patterns, binds))


def _list(c: Cursor, node: cst.MatchList, binds: list[str]) -> Pattern:
    if node.lbracket is not None:
        c.take(1)
    items = _elements(c, node.patterns, binds)
    if node.rbracket is not None:
        c.take(1)
    return SequencePattern(items)


def _mapping(c: Cursor, node: cst.MatchMapping, binds: list[str]) -> Pattern:
    c.take(1)
    items: list[tuple[Expr, Pattern]] = []
    for element in node.elements:
        key = c.expression(element.key)
        c.take(1)
        items.append((key, pattern(c, element.pattern, binds)))
        c.comma()
    rest = None
    if node.rest is not None:
        c.take(2)
        rest = _name(c, node.rest, binds)
        c.comma()
    c.take(1)
    return MappingPattern(tuple(items), rest)


def _class(c: Cursor, node: cst.MatchClass, binds: list[str]) -> Pattern:
    cls = c.expression(node.cls)
    c.take(1)
    args = _elements(c, node.patterns, binds)
    keywords: list[tuple[str, Pattern]] = []
    for keyword in node.kwds:
        name = c.word(keyword.key)
        c.take(1)
        keywords.append((name, pattern(c, keyword.pattern, binds)))
        c.comma()
    c.take(1)
    return ClassPattern(cls, args, tuple(keywords))


_LOWER: dict[type, Callable[[Cursor, Any, list[str]], Pattern]] = by_type(
    {
        "MatchAs": _capture,
        "MatchOr": _or,
        "MatchTuple": _tuple,
        "MatchList": _list,
        "MatchMapping": _mapping,
        "MatchClass": _class,
    }
)
