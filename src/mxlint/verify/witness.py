"""Only the offending construct: the flagged expression, with its names bound to placeholders, in the smallest program of its family.

It shows the mechanism and not the user's code, so it never decides anything.
"""

from __future__ import annotations

import ast
import builtins
import sys
from dataclasses import dataclass, replace
from typing import Any

from mxlint.verify.comparison import Claim
from mxlint.verify.modules import Module

PLACE = "witness.py"


@dataclass(frozen=True, slots=True)
class Form:
    """The smallest program of a rule; `{mark}` is the flagged expression. `driven`: it says what to call, and does not do so; `bare`: the expression
    need not name anything; `compiles`: a compiled object stands for it. `value`: what its names hold, in a program with two states."""

    text: str
    driven: bool = True
    bare: bool = False
    compiles: bool = False
    value: str = "mx.array({number}.0)"


HEAD = "import mlx.core as mx\n{imports}\n\n"
CALLED = Form(HEAD + "@mx.compile\ndef witness({parameters}):\n    return {mark}\n")
TESTED = Form(HEAD + "@mx.compile\ndef witness({parameters}):\n    if {mark}:\n        return 1\n    return 0\n")
SHAPELESS = Form(HEAD + "def witness({parameters}):\n    return {mark}\n\n\nwitness = mx.compile(witness, shapeless=True)\n")
_STATE = HEAD + (
    "{first}\n\n\n@mx.compile\ndef witness(x):\n    return x + {mark}\n\n\nx = mx.ones((8, 8))\nwitness(x)\n{second}\nwitness(x)\n"
)
OF_ARRAYS = Form(_STATE, driven=False)
OF_NUMBERS = Form(_STATE, driven=False, value="{number}.0")
DRAWN = Form(
    HEAD + "@mx.compile\ndef witness(x):\n    return x + {mark}\n\n\nx = mx.array(1.0)\nwitness(x)\nwitness(x)\nwitness(x)\n",
    driven=False,
    bare=True,
)
AGAIN = Form(HEAD + "x = mx.ones((8, 8))\nfor turn in range(4):\n    {mark}(x)\n", driven=False, bare=True, compiles=True)

COMPILED = "mx.compile(lambda x: mx.tanh(x) * 2)"
ARRAYS = frozenset(
    {
        "shape", "dtype", "ndim", "size", "T", "item", "tolist", "astype", "reshape", "transpose", "flatten", "unflatten", "sum", "mean", "max", "min",
        "prod", "std", "var", "all", "any", "argmax", "argmin", "abs", "exp", "log", "sqrt", "square", "squeeze", "split", "at", "itemsize", "nbytes",
        "moveaxis", "swapaxes", "cumsum", "round", "logsumexp", "real", "imag",
    }
)  # fmt: skip
"""Attributes of arrays: whatever has them may be a placeholder, and they are what is called or read of it."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A program with the claim about it. `parameters`: what takes the place of the flagged expression's names."""

    text: str
    claim: Claim
    parameters: tuple[str, ...]
    driven: bool


def witness(claim: Claim, module: Module, form: Form) -> Witness | None:
    """The core of a claim; None where its expression does not stand for itself."""
    core = _Core(module)
    try:
        text = COMPILED if form.compiles else ast.unparse(core.visit(ast.parse(claim.text.strip(), mode="eval").body))
    except (SyntaxError, ValueError, RecursionError):
        return None
    names = tuple(dict.fromkeys(core.placeholders))
    if not names and not form.bare:
        return None
    filled = form.text.format(
        imports="\n".join(dict.fromkeys(core.imports)),
        parameters=", ".join(names),
        mark="{mark}",
        first="\n".join(f"{name} = {form.value.format(number=1)}" for name in names),
        second="\n".join(f"{name} = {form.value.format(number=2)}" for name in names),
    )
    before, _, after = filled.partition("{mark}")
    row, column = before.count("\n") + 1, len(before) - before.rfind("\n") - 1
    site = row if form.compiles else next(number for number, line in enumerate(filled.splitlines(), 1) if "mx.compile" in line)
    moved = replace(
        claim,
        place=PLACE,
        start=(row, column),
        end=(row, column + len(text)),
        sites=((PLACE, site, site),),
        names=frozenset(names),
        text=text,
    )
    return Witness(before + text + after, moved, names, form.driven)


class _Core(ast.NodeTransformer):
    """An expression without what only the program has: its own names, attributes and calls become placeholders."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.imports: list[str] = []
        self.placeholders: list[str] = []

    def visit_Call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Attribute) and node.func.attr in ARRAYS or self._known(node.func):
            return self.generic_visit(node)
        return self._placeholder(node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        if self._known(node):
            return self.generic_visit(node)
        if node.attr in ARRAYS:
            node.value = self.visit(node.value)
            return node
        return self._placeholder(node)

    def visit_Name(self, node: ast.Name) -> Any:
        if self._known(node):
            if node.id in self.module.outside:
                self.imports.append(self._import(node.id))
            return node
        return self._placeholder(node)

    def _known(self, node: ast.expr) -> bool:
        """Whether an expression begins with something that any program may import, or with a builtin."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if not isinstance(node, ast.Name):
            return False
        root = self.module.outside.get(node.id, "").partition(".")[0]
        own = any(node.id in unit.binds for unit in self.module.units if node.id not in self.module.outside)
        return (
            root in ("mlx", "numpy")
            or root in sys.stdlib_module_names
            and bool(root)
            or not own
            and not root
            and hasattr(builtins, node.id)
        )

    def _import(self, name: str) -> str:
        """The import statement of a name, as the module has it."""
        for unit in self.module.units:
            for node in ast.walk(unit.node):
                if isinstance(node, (ast.Import, ast.ImportFrom)):
                    for alias in node.names:
                        if (alias.asname or alias.name.partition(".")[0]) == name:
                            kept = ast.Import([alias]) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, [alias], node.level)
                            return ast.unparse(kept)
        return f"import {name}"

    def _placeholder(self, node: ast.expr) -> ast.Name:
        words = [
            part.attr if isinstance(part, ast.Attribute) else part.id
            for part in ast.walk(node)
            if isinstance(part, (ast.Attribute, ast.Name))
        ]
        name = "_".join(word.strip("_") for word in reversed(words[:3])) or "value"
        name = name if name.isidentifier() and not hasattr(builtins, name) and name not in ("mx", "x", "witness") else f"{name}_value"
        self.placeholders.append(name)
        return ast.Name(name, ast.Load())
