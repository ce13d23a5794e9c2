"""Source → IR, from Python's own syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Literal

from mxlint.deep import is_deep
from mxlint.syntax import ir
from mxlint.syntax.fstrings import fstring
from mxlint.syntax.names import Names, bound_names, import_name
from mxlint.syntax.patterns import pattern
from mxlint.syntax.positions import Positions
from mxlint.syntax.trees import Tree, Trees

MAX_CHAIN = 1000
"""Operands of one `and`, `or` or comparison, beyond which the pairs that it becomes nest too deep for whoever follows them."""

_Star = Literal["", "*", "**"]
_BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.MatMult: "@",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}
_COMPARISON = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is not",
    ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip


def lower(text: str, trees: Trees | None = None) -> ir.Module:
    """The IR of a whole file. Raises what `ast.parse` raises: SyntaxError, ValueError, RecursionError, MemoryError."""
    return Lowering(text, trees or Trees()).module()


class TooLong(Exception):
    """A chain of operators whose pairs nest too deep for whoever follows them, on any stack."""


class Lowering:
    """The lowering of one text: its positions, and the names of the block that is being lowered.

    Functions that stand in no other function are deferred: most of those in an imported file are never called.
    """

    __slots__ = ("_nested", "_trees", "names", "positions")

    def __init__(self, text: str, trees: Trees) -> None:
        self.positions = Positions(text)
        self.names = Names()
        self._trees = trees
        self._nested = False

    @property
    def tree(self) -> Tree:
        """Python's syntax tree of the text."""
        return self._trees.of(self.positions.text)

    def span(self, node: Any) -> tuple[int, int]:
        at = self.positions.at
        return at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)

    # -- blocks --

    def module(self) -> ir.Module:
        self.names = Names()
        body = self.top(self.tree.module.body)
        return ir.Module(0, len(self.positions.text), body, self.names.scope())

    def top(self, nodes: Iterable[ast.stmt]) -> ir.Body:
        """Lower statements of the top level. One that nests too deep for any stack is unknown."""
        body: list[ir.Stmt] = []
        for node in nodes:
            names = self.names
            try:
                body.append(self.statement(node))
            except (TooLong, RecursionError) as error:
                if isinstance(error, RecursionError) and not is_deep():
                    raise
                self.names = names
                body.append(self.unknown(node))
        return tuple(body)

    def body(self, nodes: list[ast.stmt]) -> ir.Body:
        return tuple([self.statement(node) for node in nodes])

    def statement(self, node: ast.stmt) -> ir.Stmt:
        lowered: ir.Stmt = _STATEMENTS.get(type(node), Lowering.unknown)(self, node, *self.span(node))
        return lowered

    def unknown(self, node: ast.stmt, start: int = -1, end: int = -1) -> ir.Stmt:
        """A statement of which only the names are known that it may bind."""
        names = bound_names([node])
        self.names.bound.update(names)
        return ir.UnknownStmt(*self.span(node), names)

    def block(self, nodes: list[ast.stmt]) -> tuple[ir.Body, Names]:
        """Lower the body of a function or class."""
        outer, self.names = self.names, Names()
        try:
            return self.body(nodes), self.names
        finally:
            self.names = outer

    def later(self, row: int, column: int) -> tuple[ir.Body, bool, ir.Scope]:
        """The body of the function that stands there, whether it yields, and its scope."""
        node = self.tree.functions[row, column]
        self.names, self._nested = Names(), True
        try:
            return self.top(node.body), self.names.generator, self.names.scope()
        finally:
            self._nested = False

    # -- expressions --

    def expr(self, node: ast.expr) -> ir.Expr:
        at = self.positions.at
        start, end = at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)  # type: ignore[arg-type]
        lowered = _EXPRESSIONS.get(type(node))
        return ir.Opaque(start, end) if lowered is None else lowered(self, node, start, end)

    def optional(self, node: ast.expr | None) -> ir.Expr | None:
        return None if node is None else self.expr(node)

    def exprs(self, nodes: Iterable[ast.expr]) -> tuple[ir.Expr, ...]:
        return tuple([self.expr(node) for node in nodes])

    def target(self, node: ast.expr) -> ir.Expr:
        made = self.expr(node)
        self.names.bind(made)
        return made

    def bool_op(self, node: ast.BoolOp, start: int, end: int) -> ir.Expr:
        if len(node.values) > MAX_CHAIN:
            raise TooLong
        op = "and" if isinstance(node.op, ast.And) else "or"
        made, *rest = self.exprs(node.values)
        for right in rest[:-1]:
            made = ir.BoolOp(start, self.positions.closed(right.end, end), op, made, right)
        return ir.BoolOp(start, end, op, made, rest[-1])

    def compare(self, node: ast.Compare, start: int, end: int) -> ir.Expr:
        if len(node.ops) > MAX_CHAIN:
            raise TooLong
        return ir.Compare(start, end, self.expr(node.left), tuple([_COMPARISON[type(op)] for op in node.ops]), self.exprs(node.comparators))

    def call(self, node: ast.Call, start: int, end: int) -> ir.Expr:
        written: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
        if node.args and node.keywords and any(isinstance(arg, ast.Starred) for arg in node.args):
            written.sort(key=lambda arg: (arg.lineno, arg.col_offset))
        return ir.Call(start, end, self.expr(node.func), tuple([self.arg(arg) for arg in written]))

    def arg(self, node: ast.expr | ast.keyword) -> ir.Arg:
        start, end = self.span(node)
        if isinstance(node, ast.keyword):
            return ir.Arg(start, end, "" if node.arg else "**", node.arg, self.expr(node.value))
        if isinstance(node, ast.Starred):
            return ir.Arg(start, end, "*", None, self.expr(node.value))
        return ir.Arg(start, end, "", None, self.expr(node))

    def comp(self, kind: Literal["list", "set", "dict", "generator"], node: Any, start: int, end: int) -> ir.Expr:
        unpacked = kind == "dict" and node.value is None  # `{**element for …}`
        key = self.expr(node.key) if kind == "dict" and not unpacked else None
        element = self.expr(node.key if unpacked else node.value if kind == "dict" else node.elt)
        names, clauses, last = Names(), [], element.end
        for clause in node.generators:
            target, source, ifs = self.expr(clause.target), self.expr(clause.iter), self.exprs(clause.ifs)
            names.bind(target)
            begin = self.positions.token(last, also=")")
            last = self.positions.closed((ifs or (source,))[-1].end, end - 1)
            clauses.append(ir.Clause(begin, last, target, source, ifs, bool(clause.is_async)))
        return ir.Comp(start, end, kind, key, element, tuple(clauses), names.scope())

    def lambda_(self, node: ast.Lambda, start: int, end: int) -> ir.Expr:
        params = self.params(node.args)
        outer, self.names = self.names, Names()  # its walrus and its yield belong to no block around it
        try:
            body = self.expr(node.body)
            return ir.Lambda(start, end, params, body, self.names.generator, self.names.scope())
        finally:
            self.names = outer

    def yield_(self, node: ast.Yield | ast.YieldFrom, start: int, end: int) -> ir.Expr:
        self.names.generator = True
        return ir.Yield(start, end, self.optional(node.value), isinstance(node, ast.YieldFrom))

    def walrus(self, node: ast.NamedExpr, start: int, end: int) -> ir.Expr:
        self.names.bound.add(node.target.id)
        return ir.Walrus(start, end, ir.Name(*self.span(node.target), node.target.id), self.expr(node.value))

    # -- functions and classes --

    def params(self, node: ast.arguments) -> tuple[ir.Param, ...]:
        plain = [*node.posonlyargs, *node.args]
        defaults = [*[None] * (len(plain) - len(node.defaults)), *node.defaults]
        made = [
            self.param(arg, default, posonly=i < len(node.posonlyargs))
            for i, (arg, default) in enumerate(zip(plain, defaults, strict=True))
        ]
        if node.vararg is not None:
            made.append(self.param(node.vararg, None, "*"))
        made += [self.param(arg, default, kwonly=True) for arg, default in zip(node.kwonlyargs, node.kw_defaults, strict=True)]
        if node.kwarg is not None:
            made.append(self.param(node.kwarg, None, "**"))
        return tuple(made)

    def param(self, node: ast.arg, default: ast.expr | None, star: _Star = "", *, kwonly: bool = False, posonly: bool = False) -> ir.Param:
        start, end = self.span(node)
        start = self.positions.starred(start, star)
        value = self.optional(default)
        return ir.Param(
            start, end if value is None else value.end, node.arg, star, kwonly, posonly, value, self.optional(node.annotation)
        )  # fmt: skip

    def type_params(self, node: Any) -> tuple[ir.TypeParam, ...]:
        made: list[ir.TypeParam] = []
        for param in getattr(node, "type_params", ()):
            star = _TYPE_PARAMETERS[type(param).__name__]
            bound, default = getattr(param, "bound", None), getattr(param, "default_value", None)
            made.append(ir.TypeParam(*self.span(param), param.name, star, self.optional(bound), self.optional(default)))
        return tuple(made)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, start: int, end: int) -> ir.Stmt:
        decorators = self.exprs(node.decorator_list)
        is_async = isinstance(node, ast.AsyncFunctionDef)
        self.names.bound.add(node.name)
        name = node.name, *self.positions.name(start, ("async", "def") if is_async else ("def",), node.name)
        type_params = self.type_params(node)
        params = self.params(node.args)
        returns = self.optional(node.returns)
        body, inner = self.block(node.body) if self._nested else ((), Names())
        made = ir.FuncDef(start, end, *name, params, body, decorators, is_async, inner.generator, inner.scope(), returns, type_params)
        return made if self._nested else made.deferred(partial(self.later, node.lineno, node.col_offset))

    def class_(self, node: ast.ClassDef, start: int, end: int) -> ir.Stmt:
        decorators = self.exprs(node.decorator_list)
        self.names.bound.add(node.name)
        name = node.name, *self.positions.name(start, ("class",), node.name)
        type_params = self.type_params(node)
        bases = (*[self.arg(base) for base in node.bases], *[self.arg(base) for base in node.keywords])
        body, inner = self.block(node.body)
        return ir.ClassDef(start, end, *name, bases, body, decorators, inner.scope(), type_params)

    def type_alias(self, node: Any, start: int, end: int) -> ir.Stmt:
        self.names.bound.add(node.name.id)
        return ir.TypeAlias(start, end, node.name.id, self.type_params(node), self.expr(node.value))

    # -- other statements --

    def assign(self, node: ast.Assign, start: int, end: int) -> ir.Stmt:
        return ir.Assign(start, end, tuple([self.target(target) for target in node.targets]), self.expr(node.value), None)

    def annotated(self, node: ast.AnnAssign, start: int, end: int) -> ir.Stmt:
        return ir.Assign(start, end, (self.target(node.target),), self.optional(node.value), self.expr(node.annotation))

    def augmented(self, node: ast.AugAssign, start: int, end: int) -> ir.Stmt:
        return ir.AugAssign(start, end, _BINARY[type(node.op)], self.target(node.target), self.expr(node.value))

    def delete(self, node: ast.Delete, start: int, end: int) -> ir.Stmt:
        return ir.Delete(start, end, tuple([self.target(target) for target in node.targets]))

    def import_(self, node: ast.Import, start: int, end: int) -> ir.Stmt:
        self.names.bound.update(map(import_name, node.names))
        return ir.Import(start, end, tuple([(alias.name, alias.asname) for alias in node.names]))

    def import_from(self, node: ast.ImportFrom, start: int, end: int) -> ir.Stmt:
        names = tuple([(alias.name, alias.asname) for alias in node.names if alias.name != "*"])
        self.names.bound.update(alias or name for name, alias in names)
        return ir.ImportFrom(start, end, node.module or "", node.level, names)

    def declare(self, node: ast.Global | ast.Nonlocal, start: int, end: int) -> ir.Stmt:
        """It declares, for the scope, and does nothing when it runs."""
        (self.names.globals if isinstance(node, ast.Global) else self.names.nonlocals).update(node.names)
        return ir.Flow(start, end, "pass")

    def for_(self, node: ast.For | ast.AsyncFor, start: int, end: int) -> ir.Stmt:
        target, source = self.target(node.target), self.expr(node.iter)
        return ir.For(start, end, target, source, self.body(node.body), self.body(node.orelse), isinstance(node, ast.AsyncFor))

    def with_(self, node: ast.With | ast.AsyncWith, start: int, end: int) -> ir.Stmt:
        items = [
            (self.expr(item.context_expr), None if item.optional_vars is None else self.target(item.optional_vars)) for item in node.items
        ]
        return ir.With(start, end, tuple(items), self.body(node.body), isinstance(node, ast.AsyncWith))

    def try_(self, node: Any, start: int, end: int) -> ir.Stmt:
        body, handlers = self.body(node.body), tuple([self.handler(handler) for handler in node.handlers])
        return ir.Try(start, end, body, handlers, self.body(node.orelse), self.body(node.finalbody), not isinstance(node, ast.Try))

    def handler(self, node: ast.ExceptHandler) -> ir.Handler:
        kind = self.optional(node.type)
        if node.name is not None:
            self.names.bound.add(node.name)
        return ir.Handler(*self.span(node), kind, node.name, self.body(node.body))

    def match(self, node: ast.Match, start: int, end: int) -> ir.Stmt:
        subject = self.expr(node.subject)
        cases: list[ir.Case] = []
        for case in node.cases:
            begin = self.positions.token(cases[-1].end if cases else subject.end, also="):;")
            binds: list[str] = []
            lowered, guard = pattern(self, case.pattern, binds), self.optional(case.guard)
            self.names.bound.update(binds)
            body = self.body(case.body)
            cases.append(ir.Case(begin, body[-1].end, lowered, tuple(binds), guard, body))
        return ir.Match(start, end, subject, tuple(cases))


