"""A compiled function as a fix needs it: its definition, and every use of the compiled object in its file."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mxlint.finding import Span
from mxlint.fixes.syntax import FUNCTIONS, Function, Syntax


def function_at(syntax: Syntax, place: Span | None) -> Function | None:
    """The function whose definition, with or without its decorators, stands at a place."""
    if place is None or place.filename != syntax.source.name:
        return None
    start, end = syntax.stretch(place)
    for node in ast.walk(syntax.tree):
        if isinstance(node, FUNCTIONS) and node.lineno >= place.start.row and start <= syntax.start(node) and syntax.end(node) == end:
            return node
    return None


def calls_of(syntax: Syntax, site: ast.expr, function: Function) -> list[ast.Call] | None:
    """The calls of what is compiled at `site`, all that the file makes of it; None where it is used otherwise, or has no name."""
    parent = syntax.parents[site]
    if isinstance(function, ast.FunctionDef) and site in function.decorator_list:
        uses = list(_uses(syntax, function.name, function))
    elif isinstance(parent, ast.Assign) and len(parent.targets) == 1 and isinstance(parent.targets[0], ast.Name):
        name = parent.targets[0].id
        uses = [node for node in _uses(syntax, name, parent) if node not in ast.walk(site)]
        own = function.name if isinstance(function, ast.FunctionDef) else name
        if own != name and any(node not in ast.walk(site) for node in _uses(syntax, own, function)):
            return None  # it is called uncompiled, too
    else:
        return None
    calls = [syntax.parents[node] for node in uses]
    plain = [call for node, call in zip(uses, calls) if isinstance(call, ast.Call) and call.func is node]
    return plain if len(plain) == len(uses) and not _rebound(syntax, site) else None


def _uses(syntax: Syntax, name: str, definition: ast.AST) -> Iterator[ast.Name]:
    """Where the file reads a name that is bound among the statements where a definition stands."""
    scope = syntax.function(definition)
    for node in ast.walk(syntax.tree):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) and syntax.owner_of(name, node) is scope:
            yield node


def _rebound(syntax: Syntax, site: ast.expr) -> bool:
    """Whether the name of the compiled object is bound a second time, by something else than its own function."""
    parent = syntax.parents[site]
    name = parent.name if isinstance(parent, ast.FunctionDef) else parent.targets[0].id  # type: ignore[attr-defined]
    scope = syntax.function(parent)
    found = [
        node
        for node in ast.walk(scope)
        if (isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load))
        or (isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name)
    ]
    own = [parent, *(parent.targets if isinstance(parent, ast.Assign) else [])]
    compiled = [node.id for node in ast.walk(site) if isinstance(node, ast.Name)]
    return any(node not in own and not (isinstance(node, ast.FunctionDef) and name in compiled) for node in found)
