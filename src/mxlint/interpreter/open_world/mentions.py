"""Where a function mentions a name: the nodes of its body, its calls, and the attributes of its own object that keep what the name holds.

In `def __init__(self, model): self.net = model`, the attribute `net` keeps what `model` holds, so what a method does with `self.net` is a use of `model`. Only the
text of the function is asked here, not what runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mxlint.domain.members import Ref, members
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.syntax import ir


def is_local(info: FunctionInfo, node: ir.Expr) -> bool:
    """Whether a dotted name begins with a variable of a function."""
    while isinstance(node, ir.Attr):
        node = node.value
    return isinstance(node, ir.Name) and (node.id in info.node.scope.bound or any(param.name == node.id for param in info.node.params))


def positions(call: ir.Call, name: str) -> list[tuple[int, str | None]]:
    """Where a call is given a variable: the number of the argument, and its name."""
    return [
        (number, arg.name)
        for number, arg in enumerate(call.args)
        if not arg.star and isinstance(arg.value, ir.Name) and arg.value.id == name
    ]


def attributes_of(node: ir.FuncDef | ir.Lambda, name: str) -> set[str]:
    """The attributes that a body reads of what a name holds."""
    return {
        part.name
        for part in nodes_in(node.body, name)
        if isinstance(part, ir.Attr) and isinstance(part.value, ir.Name) and part.value.id == name
    }


def first_binding(node: ir.FuncDef | ir.Lambda, name: str) -> int | None:
    """Where the statement ends that binds a parameter anew whatever is true, the first in the text; None if none does."""
    if name not in node.scope.bound or isinstance(node, ir.Lambda):
        return None
    ends = [
        part.end
        for part in node.body
        if isinstance(part, ir.Assign) and any(isinstance(target, ir.Name) and target.id == name for target in nodes_in(part.targets))
    ]
    return min(ends, default=None)


def own_attribute(info: FunctionInfo, node: ir.Expr) -> str:
    """The name of an attribute of the own object of a method; "" of anything else."""
    params = info.node.params
    own = isinstance(node, ir.Attr) and isinstance(node.value, ir.Name) and bool(params) and node.value.id == params[0].name
    return node.name if own and isinstance(node, ir.Attr) else ""


def keeping(node: ir.FuncDef | ir.Lambda) -> dict[str, set[str]]:
    """The attributes of its own object that a method sets to what a name holds, by name."""
    kept: dict[str, set[str]] = {}
    if isinstance(node, ir.Lambda) or not node.params:
        return kept
    for part in nodes_in(node.body):
        if not isinstance(part, ir.Assign) or part.value is None:
            continue
        for target, name in _kept_in(part.targets, part.value):
            if isinstance(target, ir.Attr) and isinstance(target.value, ir.Name) and target.value.id == node.params[0].name:
                kept.setdefault(name, set()).add(target.name)
    return kept


def _kept_in(targets: Sequence[ir.Expr], value: ir.Expr) -> Iterator[tuple[ir.Expr, str]]:
    """The targets of an assignment with the names that each may be given: of a display each item by itself."""
    for target in targets:
        items = target.items if isinstance(target, ir.Seq) else ()
        shown = value.items if isinstance(value, ir.Seq) else ()
        if items and len(items) == len(shown) and not any(isinstance(part, ir.Starred) for part in (*items, *shown)):
            for inner, part in zip(items, shown):
                yield from _kept_in((inner,), part)
        else:
            yield from ((target, name) for name in _names(value))


def _names(value: ir.Expr) -> Iterator[str]:
    """The names that an expression may give as they are: `x`, `x or made()`, `load(x) if isinstance(x, str) else x`."""
    if isinstance(value, ir.Name):
        yield value.id
    elif isinstance(value, ir.IfExp):
        yield from (*_names(value.body), *_names(value.orelse))
    elif isinstance(value, ir.BoolOp):
        yield from (*_names(value.left), *_names(value.right))


def attributes_set(node: ir.FuncDef | ir.Lambda) -> frozenset[str]:
    """The attributes of its own object that a method sets."""
    assigned = [part for part in nodes_in(node.body) if isinstance(part, ir.Assign)] if node.params else []
    return frozenset(
        target.name
        for part in assigned
        for target in nodes_in(part.targets)
        if isinstance(target, ir.Attr) and isinstance(target.value, ir.Name) and target.value.id == node.params[0].name
    )


def attributes_bound(node: ir.FuncDef | ir.Lambda) -> frozenset[str]:
    """The attributes of its own object that a method binds, and not only what lies in them."""
    first = node.params[0].name if node.params else None
    todo = [target for part in nodes_in(node.body) if isinstance(part, ir.Assign) for target in part.targets]
    found: set[str] = set()
    while todo:
        target = todo.pop()
        if isinstance(target, ir.Seq):
            todo += target.items
        elif isinstance(target, ir.Attr) and isinstance(target.value, ir.Name) and target.value.id == first:
            found.add(target.name)
    return frozenset(found)


def calls_in(i: Interpreter, info: FunctionInfo, name: str) -> tuple[ir.Call, ...]:
    """The calls in a function and in those within it, but for those within in which the name of the parameter means something else."""
    once = i.project.once(info.source)
    return once.of(_calls_with, info.node, name if name in once.of(_bound_within, info.node) else "")


def _calls_with(node: ir.FuncDef | ir.Lambda, name: str) -> tuple[ir.Call, ...]:
    """The calls of `nodes_in`."""
    return tuple(part for part in nodes_in(node.body, name) if isinstance(part, ir.Call))


def _bound_within(node: ir.FuncDef | ir.Lambda) -> frozenset[str]:
    """The names that functions within a function bind."""
    inner = [part for part in nodes_in(node.body) if isinstance(part, (ir.FuncDef, ir.Lambda))]
    return frozenset(name for part in inner for name in (*part.scope.bound, *(param.name for param in part.params)))


def nodes_in(node: object, name: str = "") -> Iterator[ir.Node]:
    """A node with all that lies in it, but for the functions in it in which a name means something else."""
    todo: list[object] = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, (ir.FuncDef, ir.Lambda)) and (name in part.scope.bound or any(param.name == name for param in part.params)):
            continue
        if isinstance(part, ir.Node):
            yield part
            todo += part.inner()
        elif isinstance(part, (tuple, list)):
            todo += part


def methods_of(i: Interpreter, cls: Ref) -> Iterator[tuple[Ref, FunctionInfo]]:
    """The methods that a class defines."""
    for value in i.heap.fields(cls.oid).values():
        for member in members(value):
            if isinstance(member, Ref) and isinstance(info := i.info(member.oid).payload, FunctionInfo):
                yield member, info
