"""The syntax tree of a file, made only for a finding that may have a fix: where nodes stand, what they bind and what they need."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from token import tok_name
from tokenize import generate_tokens

from mxlint.finding import Edit, Span
from mxlint.fixes.scopes import COMPREHENSIONS, DEFINITIONS, FUNCTIONS, SCOPES, bound, local_names, own_parts, root, runs_in
from mxlint.source import Source, lines_of


class Syntax:
    """A file as a tree that knows the way up."""

    def __init__(self, source: Source) -> None:
        self.source = source
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.tree = ast.parse(source.text)
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self._places: dict[int, dict[tuple[int, int], ast.expr]] = {}
        self._local_names: dict[ast.AST, set[str]] = {}
        self._declarations: dict[ast.AST, dict[str, type[ast.Global | ast.Nonlocal]]] = {}

    # -- where --

    def offset(self, row: int, column: int) -> int:
        """The offset of a place given as the tree gives it, with the column in bytes."""
        line = self.source.line(row)
        return self.source.offset(row) + (column if line.isascii() else len(line.encode()[:column].decode(errors="replace")))

    def start(self, node: ast.AST) -> int:
        return self.offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        return self.offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def text(self, node: ast.AST) -> str:
        return self.source.text[self.start(node) : self.end(node)]

    def stretch(self, span: Span) -> tuple[int, int]:
        """The offsets of a place."""
        return self.source.offset_of(span.start), self.source.offset_of(span.end)

    def at(self, span: Span) -> ast.expr | None:
        """The expression that stands exactly there, the outermost of several."""
        row = span.start.row
        if row not in self._places:
            places: dict[tuple[int, int], ast.expr] = {}
            for node in self._rows.get(row, ()):
                places.setdefault((self.start(node), self.end(node)), node)
            self._places[row] = places
        return self._places[row].get(self.stretch(span))

    @cached_property
    def _rows(self) -> Mapping[int, list[ast.expr]]:
        """The expressions by the row in which they begin, from the outside."""
        found: dict[int, list[ast.expr]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.expr):
                found.setdefault(node.lineno, []).append(node)
        return found

    def up(self, node: ast.AST) -> Iterator[ast.AST]:
        """What a node stands in, from the inside."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def statement(self, node: ast.AST) -> ast.stmt:
        """The statement that a node belongs to, itself included."""
        return next(found for found in (node, *self.up(node)) if isinstance(found, ast.stmt))

    def function(self, node: ast.AST) -> ast.AST:
        """The innermost function around a node, or the module."""
        return next(found for found in self.up(node) if isinstance(found, (*FUNCTIONS, ast.Module)))

    def means_the_same(self, node: ast.AST, place: ast.AST) -> bool:
        """Whether a piece of code has no private names, or has them elsewhere in the class that they belong to."""
        return self._class(node) is self._class(place) or not any(map(_is_private, ast.walk(node)))

    def _class(self, node: ast.AST) -> ast.ClassDef | None:
        return next((found for found in self.up(node) if isinstance(found, ast.ClassDef)), None)

    def owner(self, node: ast.expr) -> ast.AST | None:
        """The function or module whose name an expression starts with."""
        return self.owner_of(root(node), node)

    def owner_of(self, name: str | None, node: ast.AST) -> ast.AST | None:
        """The module, class, function or comprehension whose variable a name means where a node stands."""
        if not name:
            return None
        path, innermost = [node, *self.up(node)], True
        for number, scope in enumerate(path[1:], 1):
            if isinstance(scope, ast.Module):
                return scope
            if not isinstance(scope, SCOPES) or not runs_in(scope, path[number - 1], path[number - 2] if number > 1 else None):
                continue
            if isinstance(scope, COMPREHENSIONS):
                if any(name in bound(clause.target) for clause in scope.generators):
                    return scope
            elif not isinstance(scope, ast.ClassDef) or innermost:  # what a class binds is no name of its methods
                declared = self._declared(scope).get(name)
                if declared is ast.Global:
                    return self.tree
                if declared is None and name in self.local_names(scope):
                    return scope
            innermost = False
        return None

    def written_at(self, text: str, node: ast.AST, place: ast.AST) -> str | None:
        """What is written as `text` at a node as it is written at another place, with the same meaning: as it is, or by the name that another method
        of the same class has for its object; None where it has no such name."""
        first = re.match(r"\w+", text)
        name = first.group() if first else None
        owner = self.owner_of(name, node)
        if name is None or owner is None:
            return None
        if owner is self.owner_of(name, place):
            return text
        method = next((scope for scope in self.up(place) if isinstance(scope, FUNCTIONS)), None)
        other = self.first_parameter(method) if method is not None and self.parents[method] is self.parents.get(owner) else None
        return None if other is None or self.first_parameter(owner) != name else other + text.removeprefix(name)

    def first_parameter(self, function: ast.AST) -> str | None:
        """The name that a method has for its object; None for what is no plain method."""
        if not isinstance(function, ast.FunctionDef) or not isinstance(self.parents[function], ast.ClassDef) or function.decorator_list:
            return None
        params = [*function.args.posonlyargs, *function.args.args]
        rebound = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
        return params[0].arg if params and params[0].arg not in rebound else None

    def _declared(self, scope: ast.AST) -> dict[str, type[ast.Global | ast.Nonlocal]]:
        """The names that a function or class says to be of a scope around it."""
        if scope not in self._declarations:
            found = (part for part in own_parts(scope) if isinstance(part, (ast.Global, ast.Nonlocal)))
            self._declarations[scope] = {name: type(part) for part in found for name in part.names}
        return self._declarations[scope]

    def local_names(self, function: ast.AST) -> set[str]:
        """`local_names`, once a function."""
        if function not in self._local_names:
            self._local_names[function] = local_names(function)
        return self._local_names[function]

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statements among which one stands."""
        parent = self.parents[statement]
        for _, content in ast.iter_fields(parent):
            if isinstance(content, list) and statement in content:
                return content
        raise LookupError("a statement stands in a block")

    def first_row(self, statement: ast.stmt) -> int:
        """The row where a statement starts, decorators included."""
        decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
        return min([statement.lineno, *(node.lineno for node in decorators)])

    def indent(self, statement: ast.stmt) -> str | None:
        """What stands before a statement in its line; None if that is not only blanks."""
        row = self.first_row(statement)
        line = self.source.line(row)
        before = line[: len(line) - len(line.lstrip())]
        first = statement.decorator_list[0] if getattr(statement, "decorator_list", None) else statement  # type: ignore[attr-defined]
        column = self.start(first) - self.source.offset(row)
        return before if line[:column].strip() in ("", "@") else None

    def alone(self, statement: ast.stmt) -> bool:
        """Whether no other statement shares the lines of this one."""
        assert statement.end_lineno is not None
        rest = self.source.text[self.end(statement) : self.source.offset(statement.end_lineno + 1)].strip()
        return self.indent(statement) is not None and (not rest or rest.startswith("#"))

    def has_long_string(self, node: ast.AST, besides: ast.AST | None = None) -> bool:
        """Whether code has a string over several lines, which is another one with another indentation. Strings that stand one under the other are not
        one."""
        strings = [part for part in ast.walk(node) if isinstance(part, ast.JoinedStr) or _is_string(part)]
        inside = [piece for string in strings if isinstance(string, ast.JoinedStr) for piece in _pieces(string)]
        whole = [string for string in strings if string is not besides and string not in inside]
        return any(string.lineno != string.end_lineno and _is_long(self.text(string)) for string in whole)  # type: ignore[attr-defined]

    # -- names --

    @property
    def words(self) -> set[str]:
        """All words of the file: a name that is none of them is free."""
        return set(re.findall(r"\w+", self.source.text))

    def fresh(self, wanted: str) -> str:
        """A name that the file does not know yet."""
        words = self.words
        return next(name for name in (wanted, *(f"{wanted}_{number}" for number in range(2, 100))) if name not in words)

    # -- edits --

    def edit(self, start: int, end: int, content: str) -> Edit:
        return Edit(content, self.source.span(start, end))

    def replace(self, node: ast.AST, content: str) -> Edit:
        return self.edit(self.start(node), self.end(node), content)

    def before(self, statement: ast.stmt, lines: list[str]) -> Edit | None:
        """New lines before a statement and the comment that belongs to it; what is given is indented like the statement."""
        indent = self.indent(statement)
        if indent is None:
            return None
        row = self._with_comment(statement)
        at = self.source.offset(row)
        newline = self.source.newline(row)
        return self.edit(at, at, "".join((indent + line if line else "") + newline for line in lines))

    def blank_lines_before(self, statement: ast.stmt, beside: ast.stmt | None = None) -> list[str]:
        """The blank lines that belong before a definition, among the statements where `beside` stands."""
        if not isinstance(statement, DEFINITIONS):
            return []
        return ["", ""] if isinstance(self.parents[beside or statement], ast.Module) else [""]

    def after(self, statement: ast.stmt, lines: list[str]) -> Edit | None:
        """New lines after a statement that stands alone."""
        indent = self.indent(statement)
        if indent is None or not self.alone(statement):
            return None
        assert statement.end_lineno is not None
        row = statement.end_lineno
        # At the end of its row: the start of the next one may be of another cell or block.
        at = self.source.offset(row) + len(self.source.line(row))
        return self.edit(at, at, "".join(self.source.newline(row) + (indent + line if line else "") for line in lines))

    def argument_added(self, call: ast.Call, text: str) -> Edit | None:
        """One more argument after the last one of a call, in front of a comment that is behind that."""
        close = self.end(call) - 1
        last = max((*call.args, *(item.value for item in call.keywords)), key=self.end, default=None)
        if last is None:
            return self.edit(close, close, text)
        first, *rest = lines_of(self.source.text[self.end(last) : close])
        code = first.partition("#")[0].rstrip("\\ \t\f")
        if any(")" in line.partition("#")[0] for line in rest):
            return None  # the last argument is in parentheses that end further down
        at = self.end(last) + len(code.removesuffix(","))
        return self.edit(at, at, f", {text}")

    def removed(self, statement: ast.stmt) -> Edit | None:
        """The lines of a statement taken out, along with blank ones that only kept it apart."""
        if not self.alone(statement):
            return None
        assert statement.end_lineno is not None
        first, last = self.first_row(statement), statement.end_lineno
        block = self.block(statement)
        if len(block) == 1:
            return self.edit(
                self.source.offset(first), self.source.offset(last + 1), f"{self.indent(statement)}pass{self.source.newline(last)}"
            )
        while first > 1 and not self.source.line(first - 1).strip():
            first -= 1
        if statement is block[0]:
            while last < len(self.source.starts) and not self.source.line(last + 1).strip():
                last += 1
        return self.edit(self.source.offset(first), self.source.offset(last + 1), "")

    def comments(self, statement: ast.stmt) -> list[str]:
        """The comments right above a statement, blank lines between them left out."""
        block, first = self.block(statement), self.first_row(statement)
        number, row = block.index(statement), first
        last = block[number - 1].end_lineno if number else None
        while row - 1 > (last or 0) and self.source.line(row - 1).strip()[:1] in ("", "#"):
            row -= 1
        return [line for number in range(row, first) if (line := self.source.line(number).strip())]

    def _with_comment(self, statement: ast.stmt) -> int:
        """The first row of a statement and of the comment right above it."""
        row = self.first_row(statement)
        block = self.block(statement)
        number = block.index(statement)
        if number:
            while row - 1 > (block[number - 1].end_lineno or row) and self.source.line(row - 1).lstrip().startswith("#"):
                row -= 1
        return row


def _is_private(node: ast.AST) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name.startswith("__") and not name.endswith("__")


def _is_string(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))


def _pieces(string: ast.JoinedStr) -> list[ast.AST]:
    """The texts between the values of an f-string, and their formats: no strings by themselves. From Python 3.12 on they have places of their own."""
    formats = [part.format_spec for part in string.values if isinstance(part, ast.FormattedValue) and part.format_spec is not None]
    return [*(part for part in string.values if isinstance(part, ast.Constant)), *formats]


def _is_long(text: str) -> bool:
    """Whether one of the strings in a text goes over several lines. From Python 3.12 on an f-string is several tokens."""
    lines = iter([line + "\n" for line in lines_of(f"({text})")])
    starts: list[int] = []
    for token in generate_tokens(lambda: next(lines, "")):
        name = tok_name[token.type]
        if name == "FSTRING_START":
            starts.append(token.start[0])
        elif name == "STRING" and token.start[0] != token.end[0] or name == "FSTRING_END" and starts.pop() != token.end[0]:
            return True
    return False


Sources = Mapping[str, Source]
"""The files that a remedy may speak of, by their names."""


def syntax_of(sources: Sources, place: Span) -> Syntax | None:
    """The tree of the file of a place; None if it is not at hand, or none that Python reads."""
    source = sources.get(place.filename)
    return tree_of(source) if source is not None else None


@lru_cache(maxsize=2)
def tree_of(source: Source) -> Syntax | None:
    """The tree of a file; None if it is none that Python reads."""
    try:
        return Syntax(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
