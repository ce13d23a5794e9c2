"""The language of shapes and dtypes: a part of Python's expressions, read by Python's parser, over the parameters of a call.

    a  axis  float32            a parameter; a dtype by its name
    unknown  absent             nothing is known of it; there is no such attribute
    3  None  "full"  [-2, -1]   constants
    n + 1  n // 2  -k           arithmetic of sizes
    (n, m)  (*lead(a), n)       a shape
    x if axis is None else y    a case; where the test is not decided, what both have in common
    reduce(a, axis, keepdims)   a function of `shapes.SHAPES` in a shape, of `dtypes.DTYPES` in a dtype
    tuple(x, y)  list(x, y)     several results

What is not known gives `UNKNOWN`, never an error: `evaluate` does not raise for any arguments.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from mxlint.domain import size as sizes
from mxlint.domain.shape import join_shapes
from mxlint.domain.size import Size, as_size, number
from mxlint.models.mlx.arguments import ABSENT, UNKNOWN, Argument, ArrayType, Dtype, Scalar, Unknown, integer, truth

DTYPES = (
    "bool",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
)
"""The dtypes of MLX, as it prints them."""
_NAMES: dict[str, Argument] = {name: Dtype(name) for name in DTYPES} | {"bool_": Dtype("bool"), "unknown": UNKNOWN, "absent": ABSENT}
Functions = Mapping[str, Callable[..., Argument]]


class Several:
    """Several results in a tuple or a list."""

    __slots__ = ("items", "kind")

    def __init__(self, kind: Callable[[Sequence[Any]], Any], items: Sequence[Argument]) -> None:
        self.kind, self.items = kind, tuple(items)


@lru_cache(maxsize=2048)
def parse(text: str) -> ast.expr:
    """The tree of an expression."""
    return ast.parse(text, mode="eval").body


def evaluate(text: str, names: Mapping[str, Argument], functions: Functions) -> Argument:
    """The value of an expression."""
    return of_node(parse(text), names, functions)


def of_node(node: ast.expr, names: Mapping[str, Argument], functions: Functions) -> Argument:
    """The value of a parsed expression. An expression of another form than those above is a defect of the data: TypeError."""
    evaluator = _NODES.get(type(node))
    if evaluator is None:
        raise TypeError(f"{ast.unparse(node)}: not of the language")
    return evaluator(node, names, functions)


def _name(node: Any, names: Mapping[str, Argument], functions: Functions) -> Argument:
    if node.id in names:
        return names[node.id]
    if node.id in _NAMES:
        return _NAMES[node.id]
    raise TypeError(f"{node.id}: neither a parameter nor a dtype")


def _constant(node: Any, names: Mapping[str, Argument], functions: Functions) -> Argument:
    return node.value


def _items(nodes: Sequence[ast.expr], names: Mapping[str, Argument], functions: Functions) -> list[Argument] | None:
    """The values of several expressions, stars spread; None where it is not known how many a star has."""
    found: list[Argument] = []
    for node in nodes:
        if not isinstance(node, ast.Starred):
            found.append(of_node(node, names, functions))
            continue
        value = of_node(node.value, names, functions)
        parts = value.shape if isinstance(value, ArrayType) else value if isinstance(value, (list, tuple)) else None
        if parts is None:
            return None
        found += [UNKNOWN if part is None and isinstance(value, ArrayType) else part for part in parts]
    return found


def _sequence(node: Any, names: Mapping[str, Argument], functions: Functions) -> Argument:
    items = _items(node.elts, names, functions)
    return UNKNOWN if items is None else items if isinstance(node, ast.List) else tuple(items)


def _call(node: Any, names: Mapping[str, Argument], functions: Functions) -> Argument:
    if not isinstance(node.func, ast.Name) or node.keywords:
        raise TypeError(f"{ast.unparse(node)}: not of the language")
    items = _items(node.args, names, functions)
    if items is None:
        return UNKNOWN
    if node.func.id in ("tuple", "list"):
        return Several(tuple if node.func.id == "tuple" else list, items)
    return functions[node.func.id](*items)


_ARITHMETIC: dict[type[ast.operator], Callable[[sizes.MaybeSize, sizes.MaybeSize], sizes.MaybeSize]] = {
    ast.Add: sizes.add,
    ast.Sub: sizes.sub,
    ast.Mult: sizes.mul,
    ast.FloorDiv: sizes.floordiv,
    ast.Mod: sizes.mod,
}


def _arithmetic(node: Any, names: Mapping[str, Argument], functions: Functions) -> Argument:
    left, right = (integer(of_node(side, names, functions)) for side in (node.left, node.right))
    return _ARITHMETIC[type(node.op)](left, right) or UNKNOWN if left is not None and right is not None else UNKNOWN


def _unary(node: Any, names: Mapping[str, Argument], functions: Functions) -> Argument:
    value = of_node(node.operand, names, functions)
    if isinstance(node.op, ast.Not):
        found = truth(value)
        return UNKNOWN if found is None else not found
    return -value if isinstance(value, (int, float)) else sizes.neg(integer(value)) or UNKNOWN


def _subscript(node: Any, names: Mapping[str, Argument], functions: Functions) -> Argument:
    value, at = of_node(node.value, names, functions), of_node(node.slice, names, functions)
    known = isinstance(value, (list, tuple)) and isinstance(at, int) and -len(value) <= at < len(value)
    return value[at] if known else UNKNOWN


def _either(node: Any, names: Mapping[str, Argument], functions: Functions) -> Argument:
    test = truth(of_node(node.test, names, functions))
    if test is not None:
        return of_node(node.body if test else node.orelse, names, functions)
    return join(of_node(node.body, names, functions), of_node(node.orelse, names, functions))


def join(a: Argument, b: Argument) -> Argument:
    """What two values have in common."""
    if isinstance(a, Size) or isinstance(b, Size):
        return sizes.join(integer(a), integer(b)) or UNKNOWN
    if isinstance(a, Dtype) and isinstance(b, Dtype):
        return a if a == b else Dtype(None)
    if isinstance(a, Several) and isinstance(b, Several) and a.kind is b.kind and len(a.items) == len(b.items):
        return Several(a.kind, tuple(map(join, a.items, b.items)))
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(map(join, a, b))
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        return ArrayType(join_shapes(a.shape, b.shape), a.dtype if a.dtype == b.dtype else None)
    return a if type(a) is type(b) and a == b else UNKNOWN


def _all_or_any(node: Any, names: Mapping[str, Argument], functions: Functions) -> Argument:
    """As Python's `and` and `or`: one of the operands."""
    stops = isinstance(node.op, ast.Or)
    for operand in node.values[:-1]:
        value = of_node(operand, names, functions)
        found = truth(value)
        if found is None:
            return UNKNOWN
        if found is stops:
            return value
    return of_node(node.values[-1], names, functions)


