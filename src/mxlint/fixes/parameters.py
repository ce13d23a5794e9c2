"""What a compiled function takes from a loop or function around it, turned into arguments of its calls, so that it may be compiled outside."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from mxlint.finding import Edit
from mxlint.fixes.scopes import Function, needed
from mxlint.fixes.syntax import Syntax


@dataclass(frozen=True, slots=True)
class Added:
    """Parameters added to a function: `text` goes to offset `at` of the file, and `calls` give the arguments."""

    at: int
    text: str
    calls: tuple[Edit, ...]


def added(syntax: Syntax, site: ast.expr, node: ast.AST, names: list[str]) -> Added | None:
    """`names` as last parameters of the function that is compiled at `site`, and of the calls of `node`, which has the compiled object; None
    where not all calls are in sight, or where the names are needed before the call."""
    function: ast.AST = node if isinstance(node, ast.FunctionDef) else site.args[0] if isinstance(site, ast.Call) and site.args else site
    if not isinstance(function, (ast.FunctionDef, ast.Lambda)) or not names:
        return None
    arguments = function.args
    if arguments.defaults or arguments.vararg or arguments.kwonlyargs or arguments.kwarg:
        return None
    if set(names) & _needed_early(site, function):
        return None
    calls = list(_calls(syntax, site, node))
    if not calls or any(call is None for call in calls):
        return None
    text = ", ".join(names)
    params = [*arguments.posonlyargs, *arguments.args]
    if params:
        at, parameters = syntax.end(params[-1]), f", {text}"
    elif isinstance(function, ast.Lambda):
        at, parameters = syntax.start(function) + len("lambda"), f" {text}"
    else:
        at, parameters = syntax.source.text.index("(", syntax.start(function)) + 1, text
    given = [syntax.argument_added(call, text) for call in calls if call is not None]
    return Added(at, parameters, tuple(edit for edit in given if edit is not None)) if None not in given else None


def _needed_early(site: ast.expr, function: Function) -> set[str]:
    """The names that it takes to make the function and to compile it."""
    parts: list[ast.AST] = []
    if isinstance(site, ast.Call):
        parts += [site.func, *(item for item in site.args if item is not function), *(item.value for item in site.keywords)]
    if isinstance(function, ast.FunctionDef):
        parts += [*function.decorator_list, *filter(None, (function.returns, *(param.annotation for param in function.args.args)))]
    return {name for part in parts for name in needed(part)}


def _calls(syntax: Syntax, site: ast.expr, node: ast.AST) -> Iterator[ast.Call | None]:
    """The calls of the compiled object, with None for every other use of it."""
    if not isinstance(node, ast.stmt):
        yield _call(syntax, site)
        return
    name = node.name if isinstance(node, ast.FunctionDef) else node.targets[0].id  # type: ignore[attr-defined]
    for other in ast.walk(syntax.function(node)):
        if isinstance(other, ast.Name) and other.id == name and isinstance(other.ctx, ast.Load):
            yield None if any(part is node for part in syntax.up(other)) else _call(syntax, other)


def _call(syntax: Syntax, node: ast.expr) -> ast.Call | None:
    parent = syntax.parents[node]
    plain = isinstance(parent, ast.Call) and parent.func is node and not parent.keywords
    return parent if plain and not any(isinstance(item, ast.Starred) for item in parent.args) else None  # type: ignore[attr-defined, return-value]
