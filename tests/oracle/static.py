"""The static tracer as the abstract side of the oracle."""

from __future__ import annotations

import ast
import contextlib
import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType

from mxlint.domain.arrays import Array, ShapeOf
from mxlint.domain.members import (
    Bound,
    Const,
    External,
    Length,
    Measure,
    Member,
    RangeObject,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Unbound,
    Unknown,
    Value,
    members,
)
from mxlint.domain.members import Kind as Scalar
from mxlint.domain.members import Range as Interval
from mxlint.interpreter import entry
from mxlint.interpreter.generators.generators import Generator
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame, FrameInfo
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.locations import INSTEAD, ITEMS, REST
from mxlint.interpreter.machine.observer import Observer
from mxlint.models.mlx.table import load_table
from mxlint.models.written import WrittenSource
from mxlint.project import Project
from mxlint.source import read_source
from mxlint.syntax import ir

from .model import Kind, Left, Observed, Place, PointKey, Range, Step
from .watch import DEEPEST

ADMITTED = {"number": ("int", "float"), "NoneType": ("None",), "ellipsis": ("instance",)}


@dataclass(slots=True)
class View:
    """All that a point was seen to hold, over all contexts."""

    top: str = ""
    admitted: set[Kind] = field(default_factory=set)
    constants: set[tuple[type, object]] = field(default_factory=set)
    steps: list[Interval] = field(default_factory=list)
    open_types: set[str] = field(default_factory=set)
    lengths: dict[Kind, set[int | None]] = field(default_factory=dict)
    parts: dict[Step, View] = field(default_factory=dict)
    """By a step without a name what may lie under any name."""

    def part(self, kind: str, name: object = None) -> View:
        """The view of what lies there, for somebody to add to."""
        return self.parts.setdefault(Step(kind, name), View())  # type: ignore[arg-type]

    def inside(self, step: Step) -> list[View]:
        if self.top:
            return [self]
        return [self.parts[each] for each in dict.fromkeys((step, Step(step.kind))) if each in self.parts]

    @property
    def is_top(self) -> bool:
        return bool(self.top)

    @property
    def reason(self) -> str:
        return self.top

    def covers(self, observed: Observed) -> bool:
        if self.top:
            return True
        kind = observed.kind
        if kind.tag in ("int", "bool", "float", "str", "None", "bytes", "complex"):
            if kind.tag in self.open_types:
                return True
            if observed.known:
                if any(type_.__name__.removesuffix("Type") == kind.tag and _same(value, observed.value) for type_, value in self.constants):
                    return True
                if kind.tag == "int" and isinstance(observed.value, int):
                    return any(_in_step(observed.value, step) for step in self.steps)
                return False
            return kind in self.admitted
        return any((_matches(kind, wanted) or _below(kind, wanted)) and self._length(wanted, observed.length) for wanted in self.admitted)

    def _length(self, kind: Kind, length: int | None) -> bool:
        known = self.lengths.get(kind)
        return known is None or None in known or length is None or length in known

    def kinds(self) -> frozenset[Kind] | None:
        return None if self.top else frozenset(self.admitted)

    def exact(self, kinds: frozenset[Kind]) -> bool:
        return all(any(_matches(seen, wanted) and _as_precise(wanted) for seen in kinds) for wanted in self.admitted)


def _below(seen: Kind, wanted: Kind) -> bool:
    """Whether an instance is one of a subclass, in a library, of the class that was expected."""
    if seen.tag != "instance" or wanted.tag != "instance" or not seen.name or not wanted.name:
        return False
    below, above = _real(seen.name), _real(wanted.name)
    return isinstance(below, type) and isinstance(above, type) and issubclass(below, above)


def _as_precise(kind: Kind) -> bool:
    return kind.tag != "array" or kind.rank is not None and kind.dtype is not None


def _same(a: object, b: object) -> bool:
    return a == b or isinstance(a, float) and isinstance(b, float) and isnan(a) and isnan(b)


def _in_step(value: int, step: Interval) -> bool:
    if step.low is not None and value < step.low or step.high is not None and value > step.high:
        return False
    anchor = step.low if step.low is not None else step.high
    return step.stride == 1 or anchor is None or (value - anchor) % step.stride == 0


