"""Chains of attributes in an expression. mxlint reads them, too, so this needs nothing but Python."""

from __future__ import annotations

import ast


def attribute_path(node: ast.AST) -> tuple[str, ...]:
    """Return the names of `a.b.c`; none for what is no chain of attributes of a name. Entries by a text count as attributes."""
    names: list[str] = []
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Attribute):
            names.append(node.attr)
        elif isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            names.append(node.slice.value)
        else:
            return ()
        node = node.value
    return (node.id, *reversed(names)) if isinstance(node, ast.Name) else ()
