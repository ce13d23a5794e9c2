"""The change that a claim says comes between two calls, made by hand: after the program, a compiled function is called as it was last called,
what it reads is given another value, and it is called again. There are two ways to change a value: of `min(decay, 0.99)` only the second shows."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import mlx.core as mx
from mlx.utils import tree_map

from . import observe, standins

nn = standins.nn
Other = Callable[[Any], Any]
"""What gives another value of the same kind for one; None where it cannot be told what that is."""


def between(observer: observe.Observer, order: Mapping[str, Any]) -> list[str]:
    """Call, change, call; returns what was changed. `order`: `names` as the function reads them, the `file` that it does it in,
    and the `way` to change them."""
    other = WAYS[order["way"]]
    changed: list[str] = []
    for number, (fun, args, kwargs) in list(observer.last.items()):
        made = observer.objects[number]
        scopes = _scopes(observer, made.function() if made.function is not None else None, order["file"])
        for turn in range(2):
            if turn and not (done := [name for name in order["names"] if any(_change(name, scope, other) for scope in scopes)]):
                break
            changed += done if turn else []
            with suppress(Exception):  # it is noted
                observer.called(made, fun, args, kwargs)
    return changed


def _scopes(observer: observe.Observer, target: Any, file: str) -> list[dict[str, Any]]:
    """Where names are looked up, the nearest first."""
    found: list[dict[str, Any]] = []
    if isinstance(target, types.MethodType):
        found.append({"self": target.__self__})
        target = target.__func__
    elif target is not None and not isinstance(target, types.FunctionType):
        found.append({"self": target})
    if isinstance(target, types.FunctionType):
        cells = zip(target.__code__.co_freevars, target.__closure__ or ())
        found += [{name: cell} for name, cell in cells]
        found.append(target.__globals__)
    for module in list(sys.modules.values()):
        if observe.relative(str(getattr(module, "__file__", None) or ""), observer.root) == file:
            found.append(vars(module))
    return found


def _change(text: str, scope: dict[str, Any], other: Other) -> bool:
    """Give what an expression names another value, if the name that it begins with is in a scope."""
    node = ast.parse(text, mode="eval").body
    root: ast.expr = node
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    if not isinstance(root, ast.Name) or root.id not in scope:
        return False
    held = {name: value.cell_contents if isinstance(value, types.CellType) else value for name, value in scope.items()}
    try:
        value = _evaluated(node, held)
        new = other(value)
        if new is None:
            return False
        if isinstance(node, ast.Attribute):
            setattr(_evaluated(node.value, held), node.attr, new)
        elif isinstance(node, ast.Subscript):
            _evaluated(node.value, held)[_evaluated(node.slice, held)] = new
        elif isinstance(scope[root.id], types.CellType):
            scope[root.id].cell_contents = new
        elif new is not value:
            scope[root.id] = new
    except Exception:  # noqa: BLE001 - whatever it raises, it cannot be changed
        return False
    return True


def _evaluated(node: ast.expr, names: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(node), "<change>", "eval"), dict(names))


def more(value: Any) -> Any:
    """A larger value for one that is positive, the other one for a flag; None where there is none."""
    if isinstance(value, mx.array):
        if value.dtype == mx.bool_:
            return mx.logical_not(value)
        return value * 2 + 1 if mx.issubdtype(value.dtype, mx.inexact) else value + 1
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else value * 2 + 1 if isinstance(value, float) else None


def opposite(value: Any) -> Any:
    """What is on the other side of zero from a larger value; None where there is no such side."""
    if isinstance(value, mx.array):
        return -more(value) if value.dtype != mx.bool_ and not mx.issubdtype(value.dtype, mx.unsignedinteger) else None
    return None if isinstance(value, bool) or not isinstance(value, (int, float)) else -more(value)


def _throughout(change: Other) -> Other:
    """The change made to a value, or to all in it; None where it changes nothing. Modules, lists and dicts are changed in place."""

    def other(value: Any) -> Any:
        if isinstance(value, nn.Module):
            value.update(tree_map(lambda item: item if (new := other(item)) is None else new, value.parameters()))
            return value
        if isinstance(value, (list, dict)):
            pairs = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
            found = [(key, new) for key, item in pairs if (new := other(item)) is not None]
            for key, new in found:
                value[key] = new
            return value if found else None
        new = change(value)
        if isinstance(new, mx.array):
            mx.eval(new)
        return new

    return other


WAYS: dict[str, Other] = {"more": _throughout(more), "opposite": _throughout(opposite)}
"""How what is read is changed, in the order in which that is tried."""