def _matches(seen: Kind, wanted: Kind) -> bool:
    if seen.tag != wanted.tag:
        return False
    if wanted.tag == "array":
        return wanted.rank in (None, seen.rank) and wanted.dtype in (None, seen.dtype)
    if seen.place is not None:
        return seen.place == wanted.place
    return not wanted.name or seen.name == wanted.name or seen.tag == "function"


@dataclass(slots=True)
class File:
    """What the interpreter believes of one file."""

    points: dict[PointKey, View] = field(default_factory=dict)
    entered: set[Range] = field(default_factory=set)
    reachable: set[Range] = field(default_factory=set)
    leaving: dict[Range, set[str | None]] = field(default_factory=dict)

    def may_leave(self, function: Range, left: Left) -> bool:
        names = self.leaving.get(function, set())
        return None in names or left.name in names or left.name.removeprefix("builtins.") in names


class Recorder(Observer):
    """Writes down what the interpreter computes."""

    def __init__(self) -> None:
        self.files: dict[str, File] = {}
        self.i: Interpreter | None = None
        self.aliases: dict[int, dict[int, list[tuple[int, int]]]] = {}

    def file(self, frame: Frame) -> File:
        return self.files.setdefault(frame.source.name, File())

    def value(self, frame: Frame, node: ir.Node, value: Value) -> None:
        if not isinstance(node, (ir.Const, ir.Slice)):
            self.add(frame, PointKey(node.start, node.end, "expression"), value)

    def target(self, frame: Frame, node: ir.Node, value: Value) -> None:
        self.add(frame, PointKey(node.start, node.end, "target"), value)

    def imported(self, frame: Frame, node: ir.Import | ir.ImportFrom, number: int, value: Value) -> None:
        key = id(frame.source)
        if key not in self.aliases:
            self.aliases[key] = _aliases(frame.source.text)
        start, end = self.aliases[key][node.start][number]
        self.add(frame, PointKey(start, end, "target"), value)

    def parameter(self, frame: Frame, node: ir.Param, value: Value) -> None:
        start = frame.source.text.index(node.name, node.start)
        self.add(frame, PointKey(start, start + len(node.name), "parameter"), value)

    def returned(self, frame: Frame, node: ir.Node, value: Value) -> None:
        self.add(frame, PointKey(node.start, node.end, "return"), value)

    def left(self, frame: Frame, node: ir.Node, exception: Value) -> None:
        names = self.file(frame).leaving.setdefault(Range(node.start, node.end), set())
        assert self.i is not None
        for member in members(exception):
            names.add(_class_name(self.i, member))

    def entered(self, frame: Frame, node: ir.Node) -> None:
        self.file(frame).entered.add(Range(node.start, node.end))

    def reached(self, frame: Frame, node: ir.Node) -> None:
        self.file(frame).reachable.add(Range(node.start, node.end))

    def add(self, frame: Frame, key: PointKey, value: Value) -> None:
        view = self.file(frame).points.setdefault(key, View())
        assert self.i is not None
        for member in members(value):
            add_member(self.i, view, member)


