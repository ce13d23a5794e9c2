"""The lowered form: what the interpreter runs. LibCST ends at `lower.py`; nothing behind it knows a syntax tree of anyone else.

Every node has `start` and `end`, offsets into the text of its file (code points, end exclusive, parentheses around an expression left out).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Node:
    start: int
    end: int


# -- expressions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Expr(Node):
    pass


@dataclass(frozen=True, slots=True)
class Const(Expr):
    """A literal: None, bool, int, float, complex, str (concatenated), bytes, Ellipsis."""

    value: object


@dataclass(frozen=True, slots=True)
class Name(Expr):
    id: str


@dataclass(frozen=True, slots=True)
class Attr(Expr):
    value: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Slice(Expr):
    lower: Expr | None
    upper: Expr | None
    step: Expr | None


@dataclass(frozen=True, slots=True)
class Starred(Expr):
    value: Expr


@dataclass(frozen=True, slots=True)
class Sub(Expr):
    """`value[index]`; an index with a comma is a Seq of kind tuple, whose items may be Slice."""

    value: Expr
    index: Expr


@dataclass(frozen=True, slots=True)
class Arg(Node):
    """One argument of a call: `value`, `name=value`, `*value` (star "*") or `**value` (star "**")."""

    star: Literal["", "*", "**"]
    name: str | None
    value: Expr


@dataclass(frozen=True, slots=True)
class Call(Expr):
    func: Expr
    args: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class Bin(Expr):
    """A binary operator; `op` as written: + - * / // % ** @ & | ^ << >>."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Unary(Expr):
    """`op` is one of - + ~ not."""

    op: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class BoolOp(Expr):
    """`op` is and / or; LibCST's left-nested chains of one operator stay nested pairs."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Compare(Expr):
    """`left op rights[0] op rights[1] …`; ops as written, `not in` and `is not` with one blank."""

    left: Expr
    ops: tuple[str, ...]
    rights: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class IfExp(Expr):
    test: Expr
    body: Expr
    orelse: Expr


@dataclass(frozen=True, slots=True)
class Param(Node):
    """`star` is "" for a plain parameter, "*" for *args, "**" for **kwargs; `kwonly` stands after a star, `posonly` before a slash."""

    name: str
    star: Literal["", "*", "**"]
    kwonly: bool
    posonly: bool
    default: Expr | None
    annotation: Expr | None


@dataclass(frozen=True, slots=True)
class Lambda(Expr):
    params: tuple[Param, ...]
    body: Expr


@dataclass(frozen=True, slots=True)
class Seq(Expr):
    """A tuple, list or set display; items may be Starred."""

    kind: Literal["tuple", "list", "set"]
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class DictDisplay(Expr):
    """`{key: value, **value}`; the key of a ** entry is None."""

    items: tuple[tuple[Expr | None, Expr], ...]


@dataclass(frozen=True, slots=True)
class Clause(Node):
    """`for target in iter if … if …` of a comprehension."""

    target: Expr
    iter: Expr
    ifs: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Comp(Expr):
    """A comprehension; `key` only for dicts; `clauses` outermost first."""

    kind: Literal["list", "set", "dict", "generator"]
    key: Expr | None
    element: Expr
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class FString(Expr):
    """An f-string (or template string); `parts` are the replaced expressions, those of nested format specs too."""

    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Walrus(Expr):
    target: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class Await(Expr):
    value: Expr


@dataclass(frozen=True, slots=True)
class Yield(Expr):
    """`yield value` or `yield from value` (`source` true)."""

    value: Expr | None
    source: bool


@dataclass(frozen=True, slots=True)
class Opaque(Expr):
    """An expression that could not be lowered (too deep, or newer than LibCST): unknown."""


# -- statements -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stmt(Node):
    pass


Body = tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class ExprStmt(Stmt):
    value: Expr


@dataclass(frozen=True, slots=True)
class Assign(Stmt):
    """`a = b = value`: targets in order; `annotation` only for `target: annotation = value` (value None when it is only declared)."""

    targets: tuple[Expr, ...]
    value: Expr | None
    annotation: Expr | None


@dataclass(frozen=True, slots=True)
class AugAssign(Stmt):
    """`target op= value`; op without the equals sign."""

    op: str
    target: Expr
    value: Expr


@dataclass(frozen=True, slots=True)
class If(Stmt):
    test: Expr
    body: Body
    orelse: Body


@dataclass(frozen=True, slots=True)
class While(Stmt):
    test: Expr
    body: Body
    orelse: Body


@dataclass(frozen=True, slots=True)
class For(Stmt):
    target: Expr
    iter: Expr
    body: Body
    orelse: Body


@dataclass(frozen=True, slots=True)
class Handler(Node):
    type: Expr | None
    name: str | None
    body: Body


@dataclass(frozen=True, slots=True)
class Try(Stmt):
    body: Body
    handlers: tuple[Handler, ...]
    orelse: Body
    final: Body


@dataclass(frozen=True, slots=True)
class With(Stmt):
    items: tuple[tuple[Expr, Expr | None], ...]
    body: Body


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that a function or lambda body binds, and those it declares global or nonlocal."""

    bound: frozenset[str]
    globals: frozenset[str]
    nonlocals: frozenset[str]


