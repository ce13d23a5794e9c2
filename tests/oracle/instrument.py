"""Wrap the expressions, statements and functions of a syntax tree in calls that record, and keep what the program does.

The calls go to functions that `watch` puts among the builtins, so no namespace of the program changes. What is left as it is: literals,
annotations, patterns (their captures are recorded), type parameters, docstrings. A lambda's exceptions are recorded by the function around it.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

MARK = "\0oracle:"
"""Starts the constant that stands in the code object of a function, before the function's number."""

_NEWLINE = re.compile(r"\r\n|\r|\n")
_NAME_OF_DEFINITION = re.compile(r"(?:async[\s\\]+)?(?:def|class)[\s\\]+(\w+)")
_IDENTIFIER = re.compile(r"\w+")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SCOPES = (*_DEFINITIONS, ast.Lambda)
_NO_POINT = (ast.Constant, ast.Starred, ast.Slice, ast.FormattedValue)
_SILENT = (ast.Global, ast.Nonlocal)


@dataclass(slots=True)
class Tables:
    """What the numbers in recording calls stand for. Each entry begins with its file, then offsets."""

    points: list[tuple[str, int, int, str, str]] = field(default_factory=list)
    functions: list[tuple[str, int, int, str]] = field(default_factory=list)
    classes: list[tuple[str, int, int, str]] = field(default_factory=list)
    statements: list[tuple[str, int, int]] = field(default_factory=list)
    raises: dict[str, set[int]] = field(default_factory=dict)
    """The rows of `raise` statements, by file."""


def instrument(text: str, file: str, tables: Tables) -> ast.Module:
    """Return the tree of `text` with recording calls, whose numbers are added to `tables`. Raises SyntaxError."""
    tree = ast.parse(text)
    return ast.fix_missing_locations(_Instrumenter(text, file, tables).module(tree))


