"""Read the stubs of modules with mypy: which names they make public, the canonical name of each, their signatures and constants."""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from dataclasses import dataclass, field

from measured import resolve
from mypy import build
from mypy.expandtype import expand_type_by_instance
from mypy.maptype import map_instance_to_supertype
from mypy.modulefinder import BuildSource
from mypy.nodes import Decorator, FuncDef, MypyFile, OverloadedFuncDef, SymbolNode, TypeAlias, TypeInfo, Var
from mypy.options import Options
from mypy.typeops import function_type, type_object_type
from mypy.types import CallableType, Instance, Overloaded, get_proper_type
from mypy.typevars import fill_typevars
from stub_signatures import iterated, ways
from stub_types import collect, contents, is_protocol, text

SKIPPED = frozenset(
    ["__class_getitem__", "__init_subclass__", "__slots__", "__match_args__", "__doc__", "__module__", "__init__", "__new__", "__dict__",
     "__annotations__", "__getattr__", "__class__", "__subclasshook__", "__orig_bases__", "__static_attributes__", "__firstlineno__"]
)  # fmt: skip
KEPT = frozenset({"_replace", "_asdict", "_make", "_fields"})
"""Members of named tuples that are public in spite of their names."""

# Abstract classes that typeshed defines in `typing`, and types whose own name is another than the one in the stubs.
PREFERRED = {
    **{f"_collections_abc.{name}": f"builtins.{name}" for name in ("dict_keys", "dict_values", "dict_items")},
    "typing.AbstractSet": "collections.abc.Set",
    "typing.ContextManager": "contextlib.AbstractContextManager",
}


@dataclass
class Read:
    """What the stubs of one version of Python say, by canonical name."""

    functions: dict[str, list[str]] = field(default_factory=dict)
    iterates: dict[str, list[str]] = field(default_factory=dict)
    new: dict[str, list[str]] = field(default_factory=dict)
    members: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    mro: dict[str, list[str]] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    modules: list[str] = field(default_factory=list)


