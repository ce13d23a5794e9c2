"""The piece of the user's program as modules: its entry run as a script, the rest imported from where it was laid out."""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import os
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
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


class StandInUsed(ImportError):
    """The program used something of a module that is not installed."""


class _StandIn(types.ModuleType):
    """A module that is not there: anything may be imported from it, nothing used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _part(f"{self.__name__}.{name}")


def _refuse(part: type, *args: Any, **kwargs: Any) -> Any:
    raise StandInUsed(f"{part.__mro__[-2].__module__} is not installed: a stand-in took its place, and the program used it")


def _equal(part: type, other: Any) -> bool:
    """Types may look for each other in lists of types; whether it equals a value nobody knows."""
    return (
        part is other
        if isinstance(other, type) or other is None or not isinstance(other, (str, bytes, int, float))
        else bool(_refuse(part))
    )


_VALUES = (
    "bool", "int", "float", "index", "len", "iter", "getitem", "contains", "lt", "le", "gt", "ge", "add", "radd", "sub", "rsub", "mul",
    "rmul", "truediv", "rtruediv", "floordiv", "mod", "pow", "neg", "and", "xor", "enter",
)  # fmt: skip
_Missing = type("_Missing", (type,), {f"__{name}__": _refuse for name in _VALUES} | {"__eq__": _equal, "__hash__": type.__hash__})
"""What a part of a missing module is: whoever asks for its value is told."""


def _part(name: str) -> type:
    """Something of a missing module: it can be named and inherited from, but neither called nor used as a value."""
    made: type = _Missing(name.rpartition(".")[2], (), {"__new__": _refuse, "__module__": name})
    return made


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Asked last, when no module was found: `outside` are those that the program imports from elsewhere, `used` those that were replaced."""

    def __init__(self, outside: Iterable[str], used: set[str]) -> None:
        self.outside, self.used = set(outside), used

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        parent = name.rpartition(".")[0]
        if not isinstance(sys.modules.get(parent), _StandIn):
            if name not in self.outside:
                return None
            self.used.add(name)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def stand_ins(outside: Iterable[str]) -> set[str]:
    """Let modules that are not installed be imported; returns the set of those that were, as it fills."""
    used: set[str] = set()
    sys.meta_path.append(_Finder(outside, used))
    return used
