"""`__setattr__` of the program: what it asks of each attribute that is set on its objects."""

from __future__ import annotations

from mxlint.domain.members import External, Member, Ref, Value
from mxlint.domain.place import Place
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.objects.lookup import CLASS, bind, held_by_class


def set_by_hook(i: Interpreter, member: Ref, name: Value, value: Value, place: Place, frame: Frame) -> bool:
    """Whether the program has a `__setattr__` for an object: it is called, unless it runs already."""
    cls = i.heap.get(member.oid, CLASS) if i.info(member.oid).kind == "instance" else None
    _, hook = (held_by_class(i, cls, "__setattr__", written=True) if isinstance(cls, Member) else None) or (None, None)
    if (
        cls is None
        or not isinstance(hook, (Ref, External))
        or any(isinstance(hook, Ref) and other.function == hook.oid for other in i.stack)
    ):
        return False
    i.call(bind(i, hook, member, cls, place, frame), Arguments((name, value), places=(place, place)), place, frame)
    return True