class Reader:
    """The stubs of some modules for one version of Python. `extra` are private names that are wanted too; `newer` is what the next version has."""

    def __init__(
        self, modules: list[str], version: tuple[int, int], extra: list[str], own_names: dict[str, str], newer: Read | None
    ) -> None:
        options = Options()
        options.incremental, options.cache_dir, options.python_version = False, "/dev/null", version
        options.preserve_asts = True
        self.graph = build.build([BuildSource(None, name, None) for name in modules], options).graph
        self.modules = [name for name in modules if name in self.graph and self.graph[name].tree is not None]
        self.tops = {name.partition(".")[0] for name in modules}
        self.extra = set(extra)
        self.found = Read(modules=list(self.modules))
        self.wanted: dict[str, TypeInfo] = {}
        self.public: dict[str, str] = {}
        self.own_names = own_names
        # What a newer version has under a name, an older one has under the same.
        self.settled = {*newer.functions, *newer.members, *newer.constants} if newer else set()
        self.renamed = newer.aliases if newer else {}
        self._choose_names()

    def _names_of(self, module: str) -> Iterator[tuple[str, SymbolNode, str]]:
        tree: MypyFile = self.graph[module].tree
        for name, symbol in sorted(tree.names.items()):
            node = symbol.node
            if node is None or isinstance(node, MypyFile) or symbol.module_hidden or keyword.iskeyword(name):
                continue
            if f"{module}.{name}" not in self.extra and (not symbol.module_public or name.startswith("_")):
                continue
            yield name, node, node.fullname

    def _choose_names(self) -> None:
        """The canonical name of a thing is the shortest under which its own library makes it public."""
        candidates: dict[str, list[str]] = {}
        for module in self.modules:
            for name, node, full in self._names_of(module):
                if isinstance(node, TypeAlias):
                    target = get_proper_type(node.target)
                    if isinstance(target, Instance) and node.no_args:
                        candidates.setdefault(target.type.fullname, []).append(f"{module}.{name}")
                elif isinstance(node, (TypeInfo, FuncDef, OverloadedFuncDef, Decorator)) or full in (
                    f"{module}.{name}",
                    f"posixpath.{name}",
                ):
                    candidates.setdefault(full, []).append(f"{module}.{name}")
        for full, names in candidates.items():

            def order(name: str, full: str = full) -> tuple[object, ...]:
                home = full.partition(".")[0].lstrip("_")
                away = not name.startswith((home + ".", "collections.abc.", "os.path."))
                return (
                    name not in self.settled,
                    name.rpartition(".")[2] != full.rpartition(".")[2],
                    away,
                    name.startswith("typing."),
                    name.count("."),
                    len(name),
                    name,
                )

            best = self.own_names.get(min(names, key=order), PREFERRED.get(full) or min(names, key=order))
            best = self.renamed.get(best, best)
            self.public[full] = best
            for name in [*names, full]:
                if name != best and name.partition(".")[0] in self.tops:
                    self.found.aliases[name] = best

    def naming(self, full: str) -> str | None:
        """The canonical name of a class; private ones that results speak of are read too."""
        info = self._info(full)
        if info is None or is_protocol(info):
            return None
        name = self.public.get(full, full)
        if name.startswith("_") and name[1:].partition(".")[0] in self.tops:
            name = name[1:]  # of the private module that a public one is made of
            if name in self.public.values():
                return None  # what the public one adds to is a part of it
        if name.partition(".")[0] not in self.tops:
            return None
        if name not in self.wanted:
            self.wanted[name] = info
        return name

    def _info(self, full: str) -> TypeInfo | None:
        module, _, rest = full.rpartition(".")
        while module:
            if module in self.graph and self.graph[module].tree is not None:
                names = self.graph[module].tree.names
                node: object = None
                for part in rest.split("."):
                    symbol = names.get(part)
                    node = symbol.node if symbol else None
                    names = node.names if isinstance(node, TypeInfo) else {}
                return node if isinstance(node, TypeInfo) else None
            module, _, first = module.rpartition(".")
            rest = f"{first}.{rest}"
        return None

    def read(self) -> Read:
        for module in self.modules:
            for name, node, full in self._names_of(module):
                canonical = self.public.get(full, f"{module}.{name}")
                if isinstance(node, TypeInfo):
                    if canonical.partition(".")[0] in self.tops:
                        self.wanted.setdefault(canonical, node)
                elif full in self.public and canonical not in self.found.functions:
                    self._attribute(canonical, node)
        done: set[str] = set()
        while left := self.wanted.keys() - done:
            for name in sorted(left):
                done.add(name)
                self._class(name, self.wanted[name])
        return self.found

    def _attribute(self, name: str, node: SymbolNode) -> None:
        stub = get_proper_type(getattr(node, "type", None))
        if stub is None and isinstance(node, FuncDef):
            stub = function_type(node, Instance(self._info("builtins.function"), []))  # without annotations
        if isinstance(stub, CallableType) and stub.is_type_obj():
            return
        if isinstance(stub, (CallableType, Overloaded)):
            self.found.functions[name] = [str(way) for way in ways(stub, self.naming)]
            if consumed := iterated(stub):
                self.found.iterates[name] = sorted(consumed)
        elif isinstance(node, Var) and stub is not None:
            self.found.constants[name] = text(stub, {}, self.naming)

    def _class(self, name: str, info: TypeInfo) -> None:
        self.found.mro[name] = [self.naming(each.fullname) or self.public.get(each.fullname, each.fullname) for each in info.mro[1:]]
        made = type_object_type(info)
        if isinstance(made, (CallableType, Overloaded)):
            self.found.new[name] = [str(way) for way in ways(made, self.naming, constructor=True)]
        owner = fill_typevars(info)
        members = self.found.members.setdefault(name, {})
        # typeshed lets builtins inherit from abstract classes, where CPython has methods of their own.
        abstract = [base for base in reversed(info.mro[1:]) if base.fullname.startswith("typing.") and base.fullname != "typing.Protocol"]
        hidden = [base for base in reversed(info.mro[1:]) if self.naming(base.fullname) is None and base not in abstract]
        inherited = {n: (s, base) for base in [*abstract, *hidden] for n, s in base.names.items()}
        symbols = inherited | {n: (s, info) for n, s in info.names.items()}
        for member, (symbol, definer) in sorted(symbols.items()):
            if definer in abstract and (info.fullname.startswith("typing.") or not self._has(name, member)):
                continue
            if (
                member in SKIPPED
                or (member.startswith("_") and not member.startswith("__") and member not in KEPT)
                or keyword.iskeyword(member)
            ):
                continue
            if shown := self._member(symbol.node, owner, f"{name}.{member}", definer):
                members[member] = shown
            elif isinstance(symbol.node, TypeInfo):
                self.wanted.setdefault(f"{name}.{member}", symbol.node)

    def _has(self, name: str, member: str) -> bool:
        """Whether the class has a method of its own in the running Python."""
        real = resolve(name)
        return isinstance(real, type) and member in vars(real)

    def _member(self, node: SymbolNode | None, owner: object, name: str, definer: TypeInfo) -> list[str]:
        function = node.func if isinstance(node, Decorator) else node
        if isinstance(node, OverloadedFuncDef) and node.is_property:
            function = node.items[0].func if isinstance(node.items[0], Decorator) else node.items[0]
        stub = get_proper_type(getattr(function, "type", None))
        if stub is None and isinstance(function, FuncDef):
            stub = function_type(function, Instance(self._info("builtins.function"), []))
        if isinstance(function, FuncDef) and function.is_property and isinstance(stub, CallableType):
            return ["-> " + text(stub.ret_type, self._sources(owner), self.naming)]
        if isinstance(function, Var):
            if stub is None:
                return []
            if isinstance(stub, (CallableType, Overloaded)):
                first = stub.items[0] if isinstance(stub, Overloaded) else stub
                receiver = "self" if first.arg_types and not function.is_staticmethod else ""
                return [str(way) for way in ways(stub, self.naming, receiver=receiver, owner=owner)]
            return ["-> " + text(stub, self._sources(owner), self.naming)]
        if isinstance(stub, (CallableType, Overloaded)):
            kind = "" if getattr(function, "is_static", False) else "cls" if getattr(function, "is_class", False) else "self"
            if consumed := iterated(stub):
                self.found.iterates[name] = sorted(consumed)
            own = get_proper_type(owner)
            if isinstance(own, Instance) and own.type is not definer:
                stub = expand_type_by_instance(stub, map_instance_to_supertype(own, definer))
            return [str(way) for way in ways(stub, self.naming, receiver=kind, owner=owner)]
        return []

    def _sources(self, owner: object) -> dict[str, list[str]]:
        sources: dict[str, list[str]] = {}
        own = get_proper_type(owner)
        for word, inside in contents(own) if isinstance(own, Instance) else []:
            collect(inside, f"{word}(self)", sources)
        return sources
