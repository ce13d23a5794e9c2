"""`__slots__`: which attributes the objects of a class may have, where the class and all its bases say so."""

from __future__ import annotations

from mxlint.domain.members import External, Member, Ref, Value
from mxlint.interpreter.expressions.constants import python_value
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.private import mangled_in
from mxlint.interpreter.objects.lookup import PLAIN, mro

SLOTS = "__slots__"


def slots_of(i: Interpreter, base: Member) -> frozenset[str] | None:
    """The attributes that a class itself has slots for; None if its objects have a dict, or nobody in sight says what they have."""
    if isinstance(base, External):
        return frozenset() if base.name in PLAIN else None
    listed = i.heap.get(base.oid, SLOTS) if isinstance(base, Ref) else None
    found = python_value(i, listed) if listed is not None else None
    names = (found,) if isinstance(found, str) else found
    if not isinstance(base, Ref) or not isinstance(names, (tuple, list, dict, set, frozenset)) or "__dict__" in names:
        return None
    return frozenset(mangled_in(i.info(base.oid).label, str(name)) for name in names)


def refused(i: Interpreter, cls: Value, name: str) -> bool:
    """Whether objects of a class surely cannot hold an attribute: they have no dict, and no slot for it."""
    if not isinstance(cls, Ref) or name == "__class__":
        return False
    slots = [slots_of(i, base) for base in mro(i, cls)]
    return all(own is not None and name not in own for own in slots)
