"""Parameters without a call in sight: what they most likely are, and how sure that is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from mxlint.syntax import ir
from mxlint.tracing.call import CallInfo, node_of
from mxlint.tracing.machine import Machine
from mxlint.tracing.mlx.names import is_module_class
from mxlint.tracing.values import (
    MISSING,
    NONE,
    UNKNOWN,
    Array,
    BoundV,
    Choice,
    ClassV,
    CompiledV,
    External,
    Frame,
    FuncV,
    Instance,
    Lazy,
    Opaque,
    PartialV,
    Place,
    Scalar,
    Step,
    TransformV,
    Value,
    list_like,
)  # fmt: skip

_ARRAY_ATTRIBUTES = frozenset(
    [
        "shape",
        "dtype",
        "ndim",
        "size",
        "T",
        "astype",
        "reshape",
        "sum",
        "mean",
        "max",
        "min",
        "transpose",
        "swapaxes",
        "squeeze",
        "flatten",
        "argmax",
        "argmin",
        "item",
        "tolist",
        "at",
        "square",
        "exp",
        "log",
        "sqrt",
        "rsqrt",
        "abs",
        "any",
        "all",
        "var",
        "std",
        "prod",
        "split",
        "moveaxis",
        "cumsum",
    ]
)
_ARRAYS = re.compile(r"(?:typing\.)?(?:[Ll]ist|[Tt]uple|Sequence)\[(?:mx\.|mlx\.core\.)?array(?:, *\.\.\.)?\]")
"""Annotations of a sequence of arrays, of any length."""
_SCALARS = {"int": "int", "float": "float", "bool": "bool", "str": "str"}


def target_of(function: Value, depth: int = 4) -> tuple[FuncV | None, int, frozenset[str]]:
    """The function of the project under bound methods, partials and transforms; how many positional arguments are bound, and which names."""
    if isinstance(function, FuncV):
        return function, 0, frozenset()
    if depth:
        if isinstance(function, BoundV):
            found, bound, names = target_of(function.function, depth - 1)
            return found, bound + 1, names
        if isinstance(function, PartialV):
            found, bound, names = target_of(function.function, depth - 1)
            return found, bound + len(function.args), names | {name for name, _ in function.keywords}
        if isinstance(function, TransformV):
            return target_of(function.function, depth - 1)
        if isinstance(function, CompiledV):
            return target_of(function.record.function, depth - 1)
        if isinstance(function, Instance):
            from mxlint.tracing import attribute

            cls, method = attribute.class_attribute(function.cls, "__call__")
            if cls is not None and isinstance(method, FuncV):
                return method, 1, frozenset()
    return None, 0, frozenset()


def refine(m: Machine, function: Value, info: CallInfo, counter: list[int]) -> CallInfo:
    """Arguments of an unknown kind become placeholders where the body uses them as arrays only."""
    target, bound, _ = target_of(function)
    node = node_of(target) if target is not None else None
    if target is None or node is None or info.open:
        return info
    params = [p for p in node.params if not p.star][bound:]
    args = list(info.args)
    for number, (value, param) in enumerate(zip(args, params)):
        if isinstance(value, Opaque) and value is not UNKNOWN and shows_array(m, target, node, param.name):
            args[number] = _placeholder(m, info.places[number] if number < len(info.places) else info.place, counter, True)
    keywords = dict(info.keywords)
    for name, value in keywords.items():
        if isinstance(value, Opaque) and value is not UNKNOWN and shows_array(m, target, node, name):
            keywords[name] = _placeholder(m, info.place, counter, True)
    return replace(info, args=args, keywords=keywords)


def _placeholder(m: Machine, place: Place, counter: list[int], sure: bool) -> Array:
    number = counter[0]
    counter[0] += 1
    return m.array(True, None, Step(place, "parameter"), like=frozenset({number}), sure=sure)


def arguments(m: Machine, function: Value, frame: Frame, place: Place) -> CallInfo | None:
    """Arguments for a compiled function that is never seen called; made for a running trace. None when nothing is known of it."""
    target, bound, names = target_of(function)
    node = node_of(target) if target is not None else None
    if target is None or node is None:
        return None
    params = node.params[bound:] if bound else node.params
    plain = [p for p in params if not p.star and p.name not in names]
    counter = [0]
    keywords: dict[str, Value] = {}
    args: list[Value] = []
    places: list[Place] = []
    needed = [p for p in plain if p.default is None]
    alone = needed[0] if len(needed) == 1 else _leader(m, target, node, needed)
    for param in plain:
        where = Place(target.source, param.start, param.end)
        value = _presumed(m, target, node, param, param is alone, where, counter)
        if param.kwonly:
            keywords[param.name] = value
        else:
            args.append(value)
            places.append(where)
    is_open = any(p.star for p in params)
    return CallInfo(args, keywords, frame, place, places, {}, is_open, None)


def _leader(m: Machine, function: FuncV, node: ir.FuncDef | ir.Lambda, params: list[ir.Param]) -> ir.Param | None:
    """Where nothing shows which of several parameters is an array: the first that the body computes with, since one has to be."""
    if any(param.annotation is not None or shows_array(m, function, node, param.name) for param in params):
        return None
    computed = {name for kind, name in _uses(m, node) if kind == "operand"}
    return params[0] if params and params[0].name in computed else None


def _presumed(
    m: Machine, function: FuncV, node: ir.FuncDef | ir.Lambda, param: ir.Param, alone: bool, place: Place, counter: list[int]
) -> Value:
    text = function.source.text[param.annotation.start : param.annotation.end] if param.annotation is not None else ""
    optional = param.default is not None and isinstance(param.default, ir.Const) and param.default.value is None
    if text.strip("\"'") in _SCALARS:
        return Scalar(_SCALARS[text.strip("\"'")], MISSING, param=True)
    if _ARRAYS.fullmatch(text.strip("\"'")):
        return list_like(_placeholder(m, place, counter, True))
    if text and not ("array" in text and "list" not in text.lower() and "dict" not in text.lower() and "uple" not in text):
        return Opaque({"#param": True}, label=param.name)
    sure = bool(text) or shows_array(m, function, node, param.name) or (alone and param.default is None)
    if text and not sure:
        sure = True
    if param.default is not None and not optional:
        default = function.defaults.get(param.name, UNKNOWN)
        if isinstance(default, Scalar):
            return replace(default, content=MISSING, param=True)
        return Opaque({"#param": True}, label=param.name)
    value = _placeholder(m, place, counter, sure)
    return Choice((NONE, value)) if optional else value


def shows_array(m: Machine, function: FuncV, node: ir.FuncDef | ir.Lambda, name: str) -> bool:
    """Whether the body uses a parameter as only an array can be used."""
    for kind, found in _uses(m, node):
        if found != name:
            continue
        if kind == "array":
            return True
        if kind == "operand":
            continue
        if function.env is not None:
            from mxlint.tracing import attribute
            from mxlint.tracing.evaluate import lookup

            root, _, rest = kind.partition(".")
            _, value = lookup(m, root, function.env)
            for part in rest.split(".") if rest and not isinstance(value, External) else ():
                value = value.fields.get(part, UNKNOWN) if isinstance(value, (Instance, Opaque)) else UNKNOWN
            if isinstance(value, External) and f"{value.name}.{rest}".startswith(("mlx.core.", "mlx.nn.")):
                return True
            if attribute.is_module(value):
                return True  # a layer takes arrays
    return False


def _uses(m: Machine, node: ir.FuncDef | ir.Lambda) -> tuple[tuple[str, str], ...]:
    """The uses of names in a body, found once."""
    known = m.uses.get(id(node))
    if known is None:
        known = m.uses[id(node)] = _find_uses(node)
    return known


def _find_uses(node: ir.FuncDef | ir.Lambda) -> tuple[tuple[str, str], ...]:
    """Uses of names: ("array", name) for uses that only arrays have, ("operand", name) in arithmetic, (dotted callee, name) for arguments."""
    found: list[tuple[str, str]] = []
    for part in walk(node.body):
        if isinstance(part, ir.Attr) and isinstance(part.value, ir.Name) and part.name in _ARRAY_ATTRIBUTES:
            found.append(("array", part.value.id))
        elif isinstance(part, ir.Bin):
            kind = "array" if part.op == "@" else "operand"
            found += [(kind, side.id) for side in (part.left, part.right) if isinstance(side, ir.Name)]
        elif isinstance(part, ir.Sub) and isinstance(part.value, ir.Name) and isinstance(part.index, ir.Seq):
            if any(isinstance(i, ir.Slice) or isinstance(i, ir.Const) and i.value in (None, ...) for i in part.index.items):
                found.append(("array", part.value.id))
        elif isinstance(part, ir.Call):
            callee = _dotted(part.func)
            if callee is not None and part.args and isinstance(part.args[0].value, ir.Name):
                found.append((callee, part.args[0].value.id))
    return tuple(found)


def _dotted(node: ir.Expr) -> str | None:
    parts: list[str] = []
    while isinstance(node, ir.Attr):
        parts.append(node.name)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ir.Name) else None


def walk(node: Any) -> Iterator[ir.Node]:
    """A node, or those of a tuple, and all that is in them, outermost first."""
    if isinstance(node, tuple):
        for item in node:
            yield from walk(item)
    elif isinstance(node, ir.Node):
        yield node
        kind: Any = type(node)
        for part in _parts(kind):
            yield from walk(getattr(node, part))


@cache
def _parts(kind: Any) -> tuple[str, ...]:
    """The fields of a kind of node that may hold other nodes."""
    return tuple(field for field in kind.__match_args__ if field not in ("start", "end"))


def host_value(m: Machine, function: FuncV, param: ir.Param) -> Value:
    """A parameter of a function that host mode enters without a call in sight."""
    text = function.source.text[param.annotation.start : param.annotation.end].strip("\"'") if param.annotation is not None else ""
    if text in _SCALARS:
        return Scalar(_SCALARS[text])
    if text in ("mx.array", "array", "mlx.core.array"):
        return m.array(False)
    if _ARRAYS.fullmatch(text):
        return list_like(m.array(False))
    typed = by_annotation(m, function, param, UNKNOWN)
    if typed is not UNKNOWN:
        return typed
    default = function.defaults.get(param.name)
    if isinstance(default, Scalar):
        return Choice((NONE, Opaque(label=param.name))) if default.kind == "None" else replace(default, content=MISSING)
    return Opaque(label=param.name)


def by_annotation(m: Machine, function: FuncV, param: ir.Param, value: Value) -> Value:
    """What an annotation says of an unknown value: an object of a layer of the project, a module, an optimizer."""
    from mxlint.tracing.evaluate import evaluate

    if function.env is None or not isinstance(param.annotation, (ir.Name, ir.Attr)):
        return value
    waiting = function.env.module.fields.get(param.annotation.id) if function.env.module and isinstance(param.annotation, ir.Name) else None
    if isinstance(waiting, Lazy) and waiting.decorated:
        return value  # the many dataclasses of settings are no modules, and need not be made to know it
    held, m.trace = m.trace, None
    try:
        cls = evaluate(m, param.annotation, function.env)
    finally:
        m.trace = held
    if isinstance(cls, ClassV) and any(isinstance(base, External) and is_module_class(base.name) for base in cls.bases):
        return m.sample(cls, function.env)
    if isinstance(cls, External) and (is_module_class(cls.name) or cls.name.startswith("mlx.optimizers.")):
        return Opaque({"#module" if is_module_class(cls.name) else "#optimizer": True}, label=param.name)
    return value
