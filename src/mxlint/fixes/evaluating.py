"""MX210: what the body closes over, computed before the first call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mxlint.finding import Fix
from mxlint.fixes.remedies import Evaluate
from mxlint.fixes.syntax import LOOPS, Sources, Syntax, root, syntax_of


def evaluate(remedy: Evaluate, sources: Sources) -> Iterator[Fix]:
    syntax = syntax_of(sources, remedy.site)
    if syntax is None or any(place.filename != remedy.site.filename for place, _ in remedy.names):
        return
    mlx = syntax.module_alias("mlx.core")
    reads = [(syntax.at(place), module) for place, module in remedy.names]
    if mlx is None or any(node is None or not module and not isinstance(node, (ast.Name, ast.Attribute)) for node, module in reads):
        return
    texts = dict.fromkeys(f"{module}.parameters()" if module else syntax.text(node) for node, module in reads if node is not None)
    line = f"{mlx}.eval({', '.join(texts)})"
    owners = [syntax.owner_of(module.partition(".")[0] or root(node), node) for node, module in reads if node is not None]
    if any(owner is None or owner is not owners[0] for owner in owners):
        return
    for statement in _places(syntax, remedy, owners[0]):
        edit = syntax.before(statement, [line, *syntax.apart(statement)])
        if edit is not None:
            yield Fix("unsafe", f"call {line} before the first call", (edit,))


def _places(syntax: Syntax, remedy: Evaluate, owner: ast.AST | None) -> Iterator[ast.stmt]:
    """Statements before which it can be done: what makes the compiled object, where the arrays are there already, and the first call."""
    seen: set[ast.stmt] = set()
    for place in (remedy.site, remedy.call):
        node: ast.AST | None = syntax.at(place) if place.filename == remedy.site.filename else None
        while node is not None:
            statement = syntax.statement(node)
            scope = syntax.function(statement)
            if scope is owner:
                outer = [part for part in syntax.up(statement) if isinstance(part, LOOPS) and syntax.function(part) is scope]
                for found in (*reversed([part for part in outer if isinstance(part, ast.stmt)]), statement):
                    if found not in seen:
                        seen.add(found)
                        yield found
                break
            node = scope if isinstance(scope, (ast.expr, ast.stmt)) else None
