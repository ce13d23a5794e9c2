"""What data cannot say of a library, said in Python: modules under `python/` that the interpreter runs in place of the library's own.

A file is named like its module, and `__all__` says which names of the module it gives; of the others the data speaks.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from typing import Final

from mxlint.resources import Resource, resource
from mxlint.source import Source

FOLDER: Final = ("models", "python")
SAYS: Final = "mxlint.says"
"""The module from which they import what Python has no words for."""


@dataclass(frozen=True, slots=True)
class WrittenSource(Source):
    """The text of a module that is written for the interpreter: no file of the program."""

    @property
    def module(self) -> str:
        """The dotted name of the module."""
        return self.name[1:-1]


@cache
def _files() -> dict[str, Resource]:
    """The modules that are written, by dotted name."""
    return {file.name.removesuffix(".py"): file for file in resource(*FOLDER).iterdir() if file.name.endswith(".py")}


@cache
def written(module: str) -> WrittenSource | None:
    """The text that is written for a module of a library, by its canonical name; None for most."""
    file = _files().get(module)
    if file is None:
        return None
    data = file.read_bytes()
    return WrittenSource(None, f"<{module}>", data, data.decode("utf-8"))


@cache
def names(module: str) -> frozenset[str]:
    """The names of a module that are written."""
    source = written(module)
    if source is None:
        return frozenset()
    body = ast.parse(source.text).body
    (given,) = [node.value for node in body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"]
    return frozenset(ast.literal_eval(given))
