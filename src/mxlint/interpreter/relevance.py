"""Which calls may reach something compiled: by the symbol index of the files that define what is called, and by what its names and arguments hold."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from mxlint.domain.heap import Field
from mxlint.domain.members import Bound, External, Ref, Tuple, Value, members
from mxlint.interpreter.core import Interpreter
from mxlint.interpreter.frames import FrameInfo
from mxlint.interpreter.functions import FunctionInfo
from mxlint.interpreter.journal import journal
from mxlint.interpreter.lookup import BASES, CLASS
from mxlint.models.load import bases, callers, model
from mxlint.models.mlx.members import members_of
from mxlint.syntax.index import ANY, Block, Import

if TYPE_CHECKING:
    from mxlint.source import Source


DEFINED_IN: Final = ("#", "cls")
"""Of a function: the class in whose body it is defined."""
CONSTRUCTORS: Final = frozenset(("__init__", "__new__", "__post_init__", "__init_subclass__"))
CLASS_NAMES: Final = frozenset(("type", "__class__"))
"""What gives the class of an object, so that it may be called."""
READERS: Final = frozenset(("vars", "locals", "globals", "eval", "exec"))
"""Builtins by which code may read all attributes of an object, or all names."""
WALKS: Final = frozenset((ANY, "__dict__"))
"""Attributes that stand for all those of an object."""


@cache
def _may_have(cls: str, name: str) -> bool:
    """Whether a class of a library has an attribute, or may have it as nothing is known of the class."""
    of_mlx = members_of(cls)
    if of_mlx is not None:
        return name in of_mlx
    return cls != "builtins.object" and (not bases(cls) or model(f"{cls}.{name}") is not None)


def _hands_on(block: Block, bound: frozenset[str]) -> bool:
    """Whether a block gives what a variable holds, or an expression gives, to something of a library that calls what it is given."""
    return not bound.isdisjoint(block.hands) and not block.calls.isdisjoint(callers())


def reach_of(i: Interpreter, values: tuple[Value, ...], *, whole: bool = False) -> Reach:
    """What values come to, asked once for as long as nothing new is compiled, read by a trace or imported. `whole`: also behind what is compiled."""
    recording, i.heap.recording = i.heap.recording, None
    now = world(i)
    key = (*values, *now, whole)
    found = i.reaches.get(key)
    if found is None:
        found = i.reaches[key] = Reach(i, values, whole)
    if recording is not None and recording.world is None:
        recording.world = now
    i.heap.recording = recording
    return found


def world(i: Interpreter) -> tuple[int, ...]:
    """How much has been compiled, read by a trace and imported so far: what a call comes to is another question when there is more."""
    return len(journal(i).compiled), len(i.traced), len(i.modules)


class Reach:
    """What a function and all that it may call come to: whether anything there compiles, is compiled or writes what a trace has read; the
    attributes of objects and the globals that are set. What a method sets on its own object counts for objects of its class.

    Names are followed to what they hold at present, through imports and closures. Of an object of a class of the program the fields count that are
    named as attributes somewhere there, or all where what is named there walks over them: `vars()`, or an attribute that the class has from a library.
    Of a class the methods count that are named in the same way, and those that Python or a library may call: special ones, those that it has from a
    library as well, and all if nothing is known of that. An attribute by a name that is not known is any of them if what a variable holds is called
    somewhere there; else it is only read. `__call__` counts if a name that is called or handed on holds such an object, or a variable may; a constructor
    only if it or the class is named.
    """

    __slots__ = ("_attributes", "_called", "_calls_values", "_classes", "_i", "_inherits", "_makes_any", "_named", "_objects", "_owners", "_todo", "_whole", "_writes", "changes", "compiled", "globals", "written")  # fmt: skip

    def __init__(self, i: Interpreter, values: tuple[Value, ...], whole: bool = False) -> None:
        self._i = i
        self._whole = whole
        self._objects: set[int] = set()
        self._classes: dict[int, set[Field]] = {}
        """Of each class, the fields that were followed."""
        self._owners: dict[int, set[Field]] = {}
        """Of each object of a class of the program, the fields that were followed."""
        self._inherits: dict[tuple[int, str], bool] = {}
        """Whether a class has an attribute from a library."""
        self._named: set[str] = set()
        """Names that are called, or handed to calls."""
        self._called: set[int] = set()
        """Classes of which such names hold objects."""
        self._attributes: set[str] = set()
        self._makes_any = False
        self._calls_values = False
        """Whether what a variable holds, or an expression gives, is called."""
        self._todo = list(values)
        self.compiled = False
        self._writes: dict[int | None, set[str]] = {}
        """Names of attributes that are set, by the class whose methods set them on their own object, None: on any."""
        self.globals: set[tuple[int, str]] = set()
        while self._todo and not self._is_answered():
            while self._todo and not self._is_answered():
                self._value(self._todo.pop())
            if not self._is_answered():
                self._fields()
                self._methods()
        self.changes = any(self._changes(oid, field) for oid, field in i.traced)
        """Whether it may write what a trace has read."""
        self.compiled = self.compiled or self.changes
        instances = [] if self._is_answered() else [oid for oid in sorted(self._objects) if self._i.info(oid).kind == "instance"]
        self.written = [(oid, name) for oid in instances for name in sorted(self._set_on(oid))]
        """The attributes that may be set, and of which objects, in order."""

    def _is_answered(self) -> bool:
        """Whether nothing more need be followed."""
        return self.compiled and not self._whole

    def _changes(self, oid: int, field: Field) -> bool:
        """Whether a location may be written."""
        if (oid, field) in self.globals:
            return True
        names = self._set_on(oid) if oid in self._objects else ()
        return field in names or ANY in names

    def _set_on(self, oid: int) -> set[str]:
        """The names of attributes that may be set on an object."""
        names = set(self._writes.get(None, ()))
        classes, todo = set(), [oid, *members(self._i.heap.cells[oid].get(CLASS) or External(""))]
        while todo:
            member = todo.pop()
            number = member.oid if isinstance(member, Ref) else member
            if isinstance(number, int) and number not in classes:
                classes.add(number)
                names |= self._writes.get(number, set())
                todo += (base for part in self._bases(number) for base in members(part))
        return names

    def _value(self, value: Value) -> None:
        for member in members(value):
            if isinstance(member, Bound):
                self._todo += (member.owner, member.function)
            elif isinstance(member, External):
                self.compiled = self.compiled or member.name in self._i.tracers
            elif isinstance(member, Tuple):
                self._todo += member.parts
            elif isinstance(member, Ref) and member.oid not in self._objects:
                self._objects.add(member.oid)
                self._object(member)

    def _object(self, ref: Ref) -> None:
        """Follow what an object leads to."""

        info = self._i.info(ref.oid)
        if info.kind in ("compiled", "transform"):
            self.compiled = True
        if info.kind in ("module", "frame") or self._is_answered():
            return
        cells = self._i.heap.cells[ref.oid]
        if info.kind == "class":
            self._classes.setdefault(ref.oid, set())
            return
        by_name = info.kind == "instance" and isinstance(cells.get(CLASS), Ref)
        if by_name:
            self._owners[ref.oid] = set()
        for field, value in cells.items():
            if field == CLASS or field == DEFINED_IN:
                self._classes_of(value)
            elif by_name and isinstance(field, str):
                continue
            elif field != ("#", "parent") or info.kind != "function":
                self._todo.append(value)
        if isinstance(info.payload, FunctionInfo):
            self._todo += self._function(ref, info.payload)

    def _classes_of(self, value: Value) -> None:
        """The class of an object that is there already: nothing says that another one is made."""
        for member in members(value):
            if isinstance(member, Ref):
                self._classes.setdefault(member.oid, set())

    def _fields(self) -> None:
        """Follow what may be asked of the objects of classes of the program, as far as is known by now."""
        cells = self._i.heap.cells
        for oid, known in self._owners.items():
            every = not WALKS.isdisjoint(self._attributes) or self._is_walked(oid)
            for field in cells[oid] if every else self._attributes & cells[oid].keys():
                if isinstance(field, str) and field not in known:
                    known.add(field)
                    self._todo.append(cells[oid][field])
            for field in self._named & known:
                self._calls(cells[oid][field])

    def _is_walked(self, oid: int) -> bool:
        """Whether an attribute is named that the class of an object has from a library, of which nobody knows what it does with the fields."""
        classes = [cls.oid for cls in members(self._i.heap.cells[oid][CLASS]) if isinstance(cls, Ref)]
        return any(self._is_of_library(cls, name) for cls in classes for name in self._attributes)

    def _is_of_library(self, cls: int, name: str) -> bool:
        """Whether a class has an attribute from one of a library, or may have it."""
        key = cls, name
        if key not in self._inherits:
            found = [base for part in self._bases(cls) for base in members(part)]
            self._inherits[key] = any(
                self._is_of_library(base.oid, name)
                if isinstance(base, Ref)
                else not isinstance(base, External) or _may_have(base.name, name)
                for base in found
            )
        return self._inherits[key]

    def _calls(self, value: Value) -> None:
        """What a name that is called, or handed to a call, holds."""
        for member in members(value):
            if isinstance(member, Ref) and self._i.info(member.oid).kind == "instance":
                self._called.update(
                    cls.oid for cls in members(self._i.heap.cells[member.oid].get(CLASS) or External("")) if isinstance(cls, Ref)
                )

    def _methods(self) -> None:
        """Follow what may be asked of the classes, as far as is known by now."""
        for oid in list(self._classes):
            cells, known = self._i.heap.cells[oid], self._classes[oid]
            for part in self._bases(oid):
                self._classes_of(part)
                if oid in self._objects and BASES not in known:
                    self._todo.append(part)
            if oid in self._objects:
                known.add(BASES)
            every = self._calls_values and ANY in self._attributes
            for field, value in cells.items():
                if field not in known and field != BASES and (not isinstance(field, str) or self._is_asked(oid, field, every)):
                    known.add(field)
                    self._todo.append(value)

    def _is_asked(self, cls: int, name: str, every: bool) -> bool:
        """Whether a field of a class may be asked for."""
        if name in self._attributes:
            return True
        if name in CONSTRUCTORS:
            return cls in self._objects or self._makes_any and self._calls_values
        if name == "__call__":
            return self._calls_values or cls in self._called
        return every or name.startswith("__") and name.endswith("__") or self._is_of_library(cls, name)

    def _bases(self, cls: int) -> tuple[Value, ...]:
        found = self._i.heap.cells[cls].get(BASES)
        return found.parts if isinstance(found, Tuple) else ()

    def _function(self, ref: Ref, function: FunctionInfo) -> list[Value]:
        """What the names in a function hold."""
        found = self._i.project.outline(function.source, self._i.tracers)
        within = found.within(function.node.start, function.node.end)
        inner = within.values()
        if found.compiles(function.node.start, function.node.end):
            self.compiled = True
            if not self._whole:
                return []
        owner = self._i.heap.cells[ref.oid].get(DEFINED_IN)
        bound = frozenset(("",)).union(*(block.loops.union(block.params, block.assigns) for block in inner))
        for block in inner:
            self._attributes |= block.attributes
            self._named |= block.calls | block.hands
            self._calls_values = self._calls_values or not bound.isdisjoint(block.called) or _hands_on(block, bound)
            if not block.calls.isdisjoint(READERS):
                self._attributes |= WALKS
            self._makes_any = self._makes_any or not CLASS_NAMES.isdisjoint(block.calls | block.attributes)
            self._writes.setdefault(owner.oid if isinstance(owner, Ref) else None, set()).update(block.own)
            self._writes.setdefault(None, set()).update(block.writes - block.own)
            self.globals.update((function.module, name) for name in block.globals | block.named)
        held = [value for block in inner for value in self._names(ref, block)]
        attributes = frozenset().union(*(block.attributes | block.calls for block in inner))
        for item in found.imports(within):
            held += self._imported(function.source, item, attributes)
        return held

    def _names(self, ref: Ref, block: Block) -> list[Value]:
        cells = self._i.heap.cells
        held: list[Value] = []
        attributes = block.attributes | block.calls
        for name in block.reads | block.calls:
            outer = cells[ref.oid].get(("#", "parent"))
            value: Value | None = None
            while value is None and isinstance(outer, Ref):
                value = cells[outer.oid].get(name)
                outer = cells[outer.oid].get(("#", "parent"))
            for member in members(value) if value is not None else ():
                if isinstance(member, Ref) and self._i.info(member.oid).kind == "module":
                    held += [cells[member.oid][attribute] for attribute in attributes if attribute in cells[member.oid]]
                else:
                    held.append(member)
            if value is not None and (name in block.calls or name in block.hands):
                self._calls(value)
        return held

    def _imported(self, source: Source, item: Import, attributes: frozenset[str]) -> list[Value]:
        """What an import within a function leads to: the names that it means in the module, which may not be loaded yet."""
        meant = self._i.unloaded.meant(source, item, attributes)
        if meant is None:
            return []
        module, names = meant
        oid = self._i.modules.get(module.name)
        if oid is None or not isinstance(self._i.info(oid).payload, FrameInfo):
            self.compiled = self.compiled or self._i.unloaded.compiles(module, names)
            return []
        cells = self._i.heap.cells[oid]
        self.compiled = self.compiled or ANY in names
        return [cells[name] for name in names if name in cells]


def compiling_names(i: Interpreter, source: Source) -> dict[int, set[str]]:
    """The names by which a file calls what its imports lead to and what comes to something compiled, by the block that imports it."""
    found = i.project.symbols(source, i.tracers)
    called = frozenset().union(*(block.calls for block in found.blocks))
    names: dict[int, set[str]] = {}
    for item in found.imports:
        meant = i.unloaded.meant(source, item, called)
        if meant is None:
            continue
        module, wanted = meant
        for name in wanted - {ANY}:
            if _comes_to_compiled(i, module, name):
                names.setdefault(item.block, set()).add(item.bound if wanted == {item.name} else name)
    return names


def _comes_to_compiled(i: Interpreter, module: Source, name: str) -> bool:
    """Whether a name of a module of the project, which may not be loaded yet, comes to something compiled."""
    oid = i.modules.get(module.name)
    if oid is None or not isinstance(i.info(oid).payload, FrameInfo):
        return i.unloaded.compiles(module, (name,))
    value = i.heap.cells[oid].get(name)
    kinds = {i.info(member.oid).kind for member in members(value) if isinstance(member, Ref)} if value is not None else set()
    return value is not None and bool(kinds & {"function", "class"}) and reach_of(i, (value,)).compiled
