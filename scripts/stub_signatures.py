"""Signatures of the functions and classes in stubs, as texts of the models' data; overloads that one call could fit are merged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from mypy.nodes import (
    ARG_NAMED,
    ARG_NAMED_OPT,
    ARG_OPT,
    ARG_STAR,
    ARG_STAR2,
    BytesExpr,
    Decorator,
    EllipsisExpr,
    Expression,
    FloatExpr,
    FuncDef,
    IntExpr,
    NameExpr,
    StrExpr,
    UnaryExpr,
)
from mypy.types import CallableType, Instance, NoneType, Overloaded, TypeVarType, UnionType, get_proper_type
from mypy.types import Type as StubType
from stub_types import Naming, Sources, collect, contents, joined, text

RECEIVER = "like(self)"
"""What stands for `Self` until it is known which kind of method it is."""
RETURN_SELF = frozenset(
    ["__enter__", "__aenter__", "__iter__", "__iadd__", "__isub__", "__imul__", "__iand__", "__ior__", "__ixor__", "__itruediv__", "__ifloordiv__",
     "__imod__", "__ipow__", "__ilshift__", "__irshift__", "__imatmul__"]
)  # fmt: skip
"""Methods whose `Self` is the very object."""
ITERATED = {"typing.Iterable", "typing.Iterator", "_typeshed.SupportsIter"}


@dataclass(frozen=True)
class Given:
    name: str
    kind: str  # positional, either, keyword, args, kwargs
    default: str | None
    only_none: bool = False


@dataclass(frozen=True)
class Way:
    """One signature: its text is `({parameters}) -> {result}`."""

    receiver: str
    parameters: tuple[Given, ...]
    result: str

    def __str__(self) -> str:
        parts = [self.receiver] if self.receiver else []
        slash = len([p for p in self.parameters if p.kind == "positional"])
        star = any(p.kind == "args" for p in self.parameters)
        for number, p in enumerate(self.parameters):
            if p.kind == "keyword" and not star:
                parts.append("*")
                star = True
            mark = {"args": "*", "kwargs": "**"}.get(p.kind, "")
            parts.append(f"{mark}{p.name}" + (f"={p.default}" if p.default is not None and not mark else ""))
            if number + 1 == slash:
                parts.append("/")
        return f"({', '.join(parts)}) -> {self.result}"


def ways(stub: StubType, names: Naming, *, receiver: str = "", owner: StubType | None = None, constructor: bool = False) -> list[Way]:
    """The signatures of a callable. `owner` is the type of `self` where there is a receiver."""
    items = stub.items if isinstance(stub, Overloaded) else [stub]
    found = [_way(item, names, receiver, owner, constructor) for item in items if isinstance(item, CallableType)]
    return merged(found)


def _way(stub: CallableType, names: Naming, receiver: str, owner: StubType | None, constructor: bool) -> Way:
    definition = stub.definition.func if isinstance(stub.definition, Decorator) else stub.definition
    arguments = list(definition.arguments) if isinstance(definition, FuncDef) else []
    shift = len(arguments) - len(stub.arg_types)
    given: list[Given] = []
    sources: Sources = {}
    if owner is not None and receiver == "self":
        own = get_proper_type(owner)
        if isinstance(own, Instance):
            for word, inside in contents(own):
                collect(inside, f"{word}(self)", sources)
    for number, (kind, stub_name, of) in enumerate(zip(stub.arg_kinds, stub.arg_names, stub.arg_types)):
        if number == 0 and receiver:
            if isinstance(get_proper_type(of), TypeVarType):
                sources[str(get_proper_type(of).id)] = [RECEIVER]
            continue
        argument = arguments[number + shift] if shift >= 0 and arguments else None
        name = (stub_name or (argument.variable.name if argument else "") or "").removeprefix("__")
        name = (name.lstrip("_") if kind in (ARG_STAR, ARG_STAR2) else name) or f"argument{number}"
        if name in ("self", "cls") and not given and not receiver and owner is not None:
            name += "_"  # as the first parameter it is the receiver
        default = constant(argument.initializer if argument else None)
        optional = kind in (ARG_OPT, ARG_NAMED_OPT)
        way = {ARG_STAR: "args", ARG_STAR2: "kwargs", ARG_NAMED: "keyword", ARG_NAMED_OPT: "keyword"}.get(kind)
        way = way or ("either" if stub_name and not stub_name.startswith("__") else "positional")
        given.append(Given(name, way, (default if default is not None else "...") if optional else None, _only_none(of)))
        collect(of, name, sources)
    # mypy tells positional-only parameters by a missing name; one that follows a named one cannot be.
    given = [
        replace(p, kind="either") if p.kind == "positional" and any(q.kind == "either" for q in given[:i]) else p
        for i, p in enumerate(given)
    ]
    result = text(stub.ret_type, sources, names, unbound="never" if constructor else "any")
    own_name = getattr(definition, "name", "")
    result = result.replace(RECEIVER, "new(cls)" if receiver == "cls" else "self" if own_name in RETURN_SELF else "like(self)")
    return Way(receiver, tuple(given), result)


def _only_none(of: StubType) -> bool:
    return isinstance(get_proper_type(of), NoneType)


def iterated(stub: StubType) -> set[str]:
    """The parameters that are iterables to it, and no more: the call may consume them."""
    found = set()
    for item in stub.items if isinstance(stub, Overloaded) else [stub]:
        for name, of in zip(getattr(item, "arg_names", ()), getattr(item, "arg_types", ())):
            proper = get_proper_type(of)
            for each in proper.items if isinstance(proper, UnionType) else [proper]:
                each = get_proper_type(each)
                if name and name != "self" and isinstance(each, Instance) and each.type.fullname in ITERATED:
                    found.add(name)
    return found


def constant(node: Expression | None) -> str | None:
    """The text of a constant default; None where it is none."""
    if isinstance(node, (IntExpr, FloatExpr)):
        return repr(node.value)
    if isinstance(node, StrExpr):
        return repr(node.value)
    if isinstance(node, BytesExpr):
        return f"b'{node.value}'"
    if isinstance(node, NameExpr) and node.name in ("None", "True", "False"):
        return node.name
    if isinstance(node, UnaryExpr) and node.op == "-" and (inner := constant(node.expr)):
        return f"-{inner}"
    return "..." if isinstance(node, EllipsisExpr) else None


# -- overloads --------------------------------------------------------------------------------------------------------


def merged(found: list[Way]) -> list[Way]:
    """Join the overloads that one call could fit: which of them holds is decided by types, which the data does not have."""
    narrowed = [_without_none(way, found) for way in found]
    result: list[Way] = []
    for way in dict.fromkeys(narrowed):
        for at, other in enumerate(result):
            if (both := _join(other, way)) is not None:
                result[at] = both
                break
        else:
            result.append(way)
    result = _same_result(result)
    return result if len(result) in (1, len(found)) else merged(result)


def _same_result(found: list[Way]) -> list[Way]:
    """Join signatures of one result that differ in one or more keywords, or trailing parameters, which one of them lacks."""
    kept: list[Way] = []
    for way in found:
        for at, other in enumerate(kept):
            short, long = (other, way) if len(other.parameters) <= len(way.parameters) else (way, other)
            names = [p.name for p in short.parameters]
            extra = [p for p in long.parameters if p.name not in names]
            fits = [p.name for p in long.parameters if p not in extra] == names and all(
                p.kind == "keyword" or p in long.parameters[-1:] for p in extra
            )
            if other.result == way.result and other.receiver == way.receiver and fits:
                made = [p if p.name in names or p.default is not None else replace(p, default="None") for p in long.parameters]
                kept[at] = Way(way.receiver, tuple(made), way.result)
                break
        else:
            kept.append(way)
    return kept


def _without_none(way: Way, others: list[Way]) -> Way:
    """Drop a parameter `default: None = None` where another overload takes one of that name that is more than None."""

    def narrower(p: Given) -> bool:
        same = [q for other in others for q in other.parameters if q.name == p.name and other is not way]
        return p.only_none and p.default is not None and any(not q.only_none and q.default is None for q in same)

    return replace(way, parameters=tuple(p for p in way.parameters if not narrower(p)))


def _join(a: Way, b: Way) -> Way | None:
    """One signature for two, if one has the parameters of the other and perhaps more; None if no call fits both, or there is none such."""
    if a.receiver != b.receiver or not _overlap(a, b):
        return None
    short, long = (a, b) if len(a.parameters) <= len(b.parameters) else (b, a)
    wanted = {p.name: p for p in short.parameters}
    ours = [p.name for p in long.parameters if p.name in wanted]
    if ours != list(wanted):
        return None
    made = []
    for p in long.parameters:
        other = wanted.get(p.name)
        default = p.default if p.default not in (None, "...") else other.default if other and other.default else p.default
        if other is None and p.kind not in ("args", "kwargs"):
            default = default or "..."
        kind = p.kind if other is None or other.kind == p.kind else "either"
        made.append(replace(p, default=default, kind=kind, only_none=False))
    made = [
        replace(p, kind="either") if p.kind == "positional" and any(q.kind == "either" for q in made[:i]) else p for i, p in enumerate(made)
    ]
    late = False
    for at, p in enumerate(made):
        # A required parameter cannot follow an optional one.
        if p.kind in ("positional", "either"):
            if late and p.default is None:
                made[at] = replace(p, default="...")
            late = late or p.default is not None
    return Way(a.receiver, tuple(made), joined([a.result, b.result]))


def _overlap(a: Way, b: Way) -> bool:
    low, high = _arity(a), _arity(b)
    if max(low[0], high[0]) > min(low[1], high[1]):
        return False
    required = [{p.name for p in way.parameters if p.kind == "keyword" and p.default is None} for way in (a, b)]
    keywords = [{p.name for p in way.parameters if p.kind in ("keyword", "either", "kwargs")} for way in (a, b)]
    opened = [any(p.kind == "kwargs" for p in way.parameters) for way in (a, b)]
    return (required[0] <= keywords[1] or opened[1]) and (required[1] <= keywords[0] or opened[0])


def _arity(way: Way) -> tuple[int, Any]:
    places = [p for p in way.parameters if p.kind in ("positional", "either")]
    more = any(p.kind == "args" for p in way.parameters)
    return len([p for p in places if p.default is None]), float("inf") if more else len(places)
