"""Simple statements and imports → the lowered form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import libcst as cst

from mxlint.syntax.ir import Assert, Assign, AugAssign, Delete, Expr, ExprStmt, Flow, Import, ImportFrom, Raise, Return, Seq, Stmt
from mxlint.tracing.lowering.cursor import Cursor, NotLowered, by_type, lowers
from mxlint.tracing.lowering.expressions import OPERATORS

_AUGMENTED: dict[type, str] = by_type({f"{operator.__name__}Assign": sign for operator, sign in OPERATORS.items()})


@lowers("Expr")
def _expression_statement(c: Cursor, node: cst.Expr, start: int) -> Stmt:
    value = c.expression(node.value)
    return ExprStmt(start, c.pos, value)


@lowers("Assign")
def _assign(c: Cursor, node: cst.Assign, start: int) -> Stmt:
    targets: list[Expr] = []
    for written in node.targets:
        target = c.expression(written.target)
        c.names.bind(target)
        targets.append(target)
        c.take(1)
    value = c.expression(node.value)
    return Assign(start, c.pos, tuple(targets), value, None)


@lowers("AnnAssign")
def _annotated(c: Cursor, node: cst.AnnAssign, start: int) -> Stmt:
    target = c.expression(node.target)
    c.take(1)
    annotation = c.expression(node.annotation.annotation)
    value = None
    if node.value is not None:
        c.take(1)
        value = c.expression(node.value)
    c.names.bind(target)
    return Assign(start, c.pos, (target,), value, annotation)


@lowers("AugAssign")
def _augmented(c: Cursor, node: cst.AugAssign, start: int) -> Stmt:
    target = c.expression(node.target)
    c.names.bind(target)
    op = _AUGMENTED[type(node.operator)]
    c.take(len(op) + 1)
    value = c.expression(node.value)
    return AugAssign(start, c.pos, op, target, value)


@lowers("Return")
def _return(c: Cursor, node: cst.Return, start: int) -> Stmt:
    c.pos = start + 6
    value = c.optional(node.value)
    return Return(start, c.pos, value)


@lowers("Raise")
def _raise(c: Cursor, node: cst.Raise, start: int) -> Stmt:
    c.pos = start + 5
    value = c.optional(node.exc)
    cause = None
    if node.cause is not None:
        c.take(4)
        cause = c.expression(node.cause.item)
    return Raise(start, c.pos, value, cause)


@lowers("Assert")
def _assert(c: Cursor, node: cst.Assert, start: int) -> Stmt:
    c.pos = start + 6
    test = c.expression(node.test)
    message = None
    if node.msg is not None:
        c.take(1)
        message = c.expression(node.msg)
    return Assert(start, c.pos, test, message)


@lowers("Del")
def _delete(c: Cursor, node: cst.Del, start: int) -> Stmt:
    c.pos = start + 3
    target = c.expression(node.target)
    c.names.bind(target)
    several = isinstance(target, Seq) and isinstance(node.target, cst.Tuple) and not node.target.lpar
    return Delete(start, c.pos, target.items if isinstance(target, Seq) and several else (target,))


@lowers("Pass")
def _pass(c: Cursor, node: cst.Pass, start: int) -> Stmt:
    return _flow(c, "pass", start)


@lowers("Break")
def _break(c: Cursor, node: cst.Break, start: int) -> Stmt:
    return _flow(c, "break", start)


@lowers("Continue")
def _continue(c: Cursor, node: cst.Continue, start: int) -> Stmt:
    return _flow(c, "continue", start)


def _flow(c: Cursor, kind: Literal["pass", "break", "continue"], start: int) -> Stmt:
    end = c.pos = start + len(kind)
    return Flow(start, end, kind)


@lowers("Global")
def _global(c: Cursor, node: cst.Global, start: int) -> Stmt:
    return _declaration(c, node, start, 6, c.names.globals)


@lowers("Nonlocal")
def _nonlocal(c: Cursor, node: cst.Nonlocal, start: int) -> Stmt:
    return _declaration(c, node, start, 8, c.names.nonlocals)


def _declaration(c: Cursor, node: cst.Global | cst.Nonlocal, start: int, keyword: int, names: set[str]) -> Stmt:
    """It declares, for the scope, and does nothing when it runs."""
    c.pos = start + keyword
    for item in node.names:
        names.add(c.word(item.name))
        c.comma()
    return Flow(start, c.pos, "pass")


# -- imports ------------------------------------------------------------------------------------------------------------


@lowers("Import")
def _import(c: Cursor, node: cst.Import, start: int) -> Stmt:
    c.pos = start + 6
    names = _aliases(c, node.names)
    c.names.bound.update(alias or name.partition(".")[0] for name, alias in names)
    return Import(start, c.pos, names)


@lowers("ImportFrom")
def _import_from(c: Cursor, node: cst.ImportFrom, start: int) -> Stmt:
    c.pos = start + 4
    for _ in node.relative:
        c.take(1)
    module = "" if node.module is None else _dotted(c, node.module)
    c.take(6)
    if isinstance(node.names, cst.ImportStar):
        c.take(1)
        return ImportFrom(start, c.pos, module, len(node.relative), ())
    if node.lpar is not None:
        c.take(1)
    names = _aliases(c, node.names)
    if node.rpar is not None:
        c.take(1)
    c.names.bound.update(alias or name for name, alias in names)
    return ImportFrom(start, c.pos, module, len(node.relative), names)


def _aliases(c: Cursor, nodes: Sequence[cst.ImportAlias]) -> tuple[tuple[str, str | None], ...]:
    names: list[tuple[str, str | None]] = []
    for node in nodes:
        name = _dotted(c, node.name)
        alias = None
        if node.asname is not None and isinstance(node.asname.name, cst.Name):
            c.take(2)
            alias = c.word(node.asname.name)
        names.append((name, alias))
        c.comma()
    return tuple(names)


def _dotted(c: Cursor, node: cst.BaseExpression) -> str:
    if isinstance(node, cst.Name):
        return c.word(node)
    if not isinstance(node, cst.Attribute):
        raise NotLowered(type(node).__name__)
    before = _dotted(c, node.value)
    c.take(1)
    return f"{before}.{c.word(node.attr)}"