class _Instrumenter(ast.NodeTransformer):
    def __init__(self, text: str, file: str, tables: Tables) -> None:
        self.text = text
        self.file = file
        self.tables = tables
        self.starts = [0, *(match.end() for match in _NEWLINE.finditer(text))]
        self.path: list[str] = []
        self.returns: list[int | None] = []
        """For each function around, the number of its return point; None for generators and coroutines, whose `return` ends no call."""

    # -- places ----------------------------------------------------------------------------------------------------

    def offset(self, row: int, column: int) -> int:
        """The offset of a place as `ast` counts it: rows from 1, columns in bytes of UTF-8."""
        start = self.starts[row - 1]
        line = self.text[start : start + column]
        return start + (column if line.isascii() else len(line.encode()[:column].decode()))

    def range(self, node: ast.AST) -> tuple[int, int]:
        row, column, end_row, end_column = (getattr(node, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"))
        return self.offset(row, column), self.offset(end_row, end_column)

    def identifier(self, start: int) -> tuple[int, int]:
        match = _IDENTIFIER.match(self.text, start)
        assert match is not None
        return match.span()

    def row(self, offset: int) -> int:
        return bisect_right(self.starts, offset)

    # -- recording calls -------------------------------------------------------------------------------------------

    def point(self, span: tuple[int, int], kind: str, node: ast.AST) -> int:
        self.tables.points.append((self.file, *span, kind, type(node).__name__))
        return len(self.tables.points) - 1

    def value(self, number: int, node: ast.expr) -> ast.expr:
        """The expression, which hands its value to the recorder on its way."""
        return ast.copy_location(_call("value", ast.Constant(number), node), node)

    def note(self, name: str, span: tuple[int, int], kind: str, node: ast.AST) -> ast.expr:
        """An expression that records what a name holds; false."""
        number = self.point(span, kind, node)
        return _placed(_call("note", ast.Constant(number), ast.Name(name, ast.Load())), node)

    def notes(self, targets: Iterable[ast.expr]) -> list[ast.stmt]:
        """Statements that record the names among assignment targets."""
        return [_statement(self.note(name.id, self.range(name), "target", name), name) for item in targets for name in _bound_names(item)]

    # -- statements ------------------------------------------------------------------------------------------------

    def module(self, node: ast.Module) -> ast.Module:
        node.body = self.block(node.body)
        return node

    def block(self, body: Sequence[ast.stmt], before: Sequence[ast.stmt] = ()) -> list[ast.stmt]:
        """A list of statements, each after the call that records that it is run. `before` follows a docstring and imports from __future__."""
        count = next((n for n, item in enumerate(body) if not _is_head(item, first=n == 0)), len(body))
        done = [*body[:count], *before]
        for item in body[count:]:
            if not isinstance(item, _SILENT):
                self.tables.statements.append((self.file, *self.range(item)))
                done.append(_statement(_call("statement", ast.Constant(len(self.tables.statements) - 1)), item))
            result = self.visit(item)
            done.extend(result if isinstance(result, list) else [result])
        return done

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name, old in ast.iter_fields(node):
            if name in ("annotation", "returns", "type_params", "pattern"):
                continue
            if isinstance(old, list) and old and isinstance(old[0], ast.stmt):
                setattr(node, name, self.block(old))
            elif isinstance(old, list):
                setattr(node, name, [self.visit(item) if isinstance(item, ast.AST) else item for item in old])
            elif isinstance(old, ast.AST):
                setattr(node, name, self.visit(old))
        return node

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        notes = self.notes(node.targets)
        places = [self.point(self.range(item), "target", item) for item in node.targets if isinstance(item, (ast.Attribute, ast.Subscript))]
        self.generic_visit(node)
        for number in places:
            node.value = self.value(number, node.value)
        return [node, *notes]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        notes = self.notes([node.target] if node.value is not None else [])
        self.generic_visit(node)
        return [node, *notes]

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        notes = self.notes([node.target])
        self.generic_visit(node)
        return [node, *notes]

    def visit_For(self, node: ast.For | ast.AsyncFor) -> ast.stmt:
        notes = self.notes([node.target])
        node.target = self.visit(node.target)
        node.iter = self.visit(node.iter)
        node.body = self.block(node.body, notes)
        node.orelse = self.block(node.orelse)
        return node

    visit_AsyncFor = visit_For

    def visit_With(self, node: ast.With | ast.AsyncWith) -> ast.stmt:
        notes = self.notes(item.optional_vars for item in node.items if item.optional_vars is not None)
        node.items = [self.visit(item) for item in node.items]
        node.body = self.block(node.body, notes)
        return node

    visit_AsyncWith = visit_With

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        """The targets are recorded by a condition that always holds."""
        notes = [self.note(name.id, self.range(name), "target", name) for name in _bound_names(node.target)]
        self.generic_visit(node)
        node.ifs = [*(_placed(ast.UnaryOp(ast.Not(), note), note) for note in notes), *node.ifs]
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        if node.type is not None:
            node.type = self.visit(node.type)
        node.body = self.block(node.body)
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        notes = [_statement(self.note(name, span, "target", node.pattern), node.pattern) for name, span in self.captures(node.pattern)]
        if node.guard is not None:
            node.guard = self.visit(node.guard)
        node.body = self.block(node.body, notes)
        return node

    def captures(self, pattern: ast.pattern) -> Iterator[tuple[str, tuple[int, int]]]:
        """The names that a pattern binds wherever it matches. Those of `|` are left to the loads that follow."""
        waiting: list[ast.AST] = [pattern]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.MatchOr):
                continue
            waiting += ast.iter_child_nodes(node)
            if isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name is not None:
                end = self.range(node)[1]
                yield node.name, (end - len(node.name), end)

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        self.tables.raises.setdefault(self.file, set()).add(node.lineno)
        self.generic_visit(node)
        return node

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        value = self.visit(node.value) if node.value is not None else None
        number = self.returns[-1]
        if number is not None:
            value = _call("value", ast.Constant(number), value or ast.Constant(None))
        node.value = value and _placed(value, node)
        return node

    # -- definitions -----------------------------------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
        span = self.range(node)
        node.decorator_list = [self.visit(item) for item in node.decorator_list]
        self.defaults(node.args)
        number = self.function(node.name, span)
        returned = self.point(span, "return", node)
        lazy = _lazy_kind(node, node.body)
        self.returns.append(None if lazy else returned)
        self.path += [node.name, "<locals>"]
        head = [_statement(item, node) for item in (self.enter(number, returned, lazy), *self.parameters(node.args))]
        doc, body = (node.body[:1], node.body[1:]) if _is_head(node.body[0], first=True) else ([], node.body)
        body = self.block(body) if body else []
        if not lazy:
            body.append(_statement(_call("value", ast.Constant(returned), ast.Constant(None)), node))
        left = [_statement(_call("left", ast.Constant(number), ast.Constant(bool(lazy))), node), ast.copy_location(ast.Raise(), node)]
        handler = ast.copy_location(ast.ExceptHandler(None, None, left), node)
        node.body = [*doc, ast.copy_location(ast.Try([*head, *body], [handler], [], []), node)]
        del self.path[-2:]
        self.returns.pop()
        return [node, self.definition(node, span[0])]

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> list[ast.stmt]:
        span = self.range(node)
        node.decorator_list = [self.visit(item) for item in node.decorator_list]
        node.bases = [self.visit(item) for item in node.bases]
        node.keywords = [self.visit(item) for item in node.keywords]
        self.tables.classes.append((self.file, *span, ".".join([*self.path, node.name])))
        mark = _placed(_call("defined", ast.Constant(len(self.tables.classes) - 1)), node)
        node.decorator_list.append(mark)
        self.path.append(node.name)
        node.body = self.block(node.body)
        self.path.pop()
        return [node, self.definition(node, span[0])]

    def definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, start: int) -> ast.stmt:
        """The statement that records the name after its definition."""
        match = _NAME_OF_DEFINITION.match(self.text, start)
        assert match is not None
        return _statement(self.note(node.name, match.span(1), "target", node), node)

    def function(self, name: str, span: tuple[int, int]) -> int:
        self.tables.functions.append((self.file, *span, ".".join([*self.path, name])))
        return len(self.tables.functions) - 1

    def enter(self, number: int, returned: int, lazy: str) -> ast.expr:
        """An expression that records that a function is entered, and what the call of a generator or coroutine has returned; false."""
        return _call("enter", ast.Constant(f"{MARK}{number}"), ast.Constant(returned), ast.Constant(lazy))

    def defaults(self, args: ast.arguments) -> None:
        args.defaults = [self.visit(item) for item in args.defaults]
        args.kw_defaults = [item and self.visit(item) for item in args.kw_defaults]

    def parameters(self, args: ast.arguments) -> list[ast.expr]:
        every = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
        return [self.note(arg.arg, self.identifier(self.range(arg)[0]), "parameter", arg) for arg in every if arg is not None]

    # -- expressions -----------------------------------------------------------------------------------------------

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr):
            return self.expression(node)
        return getattr(self, f"visit_{type(node).__name__}", self.generic_visit)(node)

    def expression(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Lambda):
            return self.lambda_(node)
        kind, span = type(node).__name__, self.range(node)
        stored = not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        literal = isinstance(node, ast.JoinedStr) or kind == "TemplateStr"
        has_slices = isinstance(node, ast.Tuple) and any(isinstance(item, ast.Slice) for item in node.elts)
        target = self.point(self.range(node.target), "target", node.target) if isinstance(node, ast.NamedExpr) else None
        if literal:
            self.formatted(node)
        else:
            self.generic_visit(node)
        if stored or isinstance(node, _NO_POINT) or has_slices or kind in ("TemplateStr", "Interpolation"):
            return node
        value = self.value(self.point(span, "expression", node), node)
        return value if target is None else self.value(target, value)

    def formatted(self, node: ast.AST) -> None:
        """Visit the values in an f-string; its texts and format specifications have to stay what they are."""
        for item in getattr(node, "values", ()):
            if hasattr(item, "value") and not isinstance(item, ast.Constant):
                item.value = self.visit(item.value)
                if item.format_spec is not None:
                    self.formatted(item.format_spec)

    def lambda_(self, node: ast.Lambda) -> ast.expr:
        span = self.range(node)
        self.defaults(node.args)
        number = self.function("<lambda>", span)
        self.path += ["<lambda>", "<locals>"]
        lazy = _lazy_kind(node, [node.body])
        body = self.expression(node.body)
        del self.path[-2:]
        returned = self.point(span, "return", node)
        if not lazy:
            body = _call("value", ast.Constant(returned), body)
        node.body = _placed(ast.BoolOp(ast.Or(), [self.enter(number, returned, lazy), *self.parameters(node.args), body]), node)
        return self.value(self.point(span, "expression", node), node)