_TYPE_PARAMETERS: dict[str, _Star] = {"TypeVar": "", "TypeVarTuple": "*", "ParamSpec": "**"}
_Lower = Callable[[Lowering, Any, int, int], Any]


def _by_kind(table: dict[str, _Lower]) -> dict[type, _Lower]:
    """Key a table by the kinds of node of the Python that runs, which may lack the newest."""
    return {getattr(ast, kind): lowered for kind, lowered in table.items() if hasattr(ast, kind)}


_EXPRESSIONS = _by_kind({
    "Attribute": lambda low, x, start, end: ir.Attr(start, end, low.expr(x.value), x.attr),
    "Await": lambda low, x, start, end: ir.Await(start, end, low.expr(x.value)),
    "BinOp": lambda low, x, start, end: ir.Bin(start, end, _BINARY[type(x.op)], low.expr(x.left), low.expr(x.right)),
    "BoolOp": Lowering.bool_op,
    "Call": Lowering.call,
    "Compare": Lowering.compare,
    "Constant": lambda low, x, start, end: ir.Const(start, end, x.value),
    "Dict": lambda low, x, start, end: ir.DictDisplay(
        start, end, tuple([(low.optional(key), low.expr(value)) for key, value in zip(x.keys, x.values, strict=True)])
    ),
    "DictComp": lambda low, x, start, end: low.comp("dict", x, start, end),
    "GeneratorExp": lambda low, x, start, end: low.comp("generator", x, start, end),
    "IfExp": lambda low, x, start, end: ir.IfExp(start, end, low.expr(x.test), low.expr(x.body), low.expr(x.orelse)),
    "JoinedStr": fstring,
    "Lambda": Lowering.lambda_,
    "List": lambda low, x, start, end: ir.Seq(start, end, "list", low.exprs(x.elts)),
    "ListComp": lambda low, x, start, end: low.comp("list", x, start, end),
    "Name": lambda low, x, start, end: ir.Name(start, end, x.id),
    "NamedExpr": Lowering.walrus,
    "Set": lambda low, x, start, end: ir.Seq(start, end, "set", low.exprs(x.elts)),
    "SetComp": lambda low, x, start, end: low.comp("set", x, start, end),
    "Slice": lambda low, x, start, end: ir.Slice(start, end, low.optional(x.lower), low.optional(x.upper), low.optional(x.step)),
    "Starred": lambda low, x, start, end: ir.Starred(start, end, low.expr(x.value)),
    "Subscript": lambda low, x, start, end: ir.Sub(start, end, low.expr(x.value), low.expr(x.slice)),
    "TemplateStr": fstring,
    "Tuple": lambda low, x, start, end: ir.Seq(start, end, "tuple", low.exprs(x.elts)),
    "UnaryOp": lambda low, x, start, end: ir.Unary(start, end, _UNARY[type(x.op)], low.expr(x.operand)),
    "Yield": Lowering.yield_,
    "YieldFrom": Lowering.yield_,
})  # fmt: skip

