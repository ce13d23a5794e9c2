"""A file cut into chunks: whole-line pieces of top-level statements, and the bodies of functions in them, so that only the needed is lowered."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from mxlint.source import line_starts

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
    methods: tuple[Suite, ...] = ()


@dataclass(frozen=True, slots=True)
class Suite:
    """What a method, or a decorated function, says behind its name: its parameters and body, to the end of its last line; its last statement ends at `last`."""

    start: int
    end: int
    last: int


def chunks(text: str, tree: ast.Module) -> tuple[Chunk, ...]:
    """Cut `text`, whose tree is `tree`, at the lines where its top-level statements begin and end."""
    starts = [*line_starts(text), len(text)]
    cut: list[Chunk] = []
    group: list[ast.stmt] = []
    first = last = 0  # the lines of the group, 1-based
    for node in tree.body:
        if group and node.lineno > last:
            cut.append(_chunk(text, starts, first, last, group))
            group = []
        if not group:
            first = _first_line(text, starts, last, node)
        group.append(node)
        last = _last_line(text, starts, node)
    if group:
        cut.append(_chunk(text, starts, first, last, group))
    return tuple(cut)


def _chunk(text: str, starts: list[int], first: int, last: int, group: list[ast.stmt]) -> Chunk:
    start, end, node = starts[first - 1], starts[last], group[0]
    if len(group) == 1 and isinstance(node, ast.ClassDef):
        return Chunk(start, end, "class", node.name, bool(node.decorator_list), (node,), tuple(_suites(text, starts, node.body)))
    if len(group) == 1 and isinstance(node, _DEFINITIONS):
        # One without decorators is not lowered at all before it is called.
        later = _suites(text, starts, group) if node.decorator_list else ()
        return Chunk(start, end, "def", node.name, bool(node.decorator_list), (node,), tuple(later))
    return Chunk(start, end, "other", None, False, tuple(group))


_HEAD = re.compile(r"(?:async[ \t]+)?def[ \t]+\w+(?=[ \t]*[(\[])")
_SHORT = 100
"""Characters up to which it is cheaper to lower a function with what it stands in."""


def _suites(text: str, starts: list[int], body: list[ast.stmt]) -> Iterator[Suite]:
    """The functions that stand directly in a body, where they share no line with anything else."""
    for number, method in enumerate(body):
        if not isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        line, closing = starts[method.lineno - 1], method.body[-1]
        head = _HEAD.match(text, line + method.col_offset)
        last = _last_line(text, starts, method)
        before = text[line : line + method.col_offset]
        alone = (not before or before.isspace()) and all(other.lineno > last for other in body[number + 1 : number + 2])
        if head is not None and alone and starts[last] - head.end() > _SHORT:
            line = starts[(closing.end_lineno or closing.lineno) - 1]
            tail = text[line : starts[last]].encode("utf-8", "surrogatepass")[: closing.end_col_offset]
            yield Suite(head.end(), starts[last], line + len(tail.decode("utf-8", "surrogatepass")))


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
