"""The recorder: the functions that instrumented code calls, and what they keep. Holds no value of the program, calls no code of it."""

from __future__ import annotations

import builtins
import sys
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from oracle.instrument import MARK, Tables

MOST_VALUES = 16
"""Values, lengths and shapes distinguished at one point and for one kind; then the kind alone is kept."""
MOST_KINDS = 64
"""Kinds distinguished at one point."""
LONGEST_TEXT = 200
"""Code points of a text that is kept."""
WIDEST_INT = 2**63
DEEPEST = 3
"""Steps into a value."""
MOST_PARTS = 48
"""Parts of one value that are looked at, those first that lie nearest."""

Kind = tuple[str, str, "tuple[str, int, int] | None", "int | None", "str | None"]
Seen = tuple[Kind, bool, Any, "int | None", "tuple[int, ...] | None"]
Step = tuple[str, Any]
Where = tuple[int, "tuple[Step, ...]"]
"""A point, and the way into its value."""

_CONTAINERS: dict[type, str] = {list: "list", tuple: "tuple", dict: "dict", set: "set"}
_FUNCTIONS = frozenset(
    {"builtin_function_or_method", "method_descriptor", "wrapper_descriptor", "method-wrapper", "classmethod_descriptor"}
    | {"nb_func", "nb_method", "nb_bound_method"}
)
_qualified_name = type.__dict__["__qualname__"].__get__
_class_dict = type.__dict__["__dict__"].__get__
_module_of_class = type.__dict__["__module__"].__get__
_bases = type.__dict__["__mro__"].__get__


