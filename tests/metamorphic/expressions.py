"""Rewrites of assignments and expressions."""

from __future__ import annotations

import ast

from .rewrite import Module, assign, blocks, functions, is_simple, name, names_in, parse, replace_expressions, replace_statements

_LIBRARIES = frozenset({"mx", "nn", "np", "math"})
_METHODS = frozenset(
    {"sum", "mean", "max", "min", "abs", "exp", "square", "sqrt", "log", "all", "any", "reshape", "transpose", "squeeze", "var", "prod"}
)
"""Of arrays that are functions of mlx.core too, with the array as the first argument."""


def augassign(module: Module) -> bool:
    """`n = n + 1` for `n += 1`, of names and attributes. Arrays and lists, which it would change in place, are told by the run."""

    def change(holder: ast.AST, node: ast.stmt) -> list[ast.stmt] | None:
        if not isinstance(node, ast.AugAssign) or not _is_path(node.target):
            return None
        return [_plain(node)]

    return replace_statements(module, change)


def augassign_dict(module: Module) -> bool:
    """`d[k] = d[k] + 1` for `d[k] += 1`, where neither is more than a name or literal."""

    def change(holder: ast.AST, node: ast.stmt) -> list[ast.stmt] | None:
        target = node.target if isinstance(node, ast.AugAssign) else None
        if not isinstance(node, ast.AugAssign) or not isinstance(target, ast.Subscript):
            return None
        return [_plain(node)] if is_simple(target.slice) and _is_path(target.value) else None

    return replace_statements(module, change)


def tuple_assign(module: Module) -> bool:
    """`a, b = x, y` for two assignments that do not depend on each other."""
    changed = False
    for _, body in blocks(module.tree):
        number = 0
        while number + 1 < len(body):
            first, second = body[number], body[number + 1]
            if _is_assignment(first) and _is_assignment(second) and _independent(first, second):
                assert isinstance(first, ast.Assign) and isinstance(second, ast.Assign)
                targets = ast.copy_location(ast.Tuple([first.targets[0], second.targets[0]], ast.Store()), first)
                values = ast.copy_location(ast.Tuple([first.value, second.value], ast.Load()), first)
                body[number : number + 2] = [ast.copy_location(ast.Assign([targets], values), first)]
                changed = True
            number += 1
    return changed


def walrus(module: Module) -> bool:
    """`(x := value)` for `x = value`, outside of classes."""

    def change(holder: ast.AST, node: ast.stmt) -> list[ast.stmt] | None:
        if isinstance(holder, ast.ClassDef) or not isinstance(node, ast.Assign) or not _is_assignment(node):
            return None
        target = node.targets[0]
        assert isinstance(target, ast.Name)
        return [ast.copy_location(ast.Expr(ast.copy_location(ast.NamedExpr(target, node.value), node)), node)]

    return replace_statements(module, change)


def return_tmp(module: Module) -> bool:
    """A variable for what is returned."""
    temporary = module.fresh("result")

    def change(holder: ast.AST, node: ast.stmt) -> list[ast.stmt] | None:
        if not isinstance(node, ast.Return) or node.value is None or isinstance(node.value, (ast.Name, ast.Constant)):
            return None
        return [assign(temporary, node.value, node), ast.copy_location(ast.Return(name(temporary, node)), node)]

    return replace_statements(module, change)


def split_tmp(module: Module) -> bool:
    """A variable for what is evaluated first in an expression: the left operand, or the first argument."""
    temporary = module.fresh("part")

    def change(holder: ast.AST, node: ast.stmt) -> list[ast.stmt] | None:
        value = getattr(node, "value", None) if isinstance(node, (ast.Assign, ast.Return, ast.Expr)) else None
        if isinstance(value, ast.BinOp) and isinstance(value.left, (ast.BinOp, ast.Call)):
            first = value.left
            value.left = name(temporary, first)
        elif isinstance(value, ast.Call) and _is_path(value.func) and value.args and isinstance(value.args[0], (ast.BinOp, ast.Call)):
            first = value.args[0]
            value.args[0] = name(temporary, first)
        else:
            return None
        return [assign(temporary, first, first), node]

    return not _uses_frames(module) and replace_statements(module, change)


