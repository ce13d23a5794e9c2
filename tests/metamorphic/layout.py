"""Rewrites of what Python does not run, or runs to no effect."""

from __future__ import annotations

import ast
import subprocess
import sys

from .rewrite import Module, body_after_docstring, expression, functions, is_docstring, parse, replace_statements


def identity(text: str) -> str:
    """The same text again."""
    return text


def unparse(module: Module) -> bool:
    """The layout that `ast.unparse` gives, without comments."""
    return True


def ruff(text: str) -> str:
    """ruff's layout, in narrow lines."""
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", "60", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def comments(text: str) -> str:
    """A comment before each statement that starts a row."""
    lines = text.split("\n")
    rows = {node.lineno: node.col_offset for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)}
    for row, column in sorted(rows.items(), reverse=True):
        before = lines[row - 1].encode()[:column].decode()
        if not before.strip() and not (row > 1 and lines[row - 2].endswith("\\")):
            lines.insert(row - 1, f"{before}# while True: mx.eval(x)  # what follows")
    return "\n".join(lines)


def docstrings(module: Module) -> bool:
    """A docstring for each function that has none."""
    found = [node for node in functions(module.tree) if not is_docstring(node.body[0])]
    for node in found:
        node.body[:0] = parse("'''Print what mx.eval gives.'''", node.body[0])
    return bool(found)


def annotate(module: Module) -> bool:
    """Annotations that say nothing, for parameters and returns without one."""
    for node in functions(module.tree):
        for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
            if argument.annotation is None:
                argument.annotation = expression("'object'", argument)
        if node.returns is None:
            node.returns = expression("'object'", node)
    return bool(functions(module.tree))


def ann_assign(module: Module) -> bool:
    """`x: 'object' = value` for `x = value`, outside of classes."""
    declared = {name for node in ast.walk(module.tree) if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}

    def change(holder: ast.AST, node: ast.stmt) -> list[ast.stmt] | None:
        if isinstance(holder, ast.ClassDef) or not isinstance(node, ast.Assign) or len(node.targets) > 1:
            return None
        target = node.targets[0]
        if not isinstance(target, ast.Name) or target.id in declared:
            return None
        new = ast.AnnAssign(target, expression("'object'", node), node.value, simple=1)
        return [ast.copy_location(new, node)]

    return replace_statements(module, change)


def unrelated(module: Module) -> bool:
    """Code of no concern: a function that is not called, a class, a constant."""
    helper, box, constant = module.fresh("unrelated"), module.fresh("Unrelated"), module.fresh("UNRELATED")
    text = f"def {helper}(a, b=1):\n    for i in range(b):\n        a += i\n    return a\nclass {box}:\n    size = 3\n{constant} = [{box}]"
    module.tree.body += parse(text, module.tree.body[-1])
    return True


def type_checking(module: Module) -> bool:
    """An import for type checkers alone."""
    at = module.head
    module.tree.body[at:at] = parse("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import decimal", module.tree.body[0])
    return True


def if_true_top(module: Module) -> bool:
    """The module in `if True:`, but for its head."""
    head, body = module.tree.body[: module.head], module.tree.body[module.head :]
    module.tree.body = [*head, _if_true(body)] if body else head
    return bool(body)


def if_true_body(module: Module) -> bool:
    """The body of each function in `if True:`."""
    for node in functions(module.tree):
        head, body = body_after_docstring(node)
        node.body = [*head, _if_true(body)] if body else head
    return bool(functions(module.tree))


def if_true_each(module: Module) -> bool:
    """Each simple statement of functions in `if True:`."""

    def change(holder: ast.AST, node: ast.stmt) -> list[ast.stmt] | None:
        simple = isinstance(node, (ast.Assign, ast.AugAssign, ast.Return, ast.Raise, ast.Assert)) or _is_call(node)
        return [_if_true([node])] if simple and not isinstance(holder, (ast.Module, ast.ClassDef)) else None

    return replace_statements(module, change)


def with_null(module: Module) -> bool:
    """The body of each function in a context manager that does nothing."""
    alias = module.fresh("contextlib")
    for node in functions(module.tree):
        head, body = body_after_docstring(node)
        (with_,) = parse(f"with {alias}.nullcontext():\n    pass", node)
        assert isinstance(with_, ast.With)
        with_.body = body or with_.body
        node.body = [*head, with_]
    module.add_import(f"import contextlib as {alias}")
    return bool(functions(module.tree))


def try_finally(module: Module) -> bool:
    """The body of each function in `try: … finally: pass`."""
    for node in functions(module.tree):
        head, body = body_after_docstring(node)
        (try_,) = parse("try:\n    pass\nfinally:\n    pass", node)
        assert isinstance(try_, ast.Try)
        try_.body = body or try_.body
        node.body = [*head, try_]
    return bool(functions(module.tree))


def _if_true(body: list[ast.stmt]) -> ast.stmt:
    (node,) = parse("if True:\n    pass", body[0])
    assert isinstance(node, ast.If)
    node.body = body
    return node


def _is_call(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
