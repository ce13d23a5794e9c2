"""What code may change in place, by the symbol index of its file, and what a container may hold after code that was not entered has changed it.

`xs.append(1)` in a function that is not entered may change the list that the variable `xs` holds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from collections.abc import Set as AbstractSet
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.join import join
from mxlint.domain.members import TRUE, UNBOUND, Bound, External, Range, Ref, Symbolic, Tuple, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.containers.builders import put_any
from mxlint.interpreter.generators.iterators import ITERABLES, ITERATED, PARTS, POSITION, new_iterator, parts_of
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.costs import Costs
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.mlx import kinds
from mxlint.interpreter.objects.lookup import CLASS, EXTENDED, container, is_of_library
from mxlint.interpreter.open_world.unseen_layers import UNSEEN_MODE, is_opaque
from mxlint.models.load import bases, changers
from mxlint.models.mlx.names import MODE
from mxlint.syntax.code import OF_ARRAYS, Code, How

ADVANCED: Final = ("iterator", "generator")
"""Kinds of objects that whoever iterates over them changes."""
ALSO_OF_ARRAYS: Final = OF_ARRAYS | {("builtins.list", "adds"), ("builtins.list", "replaces")}
"""What is done to a list by what changes an array as well: `xs[0] = y`, `xs += y`."""
TRAINING: Final = "training"
"""The attribute of a module that its `train` and `eval` set."""
_MODULES: Final = frozenset((kinds.MODULE, "builtins.dict"))
"""The class of modules, which extends that of dicts."""


class InPlace:
    """What some blocks of code may change in place: what a variable or an attribute holds, or anything at all."""

    __slots__ = ("_attributes", "_unattributed", "_values")

    def __init__(self) -> None:
        self._unattributed: set[How] = set()
        """What is done to containers of which nothing says whose they are: the class whose objects it changes, and how."""
        self._attributes: dict[str, set[How]] = {}
        """What is done to what attributes hold, by their names."""
        self._values: list[tuple[Value, frozenset[How]]] = []
        """What is done to what variables hold."""

    def note_code(self, code: Code, held: Callable[[str], Value | None]) -> None:
        """Take in what the code of a function does. `held`: what a variable of a block around it holds."""
        for owner, does in code.changes:
            if owner == ".__dict__" or owner in code.bound:
                self._unattributed |= does
            elif owner.startswith("."):
                self._attributes.setdefault(owner[1:], set()).update(does)
            elif (value := held(owner)) is not None:
                self._values.append((value, does))

    def note_method(self, method: Bound) -> None:
        """Take in that a bound method may be called."""
        if isinstance(method.function, External):
            self._values.append((method.owner, changers().get(method.function.name.rpartition(".")[2], frozenset())))

    def mutated(
        self, i: Interpreter, objects: Collection[int], holders: Iterable[int], assigned: Collection[str]
    ) -> dict[int, frozenset[str]]:
        """The containers among `objects`, and those that attributes of `holders` hold, that may be changed, each with how; and the iterators and arrays. An
        attribute that is `assigned`, or that a property gives, may hold any of the objects."""
        found: dict[int, frozenset[str]] = {}
        cells = i.heap.cells
        held = [(str(name), cells[oid][name]) for oid in holders for name in self._attributes.keys() & cells[oid].keys()]
        given = {name for name, value in held if any(isinstance(m, Ref) and i.info(m.oid).kind == "descriptor" for m in members(value))}
        anywhere = self._unattributed.union(*(self._attributes[name] for name in given | (self._attributes.keys() & assigned)))
        for name, value in held:
            _mark(i, value, self._attributes[name], found)
        for value, does in self._values:
            _mark(i, value, does, found)
        for oid in objects:
            if i.info(oid).kind in ADVANCED:
                found[oid] = frozenset()
            elif anywhere:
                _mark_one(i, Ref(oid), anywhere, found)  # what lies in it is among them
                if not ALSO_OF_ARRAYS.isdisjoint(anywhere):
                    found.update((m.ident, frozenset()) for value in cells[oid].values() for m in members(value) if isinstance(m, Array))
        return found


def _mark(i: Interpreter, value: Value, does: Iterable[How], found: dict[int, frozenset[str]]) -> None:
    """Keep how a container or module may be changed, and those that lie in it."""
    todo, seen = [value], set()
    while todo:
        for member in members(todo.pop()):
            if isinstance(member, Tuple):
                todo += member.parts
            if isinstance(member, Ref) and member.oid not in seen and (container(i, member) or kinds.kind(i, member) == "module"):
                seen.add(member.oid)
                _mark_one(i, member, does, found)
                todo += i.heap.cells[member.oid].values()
            elif isinstance(member, Ref) and is_of_library(i, member):
                _mark_one(i, member, does, found)
            elif isinstance(member, Array):
                found.setdefault(member.ident, frozenset())


def _mark_one(i: Interpreter, ref: Ref, does: Iterable[How], found: dict[int, frozenset[str]]) -> None:
    """Keep how one container, module or object of a library may be changed."""
    kind = container(i, ref)
    if kind:
        ways = frozenset(how for cls, how in does if not cls or EXTENDED.get(cls) == kind)
    else:
        classes = _library_classes(i, ref)
        given = classes is _MODULES or is_of_library(i, ref)
        ways = frozenset(how for cls, how in does if classes is None or cls in classes or not cls and given)
    if ways:
        found[ref.oid] = found.get(ref.oid, frozenset()) | ways


def _library_classes(i: Interpreter, ref: Ref) -> AbstractSet[str] | None:
    """The classes of libraries whose methods may change an object that is no container; None if they may be any."""
    if kinds.kind(i, ref) == "module":
        return _MODULES
    cls = i.heap.cells[ref.oid].get(CLASS)
    return frozenset(bases(cls.name)) or None if isinstance(cls, External) and is_of_library(i, ref) else frozenset()


def overwrite(i: Interpreter, oid: int, ways: frozenset[str], unknown: Unknown | None, place: Place) -> None:
    """Let a container hold something beside or in place of what it holds, or an iterator have come to any place: `unknown`, or what nobody in sight
    says. `ways`: how it may be changed; only a dict of which something is removed may lack a key."""
    identity = ("changed", oid)  # of all calls, so that what is there already stays as it is
    if unknown is None:
        i.causes.setdefault(identity, ("open", place))
        i.ledger.of(Costs).given_up.add(identity)
    value: Value = unknown if unknown is not None else Symbolic(identity, None)
    kind = container(i, Ref(oid)) or i.info(oid).kind
    if kind in ("list", "set"):
        i.heap.set(oid, ITEMS, join((i.heap.get(oid, ITEMS) or Tuple(()), Tuple(None, value))))
    elif kind == "dict":
        for key, present in i.heap.entries(oid):
            i.heap.set(oid, ("k", key), join((present, value, UNBOUND) if "removes" in ways else (present, value)))
        put_any(i, oid, value, value)
    elif kind == "iterator":
        over = ITERABLES.get(str(i.info(oid).payload), slice(0))
        parts = list(parts_of(i, Ref(oid)))
        parts[over] = [Tuple(None, value) for _ in parts[over]]
        i.heap.set(oid, PARTS, Tuple(tuple(parts)))
        i.heap.set(oid, POSITION, Range(0, None))
    elif kind == "instance" and MODE in ways:
        i.heap.set(oid, TRAINING, join((i.heap.get(oid, TRAINING) or TRUE, value)))
        if is_opaque(i, Ref(oid)):
            i.heap.set(oid, UNSEEN_MODE, join((i.heap.get(oid, UNSEEN_MODE) or UNBOUND, value)))
    elif kind == "generator" and not i.heap.has(oid, ITERATED):
        i.heap.set(oid, ITERATED, new_iterator(i, "iter", (Tuple(None, value),), place))
