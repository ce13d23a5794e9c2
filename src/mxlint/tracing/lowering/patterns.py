"""The patterns of match statements: the names they capture, and whether they look into the subject."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from mxlint.tracing.lowering.cursor import Cursor, NotLowered


def pattern(c: Cursor, node: Any, binds: list[str]) -> bool:
    """Step over a pattern, add the names it captures to `binds`; return whether it compares the subject with anything."""
    kind = type(node)
    if kind is cst.MatchValue or kind is cst.MatchSingleton:
        c.expression(node.value)
        return True
    around = len(node.lpar)
    for _ in range(around):
        c.take(1)
    compares = True
    if kind is cst.MatchAs:
        compares = _capture(c, node, binds)
    elif kind is cst.MatchOr:
        for element in node.patterns:
            pattern(c, element.pattern, binds)
            if isinstance(element.separator, cst.BitOr):
                c.take(1)
    elif kind is cst.MatchTuple:
        _elements(c, node.patterns, binds)
    elif kind is cst.MatchList:
        _bracketed(c, node, binds)
    elif kind is cst.MatchMapping:
        _mapping(c, node, binds)
    elif kind is cst.MatchClass:
        _class_pattern(c, node, binds)
    else:
        raise NotLowered(kind.__name__)
    for _ in range(around):
        c.take(1)
    return compares


def _capture(c: Cursor, node: cst.MatchAs, binds: list[str]) -> bool:
    """`name`, `_` or `pattern as name`."""
    compares = False
    if node.pattern is not None:
        compares = pattern(c, node.pattern, binds)
        c.take(2)
    if node.name is None:
        c.take(1)
    else:
        binds.append(c.word(node.name))
    return compares


def _elements(c: Cursor, nodes: Sequence[Any], binds: list[str]) -> None:
    for node in nodes:
        if type(node) is not cst.MatchStar:
            pattern(c, node.value, binds)
        else:
            c.take(1)
            if node.name is None:
                c.take(1)
            else:
                binds.append(c.word(node.name))
        c.comma()


def _bracketed(c: Cursor, node: cst.MatchList, binds: list[str]) -> None:
    if node.lbracket is not None:
        c.take(1)
    _elements(c, node.patterns, binds)
    if node.rbracket is not None:
        c.take(1)


def _mapping(c: Cursor, node: cst.MatchMapping, binds: list[str]) -> None:
    c.take(1)
    for element in node.elements:
        c.expression(element.key)
        c.take(1)
        pattern(c, element.pattern, binds)
        c.comma()
    if node.rest is not None:
        c.take(2)
        binds.append(c.word(node.rest))
        c.comma()
    c.take(1)


def _class_pattern(c: Cursor, node: cst.MatchClass, binds: list[str]) -> None:
    c.expression(node.cls)
    c.take(1)
    _elements(c, node.patterns, binds)
    for keyword in node.kwds:
        c.word(keyword.key)
        c.take(1)
        pattern(c, keyword.pattern, binds)
        c.comma()
    c.take(1)
