"""What a class does once for each object: a line at the end of its `__init__`, which is made if it is known what that must do."""

from __future__ import annotations

import ast

from mxlint.finding import Edit
from mxlint.fixes.syntax import Syntax


def in_init(syntax: Syntax, cls: ast.ClassDef, own: str, line: str) -> Edit | None:
    """A last line of `__init__`, which is made if the class has none and it is known what that must do."""
    init = next((node for node in cls.body if isinstance(node, ast.FunctionDef) and node.name == "__init__"), None)
    if init is not None:
        plain = init.args.args and init.args.args[0].arg == own and not any(isinstance(node, ast.Return) for node in ast.walk(init))
        return syntax.after(init.body[-1], [line]) if plain else None
    bases = [syntax.text(base).rpartition(".")[2] for base in cls.bases]
    if bases not in ([], ["object"], ["Module"]) or cls.decorator_list:
        return None
    first = next(node for node in cls.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    step = _step(syntax, cls)
    lines = [*([f"{step}super().__init__()"] if bases == ["Module"] else []), step + line]
    return syntax.before(first, [f"def __init__({own}):", *lines, ""])


def _step(syntax: Syntax, cls: ast.ClassDef) -> str:
    """One level of indentation, as the class has it."""
    outer, inner = syntax.indent(cls) or "", syntax.indent(cls.body[0]) or "    "
    return inner.removeprefix(outer) or "    "
