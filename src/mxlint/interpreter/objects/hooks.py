"""`__setattr__`, `__delattr__` and `__getattribute__` of the program: what they make of each attribute that is set, deleted or read."""

from __future__ import annotations

from mxlint.domain.members import Const, External, Member, Ref, Value
from mxlint.domain.place import Place
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.objects.lookup import CLASS, bind, held_by_class


def set_by_hook(i: Interpreter, member: Ref, name: Value, value: Value, place: Place, frame: Frame) -> bool:
    """Whether the program has a `__setattr__` for an object: it is called."""
    return _by_hook(i, member, "__setattr__", (name, value), place, frame) is not None


def deleted_by_hook(i: Interpreter, member: Ref, name: str, place: Place, frame: Frame) -> bool:
    """Whether the program has a `__delattr__` for an object: it is called."""
    return _by_hook(i, member, "__delattr__", (Const(name),), place, frame) is not None


def read_by_hook(i: Interpreter, member: Ref, name: str, place: Place, frame: Frame) -> Value | None:
    """What a `__getattribute__` of the program gives; None if it has none for an object."""
    return _by_hook(i, member, "__getattribute__", (Const(name),), place, frame)


def _by_hook(i: Interpreter, member: Ref, hook: str, given: tuple[Value, ...], place: Place, frame: Frame) -> Value | None:
    cls = i.heap.get(member.oid, CLASS) if i.info(member.oid).kind == "instance" else None
    _, found = (held_by_class(i, cls, hook, written=True) if isinstance(cls, Member) else None) or (None, None)
    if cls is None or not isinstance(found, (Ref, External)):
        return None
    return i.call(bind(i, found, member, cls, place, frame), Arguments(given, places=(place,) * len(given)), place, frame)
