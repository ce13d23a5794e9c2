"""From mypy's types, as it reads them in stubs, to the texts of mxlint's type language (src/mxlint/models/expression.py)."""

from __future__ import annotations

from collections.abc import Callable

from mypy.maptype import map_instance_to_supertype
from mypy.nodes import TypeInfo
from mypy.types import (
    CallableType,
    Instance,
    LiteralType,
    NoneType,
    Overloaded,
    TupleType,
    TypeAliasType,
    TypedDictType,
    TypeType,
    TypeVarType,
    UninhabitedType,
    UnionType,
    get_proper_type,
)
from mypy.types import Type as StubType

SCALARS = {f"builtins.{name}": name for name in ("bool", "int", "float", "complex", "str", "bytes")}
CONTAINERS = {"builtins.list": "list", "builtins.set": "set", "builtins.frozenset": "frozenset", "typing.Iterator": "iterator"}
HOLDS = {"_typeshed.SupportsLenAndGetItem", "_typeshed.SupportsNext", "_typeshed.SupportsIter", "_typeshed.SupportsAnext"}
"""Protocols whose type argument is what the object contains."""
DEPTH = 3
"""How deep in the arguments a result is looked for: a str contains strs without end."""
NOT_KNOWN = {"typing.TypeVar", "typing._SpecialForm", "typing._Alias", "typing.ParamSpec", "types.GenericAlias", "types.UnionType"}

Naming = Callable[[str], "str | None"]
"""The canonical name of a class, or None where the data has no such class."""
Sources = dict[str, list[str]]
"""For a type variable, what gives it: `element(iterable)`."""


def is_protocol(info: TypeInfo) -> bool:
    """Whether it is a protocol that stands in stubs only, or says no more than that a method is there."""
    return info.is_protocol and (info.fullname.startswith("_typeshed.") or info.name.startswith(("_", "Supports")))


def collect(stub: StubType, path: str, found: Sources) -> None:
    """Note where in a parameter of that type each type variable comes from; `path` is the text for the parameter."""
    proper = get_proper_type(stub)
    if path.count("(") > DEPTH:
        return
    if isinstance(proper, TypeVarType):
        shown = path if "(" in path or path == "self" else f"arg({path})"
        if proper.values:
            shown = f"like({path})"
        found.setdefault(str(proper.id), []).append(shown)
    elif isinstance(proper, UnionType):
        for item in proper.items:
            collect(item, path, found)
    elif isinstance(proper, TupleType):
        for number, item in enumerate(proper.items):
            collect(item, f"item({path}, {number})", found)
    elif isinstance(proper, TypeType):
        collect(proper.item, f"new({path})", found)
    elif isinstance(proper, CallableType):
        collect(proper.ret_type, f"new({path})" if proper.is_type_obj() else f"call({path})", found)
    elif isinstance(proper, Instance):
        for word, inside in contents(proper):
            collect(inside, f"{word}({path})", found)


def contents(instance: Instance) -> list[tuple[str, StubType]]:
    """What lies in an instance of a generic class, and the words for it."""
    info = instance.type
    if info.fullname == "_typeshed.SupportsKeysAndGetItem" or info.has_base("typing.Mapping"):
        if info.has_base("typing.Mapping"):
            mapping = next(base for base in info.mro if base.fullname == "typing.Mapping")
            instance = map_instance_to_supertype(instance, mapping)
        return list(zip(("key", "value"), instance.args))
    for base in info.mro:
        if base.fullname in ("typing.Iterable", "typing.AsyncIterable"):
            return [("element", map_instance_to_supertype(instance, base).args[0])]
    if info.fullname in HOLDS or (len(instance.args) == 1 and not is_protocol(info) and not info.name.startswith("Supports")):
        return [("element", instance.args[0])]
    if info.fullname in ("typing.Coroutine",):
        return [("element", instance.args[2])]
    return []


def text(stub: StubType, sources: Sources, names: Naming, *, unbound: str = "any") -> str:
    """The text of a result. `unbound` is what a type variable is that no argument gives."""
    if isinstance(stub, TypeAliasType) and stub.alias is not None and stub.alias.fullname == "_typeshed.MaybeNone":
        return "None"
    if isinstance(stub, TypeAliasType) and stub.is_recursive:
        return "any"
    proper = get_proper_type(stub)

    def inner(each: StubType) -> str:
        return text(each, sources, names, unbound=unbound)

    if isinstance(proper, NoneType):
        return "None"
    if isinstance(proper, UninhabitedType):
        return "never"
    if isinstance(proper, TypeVarType):
        if str(proper.id) in sources:
            return joined(sources[str(proper.id)])
        if proper.name == "Self":
            return "like(self)"
        return unbound
    if isinstance(proper, UnionType):
        return joined([inner(item) for item in proper.items])
    if isinstance(proper, LiteralType):
        return inner(proper.fallback)
    if isinstance(proper, (CallableType, Overloaded)):
        return "function"
    if isinstance(proper, TypeType):
        return f"type[{inner(proper.item)}]"
    if isinstance(proper, TypedDictType):
        return "dict[str, any]"
    if isinstance(proper, TupleType):
        if proper.partial_fallback.type.fullname != "builtins.tuple":
            return names(proper.partial_fallback.type.fullname) or "any"
        items = [inner(item) for item in proper.items]
        return f"tuple[{', '.join(items)}]" if items else "tuple[never, ...]"
    if isinstance(proper, Instance):
        return _instance(proper, inner, names)
    return "any"


def _instance(proper: Instance, inner: Callable[[StubType], str], names: Naming) -> str:
    full = proper.type.fullname
    if full in SCALARS:
        return SCALARS[full]
    if full == "builtins.object" or full in NOT_KNOWN:
        return "any"
    if full == "builtins.type":
        return "type[any]"
    if full == "builtins.function":
        return "function"
    if full == "types.ModuleType":
        return "module"
    if full == "builtins.tuple":
        return f"tuple[{inner(proper.args[0])}, ...]"
    if full in ("builtins.dict",):
        return f"dict[{inner(proper.args[0])}, {inner(proper.args[1])}]"
    if full in CONTAINERS:
        return f"{CONTAINERS[full]}[{inner(proper.args[0])}]"
    name = names(full)
    if name is None:
        return "any"
    if "." not in name:
        return name
    inside = [inner(each) for _, each in contents(proper)] if proper.args else []
    return f"{name}[{', '.join(inside)}]" if inside and any(each != "any" for each in inside) else name


def joined(texts: list[str]) -> str:
    """A union of texts."""
    flat = list(dict.fromkeys(part for each in texts for part in split(each)))
    return "any" if "any" in flat else " | ".join([each for each in flat if each != "never"]) or "never"


def split(of: str) -> list[str]:
    """The members of a union, by the bars that stand in no brackets."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(of):
        depth += (char in "([") - (char in ")]")
        if char == "|" and depth == 0:
            parts.append(of[start:at].strip())
            start = at + 1
    return [*parts, of[start:].strip()]
