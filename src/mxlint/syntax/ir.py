"""The intermediate representation (IR) of a Python file: what the static tracer runs. No one else's syntax tree is known behind it.

Every node has `start` and `end`, offsets into the text of its file (code points, end exclusive, parentheses around an expression left out).
A definition starts at `def`, `class` or `async`, not at its decorators. Names are as written: `__name` in a class is not mangled (`machine/private.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mxlint.record import Record, kept

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

    from mxlint.domain.place import Place


class Node(Record):
    """`place`: where it stands, once somebody asked."""

    start: int
    end: int
    place: Place | None = kept(init=False)

    def inner(self) -> list[object]:
        """The nodes among its fields, and the tuples, which may hold nodes."""
        fields: tuple[str, ...] = self.__match_args__[2:]
        return [part for field in fields if isinstance(part := getattr(self, field), (Node, tuple))]

    def moved(self, start: int, end: int) -> Self:
        """The node at another place."""
        fields: tuple[str, ...] = self.__match_args__
        return type(self)(start, end, *[getattr(self, field) for field in fields[2:]])


# -- expressions ------------------------------------------------------------------------------------------------------


class Expr(Node):
    pass


class Scope(Record):
    """The names that a block binds, and those that it declares global or nonlocal. `bound` holds none of these.

    Blocks are modules, functions, lambdas, classes and comprehensions. A block's names do not hold those of blocks within it, nor parameters.
    A walrus in a comprehension binds in the block around it.
    """

    bound: frozenset[str]
    globals: frozenset[str]
    nonlocals: frozenset[str]


class Const(Expr):
    """A literal: None, bool, int, float, complex, str (concatenated), bytes, Ellipsis."""

    value: object


class Name(Expr):
    id: str


class Attr(Expr):
    value: Expr
    name: str


class Slice(Expr):
    lower: Expr | None
    upper: Expr | None
    step: Expr | None


class Starred(Expr):
    value: Expr


class Sub(Expr):
    """`value[index]`; an index with a comma is a Seq of kind tuple, whose items may be Slice."""

    value: Expr
    index: Expr


class Arg(Node):
    """One argument of a call: `value`, `name=value`, `*value` (star "*") or `**value` (star "**")."""

    star: Literal["", "*", "**"]
    name: str | None
    value: Expr


class Call(Expr):
    """`args` in the order of the text. Python evaluates keywords after all positional arguments, also after a `*value` that follows them."""

    func: Expr
    args: tuple[Arg, ...]


class Bin(Expr):
    """A binary operator; `op` as written: + - * / // % ** @ & | ^ << >>."""

    op: str
    left: Expr
    right: Expr


class Unary(Expr):
    """`op` is one of - + ~ not."""

    op: str
    operand: Expr


class BoolOp(Expr):
    """`op` is and / or; a chain of one operator is pairs nested to the left."""

    op: str
    left: Expr
    right: Expr


class Compare(Expr):
    """`left op rights[0] op rights[1] …`; ops as written, `not in` and `is not` with one blank."""

    left: Expr
    ops: tuple[str, ...]
    rights: tuple[Expr, ...]


class IfExp(Expr):
    test: Expr
    body: Expr
    orelse: Expr


class Param(Node):
    """`star` is "" for a plain parameter, "*" for *args, "**" for **kwargs; `kwonly` stands after a star, `posonly` before a slash."""

    name: str
    star: Literal["", "*", "**"]
    kwonly: bool
    posonly: bool
    default: Expr | None
    annotation: Expr | None


class Lambda(Expr):
    """`generator`: the body yields."""

    params: tuple[Param, ...]
    body: Expr
    generator: bool
    scope: Scope


class Seq(Expr):
    """A tuple, list or set display; items may be Starred."""

    kind: Literal["tuple", "list", "set"]
    items: tuple[Expr, ...]


class DictDisplay(Expr):
    """`{key: value, **value}`; the key of a ** entry is None."""

    items: tuple[tuple[Expr | None, Expr], ...]


class Clause(Node):
    """`for target in iter if … if …` of a comprehension."""

    target: Expr
    iter: Expr
    ifs: tuple[Expr, ...]
    is_async: bool


class Comp(Expr):
    """A comprehension; `key` only for dicts (None in `{**element for …}`); `clauses` outermost first, whose targets are `scope`."""

    kind: Literal["list", "set", "dict", "generator"]
    key: Expr | None
    element: Expr
    clauses: tuple[Clause, ...]
    scope: Scope


class Format(Expr):
    """`{value!conversion:spec}` in an f-string. `{value=}` is a Const of the text and a Format, with conversion "r" if nothing else is said."""

    value: Expr
    conversion: Literal["", "s", "r", "a"]
    spec: FString | None


class FString(Expr):
    """An f-string: the texts between, as Python reads them, and the replaced expressions. `template`: a t-string, whose value is no text."""

    parts: tuple[Const | Format, ...]
    template: bool


class Walrus(Expr):
    target: Name
    value: Expr


class Await(Expr):
    value: Expr


class Yield(Expr):
    """`yield value` or `yield from value` (`source` true)."""

    value: Expr | None
    source: bool


class Kept(Expr):
    """What an activation of a generator keeps under a number: an iterator over `value`, which is kept from here on, or what is kept there. No text has one."""

    value: Expr | None
    number: int


class Forward(Expr):
    """What the iterator gives that an activation keeps under a number, once what is sent or thrown to the generator goes to that; its end breaks the loop."""

    number: int


