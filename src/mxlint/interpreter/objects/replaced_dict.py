"""Attributes of an object whose `__dict__` the program has replaced: they are the entries of the new dict.

After `settings.__dict__ = table`, `settings.rate` is `table["rate"]`, and a write of either changes both. In `self.__dict__ = self` the object is a dict itself.
"""

from __future__ import annotations

from mxlint.domain.members import UNBOUND, Const, Ref, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.containers.dict_items import dict_item
from mxlint.interpreter.containers.item_assignment import drop_item, put_item
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import INSTEAD
from mxlint.interpreter.objects.lookup import container


def give(i: Interpreter, owner: Ref, value: Value, place: Place, frame: Frame) -> bool:
    """`owner.__dict__ = value`, if that is a dict in sight; what the object had is gone."""
    if not all(isinstance(member, Ref) and container(i, member) == "dict" for member in members(value)):
        return False
    names = [field for field in i.heap.fields(owner.oid) if isinstance(field, str)]
    for name in names:
        i.heap.drop(owner.oid, name)
    i.heap.set(owner.oid, INSTEAD, value)
    for name in names:
        i.operations.written(i, owner.oid, name, aspects.at(i, owner.oid, name) or UNBOUND, place, frame)
    return True


def read(i: Interpreter, owner: Ref, name: str, place: Place, frame: Frame) -> Value | None:
    """An attribute of such an object, UNBOUND where it may not be there; None of any other object."""
    table = i.heap.get(owner.oid, INSTEAD)
    if table is None:
        return None
    return i.split(table, lambda member: dict_item(i, member, Const(name), place, frame, UNBOUND) if isinstance(member, Ref) else UNBOUND)


def write(i: Interpreter, owner: Ref, name: str, value: Value | None, place: Place, frame: Frame) -> bool:
    """Set an attribute of such an object, or delete it where there is no value; whether it is one."""
    table = i.heap.get(owner.oid, INSTEAD)
    if table is None:
        return False

    def one(member: Value) -> Value:
        if isinstance(member, Ref) and value is None:
            drop_item(i, member, Const(name), place, frame)
        elif isinstance(member, Ref) and value is not None:
            put_item(i, member, Const(name), value, place, frame)
        return UNBOUND

    i.split(table, one)
    return True
