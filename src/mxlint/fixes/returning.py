"""MX504: what a function computes last, returned."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mxlint.finding import Edit, Fix
from mxlint.fixes.compiled import function_at
from mxlint.fixes.remedies import Return
from mxlint.fixes.syntax import Sources, Syntax, syntax_of
from mxlint.fixes.tree import Tree


def return_last(remedy: Return, sources: Sources) -> Iterator[Fix]:
    """Return what the last statement of the compiled function computes."""
    syntax = syntax_of(sources, remedy.function) if remedy.function is not None else None
    function = function_at(syntax, remedy.function) if syntax is not None else None
    if syntax is None or not isinstance(function, ast.FunctionDef):
        return
    last = function.body[-1]
    try:
        edit = _returned(syntax, last)
    except (ValueError, LookupError):
        return
    if edit is not None:
        yield Fix("unsafe", f"end with {edit.content.strip()}", (edit,))


def _returned(syntax: Syntax, last: ast.stmt) -> Edit | None:
    """`y = …` with `return y` after it, or an expression returned."""
    if isinstance(last, ast.Expr):
        tree = Tree(syntax, last)
        value = tree.find(last.value, cst.BaseExpression)  # type: ignore[type-abstract]
        edits = tree.replaced({tree.find(last, cst.Expr): cst.Return(value)})
        return edits[0] if len(edits) == 1 else None
    target = last.targets[0] if isinstance(last, ast.Assign) and len(last.targets) == 1 else getattr(last, "target", None)
    named = isinstance(target, ast.Name) or isinstance(target, ast.Tuple) and all(isinstance(item, ast.Name) for item in target.elts)
    if not isinstance(last, (ast.Assign, ast.AugAssign, ast.AnnAssign)) or not named or target is None:
        return None
    return syntax.after(last, [f"return {syntax.text(target)}"])
