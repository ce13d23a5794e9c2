"""Which calls may reach something compiled, and so must run in full.

The symbol index of a file says which functions name a compile site or call one that does. What the arguments and free names of a call hold is asked as well:
`run(callback)` reaches a compiled function if `callback` does.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from functools import cache
from typing import TYPE_CHECKING, Final

from mxlint.domain.heap import WHOLE, Field, Location
from mxlint.domain.join import join
from mxlint.domain.members import Bound, Const, External, Kind, Range, Ref, Symbolic, Tuple, Union, Unknown, Value, members
from mxlint.interpreter.calls.assignments import Assignments
from mxlint.interpreter.containers.inplace import TRAINING, InPlace
from mxlint.interpreter.imports.packages import submodule
from mxlint.interpreter.machine.constructors import OF_CLASSES_MADE
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import FrameInfo
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.journal import journal
from mxlint.interpreter.machine.locations import whole as whole_location
from mxlint.interpreter.objects.lookup import BASES, CLASS, bases_at_present
from mxlint.interpreter.open_world.unseen_layers import UNSEEN_MODE
from mxlint.models.load import bases, model
from mxlint.models.mlx.members import members_of
from mxlint.models.mlx.names import MODE
from mxlint.syntax.code import WALKS, Code
from mxlint.syntax.index import ANY, Import

if TYPE_CHECKING:
    from mxlint.finding import Span
    from mxlint.source import Source


DEFINED_IN: Final = ("#", "cls")
"""Of a function: the class in whose body it is defined."""
ENV: Final = ("#", "parent")
"""Of a function: the activation around it; of a generator: its own."""


MAX_REACHES: Final = 32
"""Answers that are kept, of those that were last asked for: each holds on to all that it has read."""


class Reaches:
    """What calls reach, by what they are given and the state that decides it. What was asked for last comes last."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: dict[tuple[object, ...], Reach] = {}


def _leads(*values: Value | None) -> bool:
    """Whether values lead to objects, to what a library has, or to anything that holds them."""
    return any(
        not isinstance(member, (Const, Symbolic, Unknown, Kind, Range))
        for value in values
        if value is not None
        for member in members(value)
    )


def _is_package(i: Interpreter, module: int) -> bool:
    """Whether a module of the project is a package, which may hold others."""
    info = i.info(module)
    path = info.payload.source.path if isinstance(info.payload, FrameInfo) else None
    return bool(info.label) or path is not None and path.name == "__init__.py"


@cache
def _may_have(cls: str, name: str) -> bool:
    """Whether a class of a library has an attribute, or may have it as nothing is known of the class."""
    of_mlx = members_of(cls)
    if of_mlx is not None:
        return name in of_mlx
    return cls != "builtins.object" and (not bases(cls) or model(f"{cls}.{name}") is not None)


def reach_of(i: Interpreter, values: tuple[Value, ...], *, whole: bool = False) -> Reach:
    """What values come to, asked once for as long as nothing new is compiled, read by a trace or imported, and what was read on the way leads where it
    led. `whole`: also behind what is compiled."""
    recording, i.heap.recording = i.heap.recording, None
    now = world(i)
    key = (*values, *now, whole)
    known = i.ledger.of(Reaches).found
    found = known.pop(key, None)
    if found is None or not found.holds():
        found = Reach(i, values, whole)
    known[key] = found
    if len(known) > MAX_REACHES:
        del known[next(iter(known))]
    if recording is not None and recording.world is None:
        recording.world = now
    i.heap.recording = recording
    return found


def world(i: Interpreter) -> tuple[int, ...]:
    """How much has been compiled, read by a trace and imported so far: what a call comes to is another question when there is more."""
    return len(journal(i).compiled), len(i.traced), len(i.modules)


