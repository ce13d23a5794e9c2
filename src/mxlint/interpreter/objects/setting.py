"""Setting and deleting attributes: what hooks of the class make of it, what descriptors do, what the object holds then, and what Python refuses."""

from __future__ import annotations

from mxlint.domain.members import NONE, UNBOUND, Const, External, Member, Ref, Symbolic, Tuple, Unbound, Union, Unknown, Value
from mxlint.domain.place import Place
from mxlint.interpreter.libraries import replaced
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.private import mangled
from mxlint.interpreter.objects import replaced_dict, slots
from mxlint.interpreter.objects.hooks import deleted_by_hook, set_by_hook
from mxlint.interpreter.objects.lookup import CLASS, PLAIN, class_attribute, frozen, mro, special
from mxlint.interpreter.open_world import shadows
from mxlint.interpreter.open_world.standing import Standing


def set_attribute(i: Interpreter, owner: Value, name: str, value: Value, place: Place, frame: Frame) -> None:
    """`owner.name = value`."""
    name = mangled(i, name, frame)

    def one(member: Member) -> Value:
        _set_of(i, member, name, value, place, frame)
        return NONE

    i.place = place
    i.split(owner, one)


def _set_of(i: Interpreter, member: Member, name: str, value: Value, place: Place, frame: Frame) -> None:
    if isinstance(member, Symbolic):
        shadows.write(i, member, name, value, place, frame)
    if not isinstance(member, Ref):
        handled = i.operations.external(i, "#set_member", Arguments((member, Const(name), value), places=(place,) * 3), place, frame)
        if isinstance(member, External) and handled == NONE:
            replaced.put(i, member.name, name, value, place, frame)
            return
        i.mlx.handed(i, (value,), place, frame)
        return
    if set_by_hook(i, member, Const(name), value, place, frame):
        return
    cls = i.heap.get(member.oid, CLASS) if i.info(member.oid).kind == "instance" else None
    if cls is not None and frozen(i, cls):
        throw_named(i, "dataclasses.FrozenInstanceError", place)
    set_without_hook(i, member, name, value, place, frame)


def set_without_hook(i: Interpreter, member: Ref, name: str, value: Value, place: Place, frame: Frame) -> None:
    """As `object.__setattr__` does: by the descriptor that the class has under the name, else in the object."""
    kind = i.info(member.oid).kind
    if kind == "instance":
        cls = i.heap.get(member.oid, CLASS) or Unknown("class")
        found = class_attribute(i, cls, name) if not isinstance(cls, Union) else None
        if _asked(i, found, member, "fset", "__set__", (value,), place, frame):
            return
        if slots.refused(i, cls, name):
            throw_named(i, "builtins.AttributeError", place)
        if (
            replaced_dict.give(i, member, value, place, frame)
            if name == "__dict__"
            else replaced_dict.write(i, member, name, value, place, frame)
        ):
            return
    if kind == "function" and name == "__defaults__":
        _set_defaults(i, member, value, place, frame)
    elif kind == "function" and name == "__kwdefaults__":
        _set_keyword_defaults(i, member, value, place, frame)
    i.heap.set(member.oid, CLASS if kind == "instance" and name == "__class__" else name, value)
    i.operations.written(i, member.oid, name, value, place, frame)


def delete_attribute(i: Interpreter, member: Ref, name: str, place: Place, frame: Frame) -> None:
    """`del member.name`."""
    if not deleted_by_hook(i, member, name, place, frame):
        delete_without_hook(i, member, name, place, frame)


def delete_without_hook(i: Interpreter, member: Ref, name: str, place: Place, frame: Frame) -> None:
    """As `object.__delattr__` does: by the descriptor that the class has under the name, else from the object, which must have it."""
    cls = i.heap.get(member.oid, CLASS) if i.info(member.oid).kind == "instance" else None
    found = class_attribute(i, cls, name) if cls is not None and not isinstance(cls, Union) else None
    if _asked(i, found, member, "fdel", "__delete__", (), place, frame) or replaced_dict.write(i, member, name, None, place, frame):
        return
    if isinstance(i.heap.get(member.oid, name) or UNBOUND, Unbound) and _holds_all(i, member, cls or member):
        throw_named(i, "builtins.AttributeError", place)
    i.heap.drop(member.oid, name)
    i.operations.written(i, member.oid, name, UNBOUND, place, frame)


def _holds_all(i: Interpreter, member: Ref, cls: Value) -> bool:
    """Whether an object of a class, or the class itself, surely has no attributes but those that it is known to hold."""
    bases = mro(i, cls) if isinstance(cls, Ref) and i.info(cls.oid).kind == "class" else ()
    return (
        bool(bases)
        and member.oid not in i.ledger.of(Standing).objects
        and all(isinstance(base, Ref) or isinstance(base, External) and base.name in PLAIN for base in bases)
    )


def _asked(
    i: Interpreter, found: Value | None, owner: Ref, part: str, method: str, given: tuple[Value, ...], place: Place, frame: Frame
) -> bool:
    """Whether a class holds a descriptor under a name that sets or deletes it: the `part` of a property, which must have it, or the `method` of an object."""
    info = i.info(found.oid) if isinstance(found, Ref) else None
    if not isinstance(found, Ref) or info is None:
        return False
    if info.kind == "descriptor" and info.payload == "property":
        function = i.heap.get(found.oid, part)
        if function is None:
            throw_named(i, "builtins.AttributeError", place)
    else:
        function = special(i, found, method, place, frame) if info.kind == "instance" else None
        if function is None:
            return False
    i.call(function, Arguments((owner, *given), places=(place,) * (1 + len(given))), place, frame)
    return True


def _set_defaults(i: Interpreter, function: Ref, value: Value, place: Place, frame: Frame) -> None:
    """Give the last parameters of a function other defaults."""
    info = i.info(function.oid).payload
    given = [value.items] if isinstance(value, Tuple) and value.items is not None else [()] if value == NONE else []
    if isinstance(info, FunctionInfo) and given:
        names = [param.name for param in info.node.params if not param.star and not param.kwonly]
        held = dict(zip(reversed(names), reversed(given[0])))
        for name in names:
            _set_default(i, function, name, held.get(name), place, frame)


def _set_default(i: Interpreter, function: Ref, name: str, value: Value | None, place: Place, frame: Frame) -> None:
    """Give a parameter of a function another default, or none."""
    if value is None:
        i.heap.drop(function.oid, ("default", name))
    else:
        i.heap.set(function.oid, ("default", name), value)
    i.operations.written(i, function.oid, ("default", name), UNBOUND if value is None else value, place, frame)


def _set_keyword_defaults(i: Interpreter, function: Ref, value: Value, place: Place, frame: Frame) -> None:
    """Give the parameters of a function that only keywords bind other defaults."""
    info = i.info(function.oid).payload
    if isinstance(info, FunctionInfo) and (value == NONE or isinstance(value, Ref) and i.info(value.oid).kind == "dict"):
        for name in [param.name for param in info.node.params if param.kwonly]:
            held = i.heap.get(value.oid, ("k", Const(name))) if isinstance(value, Ref) else None
            _set_default(i, function, name, held, place, frame)
