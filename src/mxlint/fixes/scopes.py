"""Names in code: what it needs from around it, what it binds, and which scope a name is looked up in."""

from __future__ import annotations

import ast
from collections.abc import Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LOOPS = (ast.For, ast.AsyncFor, ast.While, *COMPREHENSIONS)
SCOPES = (*FUNCTIONS, ast.ClassDef, *COMPREHENSIONS)


def needed(node: ast.AST) -> set[str]:
    """The names that a piece of code takes from around it."""
    if isinstance(node, FUNCTIONS):
        arguments = node.args
        defaults: list[ast.AST] = [*arguments.defaults, *(item for item in arguments.kw_defaults if item is not None)]
        outside = _needed_by(defaults)
        params = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *filter(None, (arguments.vararg, arguments.kwarg))]
        body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else [*node.body]
        if not isinstance(node, ast.Lambda):
            outside |= _needed_by([*node.decorator_list, *filter(None, (param.annotation for param in params))])
            outside |= needed(node.returns) if node.returns is not None else set()
        own = {param.arg for param in params} | {name for part in body for name in bound(part)}
        return outside | (_needed_by(body) - own)
    if isinstance(node, COMPREHENSIONS):
        own = {name for clause in node.generators for name in bound(clause.target)}
        return _needed_by([*ast.iter_child_nodes(node)]) - own
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    return _needed_by([*ast.iter_child_nodes(node)])


def _needed_by(nodes: list[ast.AST]) -> set[str]:
    return {name for node in nodes for name in needed(node)}


def bound(node: ast.AST) -> set[str]:
    """The names that running a piece of code binds, or changes by an attribute or an item, in the scope that it stands in."""
    if isinstance(node, DEFINITIONS):
        return {node.name} | {name for item in node.decorator_list for name in bound(item)}
    if isinstance(node, ast.Lambda):
        return set()
    names: set[str] = set()
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        names.add(node.id)
    elif isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
        if (name := root(node)) is not None:
            names.add(name)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        names.add(node.name)
    elif isinstance(node, ast.MatchMapping) and node.rest:
        names.add(node.rest)
    for child in ast.iter_child_nodes(node):
        names |= bound(child)
    return names


def runs_in(scope: ast.AST, child: ast.AST, below: ast.AST | None) -> bool:
    """Whether names in a part of a scope are looked up in the scope itself. `child`: its part, `below`: the part of that. Decorators,
    defaults, annotations, base classes and what a comprehension goes over first are evaluated around it."""
    if isinstance(scope, COMPREHENSIONS):
        return child is not scope.generators[0] or below is not scope.generators[0].iter
    body = getattr(scope, "body", ())
    return child is body or isinstance(body, list) and any(child is part for part in body)


def own_parts(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function or class without those of the scopes within it."""
    waiting = list(getattr(scope, "body", ())) if not isinstance(scope, ast.Lambda) else []
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, SCOPES):
            waiting += ast.iter_child_nodes(node)


def root(node: ast.AST) -> str | None:
    """The name that a chain of attributes and items starts with."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def parameters(function: ast.AST) -> set[str]:
    """The names of a function's parameters."""
    arguments = getattr(function, "args", None)
    if arguments is None:
        return set()
    params = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *filter(None, (arguments.vararg, arguments.kwarg))]
    return {param.arg for param in params}


def local_names(function: ast.AST) -> set[str]:
    """The names that are a function's own, or that it binds as a global: all that its code may not take from further out unseen."""
    if isinstance(function, ast.Lambda):
        return parameters(function)
    return parameters(function) | {name for part in getattr(function, "body", []) for name in plainly_bound(part)}


def plainly_bound(node: ast.AST) -> set[str]:
    """The names that a piece of code binds, without those that it only changes."""
    if isinstance(node, DEFINITIONS):
        return {node.name}
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return {name for child in ast.iter_child_nodes(node) for name in plainly_bound(child)}
    if isinstance(node, (ast.Lambda, *COMPREHENSIONS)):
        return set()
    own = bound(node) if isinstance(node, (ast.Name, ast.Import, ast.ImportFrom)) else set()
    if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        own = {node.name}
    elif isinstance(node, ast.MatchMapping) and node.rest:
        own = {node.rest}
    return own | {name for child in ast.iter_child_nodes(node) for name in plainly_bound(child)}
