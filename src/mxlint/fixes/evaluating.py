"""MX210: what the body closes over, computed before the first call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mxlint.finding import Edit, Fix
from mxlint.fixes.compiled import function_at
from mxlint.fixes.importing import module_alias
from mxlint.fixes.remedies import Evaluate
from mxlint.fixes.scopes import DEFINITIONS, LOOPS
from mxlint.fixes.syntax import Sources, Syntax, syntax_of


def evaluate(remedy: Evaluate, sources: Sources) -> Iterator[Fix]:
    """Evaluate arrays before the call that captures them: `mx.eval(w)`."""
    syntax = syntax_of(sources, remedy.site)
    if syntax is None or any(place.filename != remedy.site.filename for place, _ in remedy.names):
        return
    mlx = module_alias(syntax, "mlx.core")
    reads = [(syntax.at(place), text) for place, text in remedy.names]
    if mlx is None or any(node is None or not text and not isinstance(node, (ast.Name, ast.Attribute)) for node, text in reads):
        return
    found = [_outside(syntax, remedy, text or syntax.text(node), node) for node, text in reads if node is not None]
    for place in _places(syntax, remedy):
        texts = [syntax.written_at(text, node, place) for text, node in found]
        line = f"{mlx}.eval({', '.join(dict.fromkeys(text for text in texts if text is not None))})"
        edit = _added(syntax, place, line) if None not in texts else None
        if edit is not None:
            yield Fix("unsafe", f"call {line} before the first call", (edit,))


def _added(syntax: Syntax, place: ast.stmt, line: str) -> Edit | None:
    """A line before a statement; before a definition it joins what stands there already."""
    block = syntax.block(place)
    number = block.index(place)
    joins = isinstance(place, DEFINITIONS) and number and not isinstance(block[number - 1], (*DEFINITIONS, ast.Import, ast.ImportFrom))
    added = syntax.after(block[number - 1], [line]) if joins else None
    return added or syntax.before(place, [line, *syntax.blank_lines_before(place)])


def _outside(syntax: Syntax, remedy: Evaluate, text: str, node: ast.expr) -> tuple[str, ast.expr]:
    """What the body reads, as it is written where the compiled object is made: by the name of the object that is compiled, or whose method is."""
    function, site = function_at(syntax, remedy.function), syntax.at(remedy.site)
    own = syntax.first_parameter(function) if function is not None else None
    name, dot, rest = text.partition(".")
    made = syntax.at(remedy.site)
    if made is not None and syntax.owner_of(name, node) is syntax.tree and name not in syntax.local_names(syntax.tree):
        return text, made  # the body has another name for it: this is the one that it has where the compiled object is made
    if own != name or not dot or not isinstance(site, ast.Call) or not site.args or syntax.owner_of(name, node) is not function:
        return text, node
    compiled = site.args[0]
    if isinstance(function, ast.FunctionDef) and isinstance(compiled, ast.Attribute) and compiled.attr == function.name:
        compiled = compiled.value
    elif getattr(function, "name", "") != "__call__":
        return text, node
    return (f"{syntax.text(compiled)}.{rest}", compiled) if isinstance(compiled, (ast.Name, ast.Attribute)) else (text, node)


def _places(syntax: Syntax, remedy: Evaluate) -> Iterator[ast.stmt]:
    """Statements before which it can be done: what makes the compiled object, where the arrays are there already, and the first call; or the loops
    and functions around these."""
    seen: set[ast.stmt] = set()
    for place in (remedy.site, remedy.call):
        node: ast.AST | None = syntax.at(place) if place.filename == remedy.site.filename else None
        while node is not None:
            statement = syntax.statement(node)
            scope = syntax.function(statement)
            outer = [part for part in syntax.up(statement) if isinstance(part, LOOPS) and syntax.function(part) is scope]
            for found in (*reversed([part for part in outer if isinstance(part, ast.stmt)]), statement):
                if found not in seen:
                    seen.add(found)
                    yield found
            node = scope if isinstance(scope, (ast.expr, ast.stmt)) else None
