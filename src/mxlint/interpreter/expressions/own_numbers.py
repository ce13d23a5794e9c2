"""Objects of the program that are numbers as well: of a class that extends int or float, and members of an `IntEnum`. An operator takes their values."""

from __future__ import annotations

from typing import Final

from mxlint.domain.members import Member, Ref, Value
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import ancestors
from mxlint.interpreter.objects.lookup import CLASS

_NUMBERS: Final = frozenset(("builtins.int", "builtins.float"))
VALUE: Final = "_value_"
"""Where a member of an enum keeps its value."""


def number_class(i: Interpreter, member: Member) -> Value | None:
    """The class of an object that is a number; None of anything else."""
    cls = i.heap.get(member.oid, CLASS) if isinstance(member, Ref) and i.info(member.oid).kind == "instance" else None
    return cls if cls is not None and _NUMBERS & ancestors(i, cls) else None


def value_of(i: Interpreter, member: Member) -> Member:
    """The value of a member of an enum of numbers; anything else as it is."""
    value = i.heap.get(member.oid, VALUE) if isinstance(member, Ref) else None
    return value if isinstance(value, Member) and number_class(i, member) is not None else member
