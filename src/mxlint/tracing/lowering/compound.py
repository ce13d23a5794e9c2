"""Compound statements, and the bodies that they hold → the lowered form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from mxlint.syntax.ir import Body, Case, Expr, For, Handler, If, Match, Stmt, Try, While, With
from mxlint.tracing.lowering.cursor import Cursor, lowers
from mxlint.tracing.lowering.patterns import pattern


def statements(c: Cursor, nodes: Sequence[Any]) -> Body:
    body: list[Stmt] = []
    for node in nodes:
        if type(node) is cst.SimpleStatementLine:
            for small in node.body:
                body.append(c.statement(small))
        else:
            body.append(c.statement(node))
    return tuple(body)


def block(c: Cursor, suite: cst.BaseSuite) -> Body:
    c.take(1)
    return statements(c, suite.body)


@lowers("If")
def _if(c: Cursor, node: cst.If, start: int) -> Stmt:
    c.take(4 if c.text.startswith("elif", start) else 2)
    test = c.expression(node.test)
    body = block(c, node.body)
    orelse: Body = ()
    if isinstance(node.orelse, cst.If):
        orelse = (c.statement(node.orelse),)
    elif node.orelse is not None:
        orelse = _otherwise(c, node.orelse)
    return If(start, (orelse or body)[-1].end, test, body, orelse)


def _otherwise(c: Cursor, node: cst.Else | None) -> Body:
    if node is None:
        return ()
    c.clause(4)
    return block(c, node.body)


@lowers("While")
def _while(c: Cursor, node: cst.While, start: int) -> Stmt:
    c.pos = start + 5
    test = c.expression(node.test)
    body = block(c, node.body)
    orelse = _otherwise(c, node.orelse)
    return While(start, (orelse or body)[-1].end, test, body, orelse)


@lowers("For")
def _for(c: Cursor, node: cst.For, start: int) -> Stmt:
    if node.asynchronous is not None:
        c.take(5)
    c.take(3)
    target = c.expression(node.target)
    c.names.bind(target)
    c.take(2)
    source = c.expression(node.iter)
    body = block(c, node.body)
    orelse = _otherwise(c, node.orelse)
    return For(start, (orelse or body)[-1].end, target, source, body, orelse, node.asynchronous is not None)


@lowers("Try", "TryStar")
def _try(c: Cursor, node: cst.Try | cst.TryStar, start: int) -> Stmt:
    c.pos = start + 3
    body = block(c, node.body)
    handlers = tuple(_handler(c, handler) for handler in node.handlers)
    orelse = _otherwise(c, node.orelse)
    final: Body = ()
    if node.finalbody is not None:
        c.clause(7)
        final = block(c, node.finalbody.body)
    last: Sequence[Stmt | Handler] = final or orelse or handlers or body
    return Try(start, last[-1].end, body, handlers, orelse, final, isinstance(node, cst.TryStar))


def _handler(c: Cursor, node: cst.ExceptHandler | cst.ExceptStarHandler) -> Handler:
    start = c.clause(6)
    if isinstance(node, cst.ExceptStarHandler):
        c.take(1)
    kind = c.optional(node.type)
    name = None
    if node.name is not None and isinstance(node.name.name, cst.Name):
        c.take(2)
        name = c.word(node.name.name)
        c.names.bound.add(name)
    body = block(c, node.body)
    return Handler(start, body[-1].end, kind, name, body)


@lowers("With")
def _with(c: Cursor, node: cst.With, start: int) -> Stmt:
    if node.asynchronous is not None:
        c.take(5)
    c.take(4)
    parenthesised = isinstance(node.lpar, cst.LeftParen)
    if parenthesised:
        c.take(1)
    items: list[tuple[Expr, Expr | None]] = []
    for item in node.items:
        value = c.expression(item.item)
        target = None
        if item.asname is not None:
            c.take(2)
            target = c.expression(item.asname.name)
            c.names.bind(target)
        items.append((value, target))
        c.comma()
    if parenthesised:
        c.take(1)
    body = block(c, node.body)
    return With(start, body[-1].end, tuple(items), body, node.asynchronous is not None)


@lowers("Match")
def _match(c: Cursor, node: cst.Match, start: int) -> Stmt:
    c.pos = start + 5
    subject = c.expression(node.subject)
    c.take(1)
    cases = tuple(_case(c, case) for case in node.cases)
    return Match(start, cases[-1].end, subject, cases)


def _case(c: Cursor, node: cst.MatchCase) -> Case:
    start = c.clause(4)
    binds: list[str] = []
    lowered = pattern(c, node.pattern, binds)
    guard = None
    if node.guard is not None:
        c.take(2)
        guard = c.expression(node.guard)
    c.names.bound.update(binds)
    body = block(c, node.body)
    return Case(start, body[-1].end, lowered, tuple(binds), guard, body)
