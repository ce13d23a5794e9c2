"""A symbol index of one file: its blocks, what each of them binds, reads, writes and calls, what is imported, and where something is compiled.

It knows names and no values, so it is cheap to make and depends on the file alone. Names of attributes stand for those of any object.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, TypeAlias

from mxlint.models.load import Changed, changed_arguments, importers
from mxlint.syntax.names import NOTHING, import_name, last_name
from mxlint.syntax.positions import Positions
from mxlint.syntax.sites import Mention, Named, Role, Site, imported_by_call, perhaps, sites

COMPILE = "mlx.core.compile"
TRACERS = (COMPILE, "mlx.core.export_function", "mlx.core.exporter")
"""What traces a function with placeholders."""
ANY = "*"
"""An attribute whose name is not known, as in `setattr(object, name, value)`; of an import, all that a module exports."""
COUNTS = "+= 1"
"""Stands for `+=` and its like with a number."""
GIVEN = "()"
"""Behind the name of a function: it changes what it is given."""


@dataclass(frozen=True, slots=True)
class Block:
    """A module, class, function or lambda, without the blocks within it. Comprehensions are a part of what they stand in.

    `name` is qualified as Python does it, empty for the module; `parent` is the number of the block around it, -1 for the module.
    `start` and `end` are offsets. `binds` are the names that it binds, parameters left out, and not those that it declares global or nonlocal, `assigns` those that it
    binds in another way than by an import;
    `loops` those that comprehensions in it bind; `reads` those that it reads. `attributes` and `writes` are the names of attributes
    that it reads, and that it sets or deletes, also as entries of `vars(object)` and `object.__dict__`; `named` the names of the module that it sets
    as entries of `globals()`; `hands` the names, or last names of attributes, of arguments, but those of `isinstance` and its like, and "" for what is neither, nor a constant; `calls` the names, or last names of attributes, of what it calls, decorators included. In `attributes` the
    `__init__` of `super()` is left out; `own` are the names of `writes` that a method sets on its first parameter and on nothing else. `called` are the names
    among `calls` that are none of attributes, and "" where what an expression gives is called. `bare` are the variables that it reads for themselves, and not only for
    an attribute. `uses` are what may change a container in place, each
    as the method of it and whose it is: the name of any attribute that is read, `__setitem__` and `__delitem__`, or that of `+=` and its like (`COUNTS`, with a number), and that of a
    function of a library with `GIVEN` behind it, where it changes what it is given there; and a
    variable of another block, an attribute (with a dot before it), or "" for any other. What a block makes itself and gives a name is left out.
    """

    kind: Literal["module", "class", "function", "lambda"]
    name: str
    start: int
    end: int
    parent: int
    params: tuple[str, ...]
    uses: frozenset[tuple[str, str]]
    binds: frozenset[str]
    assigns: frozenset[str]
    globals: frozenset[str]
    nonlocals: frozenset[str]
    loops: frozenset[str]
    reads: frozenset[str]
    attributes: frozenset[str]
    writes: frozenset[str]
    calls: frozenset[str]
    own: frozenset[str]
    named: frozenset[str] = frozenset()
    hands: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()
    bare: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Import:
    """`bound` in a block is `module` (level counts the leading dots), or `name` of it; the name * is all that the module exports."""

    block: int
    bound: str
    module: str
    level: int
    name: str | None

    @property
    def origin(self) -> str:
        """The dotted name of what is bound; empty for what is imported relatively."""
        return "" if self.level else self.module if self.name is None else f"{self.module}.{self.name}"


@dataclass(frozen=True, slots=True)
class Index:
    """The index of one file. `blocks` are in the order of the text, the module first. `perhaps`: where something is compiled if what a name leads to that no import of a
    library gives is MLX: offsets, in order. `kept`: where a call stands whose result is given a name, or an attribute, with that. `put`: where one stands
    whose result is put into a container, with what it calls and what holds the container, by their last names. `taken`: what is given an item of a container, with
    what holds that, by their last names. `owners`: the last names of what the attributes of `perhaps` are read of, "" for what has none. `alone`: names, also of attributes,
    that are read for themselves, and not for an attribute of what they give. `spelled`: whether a text is the name of what compiles, or of the module that has it."""

    blocks: tuple[Block, ...]
    imports: tuple[Import, ...]
    sites: tuple[Site, ...]
    perhaps: tuple[int, ...] = ()
    kept: tuple[tuple[int, str], ...] = ()
    put: tuple[tuple[int, str, str], ...] = ()
    taken: frozenset[tuple[str, str]] = frozenset()
    owners: frozenset[str] = frozenset()
    alone: frozenset[str] = frozenset()
    spelled: bool = False


def index(text: str, tree: ast.Module, compilers: Collection[str] = (COMPILE,)) -> Index:
    """The index of a text with its syntax tree. `compilers`: the dotted names of what compiles: `mx.compile` and wrappers of it."""
    indexer = _Indexer(text, frozenset(compilers))
    indexer.visit_all(tree.body)
    if any(_may_bind_tests(block) for block in indexer.blocks) or any(item.name == ANY for item in indexer.imports):
        for block in indexer.blocks:
            block.hands |= block.asks
    sets: dict[object, Any] = {NOTHING: NOTHING}
    blocks, imports = tuple([block.closed(sets) for block in indexer.blocks]), tuple(indexer.imports)
    called = [
        Import(block, bound, module, 0, None)
        for block, bound, module in imported_by_call(blocks, imports, indexer.loaded, importers())
    ] if indexer.loaded else []  # fmt: skip
    known = (*imports, *called)
    asked = sorted(perhaps(blocks, known, indexer.mentions), key=lambda node: (node.lineno, node.col_offset))
    return Index(
        blocks,
        imports,
        tuple(sites(indexer.positions, blocks, known, indexer.mentions, frozenset(compilers))),
        tuple(indexer.positions.at(node.lineno, node.col_offset) for node in asked),
        tuple(indexer.kept),
        tuple(indexer.put),
        frozenset(indexer.taken),
        frozenset(last_name(node.value) for node in asked),
        frozenset(indexer.alone),
        indexer.spelled,
    )


Root: TypeAlias = tuple[str, bool]
"""Whose a container is: a variable, an attribute with a dot before it, or "" for another; and whether it lies in what that holds."""


@dataclass(slots=True)
class _Open:
    """A block that is being read."""

    kind: Literal["module", "class", "function", "lambda"]
    name: str
    start: int
    end: int
    parent: int
    params: tuple[str, ...] = ()
    binds: set[str] = field(default_factory=set)
    assigns: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    loops: set[str] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)
    hands: set[str] = field(default_factory=set)
    asks: set[str] = field(default_factory=set)
    """What it hands to `isinstance` and its like."""
    others: set[str] = field(default_factory=set)
    """Attributes that are set on something else than the first parameter of a method."""
    called: set[str] = field(default_factory=set)
    bare: set[str] = field(default_factory=set)
    uses: set[tuple[str, Root]] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)
    """Names that it binds to something that it may not have made."""
    imported: dict[str, str | None] = field(default_factory=dict)
    """Names that imports in it bind, with what they are called in their module; None: a module."""

    def owner(self, root: Root) -> str | None:
        """Whose a container is that an expression with a root means; None if the block made it itself."""
        name, inside = root
        if name in self.params or name in self.loops:
            return ""
        if name not in self.assigns | self.binds or name in self.globals | self.nonlocals:
            return name
        if name in self.imported:
            return None if self.imported[name] is None else f".{self.imported[name]}"
        return "" if inside or name in self.shared else None

    def closed(self, sets: dict[object, Any]) -> Block:
        """The finished block. `sets`: those of other blocks, which it shares: most are empty, or are there already."""
        owned = {(how, owner) for how, root in self.uses if (owner := self.owner(root)) is not None}
        binds, assigns = ((names) - self.globals - self.nonlocals for names in (self.binds | self.assigns, self.assigns))
        names = (
            binds,
            assigns,
            self.globals,
            self.nonlocals,
            self.loops,
            self.reads,
            self.attributes,
            self.writes,
            self.calls,
            self.writes - self.others,
            self.named,
            self.hands,
            self.called,
            self.bare,
        )
        finished: list[frozenset[Any]] = [frozenset(found) for found in (owned, *names)]
        shared = (sets.setdefault(found, found) for found in finished)
        return Block(self.kind, self.name, self.start, self.end, self.parent, self.params, *shared)


def _may_bind_tests(block: _Open) -> bool:
    """Whether a block binds the name of a builtin that asks for a class: in the file it may mean anything."""
    return not _CLASS_TESTS.isdisjoint((*block.params, *block.binds, *block.assigns))


class _Indexer:
    """One pass over a tree. What may be `mx.compile` is only noted: the imports that decide it may come later."""

    def __init__(self, text: str, compilers: frozenset[str]) -> None:
        self.positions = Positions(text)
        self.blocks = [_Open("module", "", 0, len(text), -1)]
        self.imports: list[Import] = []
        self.mentions: list[Mention] = []
        self.loaded: list[Named] = []
        self.kept: list[tuple[int, str]] = []
        self.put: list[tuple[int, str, str]] = []
        self.taken: set[tuple[str, str]] = set()
        self.alone: set[str] = set()
        self.spelled = False
        self._spellings = compilers | {name.rpartition(".")[0] for name in compilers}
        self._compilers = frozenset(name.rpartition(".")[2] for name in compilers)
        self._mentioned = any(name in text for name in self._compilers)
        self._owner: ast.expr | None = None
        """What an attribute is read of."""
        self._number = 0
        self._block = self.blocks[0]
        self._looping = False
        self._roles: dict[int, tuple[Role, Any]] = {}
        self._making = False
        """Whether names are bound to something new."""

    def visit(self, node: ast.AST) -> None:
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            handler(self, node)
        else:
            self.inside(node)

    def visit_all(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def inside(self, node: ast.AST) -> None:
        """Visit what is in a node."""
        kind: Any = type(node)
        for name in _parts(kind):
            part = getattr(node, name, None)
            if isinstance(part, ast.AST):
                self.visit(part)
            elif isinstance(part, list):
                for child in part:
                    if isinstance(child, ast.AST):
                        self.visit(child)

    # -- names and attributes --

    def name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._block.reads.add(node.id)
            if node is not self._owner:
                self.alone.add(node.id)
                self._block.bare.add(node.id)
            if self._mentioned:
                self._mention(node)
        else:
            (self._block.loops if self._looping else self._block.assigns).add(node.id)
            if not self._making:
                self._block.shared.add(node.id)

    def attribute(self, node: ast.Attribute) -> None:
        if not (node.attr == "__init__" and isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "super"):
            (self._block.attributes if isinstance(node.ctx, ast.Load) else self._block.writes).add(node.attr)
        if not isinstance(node.ctx, ast.Load) and not self._is_first(node.value):
            self._block.others.add(node.attr)
        if node.attr in self._compilers:
            self._mention(node)
        if isinstance(node.ctx, ast.Load):
            self._block.uses.add((node.attr, _root(node.value)))
            if node is not self._owner:
                self.alone.add(node.attr)
        self._owner = node.value
        self.visit(node.value)

    def constant(self, node: ast.Constant) -> None:
        text = node.value
        if isinstance(text, str) and (text in self._spellings or text.rpartition(".")[2] in self._compilers):
            self.spelled = True

    def subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._entries(node.value, [_constant(node.slice)])
            self._block.uses.add(("__delitem__" if isinstance(node.ctx, ast.Del) else "__setitem__", _root(node.value)))
        self.inside(node)

    def _entries(self, held: ast.expr, names: Collection[str]) -> None:
        """Entries of a dict are set, which may be the attributes of an object, or the names of a module."""
        if isinstance(held, ast.Attribute) and held.attr == "__dict__":
            owner: ast.expr | None = held.value
        elif isinstance(held, ast.Call) and isinstance(held.func, ast.Name) and held.func.id in _NAMESPACES:
            owner = held.args[0] if held.args else None
        else:
            return
        if owner is None:
            self._block.named.update(names)
            return
        self._block.writes.update(names)
        if not self._is_first(owner):
            self._block.others.update(names)

    def _is_first(self, node: ast.expr) -> bool:
        """Whether an expression is the first parameter of a method."""
        block = self._block
        method = block.parent >= 0 and self.blocks[block.parent].kind == "class" and block.params
        return bool(method) and isinstance(node, ast.Name) and node.id == block.params[0]

    def _mention(self, node: ast.Name | ast.Attribute) -> None:
        self.mentions.append((node, self._number, *self._roles.get(id(node), _NO_ROLE)))

    def assigned(self, node: ast.Assign) -> None:
        """An assignment. Names may be given to what a call makes of a text: a module, if the call imports it."""
        value = node.value
        if self._mentioned and isinstance(value, ast.Call) and value.args and isinstance(value.args[0], ast.Constant):
            module = value.args[0].value
            for target in node.targets:
                if isinstance(target, ast.Name) and isinstance(module, str):
                    self.loaded.append((self._number, target.id, value.func, module))
        if self._mentioned and isinstance(value, ast.Call):
            self.kept += [(self.positions.at(value.lineno, value.col_offset), last_name(target)) for target in node.targets]
        if self._mentioned:
            for target in node.targets:
                self._puts(
                    target.value if isinstance(target, ast.Subscript) else target, value if isinstance(target, ast.Subscript) else None
                )
                self._puts(target, *_shown(value))
            self._takes(node.targets, value)
        self._entries(value, (ANY,))
        self._binds(node.targets, value)
        self.visit(value)

    def _puts(self, container: ast.expr, *values: ast.expr | None) -> None:
        """Note the calls whose results are put into what a name or attribute holds."""
        name = last_name(container)
        calls = [value for value in values if name and isinstance(value, ast.Call)]
        self.put += [(self.positions.at(call.lineno, call.col_offset), last_name(call.func), name) for call in calls]

    def _takes(self, targets: Iterable[ast.expr], value: ast.expr) -> None:
        """Note what is given an item of what a name or attribute holds: the item, or one of several."""
        held = set(_taken(value))
        self.taken.update((last_name(target), name) for target in targets for name in held if name and last_name(target))

    def _binds(self, targets: Iterable[ast.expr], value: ast.expr | None) -> None:
        """Visit what is bound to a value."""
        for target in targets:
            outer, self._making = self._making, isinstance(target, ast.Name) and _is_new(value)
            self.visit(target)
            self._making = outer

    def augmented(self, node: ast.AugAssign) -> None:
        counts = isinstance(node.value, ast.Constant) and isinstance(node.value.value, (int, float)) and not isinstance(node.op, ast.Mult)
        if type(node.op) in _IN_PLACE:  # a number is added to numbers and arrays alone
            self._block.uses.add((COUNTS if counts else _IN_PLACE[type(node.op)], _root(node.target)))
        self.visit(node.value)
        self._binds((node.target,), None)
        if isinstance(node.target, ast.Name):
            self._block.reads.add(node.target.id)
        elif isinstance(node.target, ast.Attribute):
            self._block.attributes.add(node.target.attr)

    def annotation(self, node: ast.expr | None) -> None:
        """Visit an annotation: what it reads counts, but nothing is compiled by it."""
        if node is not None:
            mentions = len(self.mentions)
            self.visit(node)
            del self.mentions[mentions:]

    def annotated(self, node: ast.AnnAssign) -> None:
        if self._mentioned and node.value is not None:
            self._puts(node.target, *_shown(node.value))
            self._takes((node.target,), node.value)
        self.visit_all((node.value,))
        self._binds((node.target,), node.value)
        self.annotation(node.annotation)

    def call(self, node: ast.Call) -> None:
        name = self._calls(node.func)
        given = (*node.args, *(keyword.value for keyword in node.keywords))
        handed = self._block.asks if isinstance(node.func, ast.Name) and name in _CLASS_TESTS else self._block.hands
        handed.update(last_name(value) for value in given if not isinstance(value, ast.Constant))
        if self._mentioned:
            self._roles[id(node.func)] = ("call", node)
        if changed := changed_arguments().get(name):
            self._block.uses.update((name + GIVEN, _root(value)) for value in _changed(node, changed))
        if name in _READERS:
            read = {part for arg in node.args[_READERS[name]] for part in _constant(arg).split(".")}
            self._block.attributes |= read
            self.alone |= read
        elif name in _WRITERS and len(node.args) > 1:
            self._block.writes.add(_constant(node.args[1]))
            self._block.others.add(_constant(node.args[1]))
        elif name in _OF_OBJECT and len(node.args) == _OF_OBJECT[name]:  # `object.__setattr__(owner, name, value)`
            self._block.writes.add(_constant(node.args[1]))
            if not self._is_first(node.args[0]):
                self._block.others.add(_constant(node.args[1]))
        elif isinstance(node.func, ast.Attribute) and node.func.attr in _SETTERS:
            keywords = [keyword.arg or ANY for keyword in node.keywords]
            self._entries(node.func.value, [*keywords, *(_constant(arg) for arg in node.args[:1])])
        if self._mentioned and isinstance(node.func, ast.Attribute) and node.func.attr in _PUTTERS:
            self._puts(node.func.value, *node.args)
        self.inside(node)

    def _calls(self, node: ast.expr) -> str:
        """Note what is called or decorated with; returns its last name."""
        name = last_name(node)
        if name:
            self._block.calls.add(name)
        if not isinstance(node, ast.Attribute):
            self._block.called.add(name)
        return name

    def comprehension(self, node: Any) -> None:
        for clause in node.generators:
            self.visit(clause.iter)
            outer, self._looping = self._looping, True
            self.visit(clause.target)
            self._looping = outer
            self.visit_all(clause.ifs)
        self.visit_all(getattr(node, name, None) for name in ("key", "value", "elt"))

    def walrus(self, node: ast.NamedExpr) -> None:
        self._block.assigns.add(node.target.id)
        self._block.shared.add(node.target.id)
        self.visit(node.value)

    # -- statements that bind names --

    def import_(self, node: ast.Import) -> None:
        for alias in node.names:
            bound = import_name(alias)
            self._imported(bound, alias.name if alias.asname else bound, 0, None)

    def import_from(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self._imported(import_name(alias), node.module or "", node.level, alias.name)

    def _imported(self, bound: str, module: str, level: int, name: str | None) -> None:
        number = self._number
        while bound in self.blocks[number].nonlocals:
            number = self.blocks[number].parent
        self.imports.append(Import(0 if bound in self.blocks[number].globals else number, bound, module, level, name))
        if bound != ANY:
            self._block.binds.add(bound)
            self._block.imported[bound] = name

    def global_(self, node: ast.Global) -> None:
        self._block.globals.update(node.names)

    def nonlocal_(self, node: ast.Nonlocal) -> None:
        self._block.nonlocals.update(node.names)

    def named(self, node: Any) -> None:
        """What binds a name that is a plain text: handlers and patterns."""
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if name is not None:
            self._block.assigns.add(name)
            self._block.shared.add(name)
        self.inside(node)

    # -- blocks --

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._decorators(node)
        self._block.assigns.add(node.name)
        params = self._params(node.args)
        self.annotation(node.returns)
        self._open("function", node.name, node, params, (*getattr(node, "type_params", ()), *node.body))

    def lambda_(self, node: ast.Lambda) -> None:
        self._open("lambda", "<lambda>", node, self._params(node.args), (node.body,))

    def class_(self, node: ast.ClassDef) -> None:
        self._decorators(node)
        self._block.assigns.add(node.name)
        self.visit_all((*node.bases, *node.keywords))
        self._open("class", node.name, node, (), (*getattr(node, "type_params", ()), *node.body))

    def _decorators(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        for decorator in node.decorator_list:
            self._calls(decorator)
            self._roles[id(decorator)] = ("decorator", node)
            if isinstance(decorator, ast.Call) and decorator.args:
                self._roles[id(decorator.args[0])] = ("partial-decorator", (decorator, node))
            self.visit(decorator)

    def _params(self, node: ast.arguments) -> tuple[str, ...]:
        params = [*node.posonlyargs, *node.args, node.vararg, *node.kwonlyargs, node.kwarg]
        self.visit_all((*node.defaults, *node.kw_defaults))
        for param in params:
            self.annotation(None if param is None else param.annotation)
        return tuple(param.arg for param in params if param is not None)

    def _open(
        self, kind: Literal["class", "function", "lambda"], name: str, node: Any, params: tuple[str, ...], body: Iterable[ast.AST]
    ) -> None:
        outer, number = self._block, self._number
        around = f"{outer.name}." if outer.kind == "class" else f"{outer.name}.<locals>." if outer.name else ""
        if name in outer.globals:
            around = ""
        at = self.positions.at
        start, end = at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)
        self._number = len(self.blocks)
        self._block = _Open(kind, around + name, start, end, number, params)
        self.blocks.append(self._block)
        self.visit_all(body)
        self._block, self._number = outer, number


_NO_ROLE: tuple[Role, Any] = ("reference", None)
_READERS = {
    "getattr": slice(1, 2), "hasattr": slice(1, 2), "attrgetter": slice(None), "methodcaller": slice(1), "__getattribute__": slice(-1, None),
}  # fmt: skip
"""What gives an attribute by its name, with the place of the name among the arguments."""
_WRITERS = frozenset({"setattr", "delattr"})
_OF_OBJECT = {"__setattr__": 3, "__delattr__": 2}
"""The methods of a class that set or delete an attribute of an object by its name, with how many arguments there are where they are given the object."""
_CLASS_TESTS = frozenset({"isinstance", "issubclass"})
"""Builtins that ask for the class of what they are given, and call nothing of it."""
_NAMESPACES = frozenset({"vars", "globals"})
_IN_PLACE: dict[type, str] = {
    ast.Add: "__iadd__", ast.BitAnd: "__iand__", ast.BitOr: "__ior__", ast.BitXor: "__ixor__", ast.Mult: "__imul__", ast.Sub: "__isub__",
}  # fmt: skip
"""The methods of containers behind `+=` and its like."""
_MAKERS = frozenset({
    "bytearray", "bytes", "dict", "enumerate", "float", "frozenset", "int", "len", "list", "range", "set", "sorted", "str", "sum", "tuple", "zip",
})  # fmt: skip
"""Builtins that give something new."""
_DISPLAYS = (
    ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp, ast.Constant, ast.JoinedStr, ast.BinOp, ast.Compare,
    ast.UnaryOp, ast.Lambda,
)  # fmt: skip
"""Expressions that give something new."""
_PUTTERS = frozenset({"append", "insert", "add", "appendleft", "setdefault", "put"})
"""Methods of containers that put an argument into them."""
_TAKERS = frozenset({"get", "pop", "setdefault"})
"""Methods of containers that give an item of them."""
_SETTERS = frozenset({"update", "setdefault", "pop", "clear", "__setitem__", "__delitem__"})


@cache
def _parts(kind: Any) -> tuple[str, ...]:
    """The fields of a kind of node that may hold other nodes."""
    return tuple(name for name in kind._fields if name not in ("ctx", "op", "ops", "kind", "type_comment", "id", "attr", "conversion"))


def _shown(node: ast.expr) -> Iterator[ast.expr]:
    """The expressions that give the items of a display, or of what a comprehension makes, and of displays among them."""
    items: list[ast.expr] = []
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        items = node.elts
    elif isinstance(node, ast.Dict):
        items = node.values
    elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
        items = [node.elt]
    elif isinstance(node, ast.DictComp):
        items = [node.value]
    for item in items:
        yield item
        yield from _shown(item)


def _taken(node: ast.expr) -> Iterator[str]:
    """The names of the containers of which an expression gives an item, or one of several."""
    if isinstance(node, ast.Subscript):
        yield last_name(node.value)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TAKERS:
        yield last_name(node.func.value)
    elif isinstance(node, ast.IfExp):
        yield from (*_taken(node.body), *_taken(node.orelse))
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _taken(value)


def _root(node: ast.expr) -> Root:
    """Whose the container is that an expression means."""
    inside = isinstance(node, ast.Subscript)
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else f".{node.attr}" if isinstance(node, ast.Attribute) else "", inside


def _changed(node: ast.Call, changed: Changed) -> Iterator[ast.expr]:
    """What a call gives a function where that changes it. What a star spreads may come to any place behind it."""
    spread = next((number for number, value in enumerate(node.args) if isinstance(value, ast.Starred)), len(node.args))
    for number, value in enumerate(node.args):
        if number in changed.places or number >= spread:
            yield value
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg in changed.names:
            yield keyword.value


def _is_new(node: ast.expr | None) -> bool:
    """Whether an expression makes what it gives, so that nothing else holds it, whoever holds what lies in it. None: there is none, or what `+=` gives,
    which the name held before."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _MAKERS
    return node is None or isinstance(node, _DISPLAYS)


