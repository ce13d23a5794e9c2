"""The piece of the user's program as modules: its entry run as a script, the rest imported from where it was laid out."""

from __future__ import annotations

import ast
import os
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any

from . import loops


class Namespaces:
    """The global names of the program's modules."""

    def __init__(self, root: str, numbered: bool = False) -> None:
        """`numbered`: loops ask for their items, so that their turns can be timed."""
        self.root = root + os.sep
        self.numbered = numbered
        if numbered:
            loops.imported(root)
        self.main = types.ModuleType("__main__")

    def modules(self) -> dict[str, types.ModuleType]:
        modules = {"__main__": self.main}
        for name, module in list(sys.modules.items()):
            if module is not self.main and str(getattr(module, "__file__", None) or "").startswith(self.root):
                modules[name] = module
        return modules

    def names(self) -> dict[str, dict[str, Any]]:
        return {
            name: {key: value for key, value in list(vars(module).items()) if not key.startswith("__")}
            for name, module in self.modules().items()
        }

    def parsed(self, entry: Mapping[str, str]) -> tuple[str, ast.Module]:
        path = os.path.join(self.root, entry["file"])
        with open(path, encoding="utf-8") as file:
            text = file.read()
        return path, loops.numbered(text, entry["file"]) if self.numbered else ast.parse(text)

    def from_end(self, entry: Mapping[str, str], first: int, last: int) -> tuple[int, int]:
        """The statements of the entry from one row to another, counted from its end, where a fix changes nothing."""
        body = self.parsed(entry)[1].body
        numbers = [number for number, node in enumerate(body) if first <= (node.end_lineno or node.lineno) and node.lineno <= last]
        return min(numbers) - len(body), max(numbers) - len(body)

    def again(self, entry: Mapping[str, str], first: int, last: int) -> Callable[[], None]:
        """Statements of the entry, counted from its end, to be run as often as wanted; what they define stays as it is."""
        path, tree = self.parsed(entry)
        kept = tree.body[first : last + 1 or None]
        tree.body = [node for node in kept if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom))]
        code = compile(tree, path, "exec")
        return lambda: exec(code, self.main.__dict__)  # noqa: S102 - to run the program is what this is for

    def execute(self, entry: Mapping[str, str]) -> None:
        """Run the entry as `python FILE` would, or under another name, so that nothing is done but what an import does."""
        path, tree = self.parsed(entry)
        self.main.__dict__.update(__file__=path, __name__=entry["name"], __package__=entry["package"] or None, __builtins__=__builtins__)
        sys.modules["__main__"] = sys.modules[entry["name"]] = self.main
        exec(compile(tree, path, "exec"), self.main.__dict__)  # noqa: S102 - to run the program is what this is for
