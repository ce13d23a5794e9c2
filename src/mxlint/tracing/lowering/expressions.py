"""Access, calls and operators → the lowered form."""

from __future__ import annotations

import libcst as cst

from mxlint.syntax.ir import (
    Arg,
    Attr,
    Await,
    Bin,
    BoolOp,
    Call,
    Comp,
    Compare,
    Expr,
    IfExp,
    Name,
    Seq,
    Slice,
    Starred,
    Sub,
    Unary,
    Walrus,
    Yield,
)
from mxlint.tracing.lowering.cursor import Cursor, NotLowered, by_type, lowers

OPERATORS: dict[type, str] = by_type(
    {
        "Add": "+",
        "Subtract": "-",
        "Multiply": "*",
        "Divide": "/",
        "FloorDivide": "//",
        "Modulo": "%",
        "Power": "**",
        "MatrixMultiply": "@",
        "BitAnd": "&",
        "BitOr": "|",
        "BitXor": "^",
        "LeftShift": "<<",
        "RightShift": ">>",
        "And": "and",
        "Or": "or",
        "Plus": "+",
        "Minus": "-",
        "BitInvert": "~",
        "Not": "not",
        "LessThan": "<",
        "LessThanEqual": "<=",
        "GreaterThan": ">",
        "GreaterThanEqual": ">=",
        "Equal": "==",
        "NotEqual": "!=",
        "In": "in",
        "NotIn": "not in",
        "Is": "is",
        "IsNot": "is not",
    }
)


# -- access and calls --------------------------------------------------------------------------------------------------


@lowers("Attribute")
def _attribute(c: Cursor, node: cst.Attribute, start: int) -> Expr:
    value = c.expression(node.value)
    c.take(1)
    name = c.word(node.attr)
    return Attr(start, c.pos, value, name)


@lowers("Subscript")
def _subscript(c: Cursor, node: cst.Subscript, start: int) -> Expr:
    value = c.expression(node.value)
    c.take(1)
    first = c.take(0)
    items: list[Expr] = []
    separated = False
    for element in node.slice:
        items.append(_index(c, element.slice))
        separated = c.comma() or separated
    index = Seq(first, c.pos, "tuple", tuple(items)) if separated or isinstance(items[0], Starred) else items[0]
    c.take(1)
    return Sub(start, c.pos, value, index)


def _index(c: Cursor, node: cst.BaseSlice) -> Expr:
    if isinstance(node, cst.Index):
        if not node.star:
            return c.expression(node.value)
        start = c.take(1)
        value = c.expression(node.value)
        return Starred(start, c.pos, value)
    if not isinstance(node, cst.Slice):
        raise NotLowered(type(node).__name__)
    start = c.take(0)
    lower = c.optional(node.lower)
    c.take(1)
    upper = c.optional(node.upper)
    if isinstance(node.second_colon, cst.Colon):
        c.take(1)
    step = c.optional(node.step)
    return Slice(start, c.pos, lower, upper, step)


@lowers("Call")
def _call(c: Cursor, node: cst.Call, start: int) -> Expr:
    func = c.expression(node.func)
    opened = c.take(1)
    args: list[Arg] = []
    for written in node.args:
        args.append(arg(c, written))
        c.comma()
    c.take(1)
    if len(args) == 1:
        value, lone = args[0].value, node.args[0].value
        if isinstance(value, Comp) and isinstance(lone, cst.GeneratorExp) and not lone.lpar:
            # `f(x for x in y)`: as for Python, the parentheses of the call are the generator's too.
            value = Comp(opened, c.pos, "generator", None, value.element, value.clauses, value.scope)
            args = [Arg(opened, c.pos, "", None, value)]
    return Call(start, c.pos, func, tuple(args))


def arg(c: Cursor, node: cst.Arg) -> Arg:
    """One argument of a call or of the bases of a class."""
    if node.keyword is not None:
        start = c.take(0)
        name = c.word(node.keyword)
        c.take(1)
        value = c.expression(node.value)
        return Arg(start, c.pos, "", name, value)
    start = c.take(len(node.star))
    value = c.expression(node.value)
    return Arg(start, c.pos, node.star, None, value)


# -- operators ---------------------------------------------------------------------------------------------------------


@lowers("BinaryOperation")
def _binary(c: Cursor, node: cst.BinaryOperation, start: int) -> Expr:
    left = c.expression(node.left)
    op = _operator(c, node.operator)
    right = c.expression(node.right)
    return Bin(start, c.pos, op, left, right)


@lowers("BooleanOperation")
def _boolean(c: Cursor, node: cst.BooleanOperation, start: int) -> Expr:
    left = c.expression(node.left)
    op = _operator(c, node.operator)
    right = c.expression(node.right)
    return BoolOp(start, c.pos, op, left, right)


@lowers("UnaryOperation")
def _unary(c: Cursor, node: cst.UnaryOperation, start: int) -> Expr:
    op = _operator(c, node.operator)
    operand = c.expression(node.expression)
    return Unary(start, c.pos, op, operand)


@lowers("Comparison")
def _comparison(c: Cursor, node: cst.Comparison, start: int) -> Expr:
    left = c.expression(node.left)
    ops: list[str] = []
    rights: list[Expr] = []
    for target in node.comparisons:
        ops.append(_operator(c, target.operator))
        rights.append(c.expression(target.comparator))
    return Compare(start, c.pos, left, tuple(ops), tuple(rights))


def _operator(c: Cursor, node: cst.CSTNode) -> str:
    op = OPERATORS[type(node)]
    first, _, second = op.partition(" ")
    c.take(len(first))
    if second:
        c.take(len(second))
    return op


@lowers("IfExp")
def _conditional(c: Cursor, node: cst.IfExp, start: int) -> Expr:
    body = c.expression(node.body)
    c.take(2)
    test = c.expression(node.test)
    c.take(4)
    orelse = c.expression(node.orelse)
    return IfExp(start, c.pos, test, body, orelse)


@lowers("NamedExpr")
def _walrus(c: Cursor, node: cst.NamedExpr, start: int) -> Expr:
    target = c.expression(node.target)
    c.take(2)
    value = c.expression(node.value)
    if not isinstance(target, Name):
        raise NotLowered(type(node.target).__name__)
    c.names.bind(target)
    return Walrus(start, c.pos, target, value)


@lowers("Await")
def _await(c: Cursor, node: cst.Await, start: int) -> Expr:
    c.pos = start + 5
    value = c.expression(node.expression)
    return Await(start, c.pos, value)


@lowers("Yield")
def _yield(c: Cursor, node: cst.Yield, start: int) -> Expr:
    c.names.generator = True
    c.pos = start + 5
    if isinstance(node.value, cst.From):
        c.take(4)
        source = c.expression(node.value.item)
        return Yield(start, c.pos, source, True)
    value = c.optional(node.value)
    return Yield(start, c.pos, value, False)
