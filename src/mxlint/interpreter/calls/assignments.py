"""What code may set, by its text alone: attributes, and variables of modules and of enclosing functions.

`self.scale = 2` in a method may set `scale` of the objects that the method is called on. `other.scale = 2` may set that of any object.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, Literal, TypeAlias

from mxlint.domain.members import External, Ref, members
from mxlint.interpreter.machine.constructors import INITIALIZERS
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.objects.lookup import CLASS, METACLASS, bases_at_present
from mxlint.syntax.code import Code
from mxlint.syntax.index import ANY

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
        heap = self._i.heap
        names = set(self._on_anything)
        for meta in members(heap.get(oid, METACLASS) or External("")):
            names |= self._by_method.get((meta.oid, "object"), set()) if isinstance(meta, Ref) else set()
        is_class = self._i.info(oid).kind == "class"
        receivers: tuple[Receiver, ...] = ("class",) if is_class else ("object",)
        if self._reinitializes and not is_class:
            receivers = ("object", "made")
        classes = {member.oid for member in members(heap.get(oid, CLASS) or External("")) if isinstance(member, Ref)}
        if is_class:
            classes.add(oid)
        for cls in classes.union(*(_extended(self._i, cls) for cls in classes)):
            for receiver in receivers:
                names |= self._by_method.get((cls, receiver), set())
        return names

    def locations(self, holders: Collection[int]) -> list[tuple[int, str]]:
        """The attributes of some objects and the variables that may be set, in order."""
        found: set[tuple[int, str]] = set()
        for oid, name in self._variables:
            found.update(self._every(oid) if name == ANY else ((oid, name),))
        for oid in holders:
            names = self.attributes_set_on(oid)
            if ANY in names:
                found.update(self._every(oid))
            found.update((oid, name) for name in self._settable(oid, names - {ANY}))
        return sorted(found)

    def _every(self, oid: int) -> list[tuple[int, str]]:
        """All attributes of an object that are there."""
        return [(oid, field) for field in self._i.heap.fields(oid) if isinstance(field, str)]

    def _settable(self, oid: int, names: set[str]) -> Iterable[str]:
        """Those of some names by which something is set on an object: all on one of a class of the program, on others what is there already."""
        heap, kind = self._i.heap, self._i.info(oid).kind
        if kind == "instance":
            return names
        if kind == "class":
            owners = (oid, *_extended(self._i, oid))
            return (name for name in names if any(heap.has(owner, name) for owner in owners))
        if kind == "module":
            return (name for name in names if heap.has(oid, name))
        return names & heap.fields(oid).keys()


def _extended(i: Interpreter, cls: int) -> set[int]:
    """The classes of the program that a class extends."""
    found: set[int] = set()
    todo = [cls]
    while todo:
        bases = {member.oid for part in bases_at_present(i, todo.pop()) for member in members(part) if isinstance(member, Ref)}
        todo += bases - found
        found |= bases
    return found
