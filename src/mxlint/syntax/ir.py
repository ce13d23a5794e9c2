"""The intermediate representation (IR) of a Python file: what the static tracer runs. No one else's syntax tree is known behind it.

Every node has `start` and `end`, offsets into the text of its file (code points, end exclusive, parentheses around an expression left out).
A definition starts at `def`, `class` or `async`, not at its decorators. Names are as written: `__name` in a class is not mangled.
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
class Scope:
    """The names that a block binds, and those that it declares global or nonlocal. `bound` holds none of these.

    Blocks are modules, functions, lambdas, classes and comprehensions. A block's names do not hold those of blocks within it, nor parameters.
    A walrus in a comprehension binds in the block around it.
    """

    bound: frozenset[str]
    globals: frozenset[str] = frozenset()
    nonlocals: frozenset[str] = frozenset()


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
    """`args` in the order of the text. Python evaluates keywords after all positional arguments, also after a `*value` that follows them."""

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
    """`op` is and / or; a chain of one operator is pairs nested to the left."""

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
    """`generator`: the body yields."""

    params: tuple[Param, ...]
    body: Expr
    generator: bool
    scope: Scope


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
    is_async: bool


@dataclass(frozen=True, slots=True)
class Comp(Expr):
    """A comprehension; `key` only for dicts (None in `{**element for …}`); `clauses` outermost first, whose targets are `scope`."""

    kind: Literal["list", "set", "dict", "generator"]
    key: Expr | None
    element: Expr
    clauses: tuple[Clause, ...]
    scope: Scope


@dataclass(frozen=True, slots=True)
class Format(Expr):
    """`{value!conversion:spec}` in an f-string. `{value=}` is a Const of the text and a Format, with conversion "r" if nothing else is said."""

    value: Expr
    conversion: Literal["", "s", "r", "a"]
    spec: FString | None


@dataclass(frozen=True, slots=True)
class FString(Expr):
    """An f-string: the texts between, as Python reads them, and the replaced expressions. `template`: a t-string, whose value is no text."""

    parts: tuple[Const | Format, ...]
    template: bool


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
    """An expression that could not be lowered (newer than this version): unknown."""


# -- statements -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stmt(Node):
    pass


Body = tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Module(Node):
    """A whole file. `scope.bound` does not hold what functions bind by a global statement."""

    body: Body
    scope: Scope


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
    is_async: bool


@dataclass(frozen=True, slots=True)
class Handler(Node):
    type: Expr | None
    name: str | None
    body: Body


@dataclass(frozen=True, slots=True)
class Try(Stmt):
    """`star`: the handlers are `except*`."""

    body: Body
    handlers: tuple[Handler, ...]
    orelse: Body
    final: Body
    star: bool


@dataclass(frozen=True, slots=True)
class With(Stmt):
    items: tuple[tuple[Expr, Expr | None], ...]
    body: Body
    is_async: bool


@dataclass(frozen=True, slots=True)
class TypeParam(Node):
    """`T: bound = default`, `*Ts` (star "*") or `**P` (star "**"), which Python evaluates when they are asked for."""

    name: str
    star: Literal["", "*", "**"]
    bound: Expr | None
    default: Expr | None


@dataclass(frozen=True, slots=True)
class FuncDef(Stmt):
    """`name_start`, `name_end`: where the name stands. `generator`: the body yields.

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
    returns: Expr | None
    type_params: tuple[TypeParam, ...]


@dataclass(frozen=True, slots=True)
class ClassDef(Stmt):
    name: str
    name_start: int
    name_end: int
    bases: tuple[Arg, ...]
    body: Body
    decorators: tuple[Expr, ...]
    scope: Scope
    type_params: tuple[TypeParam, ...]


@dataclass(frozen=True, slots=True)
class TypeAlias(Stmt):
    """`type name[type_params] = value`; Python evaluates the value when it is asked for."""

    name: str
    type_params: tuple[TypeParam, ...]
    value: Expr


@dataclass(frozen=True, slots=True)
class Return(Stmt):
    value: Expr | None


@dataclass(frozen=True, slots=True)
class Raise(Stmt):
    """`raise value from cause`."""

    value: Expr | None
    cause: Expr | None


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
