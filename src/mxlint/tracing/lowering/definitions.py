"""Functions, lambdas and classes → the lowered form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import libcst as cst

from mxlint.syntax.ir import Arg, ClassDef, Expr, FuncDef, Lambda, Param, Stmt, TypeAlias, TypeParam
from mxlint.tracing.lowering.compound import block
from mxlint.tracing.lowering.cursor import Cursor, Names, lowers
from mxlint.tracing.lowering.expressions import arg


@lowers("Lambda")
def _lambda(c: Cursor, node: cst.Lambda, start: int) -> Expr:
    c.pos = start + 6
    params = _params(c, node.params)
    c.take(1)
    # What a lambda binds, with a walrus, belongs to no function around it; nor does its yield.
    outer, c.names = c.names, Names()
    value = c.expression(node.body)
    inner, c.names = c.names, outer
    return Lambda(start, c.pos, params, value, inner.generator, inner.scope())


def _params(c: Cursor, node: cst.Parameters) -> tuple[Param, ...]:
    params = [_param(c, param, posonly=True) for param in node.posonly_params]
    if isinstance(node.posonly_ind, cst.ParamSlash):
        c.take(1)
        c.comma()
    params += [_param(c, param) for param in node.params]
    if isinstance(node.star_arg, cst.Param):
        params.append(_param(c, node.star_arg, star="*"))
    elif isinstance(node.star_arg, cst.ParamStar):
        c.take(1)
        c.comma()
    params += [_param(c, param, kwonly=True) for param in node.kwonly_params]
    if node.star_kwarg is not None:
        params.append(_param(c, node.star_kwarg, star="**"))
    return tuple(params)


def _param(c: Cursor, node: cst.Param, star: Literal["", "*", "**"] = "", *, kwonly: bool = False, posonly: bool = False) -> Param:
    start = c.take(len(star))
    name = c.word(node.name)
    annotation = default = None
    if node.annotation is not None:
        c.take(1)
        annotation = c.expression(node.annotation.annotation)
    if node.default is not None:
        c.take(1)
        default = c.expression(node.default)
    end = c.pos
    c.comma()
    return Param(start, end, name, star, kwonly, posonly, default, annotation)


@lowers("FunctionDef")
def _function(c: Cursor, node: cst.FunctionDef, start: int) -> Stmt:
    decorators = _decorators(c, node.decorators)
    is_async = node.asynchronous is not None
    start = c.take(5 if is_async else 3)
    if is_async:
        c.take(3)
    name = c.word(node.name)
    name_end = c.pos
    c.names.bound.add(name)
    type_params = _type_params(c, node.type_parameters)
    c.take(1)
    params = _params(c, node.params)
    c.take(1)
    returns = None
    if node.returns is not None:
        c.take(2)
        returns = c.expression(node.returns.annotation)
    outer, c.names = c.names, Names()
    body = block(c, node.body)
    inner, c.names = c.names, outer
    return FuncDef(
        start, body[-1].end, name, name_end - len(name), name_end, params, body, decorators, is_async, inner.generator, inner.scope(), returns,
        type_params,
    )  # fmt: skip


@lowers("ClassDef")
def _class(c: Cursor, node: cst.ClassDef, start: int) -> Stmt:
    decorators = _decorators(c, node.decorators)
    start = c.take(5)
    name = c.word(node.name)
    name_end = c.pos
    c.names.bound.add(name)
    type_params = _type_params(c, node.type_parameters)
    bases: list[Arg] = []
    if isinstance(node.lpar, cst.LeftParen):
        c.take(1)
        for base in (*node.bases, *node.keywords):
            bases.append(arg(c, base))
            c.comma()
        c.take(1)
    # The names that a class body binds belong to no function.
    outer, c.names = c.names, Names()
    body = block(c, node.body)
    inner, c.names = c.names, outer
    return ClassDef(start, body[-1].end, name, name_end - len(name), name_end, tuple(bases), body, decorators, inner.scope(), type_params)


def _decorators(c: Cursor, nodes: Sequence[cst.Decorator]) -> tuple[Expr, ...]:
    decorators: list[Expr] = []
    for node in nodes:
        c.take(1)
        decorators.append(c.expression(node.decorator))
    return tuple(decorators)


def _type_params(c: Cursor, node: Any) -> tuple[TypeParam, ...]:
    """`[T: bound = default, *Ts, **P]`."""
    if node is None:
        return ()
    made: list[TypeParam] = []
    c.take(1)
    for item in node.params:
        param = item.param
        star: Literal["", "*", "**"] = "*" if isinstance(param, cst.TypeVarTuple) else "**" if isinstance(param, cst.ParamSpec) else ""
        start = c.take(len(star))
        name = c.word(param.name)
        bound = default = None
        if isinstance(param, cst.TypeVar) and param.bound is not None:
            c.take(1)
            bound = c.expression(param.bound)
        if item.default is not None:
            c.take(1)
            c.take(len(item.star))
            default = c.expression(item.default)
        made.append(TypeParam(start, c.pos, name, star, bound, default))
        c.comma()
    c.take(1)
    return tuple(made)


@lowers("TypeAlias")
def _type_alias(c: Cursor, node: Any, start: int) -> Stmt:
    c.pos = start + 4
    name = c.word(node.name)
    c.names.bound.add(name)
    type_params = _type_params(c, node.type_parameters)
    c.take(1)
    value = c.expression(node.value)
    return TypeAlias(start, c.pos, name, type_params, value)
