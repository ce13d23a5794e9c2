"""Exceptions: raising those of Python by name, and which handlers catch what."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import cache
from typing import NoReturn

from mxlint.domain.join import join
from mxlint.domain.members import Bound, External, Ref, Symbolic, Tuple, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.core import Halt, Interpreter
from mxlint.interpreter.targets import Target
from mxlint.models.load import bases as library_bases


def throw_named(i: Interpreter, name: str, place: Place) -> NoReturn:
    """Raise an exception of a class of a library."""
    oid = i.allocate("instance", None, place, name)
    i.heap.set(oid, ("#", "class"), External(name))
    i.heap.set(oid, "args", Tuple(()))
    i.throw(Ref(oid))
    raise Halt


def exception_of(i: Interpreter, name: str | None, place: Place) -> Symbolic:
    """An exception that a library raises: an instance of a class of its, or of any class."""
    return i.symbolic(place, "exception", kinds=None if name is None else frozenset((name,)))


@cache
def is_leaf(name: str) -> bool:
    """Whether a builtin exception class has no subclasses among the builtins."""
    real = getattr(builtins, name.removeprefix("builtins."), None) if name.startswith("builtins.") else None
    if not isinstance(real, type):
        return False
    return not any(isinstance(other, type) and other is not real and issubclass(other, real) for other in vars(builtins).values())


def exception_class(i: Interpreter, value: Value) -> Value:
    """The class of an exception that is raised: of an instance its class, of a class itself."""
    found: list[Value] = []
    for member in members(value):
        if isinstance(member, Ref) and i.info(member.oid).kind == "instance":
            found.append(i.heap.get(member.oid, ("#", "class")) or Unknown("exception"))
        elif isinstance(member, Symbolic) and member.kinds is not None and len(member.kinds) == 1:
            found.append(External(next(iter(member.kinds))))
        else:
            found.append(member)
    return join(found) if found else Unknown("exception")


def caught(i: Interpreter, raised: Value, handler: Value) -> bool | None:
    """Whether `except handler` catches an exception: surely, surely not, or None."""
    answers = {_caught(i, cls, wanted) for cls in members(exception_class(i, raised)) for wanted in _each(handler)}
    if True in answers and len(list(members(exception_class(i, raised)))) == 1:
        return True
    return False if answers == {False} else None


def answered(i: Interpreter, raised: Target, name: str, answer: Callable[[], None]) -> None:
    """Go on, one by one, from the states that arrived with an exception: `answer` has those of a class of Python, others leave from here."""
    path = i.path
    for delta, error, way in raised.arrived:
        known = caught(i, error, External(name))
        i.heap.apply(delta)
        i.path = way
        if known is not False:
            answer()
        if known is not True:
            try:
                i.throw(error)
            except Halt:
                pass
        i.heap.undo(raised.mark)
    i.hand_on(raised.mark, raised.possible)
    i.path = path


def _each(handler: Value) -> list[Value]:
    found: list[Value] = []
    for member in members(handler):
        found.extend(member.items if isinstance(member, Tuple) and member.items is not None else (member,))
    return found


def _caught(i: Interpreter, cls: Value, wanted: Value) -> bool | None:
    if isinstance(wanted, (Symbolic, Unknown, Bound)) or isinstance(cls, (Symbolic, Unknown, Bound)):
        return None
    names = ancestors(i, cls)
    if isinstance(wanted, Ref):
        return wanted in names or (None if None in names else False)
    if isinstance(wanted, External):
        if wanted.name in names:
            return True
        return None if None in names else False
    return None


def ancestors(i: Interpreter, cls: Value) -> set[object]:
    """A class and its bases: numbers of classes of the program, names of those of libraries, None for what is not known."""
    found: set[object] = set()
    todo: list[Value] = [cls]
    while todo:
        item = todo.pop()
        if isinstance(item, Ref):
            if item in found:
                continue
            found.add(item)
            bases = i.heap.get(item.oid, ("#", "bases"))
            todo.extend(bases.items if isinstance(bases, Tuple) and bases.items is not None else ())
        elif isinstance(item, External):
            found.add(item.name)
            real = getattr(builtins, item.name.removeprefix("builtins."), None) if item.name.startswith("builtins.") else None
            if isinstance(real, type):
                found.update(f"builtins.{base.__name__}" for base in real.__mro__)
            else:
                known = library_bases(item.name)
                found.update(known if known else {None})
        else:
            found.add(None)
    return found
