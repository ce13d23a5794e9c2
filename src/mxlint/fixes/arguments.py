"""MX303: a Python number passed as an array."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from mxlint.finding import Fix
from mxlint.fixes.compiled import function_at
from mxlint.fixes.remedies import Wrap
from mxlint.fixes.syntax import Function, Sources, Syntax, syntax_of

ELEMENTWISE = frozenset(
    {
        "abs", "add", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "ceil", "clip", "cos", "cosh",
        "divide", "equal", "erf", "exp", "expm1", "floor", "greater", "greater_equal", "less", "less_equal", "log", "log10",
        "log1p", "log2", "logaddexp", "logical_and", "logical_or", "maximum", "minimum", "multiply", "negative", "not_equal",
        "power", "reciprocal", "remainder", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "square", "subtract",
        "tan", "tanh", "where",
    }
)  # fmt: skip
"""Functions of mlx.core that take a number and an array alike, in every place."""
BY_ELEMENT = {"min": "minimum", "max": "maximum"}
"""What the body has to call in the place of functions of Python that want to know which number is the smaller."""
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.Mod, ast.FloorDiv)


class _Choice(ast.Call):
    func: ast.Name


def wrap(remedy: Wrap, sources: Sources) -> Iterator[Fix]:
    syntax, definition = syntax_of(sources, remedy.argument), syntax_of(sources, remedy.function)
    if syntax is None or definition is None:
        return
    argument = syntax.at(remedy.argument)
    mlx, theirs = syntax.module_alias("mlx.core"), definition.module_alias("mlx.core")
    function = function_at(definition, remedy.function)
    if argument is None or mlx is None or theirs is None or function is None or isinstance(argument, (ast.Starred, ast.NamedExpr)):
        return
    name = _parameter(syntax, argument, function, remedy.bound)
    if name is not None and _as_array(definition, function, name, theirs):
        text = f"{mlx}.array({syntax.text(argument)})"
        chosen = [node for node in ast.walk(function) if _chooses(node) and any(_names(part, name) for part in node.args)]
        body = [definition.replace(node.func, f"{theirs}.{BY_ELEMENT[node.func.id]}") for node in chosen]
        yield Fix("unsafe", f"pass {text}", (syntax.replace(argument, text), *body))


def _chooses(node: ast.AST) -> TypeGuard[_Choice]:
    """Whether it is the smaller or larger of two, by Python's own functions."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in BY_ELEMENT
        and len(node.args) == 2
        and not node.keywords
        and not any(isinstance(item, ast.Starred) for item in node.args)
    )


def _names(node: ast.AST, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))


def _parameter(syntax: Syntax, argument: ast.expr, function: Function, bound: int) -> str | None:
    """The parameter that an argument of a call is given to."""
    parent = syntax.parents[argument]
    if isinstance(parent, ast.keyword):
        return parent.arg
    if not isinstance(parent, ast.Call) or any(isinstance(item, ast.Starred) for item in parent.args):
        return None
    params = [*function.args.posonlyargs, *function.args.args][bound:]
    number = parent.args.index(argument)
    return params[number].arg if number < len(params) else None


def _as_array(syntax: Syntax, function: Function, name: str, mlx: str) -> bool:
    """Whether the body does only such things with a number that an array does as well."""
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    uses = [
        node for part in body for node in ast.walk(part) if isinstance(node, ast.Name) and node.id == name
    ]  # fmt: skip
    return bool(uses) and all(isinstance(node.ctx, ast.Load) and as_array(syntax, node, mlx) for node in uses)


def as_array(syntax: Syntax, node: ast.AST, mlx: str) -> bool:
    parent = syntax.parents[node]
    if isinstance(parent, ast.BinOp):
        return isinstance(parent.op, ARITHMETIC) and _ends_in_array(syntax, parent, mlx)
    if isinstance(parent, ast.UnaryOp):
        return isinstance(parent.op, ast.USub) and as_array(syntax, parent, mlx)
    if isinstance(parent, ast.Compare):
        return len(parent.ops) == 1 and isinstance(parent.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) and as_array(syntax, parent, mlx)
    return isinstance(parent, ast.Call) and node in parent.args and _is_elementwise(syntax, parent, mlx)


def _is_elementwise(syntax: Syntax, call: ast.Call, mlx: str) -> bool:
    function = call.func
    return isinstance(function, ast.Attribute) and syntax.text(function.value) == mlx and function.attr in ELEMENTWISE


def _ends_in_array(syntax: Syntax, node: ast.AST, mlx: str) -> bool:
    """Whether arithmetic goes into more arithmetic, an elementwise function, a result or a name, and not where Python wants a number."""
    parent = syntax.parents[node]
    if isinstance(parent, ast.BinOp):
        return isinstance(parent.op, (*ARITHMETIC, ast.MatMult)) and _ends_in_array(syntax, parent, mlx)
    if isinstance(parent, ast.UnaryOp):
        return isinstance(parent.op, ast.USub) and _ends_in_array(syntax, parent, mlx)
    if _chooses(parent):
        return _ends_in_array(syntax, parent, mlx)
    if isinstance(parent, ast.Call):
        # What is done with it inside the call is done with an array that other operands may have made as well.
        return (
            node in parent.args
            and isinstance(parent.func, ast.Attribute)
            and syntax.text(parent.func.value).split(".")[0] == mlx.split(".")[0]
        )
    if isinstance(parent, ast.Compare):
        return as_array(syntax, node, mlx)
    return isinstance(parent, (ast.Return, ast.Assign, ast.AugAssign, ast.Lambda, ast.Tuple, ast.List, ast.Dict))
