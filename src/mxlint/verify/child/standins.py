"""What takes the place of a part of the program that cannot be had: a small module, an optimizer, a function, settings.

Each counts as replaced from the moment it is handed out; a step of a finding's chain that lies in one confirms nothing.
"""

from __future__ import annotations

import ast
import glob
import importlib
import itertools
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import mlx.core as mx

from .uses import Uses, kind_of, merge, uses

nn: Any = importlib.import_module("mlx.nn")
optim: Any = importlib.import_module("mlx.optimizers")

WIDTH = 8
replaced: dict[str, str] = {}
"""The names of the program that hold a stand-in, and what it is in words."""
handed: list[Any] = []
"""The stand-ins themselves."""
failed: list[BaseException] = []
"""What the statements raised that others took the place of."""


class Module(nn.Module):  # type: ignore[misc, unused-ignore]
    """Parameters, a state, and a result that depends on both, of the shape that it is given: whole numbers are looked up."""

    def __init__(self, results: int, parts: Sequence[str]) -> None:
        super().__init__()
        self.weight = mx.eye(WIDTH) + (mx.arange(WIDTH * WIDTH) % 7 - 3).reshape(WIDTH, WIDTH) / 20
        self.results = results
        for name in parts:
            if not hasattr(nn.Module, name):
                setattr(self, name, Module(1, ()))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = next(arrays([args, kwargs]), None)
        if found is None:
            result = mx.sum(self.weight)
        elif not mx.issubdtype(found.dtype, mx.floating):
            result = self.weight[found % WIDTH]
        elif found.ndim and found.shape[-1] == WIDTH:
            result = found @ self.weight
        else:
            result = found * mx.mean(self.weight)
        return result if self.results == 1 else (result, *[mx.mean(result)] * (self.results - 1))


class Function:
    """A function of anything: one number that depends on every array and module that it is given, or its first array unchanged."""

    def __init__(self, reduces: bool) -> None:
        self.reduces = reduces

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = list(arrays([args, kwargs]))
        found += [part(*found) for part in args if isinstance(part, nn.Module)]
        if not self.reduces:
            return found[0] if found else None
        return sum((mx.mean(item * 1.0) for item in found), mx.array(0.0))


