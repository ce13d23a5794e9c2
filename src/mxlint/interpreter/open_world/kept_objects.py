"""Compiled objects that lie where others come to them: under public names of the module, of objects that they have and of containers there, or by a method or
property that gives them.

A method `build` that sets `self.run = mx.compile(...)` leaves one in its object, a function that returns `model` with `model.run` leaves one in what it gives. Whoever
calls these has it then, and nothing in sight needs to call it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final, NamedTuple

from mxlint.domain.heap import Field
from mxlint.domain.members import NONE, Ref, Tuple, Value, members
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.journal import journal
from mxlint.interpreter.machine.reach import CONTAINERS
from mxlint.interpreter.objects.lookup import CLASS, mro
from mxlint.interpreter.open_world.standing import Standing

GIVING: Final = frozenset(("__getitem__",))
"""Methods that are called by no name and give what an object holds: `object[k]`."""

NAMING: Final = frozenset(("class", "instance", "module"))
"""Kinds of objects that hold others under names."""
PASSED: Final = CONTAINERS | {"descriptor"}
"""Kinds of objects through which others come to what lies in them; a static method among them."""


class Reader(NamedTuple):
    """A function of a class that reads what an object keeps for itself: a method, or the getter of a property, which is read by the name."""

    name: str
    ref: Ref
    info: FunctionInfo
    is_property: bool


class Kept(NamedTuple):
    """A compiled object and the way to it: from where, and by which attributes and entries. `objects`: the objects of classes on that way. `readers`: what the last
    of these has to be asked by, where it keeps the compiled object under a private name."""

    ref: Ref
    root: Ref
    path: tuple[Field, ...]
    objects: tuple[Ref, ...]
    name: str
    readers: tuple[Reader, ...] = ()


def kept(i: Interpreter, numbers: Iterable[int], had: Iterable[Value]) -> Iterator[Kept]:
    """Of some compiled objects, those to which others come from the module, from what somebody out of sight gave, and from what they `had` besides."""
    roots = {member.oid for value in had for member in members(value) if isinstance(member, Ref)} | i.ledger.of(Standing).objects
    for number in numbers:
        found = _way(i, number, roots) if i.heap.exists(number) and number not in roots else None
        if found is not None:
            yield found


def _way(i: Interpreter, number: int, roots: Collection[int]) -> Kept | None:
    """The shortest way to a compiled object."""
    label = f"`{i.info(number).label}`"
    todo = [(number, Kept(Ref(number), Ref(number), (), (), label))]
    seen = {number}
    for oid, way in todo:
        kind = i.info(oid).kind
        if oid != number and (oid in roots or kind == "module"):
            return way._replace(root=Ref(oid))
        for holder, field in sorted(i.heap.who_holds(oid), key=repr):
            kind, longer = i.info(holder).kind, way._replace(path=(field, *way.path))
            if kind == "instance" and isinstance(field, str):
                longer = longer._replace(objects=(Ref(holder), *way.objects))
            if holder in seen or kind == "class" and oid == number and journal(i).compiled[number].decorates is not None:
                continue  # what takes a self is none that others call by the class
            if isinstance(field, str) and kind in NAMING and not field.startswith("_"):
                todo.append((holder, longer._replace(name=f"`{field}`") if way.name == label else longer))
            elif isinstance(field, str) and kind == "instance" and not way.objects and (readers := readers_of(i, Ref(holder), field)):
                todo.append((holder, longer._replace(path=(), readers=readers)))
            elif kind not in PASSED:
                continue
            else:
                todo.append((holder, longer))
            seen.add(holder)
    return None


def readers_of(i: Interpreter, holder: Ref, field: str) -> tuple[Reader, ...]:
    """The methods and properties by which others may be given what an object keeps under a private name: those that read it."""
    found: dict[str, Reader | None] = {}
    cls = i.heap.get(holder.oid, CLASS)
    for base in mro(i, cls) if isinstance(cls, Ref) else ():
        for name, value in i.heap.fields(base.oid).items() if isinstance(base, Ref) else ():
            if isinstance(name, str) and name not in found and (name in GIVING or not name.startswith("_")):
                found[name] = next(_reading(i, name, value, field), None)
    return tuple(reader for reader in found.values() if reader is not None)


def _reading(i: Interpreter, name: str, value: Value, field: str) -> Iterator[Reader]:
    for member in members(value):
        is_property = isinstance(member, Ref) and i.info(member.oid).kind == "descriptor"
        held = i.heap.get(member.oid, "fget") if isinstance(member, Ref) and is_property else member
        info = i.info(held.oid).payload if isinstance(held, Ref) else None
        if isinstance(held, Ref) and isinstance(info, FunctionInfo) and field in _attributes(i, info):
            yield Reader(name, held, info, is_property)


def _attributes(i: Interpreter, info: FunctionInfo) -> frozenset[str]:
    """The attributes that a function names."""
    blocks = i.project.symbols(info.source, i.tracers).blocks
    return next((block.attributes for block in blocks if (block.start, block.end) == (info.node.start, info.node.end)), frozenset())


def read(i: Interpreter, way: Kept, use: Callable[[Ref], object]) -> None:
    """Go the way to a compiled object, and use those that lie there by now, or the object that has to be asked for it."""
    _read(i, way.root, way.path, "instance" if way.readers else "compiled", use)


def _read(i: Interpreter, held: Value, path: tuple[Field, ...], kind: str, use: Callable[[Ref], object]) -> Value:
    def one(member: Value) -> Value:
        if isinstance(member, Tuple):
            for part in member.parts:
                _read(i, part, path, kind, use)
        elif isinstance(member, Ref) and path:
            _read(i, i.heap.get(member.oid, path[0]) or NONE, path[1:], kind, use)
        elif isinstance(member, Ref) and i.info(member.oid).kind == kind:
            use(member)
        return NONE

    return i.split(held, one)
