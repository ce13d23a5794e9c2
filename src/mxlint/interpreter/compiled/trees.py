"""Which objects MLX takes for trees: lists, dicts, and objects of classes that extend these.

It looks for arrays in them, and the traced function gets plain lists and dicts.
"""

from __future__ import annotations

from typing import Final

from mxlint.domain.members import Member, Ref
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.reach import CONTAINERS
from mxlint.interpreter.objects.lookup import CLASS, EXTENDED, extended
from mxlint.models.load import bases

TREES: Final = frozenset(("builtins.list", "builtins.dict"))
"""Classes of Python into whose objects MLX looks, and into those of classes that extend them."""


def tree(i: Interpreter, member: Member) -> str:
    """`list` or `dict` for one, and for an object of a class of the program that extends one; "" for others."""
    if not isinstance(member, Ref):
        return ""
    kind, own = i.info(member.oid).kind, i.info(member.oid).payload
    if kind in CONTAINERS:
        return "" if isinstance(own, str) and bases(own) and TREES.isdisjoint(bases(own)) else kind  # a deque is kept as a list is
    cls = i.heap.get(member.oid, CLASS) if kind == "instance" else None
    base = extended(i, cls) if isinstance(cls, Ref) else ""
    return next((EXTENDED[name] for name in (base, *bases(base)) if name in TREES), "") if base else ""