class Watch:
    """What one run showed, by the numbers of `tables`."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.seen: dict[Where, dict[Any, Seen]] = {}
        self.counts: dict[Where, dict[Kind, int]] = {}
        self.full: set[Where] = set()
        self.entered: set[int] = set()
        self.statements: set[int] = set()
        self.exceptions: dict[int, set[tuple[str, bool]]] = {}
        self.codes: dict[CodeType, int] = {}
        self.classes: dict[int, int] = {}
        self.kept: list[type] = []
        """Keeps the identities in `classes` from being given out again."""
        self.files: dict[str, str] = {}
        """The name of each instrumented file, by its path."""

    def install(self) -> None:
        for name in ("value", "note", "statement", "enter", "left", "defined"):
            setattr(builtins, f"__oracle_{name}__", getattr(self, name))

    def add_code(self, code: CodeType, path: str, file: str) -> None:
        """Learn the functions of a compiled file."""
        self.files[path] = file
        for item in code.co_consts:
            if isinstance(item, CodeType):
                self.add_code(item, path, file)
            elif isinstance(item, str) and item.startswith(MARK):
                self.codes[code] = int(item.removeprefix(MARK))

    # -- called by instrumented code -------------------------------------------------------------------------------

    def value(self, number: int, value: Any) -> Any:
        if (number, ()) not in self.full:
            self.keep((number, ()), self.describe(value))
            self.look_inside(number, value)
        return value

    def note(self, number: int, value: Any) -> bool:
        self.value(number, value)
        return False

    def statement(self, number: int) -> None:
        self.statements.add(number)

    def enter(self, mark: str, returned: int, lazy: str) -> bool:
        number = int(mark.removeprefix(MARK))
        if lazy and number not in self.entered:
            self.keep((returned, ()), (("instance", f"builtins.{lazy}", None, None, None), False, None, None, None))
        self.entered.add(number)
        return False

    def left(self, number: int, lazy: bool) -> None:
        """An exception leaves a function. A generator that is closed is left by none."""
        error = sys.exc_info()[1]
        if error is None or (lazy and isinstance(error, GeneratorExit)):
            return
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        file = self.files.get(trace.tb_frame.f_code.co_filename) if trace is not None else None
        explicit = trace is not None and file is not None and trace.tb_lineno in self.tables.raises.get(file, ())
        name, place = self.name_of_class(type(error))
        self.exceptions.setdefault(number, set()).add((name if place is None else name.rpartition(".")[2], explicit))

    def defined(self, number: int) -> Any:
        """The innermost decorator of a class."""

        def keep(cls: type) -> type:
            self.classes[id(cls)] = number
            self.kept.append(cls)
            return cls

        return keep

    # -- what values are -------------------------------------------------------------------------------------------

    def keep(self, where: Where, item: Seen) -> None:
        kind, known, value, length, shape = item
        key = (kind, known, repr(value), length, shape)
        seen = self.seen.setdefault(where, {})
        if key in seen:
            return
        counts = self.counts.setdefault(where, {})
        if kind not in counts and len(counts) >= MOST_KINDS:
            self.full.add(where)
            return
        count = counts[kind] = counts.get(kind, 0) + 1
        if count > MOST_VALUES:
            seen.setdefault((kind, False, "None", None, None), (kind, False, None, None, None))
        else:
            seen[key] = item

    def look_inside(self, number: int, value: Any) -> None:
        """Keep what lies in a value, by the way there: what is nearest first."""
        level: list[tuple[tuple[Step, ...], Any]] = [((), value)]
        left = MOST_PARTS
        for _ in range(DEEPEST):
            below = []
            for path, held in level:
                for step, part in self.parts(held, left):
                    self.keep((number, (*path, step)), self.describe(part))
                    below.append(((*path, step), part))
                    left -= 1
            level = below

    def parts(self, value: Any, most: int) -> list[tuple[Step, Any]]:
        """The parts of a container, or the attributes of an instance, one step away: at most so many."""
        cls = type(value)
        if cls is list or cls is tuple:
            return [(("item", number), value[number]) for number in range(min(len(value), most))]
        if cls is set:
            return [(("element", None), part) for part, _ in zip(value, range(most))]
        if cls is dict:
            found: list[tuple[Step, Any]] = []
            for (key, held), _ in zip(value.items(), range(most // 2)):
                known = key is None or type(key) in (bool, int, float, str)
                found += [(("key", None), key), (("entry", key) if known else ("value", None), held)]
            return found
        if any(base is not object and self.name_of_class(base)[1] is None for base in _bases(cls)):
            return []
        names = object.__getattribute__(value, "__dict__") if cls.__dictoffset__ else {}
        return [(("attribute", name), part) for (name, part), _ in zip(names.items(), range(most))] if type(names) is dict else []

    def describe(self, value: Any) -> Seen:
        cls = type(value)
        if value is None or cls is bool:
            return self.scalar(cls, value)
        if cls is int:
            return self.scalar(cls, value, known=-WIDEST_INT <= value < WIDEST_INT)
        if cls is float:
            return self.scalar(cls, value)
        if cls is str:
            return self.scalar(cls, value, known=len(value) <= LONGEST_TEXT, length=len(value))
        if cls is complex or cls is bytes:
            return self.scalar(cls, None, known=False, length=len(value) if cls is bytes else None)
        if cls in _CONTAINERS:
            return (_CONTAINERS[cls], "", None, None, None), False, None, len(value), None
        if cls is FunctionType or cls is MethodType:
            return self.function(value.__func__ if cls is MethodType else value)
        if issubclass(cls, type):
            name, place = self.name_of_class(value)
            return ("class", name, place, None, None), False, None, None, None
        if issubclass(cls, ModuleType):
            return (
                ("module", str(ModuleType.__getattribute__(value, "__dict__").get("__name__")), None, None, None),
                False,
                None,
                None,
                None,
            )
        if cls.__name__ in _FUNCTIONS:
            return ("function", _builtin_name(value), None, None, None), False, None, None, None
        if cls.__name__ == "array" and cls.__module__ == "mlx.core":
            shape = tuple(value.shape)
            return ("array", "", None, len(shape), str(value.dtype).removeprefix("mlx.core.")), False, None, None, shape
        name, place = self.name_of_class(cls)
        return ("instance", name, place, None, None), False, None, None, None

    def scalar(self, cls: type, value: Any, *, known: bool = True, length: int | None = None) -> Seen:
        tag = "None" if cls is type(None) else cls.__name__
        return (tag, "", None, None, None), known, value if known else None, length, None

    def function(self, value: Any) -> Seen:
        if type(value) is not FunctionType:
            return self.describe(value)
        number = self.codes.get(value.__code__)
        if number is None:
            return ("function", f"{value.__module__}.{value.__qualname__}", None, None, None), False, None, None, None
        file, start, end, name = self.tables.functions[number]
        return ("function", name, (file, start, end), None, None), False, None, None, None

    def name_of_class(self, cls: type) -> tuple[str, tuple[str, int, int] | None]:
        name, module = _qualified_name(cls), str(_module_of_class(cls))
        number = self.classes.get(id(cls))
        if number is None:
            number = self.class_by_name(module, name)
        if number is None:
            return f"{module}.{name}", None
        file, start, end, name = self.tables.classes[number]
        return name, (file, start, end)

    def class_by_name(self, module: str, name: str) -> int | None:
        """The class of the program for one that no decorator has seen: it is being made, or was made anew by a decorator of its own."""
        path = getattr(sys.modules.get(module), "__file__", None)
        file = self.files.get(path) if isinstance(path, str) else None
        numbers = [number for number, (own, _, _, qualified) in enumerate(self.tables.classes) if (own, qualified) == (file, name)]
        return numbers[-1] if numbers else None

    # -- the answer ------------------------------------------------------------------------------------------------

    def answer(self) -> dict[str, Any]:
        """All of it, as JSON that `model.read_recording` reads."""
        kinds: dict[Kind, int] = {}
        files: dict[str, dict[str, list[Any]]] = {
            file: {"points": [], "entered": [], "statements": [], "left": []} for file in sorted(set(self.files.values()))
        }
        inside: dict[int, list[Any]] = {}
        for (number, path), seen in sorted(self.seen.items(), key=lambda item: (item[0][0], len(item[0][1]))):
            items = [(kinds.setdefault(item[0], len(kinds)), item[1], _json(item[2]), *item[3:]) for item in seen.values()]
            if path:
                inside[number].append([[(step, _json(name)) for step, name in path], items])
                continue
            file, start, end, kind, node = self.tables.points[number]
            inside[number] = []
            files[file]["points"].append([start, end, kind, node, (number, ()) not in self.full, items, inside[number]])
        for number in sorted(self.entered):
            file, *rest = self.tables.functions[number]
            files[file]["entered"].append(rest)
        for number in sorted(self.statements):
            file, *rest = self.tables.statements[number]
            files[file]["statements"].append(rest)
        for number, names in sorted(self.exceptions.items()):
            file, start, end, _ = self.tables.functions[number]
            files[file]["left"].append([start, end, sorted(names)])
        return {"kinds": list(kinds), "files": files}


def _builtin_name(value: Any) -> str:
    module = getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", "?")
    return f"{module if isinstance(module, str) else 'builtins'}.{name}"


def _json(value: Any) -> Any:
    return {"float": repr(value)} if type(value) is float else value
