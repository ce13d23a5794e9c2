"""What to call where no call is in sight: the compiled function itself, or the function or method that compiles it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from mxlint.verify.modules import Module
from mxlint.verify.sight import Claim
from mxlint.verify.units import DEFINITIONS, first_row

HINT = re.compile(r"#\s*mxlint:\s*inputs\((.*)\)\s*$")
_PART = re.compile(r"\s*(\w+)\s*=\s*(\w+)\s*(?:\[([^\]]*)\])?\s*(?:,|$)")
SCALARS = {"int": 2, "float": 0.5, "bool": True, "str": "", "None": None}
ARRAY_USES = frozenset(
    {
        "shape",
        "dtype",
        "astype",
        "reshape",
        "T",
        "ndim",
        "sum",
        "mean",
        "max",
        "min",
        "item",
        "tolist",
        "transpose",
        "flatten",
        "at",
        "square",
        "abs",
        "size",
    }
)


def order_for(claim: Claim, module: Module) -> dict[str, Any] | None:
    """How the child is to call what the claim is about, which is compiled in `module`; None where that cannot be told."""
    rows = [first for path, first, _ in claim.sites if path == module.path]
    for unit in module.units:
        node = unit.node
        if not any(first_row(node) <= row <= (node.end_lineno or node.lineno) for row in rows):
            continue
        if isinstance(node, ast.ClassDef):
            method = _method(node, rows)
            return None if method is None else _order(module, node.name, method)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return _order(module, node.name, node, plain=True)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            return {**_order(module, node.targets[0].id, _function(module, node.value), plain=True)}
    return None


def _order(module: Module, name: str, function: ast.AST | None, plain: bool = False) -> dict[str, Any]:
    hints, strings = {}, []
    if function is not None:
        hints = {**_annotations(function), **_hints(module, function)}
        strings = [part.value for part in ast.walk(function) if isinstance(part, ast.Constant) and isinstance(part.value, str)][:4]
    return {
        "name": name,
        "method": None if plain else getattr(function, "name", None),
        "hints": hints,
        "strings": strings,
        "scalars": [],
        "calls": 3,
        "varies": "",
    }


def unknown(module: Module, order: Mapping[str, Any]) -> list[str]:
    """Parameters of which nothing says that they are arrays."""
    function = next((node for node in ast.walk(ast.Module([unit.node for unit in module.units], [])) if _is_target(node, order)), None)
    if not isinstance(function, (ast.FunctionDef, ast.Lambda)):
        return []
    used = {
        part.value.id
        for part in ast.walk(function)
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.attr in ARRAY_USES
    }
    return [
        argument.arg
        for argument in (*function.args.args, *function.args.kwonlyargs)
        if argument.annotation is None and argument.arg not in order["hints"] and argument.arg not in used and argument.arg != "self"
    ]


def _is_target(node: ast.AST, order: Mapping[str, Any]) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == (order["method"] or order["name"])


def _method(node: ast.ClassDef, rows: list[int]) -> ast.FunctionDef | None:
    """The method to call for a site in a class: its own, or one that uses what __init__ compiles."""
    methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
    own = next((item for item in methods if any(first_row(item) <= row <= (item.end_lineno or 0) for row in rows)), None)
    if own is None or own.name != "__init__":
        return own
    kept = {
        target.attr
        for part in ast.walk(own)
        if isinstance(part, ast.Assign) and any(part.lineno <= row <= (part.end_lineno or 0) for row in rows)
        for target in part.targets
        if isinstance(target, ast.Attribute)
    }
    users = [
        item
        for item in methods
        if item is not own and any(isinstance(part, ast.Attribute) and part.attr in kept for part in ast.walk(item))
    ]
    return next(iter(users), None)


def _function(module: Module, value: ast.expr) -> ast.AST | None:
    """The function that `mx.compile(f)` names."""
    if isinstance(value, ast.Call) and value.args:
        if isinstance(value.args[0], ast.Lambda):
            return value.args[0]
        if isinstance(value.args[0], ast.Name):
            name = value.args[0].id
            return next((unit.node for unit in module.units if isinstance(unit.node, DEFINITIONS) and unit.node.name == name), None)
    return None


def _annotations(function: ast.AST) -> dict[str, Any]:
    """Shapes in annotations: `Float[Array, "B 512"]`."""
    found = {}
    for argument in getattr(getattr(function, "args", None), "args", []):
        if isinstance(argument.annotation, ast.Subscript):
            texts = [
                part.value for part in ast.walk(argument.annotation.slice) if isinstance(part, ast.Constant) and isinstance(part.value, str)
            ]
            kind = ast.unparse(argument.annotation.value).rpartition(".")[2]
            if len(texts) == 1 and kind in ("Float", "Int", "Bool", "Num", "Shaped"):
                dtype = {"Int": "int32", "Bool": "bool_"}.get(kind, "float32")
                found[argument.arg] = {"array": [_dimension(word) for word in texts[0].split() if word != "..."], "dtype": dtype}
    return found


def _hints(module: Module, function: ast.AST) -> dict[str, Any]:
    """`# mxlint: inputs(x=float32[B,512], step=int)` above a function or on a row of its head."""
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return {}
    found: dict[str, Any] = {}
    for row in range(max(1, first_row(function) - 1), function.body[0].lineno + 1):
        match = HINT.search(module.source.line(row))
        if match:
            found |= dict(_parts(match[1]))
    return found


def _parts(text: str) -> Iterator[tuple[str, Any]]:
    for name, kind, shape in _PART.findall(text):
        if kind in SCALARS and not shape:
            yield name, {"value": SCALARS[kind]}
        else:
            yield (
                name,
                {"array": [_dimension(word) for word in shape.split(",") if word.strip()], "dtype": "bool_" if kind == "bool" else kind},
            )


def _dimension(word: str) -> Any:
    word = word.strip()
    return int(word) if word.isdecimal() else word