class Returned(Expr):
    """What the generator returned that an activation keeps under a number."""

    number: int


class Opaque(Expr):
    """An expression that could not be lowered (newer than this version): unknown."""


# -- statements -------------------------------------------------------------------------------------------------------


class Stmt(Node):
    pass


Body = tuple[Stmt, ...]


class Module(Node):
    """A whole file. `scope.bound` does not hold what functions bind by a global statement."""

    body: Body
    scope: Scope


class ExprStmt(Stmt):
    value: Expr


class Assign(Stmt):
    """`a = b = value`: targets in order; `annotation` only for `target: annotation = value` (value None when it is only declared)."""

    targets: tuple[Expr, ...]
    value: Expr | None
    annotation: Expr | None


class AugAssign(Stmt):
    """`target op= value`; op without the equals sign."""

    op: str
    target: Expr
    value: Expr


class If(Stmt):
    test: Expr
    body: Body
    orelse: Body


class While(Stmt):
    test: Expr
    body: Body
    orelse: Body


class For(Stmt):
    target: Expr
    iter: Expr
    body: Body
    orelse: Body
    is_async: bool


class Handler(Node):
    type: Expr | None
    name: str | None
    body: Body


class Try(Stmt):
    """`star`: the handlers are `except*`."""

    body: Body
    handlers: tuple[Handler, ...]
    orelse: Body
    final: Body
    star: bool


class With(Stmt):
    items: tuple[tuple[Expr, Expr | None], ...]
    body: Body
    is_async: bool


class Onward(Stmt):
    """The rest of a round of a loop over what an activation of a generator keeps, and the rounds after it. No text has one."""

    round: Body
    loop: For


class Entered(Stmt):
    """A `with` of one manager, which an activation of a generator keeps under a number; None: one that is kept, and was entered before. No text has one."""

    manager: Expr | None
    target: Expr | None
    number: int
    body: Body
    is_async: bool


class TypeParam(Node):
    """`T: bound = default`, `*Ts` (star "*") or `**P` (star "**"), which Python evaluates when they are asked for."""

    name: str
    star: Literal["", "*", "**"]
    bound: Expr | None
    default: Expr | None


class FuncDef(Stmt):
    """`name_start`, `name_end`: where the name stands. `generator`: the body yields.

    `body`, `generator` and `scope` of a deferred function are made when one of them is first asked for.
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

    def deferred(self, later: Callable[[], tuple[Body, bool, Scope]]) -> Self:
        """The same function, whose body, whether it yields, and scope `later` makes."""
        for field in ("body", "generator", "scope"):
            delattr(self, field)
        object.__setattr__(self, "later", later)
        return self

    if not TYPE_CHECKING:
        __slots__ = ("later",)

        def __getattr__(self, field: str) -> object:
            """Reached where a field has no value yet."""
            if field not in ("body", "generator", "scope"):
                raise AttributeError(field)
            self.body, self.generator, self.scope = self.later()
            del self.later
            return getattr(self, field)


class ClassDef(Stmt):
    name: str
    name_start: int
    name_end: int
    bases: tuple[Arg, ...]
    body: Body
    decorators: tuple[Expr, ...]
    scope: Scope
    type_params: tuple[TypeParam, ...]


class TypeAlias(Stmt):
    """`type name[type_params] = value`; Python evaluates the value when it is asked for."""

    name: str
    type_params: tuple[TypeParam, ...]
    value: Expr


class Return(Stmt):
    value: Expr | None


class Raise(Stmt):
    """`raise value from cause`."""

    value: Expr | None
    cause: Expr | None


class Assert(Stmt):
    test: Expr
    message: Expr | None


class Delete(Stmt):
    targets: tuple[Expr, ...]


class Flow(Stmt):
    """pass, break or continue."""

    kind: Literal["pass", "break", "continue"]


class Import(Stmt):
    """`import a.b as c`: pairs (dotted name, alias or None)."""

    names: tuple[tuple[str, str | None], ...]


class ImportFrom(Stmt):
    """`from ..module import name as alias`; `names` empty for `import *`; `level` counts the leading dots."""

    module: str
    level: int
    names: tuple[tuple[str, str | None], ...]


class Pattern(Node):
    """What a case of a match asks of the subject."""


class ValuePattern(Pattern):
    """`1`, `None`, `A.B`: the subject is compared with it."""

    value: Expr


class NamePattern(Pattern):
    """`name`, `_` (name None) or `pattern as name`."""

    pattern: Pattern | None
    name: str | None


class OrPattern(Pattern):
    patterns: tuple[Pattern, ...]


class StarPattern(Pattern):
    """`*name` in a sequence."""

    name: str | None


class SequencePattern(Pattern):
    """`a, *b` or `[a, *b]`."""

    items: tuple[Pattern, ...]


class MappingPattern(Pattern):
    """`{key: pattern, **rest}`."""

    items: tuple[tuple[Expr, Pattern], ...]
    rest: str | None


class ClassPattern(Pattern):
    """`A(pattern, name=pattern)`."""

    cls: Expr
    args: tuple[Pattern, ...]
    keywords: tuple[tuple[str, Pattern], ...]


class Case(Node):
    """One case of a match: its pattern, the names that it binds, its guard."""

    pattern: Pattern
    binds: tuple[str, ...]
    guard: Expr | None
    body: Body


class Match(Stmt):
    subject: Expr
    cases: tuple[Case, ...]


class UnknownStmt(Stmt):
    """A statement that could not be lowered: the names it may bind become unknown."""

    binds: tuple[str, ...]
