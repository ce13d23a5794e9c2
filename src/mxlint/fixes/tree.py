"""LibCST's view of one statement of a file: nodes found by their places, replaced or taken out, and what that changes as edits of lines."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import TypeVar

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from mxlint.finding import Edit
from mxlint.fixes.syntax import Syntax

Node = TypeVar("Node", bound=cst.CSTNode)


class Tree:
    """A statement with its decorators, without the comments above it. Raises ValueError where other statements share its lines."""

    def __init__(self, syntax: Syntax, statement: ast.stmt) -> None:
        indent = syntax.indent(statement)
        if indent is None or not syntax.alone(statement):
            raise ValueError("it shares its lines")
        assert statement.end_lineno is not None
        self._syntax, self._first, self._last = syntax, syntax.first_row(statement), statement.end_lineno
        # An indented statement stands in a block, for which a line is put before it.
        self._head = ["if 1:"] if indent else []
        # Rows are distinguished by \n here, whatever ends them in the file.
        self._module = MetadataWrapper(cst.parse_module("\n".join([*self._head, *self._rows(), ""])), unsafe_skip_copy=True)
        shift = self._first - 1 - len(self._head)
        self._places: dict[tuple[int, int], list[cst.CSTNode]] = {}
        for node, place in self._module.resolve(PositionProvider).items():
            start, end = (syntax.source.offset(at.line + shift) + at.column for at in (place.start, place.end))
            self._places.setdefault((start, end), []).append(node)

    def _rows(self) -> list[str]:
        """The lines of the statement, without what ends them."""
        return [self._syntax.source.line(row) for row in range(self._first, self._last + 1)]

    def find(self, node: ast.AST, kind: type[Node]) -> Node:
        """The node of a kind that stands where one of Python's own tree does. Raises LookupError."""
        place = self._syntax.start(node), self._syntax.end(node)
        for found in self._places.get(place, ()):
            if isinstance(found, kind):
                return found
        raise LookupError(f"no {kind.__name__} there")

    def replaced(self, changes: Mapping[cst.CSTNode, cst.CSTNode | cst.RemovalSentinel]) -> list[Edit]:
        """The edits that put other nodes in the place of some. A block that loses its last statement gets `pass`."""
        old, new = self._rows(), self._changed(changes)
        return [
            self._edit(self._first + start, self._first + end, new[begin:stop])
            for tag, start, end, begin, stop in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
            if tag != "equal"
        ]

    def code(self, changes: Mapping[cst.CSTNode, cst.CSTNode | cst.RemovalSentinel]) -> list[str]:
        """The lines of the statement with other nodes in the place of some, as they would stand at the margin."""
        indent = self._rows()[0][: -len(self._rows()[0].lstrip())]
        return [line.removeprefix(indent) for line in self._changed(changes)]

    def _changed(self, changes: Mapping[cst.CSTNode, cst.CSTNode | cst.RemovalSentinel]) -> list[str]:
        changed = self._module.module.visit(_Replace(changes))
        assert isinstance(changed, cst.Module)
        return changed.code.split("\n")[len(self._head) : -1]

    def _edit(self, first: int, end: int, lines: list[str]) -> Edit:
        """Other lines in the place of the rows from `first` up to `end`."""
        source = self._syntax.source
        start, stop, newline = source.offset(first), source.offset(end), source.newline(first)
        text = "".join(line + newline for line in lines)
        if stop == len(source.text) and not source.text.endswith(("\n", "\r")):  # a last line that nothing ends
            text = text.removesuffix(newline) if start < stop or not text else newline + text.removesuffix(newline)
        return self._syntax.edit(start, stop, text)


class _Replace(cst.CSTTransformer):
    """Puts nodes in the place of others, with what was changed inside of these left out."""

    def __init__(self, changes: Mapping[cst.CSTNode, cst.CSTNode | cst.RemovalSentinel]) -> None:
        super().__init__()
        self._changes = changes

    def on_leave(self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT) -> cst.CSTNodeT | cst.RemovalSentinel:
        return self._changes.get(original_node, updated_node)  # type: ignore[return-value]


def named_anew(tree: Tree, node: ast.AST, names: Mapping[str, str]) -> dict[cst.CSTNode, cst.CSTNode | cst.RemovalSentinel]:
    """The changes that put other expressions in the place of names."""
    return {
        tree.find(part, cst.Name): cst.parse_expression(names[part.id])
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and names.get(part.id, part.id) != part.id
    }
