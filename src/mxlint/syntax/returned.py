"""What a function returns, by its text."""

from __future__ import annotations

from mxlint.syntax import ir


def returns_nothing(function: ir.FuncDef | ir.Lambda) -> bool:
    """Whether a call gives None, whatever the function does: it is no generator, and no `return` of it has a value."""
    if isinstance(function, ir.Lambda) or function.generator:
        return False
    todo: list[object] = list(function.body)
    while todo:
        part = todo.pop()
        if isinstance(part, tuple):
            todo += part
        elif isinstance(part, ir.Return):
            if part.value is not None and not (isinstance(part.value, ir.Const) and part.value.value is None):
                return False
        elif isinstance(part, ir.Node) and not isinstance(part, (ir.Expr, ir.FuncDef, ir.ClassDef)):
            todo += part.inner()
    return True