# -- helpers ------------------------------------------------------------------------------------------------------------


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(f"__oracle_{name}__", ast.Load()), list(arguments), [])


def _placed(node: ast.expr, at: ast.AST) -> ast.expr:
    """The new node and what is new in it, at the place of another, so that tracebacks keep their rows."""
    for item in ast.walk(node):
        if isinstance(item, ast.expr) and not hasattr(item, "lineno"):
            ast.copy_location(item, at)
    return node


def _statement(value: ast.expr, at: ast.AST) -> ast.stmt:
    return ast.copy_location(ast.Expr(_placed(value, at)), at)


def _is_head(node: ast.stmt, *, first: bool) -> bool:
    """Whether nothing may stand before a statement: a docstring, an import from __future__."""
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__"
    return first and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _bound_names(target: ast.expr) -> Iterator[ast.Name]:
    if isinstance(target, ast.Name):
        yield target
    elif isinstance(target, ast.Starred):
        yield from _bound_names(target.value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for item in target.elts:
            yield from _bound_names(item)


def _lazy_kind(node: ast.AST, body: Iterable[ast.AST]) -> str:
    """The type of what a call returns before anything of the body is run; empty where the body is run at once."""
    kind = "generator" if _is_generator(body) else ""
    if isinstance(node, ast.AsyncFunctionDef):
        return "async_generator" if kind else "coroutine"
    return kind


def _is_generator(body: Iterable[ast.AST]) -> bool:
    """Whether a yield stands in the statements, but not in a scope within them."""
    for node in body:
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if isinstance(node, _SCOPES):
            outside = [*getattr(node, "decorator_list", ()), *getattr(node, "bases", ())]
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                outside += [*node.args.defaults, *(item for item in node.args.kw_defaults if item)]
            if _is_generator(outside):
                return True
        elif _is_generator(ast.iter_child_nodes(node)):
            return True
    return False
