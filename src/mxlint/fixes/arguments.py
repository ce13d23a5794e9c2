"""MX303: a Python number passed as an array."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

from mxlint.finding import Fix
from mxlint.fixes.compiled import function_at
from mxlint.fixes.importing import module_alias
from mxlint.fixes.remedies import Wrap
from mxlint.fixes.scopes import Function, bound, parameters
from mxlint.fixes.syntax import Sources, Syntax, syntax_of

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
BY_NAME = {"fast.rope": ("offset",)}
"""Functions of mlx.core with parameters that take a number and an array alike."""
BY_ELEMENT = {"min": "minimum", "max": "maximum"}
"""What the body has to call in the place of functions of Python that want to know which number is the smaller."""
ARRAYS = frozenset(
    {"array", "zeros", "ones", "full", "arange", "linspace", "eye", "sum", "mean", "max", "min", "prod", "matmul", "softmax"}
)
"""Functions of mlx.core that have an array for a result."""
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Mod, ast.FloorDiv)


class _Choice(ast.Call):
    func: ast.Name


def wrap(remedy: Wrap, sources: Sources) -> Iterator[Fix]:
    """Pass a number as an array: `step(x, mx.array(n))`."""
    syntax, definition = syntax_of(sources, remedy.argument), syntax_of(sources, remedy.function)
    if syntax is None or definition is None:
        return
    argument = syntax.at(remedy.argument)
    mlx, theirs = module_alias(syntax, "mlx.core"), module_alias(definition, "mlx.core")
    function = function_at(definition, remedy.function)
    if argument is None or mlx is None or theirs is None or function is None or isinstance(argument, (ast.Starred, ast.NamedExpr)):
        return
    name = _parameter(syntax, argument, function, remedy.bound)
    if name is None:
        return
    body = Body(definition, function, theirs, frozenset(remedy.arrays))
    uses = [node for part in parts_of(function) for node in ast.walk(part) if isinstance(node, ast.Name) and node.id == name]
    if uses and all(isinstance(node.ctx, ast.Load) and body.takes_array(node) for node in uses):
        text = f"{mlx}.array({syntax.text(argument)})"
        chosen = [node for node in ast.walk(function) if _chooses(node) and any(_names(part, name) for part in node.args)]
        instead = [definition.replace(node.func, f"{theirs}.{BY_ELEMENT[node.func.id]}") for node in chosen]
        yield Fix("unsafe", f"pass {text}", (syntax.replace(argument, text), *instead))


def parts_of(function: Function) -> list[ast.stmt] | list[ast.expr]:
    """What a function does, without its parameters."""
    return [function.body] if isinstance(function, ast.Lambda) else function.body


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


@dataclass(frozen=True, slots=True)
class Body:
    """A compiled function, or one that it calls, with mlx.core as its file calls it. `arrays`: the parameters that are arrays in every call;
    `around`: the functions that call it."""

    syntax: Syntax
    function: Function
    mlx: str
    arrays: frozenset[str]
    around: frozenset[Function] = frozenset()

    def takes_array(self, node: ast.AST, seen: frozenset[str] = frozenset()) -> bool:
        """Whether only such things are done with a number that have the same result with an array. Numbers of Python alone do not wrap round as
        int32 does, and have other powers, quotients and remainders."""
        parent = self.syntax.parents[node]
        if isinstance(parent, ast.BinOp):
            other = parent.left if node is parent.right else parent.right
            if self._is_array(other):
                return isinstance(parent.op, ARITHMETIC) and self._ends(parent)
            return self._stays_small(parent.op, other) and self.takes_array(parent, seen)
        if isinstance(parent, ast.UnaryOp):
            return isinstance(parent.op, ast.USub) and self.takes_array(parent, seen)
        if isinstance(parent, ast.Compare):
            return len(parent.ops) == 1 and isinstance(parent.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) and self.takes_array(parent, seen)
        if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name) and len(parent.targets) == 1:
            return self._named(parent.targets[0].id, seen)
        if _chooses(parent):
            return node is not parent.func and self.takes_array(parent, seen)
        if isinstance(parent, ast.Call) and node in parent.args:
            return self._is_elementwise(parent) or self._helper_takes(parent, node, parent.args.index(node))
        if isinstance(parent, ast.keyword) and isinstance(call := self.syntax.parents[parent], ast.Call):
            return parent.arg in BY_NAME.get(self._function_of_mlx(call), ()) or self._helper_takes(call, node, parent.arg)
        return False

    def _helper_takes(self, call: ast.Call, node: ast.AST, place: int | str | None) -> bool:
        """Whether a function at the top of the file does only such things with an argument; `place`: the number or name of it."""
        if (body := self._helper(call, besides=node)) is None:
            return False
        params = [*body.function.args.posonlyargs, *body.function.args.args]
        if isinstance(place, int):
            place = params[place].arg if place < len(params) else None
        if place not in {param.arg for param in (*params, *body.function.args.kwonlyargs)}:
            return False
        uses = [part for part in ast.walk(body.function) if isinstance(part, ast.Name) and part.id == place]
        return all(isinstance(part.ctx, ast.Load) and body.takes_array(part) for part in uses)

    def _helper_gives(self, call: ast.Call) -> bool:
        """Whether a function at the top of the file surely returns an array."""
        body = self._helper(call)
        returns = [part for part in ast.walk(body.function) if isinstance(part, ast.Return)] if body is not None else []
        last = body.function.body[-1] if body is not None and isinstance(body.function, ast.FunctionDef) else None
        return isinstance(last, ast.Return) and all(
            part.value is not None and body is not None and body._is_array(part.value) for part in returns
        )

    def _helper(self, call: ast.Call, besides: ast.AST | None = None) -> Body | None:
        """The function of the file that a call means, the only one of its name and as it is written, with what it is given; `besides`: an argument
        that is no array yet."""
        if not isinstance(call.func, ast.Name) or self.syntax.owner(call.func) is not self.syntax.tree:
            return None
        name = call.func.id
        bindings = [part for part in self.syntax.tree.body if name in bound(part)]
        helper = bindings[0] if len(bindings) == 1 else None
        if not isinstance(helper, ast.FunctionDef) or helper.decorator_list or helper in self.around or helper is self.function:
            return None
        if any(isinstance(item, ast.Starred) for item in call.args):
            return None
        params = [param.arg for param in (*helper.args.posonlyargs, *helper.args.args)]
        given = [*zip(params, call.args), *((item.arg, item.value) for item in call.keywords)]
        arrays = frozenset(name for name, item in given if name is not None and item is not besides and self._is_array(item))
        return Body(self.syntax, helper, self.mlx, arrays, self.around | {self.function})

    def _function_of_mlx(self, call: ast.Call) -> str:
        """The name that mlx.core has for what is called; empty for all else."""
        text = self.syntax.text(call.func)
        return text.removeprefix(f"{self.mlx}.") if text.startswith(f"{self.mlx}.") else ""

    def _named(self, name: str, seen: frozenset[str]) -> bool:
        """Whether only such things are done with all reads of a name, to which a number was given."""
        uses = [node for node in ast.walk(self.function) if isinstance(node, ast.Name) and node.id == name]
        stores = [node for node in uses if not isinstance(node.ctx, ast.Load)]
        if name in seen or len(stores) != 1 or name in parameters(self.function):
            return False
        return all(self.takes_array(node, seen | {name}) for node in uses if node not in stores)

    @staticmethod
    def _stays_small(operator: ast.operator, other: ast.expr) -> bool:
        """Whether arithmetic with another number is the same for arrays: division, and what a constant cannot carry beyond the range of int32."""
        constant = other.value if isinstance(other, ast.Constant) else None
        if isinstance(operator, ast.Div) or isinstance(operator, (ast.Add, ast.Sub)) and isinstance(constant, (int, float)):
            return True
        return isinstance(operator, ast.Mult) and isinstance(constant, float)

    def _is_elementwise(self, call: ast.Call) -> bool:
        function = call.func
        return isinstance(function, ast.Attribute) and self.syntax.text(function.value) == self.mlx and function.attr in ELEMENTWISE

    def _ends(self, node: ast.AST) -> bool:
        """Whether arithmetic with arrays goes into more arithmetic, a function, a result or a name, and not where Python wants a number."""
        parent = self.syntax.parents[node]
        if isinstance(parent, ast.BinOp):
            return isinstance(parent.op, (*ARITHMETIC, ast.Pow, ast.MatMult)) and self._ends(parent)
        if isinstance(parent, ast.UnaryOp):
            return isinstance(parent.op, ast.USub) and self._ends(parent)
        if _chooses(parent):
            return self._ends(parent)
        if isinstance(parent, ast.Call):
            # What is done with it inside the call is done with an array that other operands may have made as well.
            return (
                node in parent.args
                and isinstance(parent.func, ast.Attribute)
                and self.syntax.text(parent.func.value).split(".")[0] == self.mlx.split(".")[0]
            )
        if isinstance(parent, ast.Compare):
            return self.takes_array(node)
        return isinstance(parent, (ast.Return, ast.Assign, ast.AugAssign, ast.Lambda, ast.Tuple, ast.List, ast.Dict))

    def _is_array(self, node: ast.expr, seen: frozenset[str] = frozenset()) -> bool:
        """Whether an operand is surely an array, however the function is called."""
        if isinstance(node, ast.Name):
            return self._name_is_array(node, seen)
        if isinstance(node, ast.BinOp):
            return self._is_array(node.left, seen) or self._is_array(node.right, seen)
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.USub) and self._is_array(node.operand, seen)
        if isinstance(node, ast.Subscript):
            return self._is_array(node.value, seen)
        return isinstance(node, ast.Call) and (self._is_elementwise(node) or self._makes_array(node) or self._helper_gives(node))

    def _makes_array(self, node: ast.expr) -> bool:
        """A call of mlx.core that makes an array of whatever it is given."""
        function = node.func if isinstance(node, ast.Call) else None
        return isinstance(function, ast.Attribute) and self.syntax.text(function.value) == self.mlx and function.attr in ARRAYS

    def _name_is_array(self, node: ast.Name, seen: frozenset[str]) -> bool:
        owner = self.syntax.owner_of(node.id, node)
        given = owner is self.function and node.id in self.arrays
        if owner is None or not given and node.id in parameters(owner):
            return False
        stores = [
            part for part in ast.walk(owner) if isinstance(part, ast.Name) and part.id == node.id and not isinstance(part.ctx, ast.Load)
        ]
        return (given or bool(stores)) and (node.id in seen or all(self._stores_array(part, seen | {node.id}) for part in stores))

    def _stores_array(self, target: ast.Name, seen: frozenset[str]) -> bool:
        """Whether a name is bound to an array where it stands: by an augmented assignment, or by one whose value is an array."""
        parent = self.syntax.parents[target]
        return isinstance(parent, ast.AugAssign) or isinstance(parent, ast.Assign) and self._is_array(parent.value, seen)
