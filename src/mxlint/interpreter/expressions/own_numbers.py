"""Objects of the program that are numbers as well: members of an `IntEnum`, or of an enum beside int or float. An operator takes their values."""

from __future__ import annotations

from typing import Final

from mxlint.domain.members import Member, Ref
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import ancestors
from mxlint.interpreter.objects.lookup import CLASS

_NUMBERS: Final = frozenset(("builtins.int", "builtins.float"))
VALUE: Final = "_value_"
"""Where a member of an enum keeps its value."""


def value_of(i: Interpreter, member: Member) -> Member:
    """The value of a member of an enum of numbers; anything else as it is."""
    if not isinstance(member, Ref) or i.info(member.oid).kind != "instance":
        return member
    value, cls = i.heap.get(member.oid, VALUE), i.heap.get(member.oid, CLASS)
    return value if isinstance(value, Member) and cls is not None and _NUMBERS & ancestors(i, cls) else member
