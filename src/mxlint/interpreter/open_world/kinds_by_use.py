"""Which parameters are used as nothing but arrays, dicts, texts or integers are.

`x.reshape(2, -1)` raises for anything but an array among what a compiled function may be given, `batch["tokens"]` for anything but a dict, `range(n)` for
anything but an integer. A use counts also where the parameter is handed on, and until the name is rebound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from mxlint.domain.members import NONE, Const, External, Ref, Tuple, Value
from mxlint.interpreter.calls.relevance import DEFINED_IN
from mxlint.interpreter.containers.elements import known_items
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.objects.annotations import dotted, named
from mxlint.interpreter.objects.lookup import CLASS, container
from mxlint.interpreter.open_world.handed_on import MAX_HANDED, handed_on
from mxlint.interpreter.open_world.mentions import (
    attributes_set,
    calls_in,
    first_binding,
    keeping,
    methods_of,
    nodes_in,
    own_attribute,
    positions,
)
from mxlint.models.load import model
from mxlint.models.mlx.array_parameters import array_parameters, only_of_arrays, only_of_dicts
from mxlint.models.mlx.traits import has_trait
from mxlint.syntax import ir


class Query(NamedTuple):
    """Whether the uses of a parameter of a function say that it is an "array", a "dict", a "text" or an "integer". `owner`: the object whose method the function is;
    `depth`: the functions through which the parameter may still be followed."""

    kind: str
    ref: Ref
    info: FunctionInfo
    name: str
    owner: Ref | None
    depth: int


class Kinds:
    """The answers that are found: by the kind, the function, the parameter, the owner and the depth."""

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: dict[tuple[str, int, str, int | None, int], bool] = {}


def is_array(i: Interpreter, ref: Ref, info: FunctionInfo, name: str, owner: Ref | None = None) -> bool:
    """Whether some use of a parameter is one that raises for anything but an array, among all that a compiled function may be given. What a name means
    that is rebound is asked up to there, the value that it is bound to included. `owner`: the object whose method the function is."""
    return _answer(i, Query("array", ref, info, name, owner, MAX_HANDED))


def is_dict(i: Interpreter, ref: Ref, info: FunctionInfo, name: str) -> bool:
    """Whether some use of a parameter is one that raises for anything but a dict, among all that a compiled function may be given: an item of a string, a
    method that nothing else has, its entries given as keywords."""
    return _answer(i, Query("dict", ref, info, name, None, MAX_HANDED))


def is_integer(i: Interpreter, ref: Ref, info: FunctionInfo, name: str) -> bool:
    """Whether some use of a parameter of host code is one that raises for anything but an integer: it is a bound of `range`, here, in a method of the object
    that keeps it, or where it is handed on. A parameter that is rebound, or of which something asks whether it is None or of a type, may be another thing."""
    return _answer(i, Query("integer", ref, info, name, None, MAX_HANDED))


def may_be_anything(i: Interpreter, ref: Ref, info: FunctionInfo, name: str) -> bool:
    """Whether something asks of which type a parameter is, so that what is done with it is done with one of several, or which of some texts it is, which an
    array is never."""
    return _asks_its_type(i, ref, info, name) or _answer(i, Query("text", ref, info, name, None, MAX_HANDED))


def _asks_its_type(i: Interpreter, ref: Ref, info: FunctionInfo, name: str) -> bool:
    return any(_asks_type(i, ref, call, name) for call in calls_in(i, info, name))


def _answer(i: Interpreter, query: Query) -> bool:
    """The answer to a query, which is looked for once."""
    known = i.ledger.of(Kinds).known
    key = (query.kind, query.ref.oid, query.name, None if query.owner is None else query.owner.oid, query.depth)
    if key not in known:
        known[key] = False  # what a recursion comes back to
        known[key] = _KINDS[query.kind](i, query)
    return known[key]


def _is_used(i: Interpreter, query: Query) -> bool:
    """Whether some node that mentions the parameter is such a use, before the name is rebound."""
    bound, uses = first_binding(query.info.node, query.name), _USES[query.kind]
    nodes = (node for node in nodes_in(query.info.node.body, query.name) if bound is None or node.end <= bound)
    return any((is_use := uses.get(type(node))) is not None and is_use(i, query, node) for node in nodes)


def _is_dict(i: Interpreter, query: Query) -> bool:
    return not _asks_its_type(i, query.ref, query.info, query.name) and _is_used(i, query)


def _is_integer(i: Interpreter, query: Query) -> bool:
    _, ref, info, name, _, _ = query
    if name in info.node.scope.bound or _is_asked(i, ref, info, name):
        return False
    for call in calls_in(i, info, name):
        if positions(call, name) and (_takes_integers(i, ref, call.func) or _is_handed_on(i, query, call)):
            return True
    kept = i.project.once(info.source).of(keeping, info.node).get(name, ())
    cls = i.heap.get(ref.oid, DEFINED_IN) if kept else None
    return isinstance(cls, Ref) and any(_keeps_integer(i, cls, ref, attribute) for attribute in sorted(kept))


_KINDS: Final[Mapping[str, Callable[[Interpreter, Query], bool]]] = {
    "array": _is_used, "dict": _is_dict, "text": _is_used, "integer": _is_integer,
}  # fmt: skip
"""How a query is answered, by its kind."""


def _is_handed_on(i: Interpreter, query: Query, call: ir.Call) -> bool:
    """Whether a call hands the parameter on to one that is used so. The owner stays the same where the method of one object calls another one of it."""
    handed = handed_on(i, query.ref, query.info, call, query.name) if query.depth else None
    if handed is None:
        return False
    owner = query.owner if query.owner is not None and own_attribute(query.info, call.func) else None
    further = query._replace(ref=handed.function, info=handed.info, owner=owner, depth=query.depth - 1)
    return any(_answer(i, further._replace(name=param)) for param in handed.params)


# -- uses by which a parameter is an array, a dict or a text ------------------------------------------------------------


def _is_it(query: Query, node: ir.Expr) -> bool:
    """Whether an expression is the parameter."""
    return isinstance(node, ir.Name) and node.id == query.name


def _has_array_attribute(i: Interpreter, query: Query, node: ir.Attr) -> bool:
    return _is_it(query, node.value) and only_of_arrays(node.name, i.table)


def _is_multiplied(i: Interpreter, query: Query, node: ir.Bin) -> bool:
    """`x @ w`."""
    return node.op == "@" and (_is_it(query, node.left) or _is_it(query, node.right))


def _is_cut(i: Interpreter, query: Query, node: ir.Sub) -> bool:
    """`x[:, 0]`."""
    return _is_it(query, node.value) and _cuts_axes(node.index)


def _takes_array(i: Interpreter, query: Query, call: ir.Call) -> bool:
    """Whether a call hands a parameter on to what takes nothing but an array."""
    given = positions(call, query.name)
    callee = named(i, query.ref, call.func) if given else None
    if isinstance(callee, External):
        arrays = array_parameters().get(callee.name, {})
        return any(keyword in arrays if keyword else number in arrays.values() for number, keyword in given)
    its_own = own_attribute(query.info, call.func) if given and query.owner is not None else ""
    if its_own and query.owner is not None and (0, None) in given and is_layer(i, i.heap.get(query.owner.oid, its_own) or NONE):
        return True
    return _is_handed_on(i, query, call)


def _has_dict_method(i: Interpreter, query: Query, node: ir.Attr) -> bool:
    return _is_it(query, node.value) and only_of_dicts(node.name)


def _has_text_key(i: Interpreter, query: Query, node: ir.Sub) -> bool:
    """`batch["tokens"]`."""
    return _is_it(query, node.value) and _is_text(node.index)


def _gives_keywords(i: Interpreter, query: Query, node: ir.Arg) -> bool:
    """`f(**batch)`."""
    return node.star == "**" and _is_it(query, node.value)


def _is_compared_with_texts(i: Interpreter, query: Query, node: ir.Compare) -> bool:
    """`kind == "sum"`, `kind not in KINDS`."""
    sides = (node.left, *node.rights)
    return any(
        op in ("==", "!=") and (_is_it(query, left) and _is_text(right) or _is_it(query, right) and _is_text(left))
        or op in ("in", "not in") and _is_it(query, left) and _holds_texts(i, query.ref, right)
        for left, op, right in zip(sides, node.ops, sides[1:])
    )  # fmt: skip


def _is_key_of_texts(i: Interpreter, query: Query, node: ir.Sub) -> bool:
    """`KINDS[kind]`."""
    return _is_it(query, node.index) and _holds_texts(i, query.ref, node.value)


def _is_matched_with_texts(i: Interpreter, query: Query, node: ir.Match) -> bool:
    return _is_it(query, node.subject) and any(
        isinstance(part, ir.ValuePattern) and _is_text(part.value) for case in node.cases for part in nodes_in(case.pattern)
    )


def _is_looked_up(i: Interpreter, query: Query, call: ir.Call) -> bool:
    """`KINDS.get(kind)`, or a call that hands the parameter on to what does such things."""
    is_get = isinstance(call.func, ir.Attr) and call.func.name == "get" and _holds_texts(i, query.ref, call.func.value)
    return is_get and (0, None) in positions(call, query.name) or _is_handed_on(i, query, call)


def _holds_texts(i: Interpreter, ref: Ref, node: ir.Expr) -> bool:
    """Whether all that is in a container, or all keys of a dict, are texts: one that is written there, or that a name means around the function."""
    if isinstance(node, ir.Seq):
        return bool(node.items) and all(map(_is_text, node.items))
    held = dotted(i, ref, node)
    if isinstance(held, Ref) and container(i, held) == "dict":
        found: tuple[Value, ...] | None = tuple(key for key, _ in i.heap.entries(held.oid))
    else:
        found = known_items(i, held) if isinstance(held, (Ref, Tuple)) else None
    return bool(found) and all(isinstance(item, Const) and isinstance(item.value, str) for item in found or ())


IsUse: TypeAlias = Callable[[Interpreter, Query, Any], bool]
"""Whether a node of the syntax is a use that a query asks for."""
_USES: Final[Mapping[str, Mapping[type[ir.Node], IsUse]]] = {
    "array": {ir.Attr: _has_array_attribute, ir.Bin: _is_multiplied, ir.Sub: _is_cut, ir.Call: _takes_array},
    "dict": {ir.Attr: _has_dict_method, ir.Sub: _has_text_key, ir.Arg: _gives_keywords, ir.Call: _is_handed_on},
    "text": {ir.Compare: _is_compared_with_texts, ir.Sub: _is_key_of_texts, ir.Match: _is_matched_with_texts, ir.Call: _is_looked_up},
}


def _cuts_axes(index: ir.Expr) -> bool:
    """Whether an index has a slice for one of several axes: a list or text raises for it, and no key of a dict holds a slice."""
    return isinstance(index, ir.Seq) and any(isinstance(item, ir.Slice) for item in index.items)


def _is_text(index: ir.Expr) -> bool:
    """Whether an index is a string."""
    return isinstance(index, ir.FString) or isinstance(index, ir.Const) and isinstance(index.value, str)


def is_layer(i: Interpreter, value: Value) -> bool:
    """Whether something is a layer of MLX, each of which takes arrays."""
    cls = i.heap.get(value.oid, CLASS) if isinstance(value, Ref) and i.info(value.oid).kind == "instance" else None
    return isinstance(cls, External) and cls.name.startswith("mlx.nn.") and not has_trait(cls.name, "calls what it holds")


# -- uses by which a parameter is an integer ---------------------------------------------------------------------------


def _keeps_integer(i: Interpreter, cls: Ref, setter: Ref, attribute: str) -> bool:
    """Whether the methods of a class use an attribute as an integer, and one alone sets it."""
    methods = list(methods_of(i, cls))
    if any(method != setter and attribute in i.project.once(its.source).of(attributes_set, its.node) for method, its in methods):
        return False
    calls = [(method, its, call) for method, its in methods for call in calls_in(i, its, "")]
    given = [(m, call) for m, its, call in calls if any(not a.star and own_attribute(its, a.value) == attribute for a in call.args)]
    return any(_takes_integers(i, method, call.func) for method, call in given)


def _takes_integers(i: Interpreter, ref: Ref, function: ir.Expr) -> bool:
    """Whether all arguments of a function of a library are integers."""
    found = dotted(i, ref, function)
    name = (
        f"builtins.{function.id}" if found is None and isinstance(function, ir.Name) else found.name if isinstance(found, External) else ""
    )
    described = model(name) if name else None
    return described is not None and bool(described.array) and all(use.word == "index" for use in described.array or ())


def _is_asked(i: Interpreter, ref: Ref, info: FunctionInfo, name: str) -> bool:
    """Whether something asks of a parameter whether it is None, or of which type it is."""
    if _asks_its_type(i, ref, info, name):
        return True
    tests = (
        part for part in nodes_in(info.node.body, name) if isinstance(part, ir.Compare) and any(op in ("is", "is not") for op in part.ops)
    )
    return any(isinstance(side, ir.Name) and side.id == name for part in tests for side in (part.left, *part.rights))


def _asks_type(i: Interpreter, ref: Ref, call: ir.Call, name: str) -> bool:
    """Whether a call asks of which type a parameter is."""
    is_builtin = isinstance(call.func, ir.Name) and call.func.id == "isinstance" and dotted(i, ref, call.func) is None
    return is_builtin and (0, None) in positions(call, name)
