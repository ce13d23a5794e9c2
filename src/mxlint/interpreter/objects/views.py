"""Dicts that are the attributes of an object: `vars(object)`, `object.__dict__`, `globals()`.

Such a dict has no contents of its own: what is put there is an attribute, and what is read there is one.
"""

from __future__ import annotations

from mxlint.domain.heap import Field
from mxlint.domain.members import NONE, UNBOUND, Const, Member, Ref, Value, options
from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter, guarded
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import OF


def view(i: Interpreter, owner: Value, place: Place) -> Ref:
    """The attributes of an object, as a dict."""
    oid = i.allocate("dict", None, place, "vars")
    i.heap.set(oid, OF, owner)
    look(i, oid)
    if _attributes(i, oid) is None:
        i.heap.set(oid, ("#", "rest"), i.symbolic(place, "attribute"))
    return Ref(oid)


def look(i: Interpreter, oid: int) -> None:
    """Let a dict hold what its object has now, if it is such a dict."""
    held = _attributes(i, oid)
    if held is None:
        return
    for field in [field for field in i.heap.fields(oid) if _names(field) and field not in held]:
        i.heap.drop(oid, field)
    for field, value in held.items():
        if i.heap.get(oid, field) != value:
            i.heap.set(oid, field, value)


def changed(i: Interpreter, oid: int, place: Place, frame: Frame) -> None:
    """Write the entries of a changed view back as attributes of its object: where it is that of one of several, of each under its guard."""
    before = _attributes(i, oid)
    if before is None:
        return
    now = {field: value for field, value in i.heap.fields(oid).items() if _names(field)}
    new = {str(field[1].value): now.get(field) for field in (*now, *before) if now.get(field) != before.get(field)}  # type: ignore[index]

    def put_in(owner: Member) -> Value:
        assert isinstance(owner, Ref)
        for name, value in new.items():
            if value is None:
                i.heap.drop(owner.oid, name)
            else:
                i.heap.set(owner.oid, name, value)
            i.operations.written(i, owner.oid, name, UNBOUND if value is None else value, place, frame)
        return NONE

    if new:
        i.place = place
        i.split(i.heap.get(oid, OF) or UNBOUND, put_in)


def _attributes(i: Interpreter, oid: int) -> dict[Field, Value] | None:
    """The attributes that a dict stands for, as its entries; None if it is no such dict, or not all of its objects are in sight."""
    owner = i.heap.get(oid, OF)
    owners = options(owner) if owner is not None else ()
    if not owners or not all(isinstance(option.member, Ref) for option in owners):
        return None
    fields = [(i.heap.fields(option.member.oid), option.guard) for option in owners if isinstance(option.member, Ref)]
    names = dict.fromkeys(name for held, _ in fields for name in held if isinstance(name, str))
    return {("k", Const(name)): guarded([(held.get(name) or UNBOUND, guard) for held, guard in fields]) for name in names}


def _names(field: object) -> bool:
    """Whether an entry of a dict is under a string."""
    return isinstance(field, tuple) and field[0] == "k" and isinstance(field[1], Const) and isinstance(field[1].value, str)