_STATEMENTS = _by_kind({
    "AnnAssign": Lowering.annotated,
    "Assert": lambda low, x, start, end: ir.Assert(start, end, low.expr(x.test), low.optional(x.msg)),
    "Assign": Lowering.assign,
    "AsyncFor": Lowering.for_,
    "AsyncFunctionDef": Lowering.function,
    "AsyncWith": Lowering.with_,
    "AugAssign": Lowering.augmented,
    "Break": lambda low, x, start, end: ir.Flow(start, end, "break"),
    "ClassDef": Lowering.class_,
    "Continue": lambda low, x, start, end: ir.Flow(start, end, "continue"),
    "Delete": Lowering.delete,
    "Expr": lambda low, x, start, end: ir.ExprStmt(start, end, low.expr(x.value)),
    "For": Lowering.for_,
    "FunctionDef": Lowering.function,
    "Global": Lowering.declare,
    "If": lambda low, x, start, end: ir.If(start, end, low.expr(x.test), low.body(x.body), low.body(x.orelse)),
    "Import": Lowering.import_,
    "ImportFrom": Lowering.import_from,
    "Match": Lowering.match,
    "Nonlocal": Lowering.declare,
    "Pass": lambda low, x, start, end: ir.Flow(start, end, "pass"),
    "Raise": lambda low, x, start, end: ir.Raise(start, end, low.optional(x.exc), low.optional(x.cause)),
    "Return": lambda low, x, start, end: ir.Return(start, end, low.optional(x.value)),
    "Try": Lowering.try_,
    "TryStar": Lowering.try_,
    "TypeAlias": Lowering.type_alias,
    "While": lambda low, x, start, end: ir.While(start, end, low.expr(x.test), low.body(x.body), low.body(x.orelse)),
    "With": Lowering.with_,
})  # fmt: skip