def _aliases(text: str) -> dict[int, list[tuple[int, int]]]:
    """Where the names of each import statement stand, by the statement's start."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = text.splitlines()

    def offset(row: int, column: int) -> int:
        return starts[row - 1] + len(lines[row - 1].encode()[:column].decode())

    found = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            spans = [(offset(n.lineno, n.col_offset), offset(n.end_lineno or 0, n.end_col_offset or 0)) for n in node.names]
            found[offset(node.lineno, node.col_offset)] = spans
    return found


def _class_name(i: Interpreter, member: Member) -> str | None:
    if isinstance(member, Ref):
        cls = i.heap.get(member.oid, ("#", "class"))
        if isinstance(cls, Ref):
            return i.info(cls.oid).label
        if isinstance(cls, External):
            return cls.name.removeprefix("builtins.")
    return None


_TAGS = {"list": "list", "dict": "dict", "set": "set", "module": "module", "cached": "instance", "dispatch": "function", "future": "instance", "contextmanager": "function", "manager": "instance", "managed": "function", "partial": "instance", "generator": "instance",
         "iterator": "instance", "coroutine": "instance", "descriptor": "instance", "super": "instance", "field": "instance", "frame": "instance"}  # fmt: skip


def add_member(i: Interpreter, view: View, member: Member, depth: int = DEEPEST) -> None:
    """Add what a member stands for, and so many steps into it what it holds."""
    if isinstance(member, Unbound):
        return
    if depth:
        add_parts(i, view, member, depth - 1)
    if isinstance(member, Unknown):
        view.top = f"unknown: {member.reason}"
    elif isinstance(member, Const):
        kind = Kind({"NoneType": "None", "ellipsis": "instance"}.get(type(member.value).__name__, type(member.value).__name__))
        view.admitted.add(kind)
        view.constants.add((type(member.value), member.value))
        if isinstance(member.value, (str, bytes)):
            view.lengths.setdefault(kind, set()).add(len(member.value))
    elif isinstance(member, Interval):
        view.admitted.add(Kind("int"))
        view.steps.append(member)
    elif isinstance(member, Scalar):
        for name in ADMITTED.get(member.type, (member.type,)):
            view.admitted.add(Kind(name))
            view.open_types.add(name)
    elif isinstance(member, (Length, Measure)):
        for name in ADMITTED.get(
            "int" if isinstance(member, Length) else member.type, ("int" if isinstance(member, Length) else member.type,)
        ):
            view.admitted.add(Kind(name))
            view.open_types.add(name)
    elif isinstance(member, ShapeOf):
        view.admitted.add(Kind("tuple"))
        view.lengths.setdefault(Kind("tuple"), set()).add(None)
    elif isinstance(member, Symbolic):
        simple = {"int", "float", "bool", "str", "bytes", "complex", "NoneType", "number"}
        if member.kinds is not None and all(name in simple or "." in name for name in member.kinds):
            view.admitted.update(Kind("instance", name) for name in member.kinds if "." in name)
        elif member.kinds is None or not member.kinds <= simple:
            view.top = f"symbolic: {member.identity[0]} {member.label}"
        else:
            pass
        if not view.top and member.kinds is not None:
            for kind_name in member.kinds & simple:
                for name in ADMITTED.get(kind_name, (kind_name,)):
                    view.admitted.add(Kind(name))
                    view.open_types.add(name)
    elif isinstance(member, Tuple) and member.cls is not None:
        view.admitted.add(Kind("instance", _full_name(i, member.cls), _place(i, member.cls)))
    elif isinstance(member, Tuple):
        view.admitted.add(Kind("tuple"))
        view.lengths.setdefault(Kind("tuple"), set()).add(None if member.items is None else len(member.items))
    elif isinstance(member, Bound):
        for inner in members(member.function):
            add_member(i, view, inner)
    elif isinstance(member, (RangeObject, Slice)):
        view.admitted.add(Kind("instance", "builtins.range" if isinstance(member, RangeObject) else "builtins.slice"))
    elif isinstance(member, External):
        add_external(view, member.name)
    elif isinstance(member, Array):
        view.admitted.add(Kind("array", rank=None if member.shape is None else len(member.shape), dtype=member.dtype))
    elif isinstance(member, Ref):
        add_object(i, view, member)
    else:
        view.top = "not described"


def add_parts(i: Interpreter, view: View, member: Member, depth: int) -> None:
    """Add what a container or an instance holds."""

    def add(kind: str, name: object, value: Value) -> None:
        part = view.part(kind, name)
        for inner in members(value):
            add_member(i, part, inner, depth)

    kind = i.info(member.oid).kind if isinstance(member, Ref) else ""
    content = i.heap.get(member.oid, ITEMS) if isinstance(member, Ref) and kind in ("list", "set") else member
    for part in members(content) if content is not None else ():
        if isinstance(part, Tuple) and part.items is not None:
            for number, item in enumerate(part.items):
                add(*(("element", None) if kind == "set" else ("item", number)), item)
        elif isinstance(part, Tuple) and part.element is not None:
            add("element" if kind == "set" else "item", None, part.element)
        elif isinstance(part, ShapeOf):
            add("item", None, Scalar("int", "open"))
        elif isinstance(part, (Unknown, Symbolic)) and kind:
            add("element" if kind == "set" else "item", None, part)
    if not isinstance(member, Ref):
        return
    for field_, value in i.heap.fields(member.oid).items():
        if kind == "instance" and isinstance(field_, str):
            add("attribute", field_, value)
        elif kind == "instance" and field_ == INSTEAD:
            for table in members(value):
                _add_attributes(i, view, table, depth)
        elif kind == "dict" and isinstance(field_, tuple) and field_[0] == "k":
            add("key", None, field_[1])
            if isinstance(field_[1], Const):
                add("entry", field_[1].value, value)
            else:
                add("value", None, value)
                add("entry", None, value)
        elif kind == "dict" and field_ == REST:
            add("entry", None, value)
            add("value", None, value)
        elif kind == "dict" and field_ == ("#", "restkey"):
            add("key", None, value)


def _add_attributes(i: Interpreter, view: View, table: Member, depth: int) -> None:
    """Add the entries of the dict that the program gave an object for its attributes."""
    if not isinstance(table, Ref):
        return
    for field_, value in i.heap.fields(table.oid).items():
        named = isinstance(field_, tuple) and field_[0] == "k" and isinstance(field_[1], Const)
        if named or field_ == REST:
            part = view.part("attribute", field_[1].value if named else None)  # type: ignore[index]
            for inner in members(value):
                add_member(i, part, inner, depth)


def _real(name: str) -> object:
    """What a canonical name of the standard library stands for in the running Python."""
    top, _, rest = name.partition(".")
    if top not in sys.stdlib_module_names and top not in ("mlx", "numpy"):
        return None
    try:
        found: object = importlib.import_module(top)
    except ImportError:
        return None
    for number, part in enumerate(parts := rest.split(".") if rest else []):
        if not hasattr(found, part) and isinstance(found, ModuleType):
            with contextlib.suppress(ImportError):
                importlib.import_module(".".join((top, *parts[: number + 1])))
        found = getattr(found, part, None)
    return found


_FUNCTIONS = frozenset({"nb_func", "nb_method", "nb_bound_method", "method_descriptor", "wrapper_descriptor", "method-wrapper"})


def _class_of(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def add_external(view: View, name: str) -> None:
    from mxlint.models.load import constant, kind_of, model

    kind = kind_of(name)
    real = _real(name)
    if isinstance(real, (FunctionType, BuiltinFunctionType)) or type(real).__name__ in _FUNCTIONS:
        view.admitted.add(Kind("function"))
        return
    if name == "builtins.NotImplemented":
        view.admitted.add(Kind("instance"))
        return
    if kind == "module" or isinstance(real, ModuleType):
        view.admitted.add(Kind("module"))
    elif kind == "class" or isinstance(real, type):
        view.admitted.add(Kind("class"))
    elif name.startswith(("typing.", "types.")):
        view.admitted.update((Kind("class"), Kind("instance")))
    elif name.startswith(("mlx.", "numpy.")) and real is not None:
        view.admitted.add(Kind("instance", _class_of(type(real))))
    elif constant(name) is not None:
        view.top = f"constant {name}"
    elif name.startswith(("#", "builtins.")) or model(name) is not None:
        view.admitted.add(Kind("function"))
        if model(name) is not None and model(name).kind == "attribute":  # type: ignore[union-attr]
            view.top = f"attribute {name}"
    else:
        view.top = f"library: {name}"


_MLX = {
    "compiled": (Kind("instance", "mlx.core._gc_func"),),
    "transform": (Kind("instance", "mlx.core._gc_func"), Kind("function")),
    "at": (Kind("instance", "mlx.core.ArrayAt"),),
}


def add_object(i: Interpreter, view: View, member: Ref) -> None:
    info = i.info(member.oid)
    if info.kind == "function":
        node = info.payload.node if isinstance(info.payload, FunctionInfo) else None
        assert node is not None
        if isinstance(info.payload, FunctionInfo) and isinstance(info.payload.source, WrittenSource):
            view.admitted.add(Kind("function"))
            return
        view.admitted.add(Kind("function", place=Place(info.payload.source.name, node.start, node.end)))  # type: ignore[attr-defined]
        return
    if info.kind == "class" and (written := _written(i, member.oid)) is not None:
        view.admitted.add(Kind("class", _class_of(written)))
        return
    if info.kind == "class":
        view.admitted.add(Kind("class", _full_name(i, member.oid), _place(i, member.oid)))
        return
    if info.kind == "instance":
        for cls in members(i.heap.get(member.oid, ("#", "class")) or Unknown("class")):
            if isinstance(cls, Ref) and (real := _written(i, cls.oid)) is not None:
                view.admitted.add(Kind("instance", _class_of(real)))
            elif isinstance(cls, Ref):
                view.admitted.add(Kind("instance", _full_name(i, cls.oid), _place(i, cls.oid)))
            elif isinstance(cls, External):
                known = _real(cls.name)
                view.admitted.add(Kind("instance", _class_of(known) if isinstance(known, type) else cls.name))
            else:
                view.top = "an instance of an unknown class"
        return
    if info.kind in _MLX:
        view.admitted.update(_MLX[info.kind])
        return
    tag = _TAGS.get(info.kind)
    if tag is None:
        view.top = f"object {info.kind}"
        return
    if info.kind == "partial" and isinstance(info.payload, str):
        tag = "function"
    kind = Kind(tag, _generator(info.payload) if info.kind == "generator" else info.label if info.kind == "iterator" else "")
    if info.kind in ("list", "dict", "set") and isinstance(info.payload, str) and info.payload != f"builtins.{info.kind}":
        kind = Kind("instance", info.payload)
    view.admitted.add(kind)
    if info.kind in ("list", "set"):
        content = i.heap.get(member.oid, ("#", "items"))
        for part in members(content) if content is not None else ():
            known = isinstance(part, Tuple) and part.items is not None and info.kind == "list"
            view.lengths.setdefault(kind, set()).add(
                len(part.items) if known and isinstance(part, Tuple) and part.items is not None else None
            )


def _place(i: Interpreter, oid: int) -> Place | None:
    place = i.info(oid).place
    if place is None or not isinstance(i.info(oid).payload, FrameInfo) or i.info(oid).payload.scope is None:  # type: ignore[attr-defined]
        return None
    return Place(place.source.name, place.start, place.end)  # type: ignore[attr-defined]


def _generator(payload: object) -> str:
    """The class of a generator."""
    return "builtins.async_generator" if isinstance(payload, Generator) and payload.about[0].is_async else "builtins.generator"


def _written(i: Interpreter, oid: int) -> type | None:
    """The class of a library that a class stands for which is written for the interpreter; of one that it makes for itself its base."""
    payload = i.info(oid).payload
    if not isinstance(payload, FrameInfo) or not isinstance(payload.source, WrittenSource):
        return None
    real = _real(_full_name(i, oid))
    return real if isinstance(real, type) else object


def _full_name(i: Interpreter, oid: int) -> str:
    """The name of a class with its module, as the recorder knows one that it has not seen defined."""
    module, name = i.heap.get(oid, "__module__"), i.heap.get(oid, "__qualname__")
    return f"{module.value}.{name.value}" if isinstance(module, Const) and isinstance(name, Const) else ""


def _uses_mlx(folder: Path) -> bool:
    """Whether a file of a program speaks of MLX."""
    return any("mlx" in path.read_text(errors="replace") for path in folder.rglob("*.py"))


def adapter(folder: Path, main: str) -> Mapping[str, File]:
    """Run the interpreter on a program."""
    recorder = Recorder()
    source = read_source(folder / main, main)
    project = Project()
    root = folder.resolve()
    named = project._display_name

    def relative(path: str, real: str) -> str:
        return str(Path(real).relative_to(root)) if Path(real).is_relative_to(root) else named(path, real)

    project._display_name = relative  # type: ignore[method-assign]
    made = entry.prepared_mlx(project, load_table(), recorder) if _uses_mlx(folder) else entry.prepared(project, recorder)
    recorder.i = made
    entry.run(made, source)
    return recorder.files


__all__ = ["adapter"]