class Settings:
    """Attributes and entries by name, as deep as the program asks for them."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        vars(self).update(values)

    def __getitem__(self, name: str) -> Any:
        return vars(self)[name]

    def __contains__(self, name: str) -> bool:
        return name in vars(self)

    def get(self, name: str, default: Any = None) -> Any:
        return vars(self).get(name, default)


def arrays(value: Any) -> Iterator[mx.array]:
    """The arrays in a value: itself, or those in lists, tuples and dicts."""
    if isinstance(value, mx.array):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from arrays(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from arrays(item)


KINDS: dict[str, str] = {
    "array": "an array", "module": "a small nn.Module", "optimizer": "a real Adam", "function": "a function of its arrays", "settings": "made-up settings",
}  # fmt: skip


def make(spec: Mapping[str, Any], name: str) -> Any:
    """The stand-in that a spec asks for, as the value of `name`."""
    kind = spec["stand_in"]
    replaced[name] = KINDS[kind]
    made: Any
    if kind == "array":
        made = mx.array(mx.eye(WIDTH) + (mx.arange(WIDTH * WIDTH) % 7 - 3).reshape(WIDTH, WIDTH) / 20)
        mx.eval(made)
    elif kind == "module":
        made = Module(spec.get("results", 1), spec.get("parts", ()))
    elif kind == "optimizer":
        made = optim.Adam(learning_rate=0.01)
    elif kind == "function":
        made = Function(spec.get("reduces", True))
    else:
        made = settings(spec["tree"], spec["variant"], spec["known"], spec["path"])
    handed.append(made)
    return made


def settings(tree: Mapping[str, Any], variant: int, known: Mapping[str, Sequence[str]], path: str) -> Settings:
    """An object with the attributes of a tree, which stand in for settings. `known`: the kinds that uses leave, by dotted name; `variant`: which of them."""
    return Settings(
        {
            name: settings(inner, variant, known, f"{path}.{name}") if inner else leaf(known.get(f"{path}.{name}", ()), variant)
            for name, inner in tree.items()
        }
    )


LEAVES: Mapping[str, Sequence[Any]] = {
    "int": (WIDTH, 1, 2),
    "whole": (WIDTH, 1, 2),
    "float": (0.5, 1.0, None),
    "bool": (False, True, False),
    "shape": ([WIDTH], WIDTH, None),
}
"""Settings of each kind that a use may ask for, by variant."""
VARIANTS = 3


def leaf(kinds: Sequence[str], variant: int) -> Any:
    """A setting by what is done with it: a size, a fraction, a switch; where nothing tells, a number that may be either."""
    return next((LEAVES[kind][variant] for kind in kinds if kind in LEAVES), (WIDTH, 0.5, None)[variant])


def specs(
    name: str, found: Uses, tree: Mapping[str, Any], kind: str | None = None, of: Mapping[str, Uses] | None = None
) -> list[dict[str, Any]]:
    """Stand-ins that may do for a name, the likeliest first. `tree`: the attributes that the program reads below it; `kind`: what it is known to
    be; `of`: what is done with each chain of attributes."""
    parts = [part for part in found.attributes if not hasattr(nn.Module, part)]
    known = {path: tuple(each.kinds) for path, each in (of or {}).items() if path.startswith(f"{name}.")}
    count = found.results
    every: dict[str, list[dict[str, Any]]] = {
        "module": [{"stand_in": "module", "results": results, "parts": parts} for results in dict.fromkeys((count, 1, 2))],
        "optimizer": [{"stand_in": "optimizer"}],
        "function": [{"stand_in": "function", "reduces": reduces} for reduces in (True, False)],
        "settings": [
            {"stand_in": "settings", "tree": tree, "variant": variant, "known": known, "path": name} for variant in range(VARIANTS)
        ]
        if tree
        else [],
    }
    kind = kind or kind_of(found)
    if kind is None:
        return every["settings"]
    return [
        *every[kind],
        *itertools.chain(*(found for other, found in every.items() if other != kind and other in ("settings", "function"))),
    ]


def or_stand_in(names: Sequence[str], kind: str | None, attempt: Callable[[], Any], trees: Mapping[str, Any], root: str) -> Any:
    """What a statement of the program gives to `names`, or stand-ins where it cannot be had here; `kind`: what it is known to be."""
    try:
        return attempt()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it raises: files, downloads, modules that are not there, a command line
        failed.append(error)
        made = [make(_likeliest(name, kind, trees.get(name, {}), root), name) for name in names]
        return made[0] if len(made) == 1 else made


def _likeliest(name: str, kind: str | None, tree: Mapping[str, Any], root: str) -> dict[str, Any]:
    if kind == "array":
        return {"stand_in": kind}
    found = program(root).get(name, Uses())
    found.attributes.update(dict.fromkeys(tree))
    return next(iter(specs(name, found, tree, of=program(root))), {"stand_in": "module"})


def imported(tree: ast.AST) -> dict[str, Any]:
    """The parts of MLX that a file imports, by the names that it gives them."""
    found: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] == "mlx":
                    found[alias.asname or "mlx"] = sys.modules.get(alias.name if alias.asname else "mlx")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "mlx":
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found[alias.asname or alias.name] = sys.modules.get(whole) or getattr(sys.modules.get(node.module or ""), alias.name, None)
    return found


@lru_cache
def program(root: str) -> dict[str, Uses]:
    """What the files of the program do with each name, whatever it is there."""
    merged: dict[str, Uses] = {}
    for file in glob.iglob(os.path.join(root, "**", "*.py"), recursive=True):
        try:
            with open(file, encoding="utf-8") as stream:
                tree = ast.parse(stream.read())
        except (OSError, SyntaxError, ValueError):
            continue
        for name, found in uses(tree, imported(tree), lambda _: None).items():
            merge(merged.setdefault(name, Uses()), found)
    return merged


def or_left_out(name: str | None, attempt: Callable[[], Any]) -> None:
    """A statement that gives no name a value; where it cannot be run, what it does to `name` is missing."""
    try:
        attempt()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - as above
        failed.append(error)
        if name is not None:
            replaced[name] = "what it is without a call that cannot be made here"
