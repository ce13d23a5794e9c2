"""Methods that a class leaves to its subclasses: abstract ones, and those that only raise NotImplementedError.

An object that nothing in sight makes, and whose class has no other method of that name, is of a class that is not in sight.
"""

from __future__ import annotations

from mxlint.domain.members import NONE, TRUE, Member, Ref, members
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.objects.annotations import named
from mxlint.interpreter.objects.lookup import class_attribute, class_of, mro
from mxlint.interpreter.open_world.standing import Standing
from mxlint.syntax import ir

ABSTRACT = "__isabstractmethod__"
"""What Python sets on an abstract method."""


def overridden(i: Interpreter, ref: Ref, info: FunctionInfo, args: Arguments) -> bool:
    """Whether some class out of sight has another method in the place of the function that is called: it is abstract, or only says that subclasses
    implement it, and nothing in sight made the object; and the class of that has no other one. `super()` calls it as it is."""
    owner = args.args[0] if args.args else None
    if not isinstance(owner, Ref) or i.info(owner.oid).kind != "instance":
        return False
    if owner.oid not in i.ledger.of(Standing).objects or not _is_left_open(i, ref, info):
        return False  # Python makes an object of a class whose metaclass knows of no abstract methods, and runs them
    cls = class_of(i, owner)
    found = class_attribute(i, cls, info.name) if cls is not None else None
    return found is not None and any(
        member == ref or isinstance(member, Ref) and i.info(member.oid).kind == "descriptor" and i.heap.get(member.oid, "fget") == ref
        for member in members(found)
    )


def is_abstract(i: Interpreter, cls: Ref) -> bool:
    """Whether a class leaves methods to classes below it: some object of it is of one of these."""
    names = dict.fromkeys(
        name for base in mro(i, cls) if isinstance(base, Ref) for name in i.heap.fields(base.oid) if isinstance(name, str)
    )
    return any(_leaves_open(i, member) for name in names for member in members(class_attribute(i, cls, name) or NONE))


def _leaves_open(i: Interpreter, member: Member) -> bool:
    """Whether what a class holds is a method, or a property of one, that a class below it is to have."""
    if isinstance(member, Ref) and i.info(member.oid).kind == "descriptor":
        return any(_leaves_open(i, getter) for getter in members(i.heap.get(member.oid, "fget") or NONE))
    info = i.info(member.oid).payload if isinstance(member, Ref) else None
    return isinstance(member, Ref) and isinstance(info, FunctionInfo) and _is_left_open(i, member, info)


def _is_left_open(i: Interpreter, ref: Ref, info: FunctionInfo) -> bool:
    return i.heap.get(ref.oid, ABSTRACT) == TRUE or _not_implemented(i, ref, info)


def _not_implemented(i: Interpreter, ref: Ref, info: FunctionInfo) -> bool:
    """Whether all that a function does is to raise NotImplementedError."""
    body = info.node.body if isinstance(info.node, ir.FuncDef) else ()
    last = body[-1] if body and len(body) <= 2 else None
    if not isinstance(last, ir.Raise) or len(body) == 2 and not isinstance(body[0], ir.ExprStmt):
        return False
    raised = last.value.func if isinstance(last.value, ir.Call) else last.value
    return isinstance(raised, ir.Name) and raised.id == "NotImplementedError" and named(i, ref, raised) is None
