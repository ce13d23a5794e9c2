"""Displays and comprehensions → the lowered form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import libcst as cst

from mxlint.syntax.ir import Clause, Comp, DictDisplay, Expr, Scope, Seq, Starred
from mxlint.tracing.lowering.cursor import Cursor, Names, lowers


@lowers("Tuple")
def _tuple(c: Cursor, node: cst.Tuple, start: int) -> Expr:
    if node.lpar:
        return _sequence(c, "tuple", node, start)
    items = _items(c, node.elements)
    return Seq(start, c.pos, "tuple", items)


@lowers("List")
def _list(c: Cursor, node: cst.List, start: int) -> Expr:
    return _sequence(c, "list", node, start)


@lowers("Set")
def _set(c: Cursor, node: cst.Set, start: int) -> Expr:
    return _sequence(c, "set", node, start)


def _sequence(c: Cursor, kind: Literal["tuple", "list", "set"], node: cst.Tuple | cst.List | cst.Set, start: int) -> Expr:
    c.pos = start + 1
    items = _items(c, node.elements)
    c.take(1)
    return Seq(start, c.pos, kind, items)


def _items(c: Cursor, elements: Sequence[cst.BaseElement]) -> tuple[Expr, ...]:
    items: list[Expr] = []
    for element in elements:
        items.append(c.expression(element.value if type(element) is cst.Element else element))
        c.comma()
    return tuple(items)


@lowers("StarredElement")
def _starred(c: Cursor, node: cst.StarredElement, start: int) -> Expr:
    c.pos = start + 1
    value = c.expression(node.value)
    return Starred(start, c.pos, value)


@lowers("Dict")
def _dict(c: Cursor, node: cst.Dict, start: int) -> Expr:
    c.pos = start + 1
    items: list[tuple[Expr | None, Expr]] = []
    for element in node.elements:
        key = None
        if isinstance(element, cst.DictElement):
            key = c.expression(element.key)
            c.take(1)
        else:
            c.take(2)
        items.append((key, c.expression(element.value)))
        c.comma()
    c.take(1)
    return DictDisplay(start, c.pos, tuple(items))


@lowers("ListComp")
def _list_comp(c: Cursor, node: cst.ListComp, start: int) -> Expr:
    return _comprehension(c, "list", node, start, 1)


@lowers("SetComp")
def _set_comp(c: Cursor, node: cst.SetComp, start: int) -> Expr:
    return _comprehension(c, "set", node, start, 1)


@lowers("GeneratorExp")
def _generator(c: Cursor, node: cst.GeneratorExp, start: int) -> Expr:
    return _comprehension(c, "generator", node, start, 1 if node.lpar else 0)


def _comprehension(c: Cursor, kind: Literal["list", "set", "generator"], node: cst.BaseSimpleComp, start: int, bracket: int) -> Expr:
    c.pos = start + bracket
    element = c.expression(node.elt)
    clauses = _clauses(c, node.for_in)
    if bracket:
        c.take(1)
    return Comp(start, c.pos, kind, None, element, clauses, _scope(clauses))


@lowers("DictComp", "StarredDictComp")
def _dict_comp(c: Cursor, node: Any, start: int) -> Expr:
    """`{key: value for …}`, and `{**value for …}`, which has no key."""
    c.pos = start + 1
    key = None
    if type(node) is cst.DictComp:
        key = c.expression(node.key)
        c.take(1)
    else:
        c.take(2)
    element = c.expression(node.value)
    clauses = _clauses(c, node.for_in)
    c.take(1)
    return Comp(start, c.pos, "dict", key, element, clauses, _scope(clauses))


def _scope(clauses: tuple[Clause, ...]) -> Scope:
    names = Names()
    for clause in clauses:
        names.bind(clause.target)
    return names.scope()


def _clauses(c: Cursor, node: cst.CompFor | None) -> tuple[Clause, ...]:
    clauses: list[Clause] = []
    while node is not None:
        start = c.take(5 if node.asynchronous else 3)
        if node.asynchronous:
            c.take(3)
        target = c.expression(node.target)
        c.take(2)
        source = c.expression(node.iter)
        ifs: list[Expr] = []
        for condition in node.ifs:
            c.take(2)
            ifs.append(c.expression(condition.test))
        clauses.append(Clause(start, c.pos, target, source, tuple(ifs), node.asynchronous is not None))
        node = node.inner_for_in
    return tuple(clauses)
