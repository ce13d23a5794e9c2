"""What some code may set: attributes, on objects of the classes whose methods set them or on any, and variables of modules and of blocks around."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Literal, TypeAlias

from mxlint.domain.members import External, Ref, members
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.objects.lookup import CLASS, METACLASS, bases_at_present
from mxlint.syntax.code import Code
from mxlint.syntax.index import ANY

INITIALIZERS: Final = frozenset(("__init__", "__post_init__"))
"""Those that set attributes of an object which is new, unless somebody calls them by that name, or there is a `__new__`."""
OF_CLASSES: Final = frozenset(("__new__", "__init_subclass__", "__class_getitem__"))
"""Methods that Python gives the class, without a decorator."""
Receiver: TypeAlias = Literal["object", "class", "made"]
"""Whose attributes a method sets on its first parameter: those of an object, of a class, or of an object that is new."""


class Assignments:
    """The attributes and variables that the functions which were noted may set."""

    __slots__ = ("_by_method", "_i", "_on_anything", "_reinitializes", "_variables", "attributes")

    def __init__(self, i: Interpreter) -> None:
        self._i = i
        self._by_method: dict[tuple[int, Receiver], set[str]] = {}
        """Names of attributes that methods set on what they are called for, by their class."""
        self._on_anything: set[str] = set()
        """Names of attributes that are set on objects of which nobody knows the class."""
        self._variables: set[tuple[int, str]] = set()
        """Modules and activations, each with the name of a variable that is set there."""
        self._reinitializes = False
        """Whether a constructor may be called for an object that is there already."""
        self.attributes: set[str] = set()
        """Names of attributes that are set on whatever object."""

    def note_attributes(self, function: FunctionInfo, code: Code, cls: int | None, *, of_class: bool) -> None:
        """Take in the attributes that a function sets. `cls`: the class whose objects it is a method of, or which it is given itself if it is `of_class`;
        None for what is no method."""
        initializes = function.name in INITIALIZERS
        if function.name == "__new__" or not initializes and not INITIALIZERS.isdisjoint(code.attributes):
            self._reinitializes = True
        receiver: Receiver = "made" if initializes else "class" if of_class or function.name in OF_CLASSES else "object"
        own = self._on_anything if cls is None else self._by_method.setdefault((cls, receiver), set())
        own |= code.own
        self._on_anything |= code.others
        self.attributes |= code.own | code.others

    def note_variable(self, oid: int, name: str) -> None:
        """Take in that a variable of a module or activation is set."""
        self._variables.add((oid, name))

    def sets_variable(self, oid: int, name: object) -> bool:
        """Whether a variable of a module or activation may be set."""
        return (oid, name) in self._variables or (oid, ANY) in self._variables

    def attributes_set_on(self, oid: int) -> set[str]:
        """The names of the attributes that may be set on an object."""
        cells = self._i.heap.cells
        names = set(self._on_anything)
        for meta in members(cells[oid].get(METACLASS) or External("")):
            names |= self._by_method.get((meta.oid, "object"), set()) if isinstance(meta, Ref) else set()
        receivers: tuple[Receiver, ...] = ("class",) if self._i.info(oid).kind == "class" else ("object",)
        if self._reinitializes and receivers == ("object",):
            receivers = ("object", "made")
        classes = {oid} | {member.oid for member in members(cells[oid].get(CLASS) or External("")) if isinstance(member, Ref)}
        for cls in classes.union(*(_extended(self._i, cls) for cls in classes)):
            for receiver in receivers:
                names |= self._by_method.get((cls, receiver), set())
        return names

    def locations(self, holders: Collection[int]) -> list[tuple[int, str]]:
        """The attributes of some objects and the variables that may be set, in order."""
        named = (*self._variables, *((oid, name) for oid in holders for name in self.attributes_set_on(oid)))
        return sorted({location for oid, name in named for location in self._locations(oid, name)})

    def _locations(self, oid: int, name: str) -> list[tuple[int, str]]:
        """Where something is set by a name: on an object of a class of the program wherever it is, on others what is there already."""
        cells = self._i.heap.cells[oid]
        if name == ANY:
            return [(oid, field) for field in cells if isinstance(field, str)]
        there = name in cells or self._i.info(oid).kind == "instance" or (oid, name) in self._variables
        return [(oid, name)] if there or any(name in self._i.heap.cells[base] for base in _extended(self._i, oid)) else []


def _extended(i: Interpreter, cls: int) -> set[int]:
    """The classes of the program that a class extends; none for what is no class."""
    found: set[int] = set()
    todo = [cls]
    while todo:
        bases = {member.oid for part in bases_at_present(i, todo.pop()) for member in members(part) if isinstance(member, Ref)}
        todo += bases - found
        found |= bases
    return found