def _constant(node: ast.expr) -> str:
    """The name that stands there as a text."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ANY


_HANDLERS: dict[type, Callable[[_Indexer, Any], None]] = {
    ast.AnnAssign: _Indexer.annotated, ast.Assign: _Indexer.assigned, ast.AsyncFunctionDef: _Indexer.function, ast.Attribute: _Indexer.attribute,
    ast.AugAssign: _Indexer.augmented, ast.Call: _Indexer.call, ast.ClassDef: _Indexer.class_, ast.Constant: _Indexer.constant,
    ast.DictComp: _Indexer.comprehension, ast.ExceptHandler: _Indexer.named, ast.FunctionDef: _Indexer.function,
    ast.GeneratorExp: _Indexer.comprehension, ast.Global: _Indexer.global_, ast.Import: _Indexer.import_, ast.ImportFrom: _Indexer.import_from,
    ast.Lambda: _Indexer.lambda_, ast.ListComp: _Indexer.comprehension, ast.MatchAs: _Indexer.named, ast.MatchMapping: _Indexer.named,
    ast.MatchStar: _Indexer.named, ast.Name: _Indexer.name, ast.NamedExpr: _Indexer.walrus, ast.Nonlocal: _Indexer.nonlocal_,
    ast.SetComp: _Indexer.comprehension, ast.Subscript: _Indexer.subscript,
}  # fmt: skip