@dataclass(frozen=True, slots=True)
class FuncDef(Stmt):
    """`name_start`, `name_end`: where the name stands. `generator`: the body yields. `scope` covers the body without nested functions.

    An empty body is that of a method that nothing has called yet: lower.lower_method.
    """

    name: str
    name_start: int
    name_end: int
    params: tuple[Param, ...]
    body: Body
    decorators: tuple[Expr, ...]
    is_async: bool
    generator: bool
    scope: Scope


@dataclass(frozen=True, slots=True)
class ClassDef(Stmt):
    name: str
    name_start: int
    name_end: int
    bases: tuple[Arg, ...]
    body: Body
    decorators: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Return(Stmt):
    value: Expr | None


@dataclass(frozen=True, slots=True)
class Raise(Stmt):
    value: Expr | None


@dataclass(frozen=True, slots=True)
class Assert(Stmt):
    test: Expr
    message: Expr | None


@dataclass(frozen=True, slots=True)
class Delete(Stmt):
    targets: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Flow(Stmt):
    """pass, break or continue."""

    kind: Literal["pass", "break", "continue"]


@dataclass(frozen=True, slots=True)
class Import(Stmt):
    """`import a.b as c`: pairs (dotted name, alias or None)."""

    names: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class ImportFrom(Stmt):
    """`from ..module import name as alias`; `names` empty for `import *`; `level` counts the leading dots."""

    module: str
    level: int
    names: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a case of a match asks of the subject."""


@dataclass(frozen=True, slots=True)
class ValuePattern(Pattern):
    """`1`, `None`, `A.B`: the subject is compared with it."""

    value: Expr


@dataclass(frozen=True, slots=True)
class NamePattern(Pattern):
    """`name`, `_` (name None) or `pattern as name`."""

    pattern: Pattern | None
    name: str | None


@dataclass(frozen=True, slots=True)
class OrPattern(Pattern):
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class StarPattern(Pattern):
    """`*name` in a sequence."""

    name: str | None


@dataclass(frozen=True, slots=True)
class SequencePattern(Pattern):
    """`a, *b` or `[a, *b]`."""

    items: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class MappingPattern(Pattern):
    """`{key: pattern, **rest}`."""

    items: tuple[tuple[Expr, Pattern], ...]
    rest: str | None


@dataclass(frozen=True, slots=True)
class ClassPattern(Pattern):
    """`A(pattern, name=pattern)`."""

    cls: Expr
    args: tuple[Pattern, ...]
    keywords: tuple[tuple[str, Pattern], ...]


@dataclass(frozen=True, slots=True)
class Case(Node):
    """One case of a match: its pattern, the names that it binds, its guard."""

    pattern: Pattern
    binds: tuple[str, ...]
    guard: Expr | None
    body: Body


@dataclass(frozen=True, slots=True)
class Match(Stmt):
    subject: Expr
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class UnknownStmt(Stmt):
    """A statement that could not be lowered: the names it may bind become unknown."""

    binds: tuple[str, ...]
