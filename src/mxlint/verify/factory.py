"""A function that compiles another, cut down to what the compiled one needs: no loops over data, no servers, and where a value cannot be had
here, room for a stand-in; so at the top of a module. Rows stay where they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from mxlint.verify.units import DEFINITIONS, first_row, names_of, root_name

STAND_IN, LEFT_OUT = "or_stand_in", "or_left_out"
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_BLOCKS = ("body", "orelse", "finalbody")


def reduced(text: str, rows: Sequence[int]) -> str:
    """A module whose functions around `rows` do nothing but lead to what is compiled there, and whose values need not be there."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return text
    starts = _starts(text)
    edits: list[tuple[int, int, str]] = [edit for node in tree.body for edit in _provided(text, starts, node)]
    for row in rows:
        function = _outermost(tree.body, row)
        if function is not None:
            edits += _reduce(text, starts, function, row)
    for start, end, new in sorted(set(edits), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _outermost(body: Sequence[ast.stmt], row: int) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The function or method around a row that is compiled inside it."""
    for node in body:
        if first_row(node) <= row <= (node.end_lineno or 0):
            if isinstance(node, ast.ClassDef):
                return _outermost(node.body, row)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return node if row >= node.body[0].lineno or any(first_row(item) <= row for item in node.body) else None
            for field in _BLOCKS:
                found = _outermost([item for item in getattr(node, field, []) if isinstance(item, ast.stmt)], row)
                if found is not None:
                    return found
    return None


def _reduce(text: str, starts: list[int], function: ast.AST, row: int) -> Iterator[tuple[int, int, str]]:
    """Edits that leave of a function what leads to the statement at a row."""
    path = _path(function, row)
    if any(isinstance(node, _LOOPS) for node in path):  # made anew at each turn: the loop is the point
        return
    needed = set(names_of(path[-1]).uses)
    kept: set[int] = {id(node) for node in path}
    for parent in reversed(path[:-1]):
        if isinstance(parent, ast.If):
            needed |= names_of(ast.Expr(parent.test)).uses
        for block in _blocks(parent):
            before = [node for node in block if not any(node is item for item in path) and node.lineno < path[-1].lineno]
            for node in reversed(before):
                found = names_of(node)
                if found.binds & needed or found.changes & needed or isinstance(node, (ast.Nonlocal, ast.Global)):
                    needed |= found.uses | found.changes
                    kept.add(id(node))
    for parent in path[:-1]:
        for block in _blocks(parent):
            yield from _blank(text, starts, block, kept)
            for node in block:
                if id(node) in kept and not any(node is item for item in path) and isinstance(node, (ast.Assign, ast.AnnAssign)):
                    yield from _or_stand_in(text, starts, node)


def _path(function: ast.AST, row: int) -> list[ast.stmt]:
    """From a function down to the statement at a row that is compiled or compiles."""
    path: list[ast.stmt] = [function] if isinstance(function, ast.stmt) else []
    node: ast.AST = function
    while True:
        inside = next(
            (item for block in _blocks(node) for item in block if first_row(item) <= row <= (item.end_lineno or 0)),
            None,
        )
        if inside is None:
            return path
        path.append(inside)
        if isinstance(inside, DEFINITIONS) and row <= inside.lineno:
            return path
        node = inside


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for field in _BLOCKS:
        block = getattr(node, field, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block
    for handler in getattr(node, "handlers", ()):
        yield handler.body


def _blank(text: str, starts: list[int], block: list[ast.stmt], kept: set[int]) -> Iterator[tuple[int, int, str]]:
    gone = [node for node in block if id(node) not in kept]
    for number, node in enumerate(gone):
        start = starts[first_row(node) - 1] + _column(text, starts, first_row(node), node.col_offset)
        end = _offset(text, starts, node.end_lineno or node.lineno, node.end_col_offset or 0)
        old = text[start:end]
        blank = "".join(letter if letter in "\r\n" else " " for letter in old)
        shared = any(item is not node and item.lineno <= (node.end_lineno or 0) and node.lineno <= (item.end_lineno or 0) for item in block)
        word = "0" if shared else "pass" if number == 0 and len(gone) == len(block) else ""
        yield (
            start,
            end,
            word + blank[len(word) :] if len(blank) >= len(word) and "\n" not in blank[: len(word)] else word + blank.lstrip(" "),
        )


def _provided(text: str, starts: list[int], node: ast.stmt) -> Iterator[tuple[int, int, str]]:
    """A statement at the top of a module that may fail here."""
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        yield from _or_stand_in(text, starts, node)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        root = root_name(node.value.func)
        yield from _wrapped(text, starts, node.value, f"{LEFT_OUT}({root!r}, lambda: (")


def _or_stand_in(text: str, starts: list[int], node: ast.Assign | ast.AnnAssign) -> Iterator[tuple[int, int, str]]:
    """`model = load(path)` as `model = or_stand_in(['model'], None, lambda: (load(path)))`."""
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    names = [ast.unparse(item) for item in (target.elts if isinstance(target, ast.Tuple) else [target])]
    value = node.value
    if value is None or not all(isinstance(item, (ast.Name, ast.Attribute)) for item in getattr(target, "elts", [target])):
        return
    if any(isinstance(part, (ast.Call, ast.Attribute, ast.Subscript)) for part in ast.walk(value)):
        kind = "array" if isinstance(value, ast.Call) and ast.unparse(value.func) == "mx.array" else None
        yield from _wrapped(text, starts, value, f"{STAND_IN}({names!r}, {kind!r}, lambda: (")


def _wrapped(text: str, starts: list[int], value: ast.expr, call: str) -> Iterator[tuple[int, int, str]]:
    if any(isinstance(part, (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)) for part in ast.walk(value)):
        return
    start = _offset(text, starts, value.lineno, value.col_offset)
    end = _offset(text, starts, value.end_lineno or value.lineno, value.end_col_offset or 0)
    yield start, start, call
    yield end, end, "))"


def _starts(text: str) -> list[int]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def _offset(text: str, starts: list[int], row: int, column: int) -> int:
    return starts[row - 1] + _column(text, starts, row, column)


def _column(text: str, starts: list[int], row: int, column: int) -> int:
    line = text[starts[row - 1] : starts[row]] if row < len(starts) else text[starts[row - 1] :]
    return column if line.isascii() else len(line.encode()[:column].decode(errors="replace"))
