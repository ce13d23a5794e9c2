"""A file cut into chunks: whole-line pieces of top-level statements, so that only the needed ones are lowered."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Literal

_NEWLINE = re.compile(r"\r\n|\r|\n")
_GAP = re.compile(r"(?:[ \t\f\r\n]+|\\|#[^\r\n]*)*")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Chunk:
    """One function or class with its decorators, or the statements that share physical lines; offsets of whole lines."""

    start: int
    end: int
    kind: Literal["def", "class", "other"]
    name: str | None
    decorated: bool
    nodes: tuple[ast.stmt, ...]


def chunks(text: str, tree: ast.Module) -> tuple[Chunk, ...]:
    """Cut `text`, whose tree is `tree`, at the lines where its top-level statements begin and end."""
    starts = [0, *(newline.end() for newline in _NEWLINE.finditer(text)), len(text)]
    cut: list[Chunk] = []
    group: list[ast.stmt] = []
    first = last = 0  # the lines of the group, 1-based
    for node in tree.body:
        if group and node.lineno > last:
            cut.append(_chunk(starts[first - 1], starts[last], group))
            group = []
        if not group:
            first = _first_line(text, starts, last, node)
        group.append(node)
        last = _last_line(text, starts, node)
    if group:
        cut.append(_chunk(starts[first - 1], starts[last], group))
    return tuple(cut)


def _chunk(start: int, end: int, group: list[ast.stmt]) -> Chunk:
    node = group[0]
    if len(group) == 1 and isinstance(node, _DEFINITIONS):
        kind: Literal["def", "class"] = "class" if isinstance(node, ast.ClassDef) else "def"
        return Chunk(start, end, kind, node.name, bool(node.decorator_list), (node,))
    return Chunk(start, end, "other", None, False, tuple(group))


def _first_line(text: str, starts: list[int], last: int, node: ast.stmt) -> int:
    """The line of the first token of `node`: of a decorated definition that is the `@`, which ast does not place."""
    if not isinstance(node, _DEFINITIONS) or not node.decorator_list:
        return node.lineno
    gap = _GAP.match(text, starts[last])
    at = gap.end() if gap else starts[last]
    line = node.decorator_list[0].lineno
    while starts[line - 1] > at:
        line -= 1
    return line


def _last_line(text: str, starts: list[int], node: ast.stmt) -> int:
    """The last line of the logical line that `node` ends: `a = 1; \\` goes on below."""
    line = node.end_lineno or node.lineno
    tail = text[starts[line - 1] : starts[line]]
    if tail.rstrip("\r\n").endswith("\\"):
        tail = tail.encode("utf-8", "surrogatepass")[node.end_col_offset :].decode("utf-8", "surrogatepass")
        while "#" not in tail and tail.rstrip("\r\n").endswith("\\") and line + 1 < len(starts):
            line += 1
            tail = text[starts[line - 1] : starts[line]]
    return line