class Reach:
    """What a function and all that it may call come to: whether anything there compiles, is compiled or writes what a trace has read; the
    attributes of objects and the names of other blocks that are set, and the containers that are changed in place. What a method sets on its own object
    counts for objects of its class, what a class method sets on its class for that class, what a constructor sets for none that is there already.

    Names are followed to what they hold at present, through imports and closures. Of an object of a class of the program the fields count that are
    named as attributes somewhere there, or all where what is named there walks over them: `vars()`, or an attribute that the class has from a library.
    Of a class the methods count that are named in the same way, and those that Python or a library may call: special ones, those that it has from a
    library as well, and all if nothing is known of that. An attribute by a name that is not known is any of them if what a variable holds is called
    somewhere there; else it is only read. `__call__` counts if a name that is called or handed on holds such an object, or a variable may; a constructor
    only if it or the class is named.
    """

    __slots__ = ("_assignments", "_attributes", "_called", "_calls_values", "_class_methods", "_classes", "_i", "_inherits", "_inplace", "_makes_any", "_modules", "_named", "_objects", "_owners", "_read", "_static_methods", "_todo", "_walked", "_whole", "_whole_objects", "compiled", "compiling", "compiling_functions", "mutated", "writes_traced")  # fmt: skip

    def __init__(self, i: Interpreter, values: tuple[Value, ...], whole: bool = False) -> None:
        self._i = i
        self._whole = whole
        self._objects: set[int] = set()
        self._classes: dict[int, set[Field]] = {}
        """Of each class, the fields that were followed."""
        self._walked: set[int] = set()
        """Those of which all fields count."""
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
        self.compiling: set[str] = set()
        """The files of the functions in which something may be compiled there; `ANY`, if it may be in any."""
        self.compiling_functions: set[Span] = set()
        """Those functions, by where they stand."""
        self._class_methods: set[int] = set()
        """Functions that are given a class as their own object."""
        self._static_methods: set[int] = set()
        """Functions in classes that are given no object of their own."""
        self._modules: set[int] = set()
        self._assignments = Assignments(i)
        self._inplace = InPlace()
        self._read: dict[Location, Value | None] = {}
        """What was read, and what it held."""
        self._whole_objects: set[int] = set()
        """Objects of which all fields count."""
        while self._todo and not self._is_answered():
            while self._todo and not self._is_answered():
                self._follow_value(self._todo.pop())
            if not self._is_answered():
                self._follow_fields()
                self._follow_methods()
        self.mutated: dict[int, frozenset[str]] = {}
        """The containers and iterators that may be changed in place, each with how."""
        self.writes_traced = False
        """Whether it may write what a trace has read."""
        if not self._is_answered():
            holders = self._holders()
            self.mutated = self._inplace.mutated(i, self._objects, holders, self._assignments.attributes)
            self.writes_traced = any(self._may_write(oid, field, holders) for oid, field in map(whole_location, i.traced))
            self.compiled = self.compiled or self.writes_traced

    def _holders(self) -> set[int]:
        """The objects of which attributes may be set."""
        return self._objects | self._classes.keys() | self._modules

    def assigned(self) -> list[tuple[int, str]]:
        """The attributes and variables that may be set, and of which objects, in order."""
        return self._assignments.locations(self._holders())

    def holds(self) -> bool:
        """Whether all that was read leads where it led."""
        cells = self._i.heap.cells
        return (
            not any(_leads(value, now) for (oid, field), value in self._read.items() if (now := cells[oid].get(field)) is not value)
            and not any(
                (oid, field) not in self._read and _leads(value) for oid in self._whole_objects for field, value in cells[oid].items()
            )
            and not any(self._asked(oid) & cells[oid].keys() - known for oid, known in self._owners.items())
        )

    def reads(self) -> set[Location]:
        """The locations that decided it. Of an object whose fields all count, that is one; and so are all names that an object does not have."""
        heap, whole = self._i.heap, self._whole_objects | self._walked
        recording, heap.recording = heap.recording, None  # these are what it reads
        cells, heap.recording = heap.cells, recording
        found: set[Location] = {(oid, WHOLE) for oid in whole}
        absent = {oid: self._attributes - known for oid, known in self._owners.items() if oid not in whole}
        for oid, field in self._read:
            if oid in whole:
                continue
            if isinstance(field, str) and field not in cells[oid]:
                absent.setdefault(oid, set()).add(field)
            else:
                found.add((oid, field))
        found.update((oid, frozenset(names)) for oid, names in absent.items() if names)
        return found

    @property
    def named(self) -> frozenset[str]:
        """The names that it reads as attributes, and those that it calls or hands on."""
        return frozenset(self._attributes | self._named)

    def _is_answered(self) -> bool:
        """Whether nothing more need be followed."""
        return self.compiled and not self._whole

    def _note_compiling(self, file: str, compiles: bool) -> None:
        if compiles:
            self.compiling.add(file)
            self.compiled = True

    def compiled_objects(self) -> list[int]:
        """The compiled objects that it comes to and that are there already, in order; all of them where it was followed as a whole."""
        return sorted(oid for oid in self._objects if self._i.info(oid).kind == "compiled")

    def _may_write(self, oid: int, field: Field, holders: AbstractSet[int]) -> bool:
        """Whether a location may be written. `holders`: the objects of which attributes may be set."""
        ways = self.mutated.get(oid)
        if ways is not None and (ways != {MODE} or field in (TRAINING, UNSEEN_MODE)) or self._assignments.sets_variable(oid, field):
            return True
        if not isinstance(field, str) or oid not in holders:
            return False
        names = self._assignments.attributes_set_on(oid)
        return field in names or ANY in names

    def _follow_value(self, value: Value) -> None:
        """Follow what a value may be."""
        for member in members(value):
            if isinstance(member, Bound):
                if isinstance(member.owner, Ref) and isinstance(member.function, Ref) and self._i.info(member.owner.oid).kind == "class":
                    self._class_methods.add(member.function.oid)
                self._inplace.note_method(member)
                self._todo += (member.owner, member.function)
            elif isinstance(member, External):
                self._note_compiling(ANY, member.name in self._i.tracers)
            elif isinstance(member, Tuple):
                self._todo += member.parts
            elif isinstance(member, Ref) and member.oid not in self._objects:
                self._objects.add(member.oid)
                self._follow_object(member)

    def _follow_object(self, ref: Ref) -> None:
        """Follow what an object leads to."""
        info = self._i.info(ref.oid)
        if info.kind in ("compiled", "transform"):
            self.compiled = True
        if info.kind == "module":
            self._modules.add(ref.oid)
            self._owners.setdefault(ref.oid, set())
        if info.kind in ("module", "frame") or self._is_answered():
            return
        cells = self._i.heap.cells[ref.oid]
        if info.kind == "class":
            self._classes.setdefault(ref.oid, set())
            return
        by_name = info.kind == "instance" and isinstance(cells.get(CLASS), Ref)
        if by_name:
            self._owners[ref.oid] = set()
        else:
            self._whole_objects.add(ref.oid)
        if info.kind == "descriptor" and info.payload in ("classmethod", "staticmethod"):
            methods = self._class_methods if info.payload == "classmethod" else self._static_methods
            methods.update(member.oid for member in members(cells.get("fget") or External("")) if isinstance(member, Ref))
        for field, value in cells.items():
            if not by_name or not isinstance(field, str):
                self._read[ref.oid, field] = value
            if field == CLASS or field == DEFINED_IN:
                self._note_classes(value)
            elif by_name and isinstance(field, str):
                continue
            elif field != ENV or info.kind != "function":
                self._todo.append(value)
        if isinstance(info.payload, FunctionInfo):
            self._todo += self._held_by_function(ref, info.payload)
        activation = cells.get(ENV) if info.kind in ("generator", "coroutine") else None
        if isinstance(activation, Ref):
            self._todo += self._i.heap.cells[activation.oid].values()

    def _note_classes(self, value: Value) -> None:
        """Take in the class of an object that is there already: nothing says that another one is made."""
        for member in members(value):
            if isinstance(member, Ref):
                self._classes.setdefault(member.oid, set())

    def _follow_fields(self) -> None:
        """Follow what may be asked of the objects of classes of the program, as far as is known by now."""
        cells = self._i.heap.cells
        for oid, known in self._owners.items():
            if oid not in self._walked | self._modules and (not WALKS.isdisjoint(self._attributes) or self._is_walked(oid)):
                self._walked.add(oid)
            for field in self._asked(oid) & cells[oid].keys() - known:
                known.add(field)
                self._read[oid, field] = cells[oid][field]
                self._todo.append(cells[oid][field])
            for field in self._named & known:
                self._note_called(cells[oid][field])

    def _asked(self, oid: int) -> AbstractSet[Field]:
        """The fields of an object of a class of the program that may be asked for."""
        if oid not in self._walked:
            return self._attributes
        return {field for field in self._i.heap.cells[oid] if isinstance(field, str)}

    def _is_walked(self, oid: int) -> bool:
        """Whether an attribute is named that the class of an object has from a library, of which nobody knows what it does with the fields."""
        classes = [cls.oid for cls in members(self._i.heap.cells[oid].get(CLASS) or External("")) if isinstance(cls, Ref)]
        return any(self._is_of_library(cls, name) for cls in classes for name in self._attributes)

    def _is_of_library(self, cls: int, name: str) -> bool:
        """Whether a class has an attribute from one of a library, or may have it."""
        key = cls, name
        if key not in self._inherits:
            found = [base for part in bases_at_present(self._i, cls) for base in members(part)]
            self._inherits[key] = any(
                self._is_of_library(base.oid, name)
                if isinstance(base, Ref)
                else not isinstance(base, External) or _may_have(base.name, name)
                for base in found
            )
        return self._inherits[key]

    def _note_called(self, value: Value) -> None:
        """Take in what a name that is called, or handed to a call, holds."""
        for member in members(value):
            if isinstance(member, Ref) and self._i.info(member.oid).kind == "instance":
                self._called.update(
                    cls.oid for cls in members(self._i.heap.cells[member.oid].get(CLASS) or External("")) if isinstance(cls, Ref)
                )

    def _follow_methods(self) -> None:
        """Follow what may be asked of the classes, as far as is known by now."""
        for oid in list(self._classes):
            cells, known = self._i.heap.cells[oid], self._classes[oid]
            for part in bases_at_present(self._i, oid):
                self._note_classes(part)
                if oid in self._objects and BASES not in known:
                    self._todo.append(part)
            if oid in self._objects:
                known.add(BASES)
            every = self._calls_values and ANY in self._attributes
            for field, value in cells.items():
                if field in known or field == BASES:
                    continue
                if (
                    not isinstance(field, str)
                    or self._is_asked(oid, field, every)
                    or ANY in self._assignments.attributes
                    and self._is_property(value)
                ):
                    known.add(field)
                    self._read[oid, field] = value
                    self._todo.append(value)

    def _is_property(self, value: Value) -> bool:
        """Whether a field of a class may be a property, whose functions run where an object's attribute is set."""
        return any(isinstance(member, Ref) and self._i.info(member.oid).kind == "descriptor" for member in members(value))

    def _is_asked(self, cls: int, name: str, every: bool) -> bool:
        """Whether a field of a class may be asked for."""
        if name in self._attributes or name in self._assignments.attributes:
            return True
        if name in OF_CLASSES_MADE:
            return cls in self._objects or self._makes_any and self._calls_values
        if name == "__call__":
            return self._calls_values or cls in self._called
        return every or name.startswith("__") and name.endswith("__") or self._is_of_library(cls, name)

    def _held_by_function(self, ref: Ref, function: FunctionInfo) -> list[Value]:
        """What the names in a function hold. What it sets and changes is taken in."""
        code = self._i.project.outline(function.source, self._i.tracers).code(function.node.start, function.node.end)
        self._note_compiling(function.source.name, code.compiles)
        if code.compiles:
            self.compiling_functions.add(function.source.span(function.node.start, function.node.end))
            if not self._whole:
                return []
        owner = self._i.heap.cells[ref.oid].get(DEFINED_IN)
        self._attributes |= code.attributes
        self._named |= code.named
        self._calls_values = self._calls_values or code.calls_values
        self._makes_any = self._makes_any or code.makes_any
        is_method = isinstance(owner, Ref) and ref.oid not in self._static_methods
        self._assignments.note_attributes(
            function, code, owner.oid if is_method and isinstance(owner, Ref) else None, of_class=ref.oid in self._class_methods
        )
        for name in code.module:
            self._assignments.note_variable(function.module, name)
        for name in code.nonlocals:
            for activation in self._activations_binding(self._i.heap.cells[ref.oid].get(ENV), name):
                self._assignments.note_variable(activation, name)
        self._inplace.note_code(code, lambda name: self._held_around(ref, name))
        held = self._held_by_names(ref, code)
        if code.whole_module:
            held += self._held_by_whole_module(function.module)
        for item in code.imports:
            held += self._held_by_import(function.source, item, code.imported)
        return held

    def _held_by_whole_module(self, module: int) -> list[Value]:
        """What all names of a module hold, of which a function may read any."""
        cells = self._i.heap.cells[module]
        self._read.update({(module, field): value for field, value in cells.items() if isinstance(field, str)})
        return [value for field, value in cells.items() if isinstance(field, str)]

    def _held_by_names(self, ref: Ref, code: Code) -> list[Value]:
        """What the names hold that a function reads or calls."""
        held: list[Value] = []
        for name in code.names:
            value = self._held_around(ref, name)
            if value is None:
                continue
            for member in members(value):
                if isinstance(member, Ref) and self._i.info(member.oid).kind == "module":
                    held += self._held_by_module(member.oid, code.imported)
                else:
                    held.append(member)
            if name in code.named:
                self._note_called(value)
        return held

    def _activations_binding(self, outer: Value | None, name: str) -> tuple[int, ...]:
        """The activations of blocks around a function, or its module, that bind a name: several where the function stands for several."""
        cells = self._i.heap.cells
        while isinstance(outer, Ref):
            self._read[outer.oid, name] = found = cells[outer.oid].get(name)
            if found is not None:
                return (outer.oid,)
            outer = cells[outer.oid].get(ENV)
        if isinstance(outer, Union):
            return tuple(dict.fromkeys(oid for member in members(outer) for oid in self._activations_binding(member, name)))
        return ()

    def _held_around(self, ref: Ref, name: str) -> Value | None:
        """What a name of a block around a function holds."""
        cells = self._i.heap.cells
        found = self._activations_binding(cells[ref.oid].get(ENV), name)
        return join(cells[oid][name] for oid in found) if found else None

    def _held_by_module(self, oid: int, attributes: Iterable[str]) -> list[Value]:
        """What some attributes of a module hold, and of the modules among them."""
        held: list[Value] = []
        todo, seen = [oid], set[int]()
        while todo:
            module = todo.pop()
            seen.add(module)
            cells = self._i.heap.cells[module]
            self._read.update(((module, name), cells.get(name)) for name in attributes)
            found = [cells[name] for name in attributes if name in cells]
            if _is_package(self._i, module):
                found += [submodule(self._i, Ref(module), name) for name in attributes if name not in cells]
            for member in (member for value in found for member in members(value)):
                if not isinstance(member, Ref) or self._i.info(member.oid).kind != "module":
                    held.append(member)
                elif member.oid not in seen:
                    todo.append(member.oid)
        self._modules |= seen
        return held

    def _held_by_import(self, source: Source, item: Import, attributes: frozenset[str]) -> list[Value]:
        """What an import within a function leads to: the names that it means in the module, which may not be loaded yet."""
        meant = self._i.unloaded.meant(source, item, attributes)
        if meant is None:
            return []
        module, names = meant
        oid = self._i.modules.get(module.name)
        if oid is None or not isinstance(self._i.info(oid).payload, FrameInfo):
            self._note_compiling(ANY, self._i.unloaded.compiles(module, names))
            return []
        self._note_compiling(ANY, ANY in names)
        return self._held_by_module(oid, names)


def compiling_names(i: Interpreter, source: Source) -> dict[int, set[str]]:
    """The names by which a file calls what its imports lead to and what reaches something compiled, by the block that imports it."""
    found = i.project.symbols(source, i.tracers)
    called = frozenset().union(*(block.calls for block in found.blocks))
    names: dict[int, set[str]] = {}
    for item in found.imports:
        meant = i.unloaded.meant(source, item, called)
        if meant is None:
            continue
        module, wanted = meant
        for name in wanted - {ANY}:
            if _reaches_compiled(i, module, name):
                names.setdefault(item.block, set()).add(item.bound if wanted == {item.name} else name)
    return names


def _reaches_compiled(i: Interpreter, module: Source, name: str) -> bool:
    """Whether a name of a module of the project, which may not be loaded yet, reaches something compiled."""
    oid = i.modules.get(module.name)
    if oid is None or not isinstance(i.info(oid).payload, FrameInfo):
        return i.unloaded.compiles(module, (name,))
    value = i.heap.cells[oid].get(name)
    kinds = {i.info(member.oid).kind for member in members(value) if isinstance(member, Ref)} if value is not None else set()
    return value is not None and bool(kinds & {"function", "class"}) and reach_of(i, (value,)).compiled