def inline_tmp(module: Module) -> bool:
    """`return value` for `x = value` and `return x`."""
    changed = False
    for function in functions(module.tree):
        for _, body in blocks(function):
            if len(body) < 2 or not isinstance(body[-1], ast.Return) or not _is_assignment(body[-2]):
                continue
            last, before = body[-1], body[-2]
            assert isinstance(before, ast.Assign) and isinstance(before.targets[0], ast.Name)
            target = before.targets[0].id
            uses = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == target]
            if isinstance(last.value, ast.Name) and last.value.id == target and len(uses) == 2:
                body[-2:] = [ast.copy_location(ast.Return(before.value), before)]
                changed = True
    return changed


def method_to_fn(module: Module) -> bool:
    """`mx.sum(x)` for `x.sum()`. That x is an array is told by the run."""

    def change(node: ast.expr) -> ast.expr | None:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in _METHODS:
            return None
        receiver = node.func.value
        if (isinstance(receiver, ast.Name) and receiver.id in _LIBRARIES) or any(isinstance(item, ast.Starred) for item in node.args):
            return None
        function = ast.copy_location(ast.Attribute(name("mx", node), node.func.attr, ast.Load()), node)
        return ast.copy_location(ast.Call(function, [receiver, *node.args], node.keywords), node)

    return "import mlx.core as mx" in ast.unparse(module.tree) and replace_expressions(module, change)


def fstring_to_format(module: Module) -> bool:
    """`"…".format(…)` for an f-string without nested specifications."""

    def change(node: ast.expr) -> ast.expr | None:
        if not isinstance(node, ast.JoinedStr) or not any(isinstance(item, ast.FormattedValue) for item in node.values):
            return None
        text, arguments = "", []
        for item in node.values:
            if isinstance(item, ast.Constant):
                text += str(item.value).replace("{", "{{").replace("}", "}}")
                continue
            assert isinstance(item, ast.FormattedValue)
            spec = item.format_spec
            if isinstance(spec, ast.JoinedStr) and not all(isinstance(part, ast.Constant) for part in spec.values):
                return None
            parts = [str(part.value) for part in getattr(spec, "values", ()) if isinstance(part, ast.Constant)]
            text += "{" + (f"!{chr(item.conversion)}" if item.conversion > 0 else "") + (":" + "".join(parts) if parts else "") + "}"
            arguments.append(item.value)
        function = ast.copy_location(ast.Attribute(ast.copy_location(ast.Constant(text), node), "format", ast.Load()), node)
        return ast.copy_location(ast.Call(function, arguments, []), node)

    return replace_expressions(module, change)


def dict_keyword(module: Module) -> bool:
    """`dict(a=1)` for `{"a": 1}`."""

    def change(node: ast.expr) -> ast.expr | None:
        if not isinstance(node, ast.Dict) or not node.keys:
            return None
        keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
        texts = [key for key in keys if isinstance(key, str) and key.isidentifier()]
        if len(texts) < len(keys) or len(set(texts)) < len(texts):
            return None
        arguments = [ast.copy_location(ast.keyword(key, value), value) for key, value in zip(texts, node.values)]
        return ast.copy_location(ast.Call(name("dict", node), [], arguments), node)

    return replace_expressions(module, change)


def _plain(node: ast.AugAssign) -> ast.stmt:
    """The same as an assignment of the operator's result."""
    (new,) = parse(f"{ast.unparse(node.target)} = {ast.unparse(node.target)} + 0", node)
    assert isinstance(new, ast.Assign) and isinstance(new.value, ast.BinOp)
    new.value.op, new.value.right = node.op, node.value
    return new


def _is_path(node: ast.expr) -> bool:
    """A name, or attributes of one."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _is_assignment(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)


def _independent(first: ast.stmt, second: ast.stmt) -> bool:
    """Whether the second assignment does not read what the first binds, itself or in code that it may call."""
    assert isinstance(first, ast.Assign) and isinstance(second, ast.Assign)
    calls = [node.func for node in ast.walk(second.value) if isinstance(node, ast.Call)]
    known = all(isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id in _LIBRARIES for func in calls)
    return known and not names_in(first.targets[0]) & (names_in(second.value) | names_in(second.targets[0]))


def _uses_frames(module: Module) -> bool:
    return bool(names_in(module.tree) & {"locals", "vars", "eval", "exec"})