def _compare(node: Any, names: Mapping[str, Argument], functions: Functions) -> Argument:
    left, right = (of_node(side, names, functions) for side in (node.left, node.comparators[0]))
    op = node.ops[0]
    if isinstance(op, (ast.Is, ast.IsNot)):  # with None only
        answer = None if isinstance(left, Unknown) else left is None
        return UNKNOWN if answer is None else answer is isinstance(op, ast.Is)
    if isinstance(op, ast.In):
        answers = [_equal(left, item) for item in right] if isinstance(right, (list, tuple)) else [None]
        return True if True in answers else UNKNOWN if None in answers else False
    if isinstance(op, (ast.Eq, ast.NotEq)):
        answer = _equal(left, right)
        return UNKNOWN if answer is None else answer is isinstance(op, ast.Eq)
    return _ordered(op, integer(left), integer(right))


def _equal(a: Argument, b: Argument) -> bool | None:
    if isinstance(a, (Unknown, Scalar)) or isinstance(b, (Unknown, Scalar)):
        return None
    if isinstance(a, Size) or isinstance(b, Size):
        x, y = integer(a), integer(b)
        return True if sizes.provably_equal(x, y) else False if sizes.provably_different(x, y) or x is None or y is None else None
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        answers = [_equal(x, y) for x, y in zip(a, b)] if len(a) == len(b) else [False]
        return False if False in answers else None if None in answers else True
    return bool(a == b)


_ORDERS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def _ordered(op: ast.cmpop, a: sizes.MaybeSize, b: sizes.MaybeSize) -> Argument:
    """Whether one size is less than another, as far as their difference has bounds."""
    if a is None or b is None:
        return UNKNOWN
    answers = {_ORDERS[type(op)](bound, 0) for bound in sizes.bounds(sizes.sub(a, b) or number(0))}
    return answers.pop() if len(answers) == 1 else UNKNOWN


_NODES: dict[type[ast.expr], Callable[[Any, Mapping[str, Argument], Functions], Argument]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.Tuple: _sequence,
    ast.List: _sequence,
    ast.Call: _call,
    ast.BinOp: _arithmetic,
    ast.UnaryOp: _unary,
    ast.Subscript: _subscript,
    ast.IfExp: _either,
    ast.BoolOp: _all_or_any,
    ast.Compare: _compare,
}

__all__ = ["DTYPES", "Functions", "Several", "as_size", "evaluate", "join", "of_node", "parse"]
