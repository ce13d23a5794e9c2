"""The free names of a function, lambda or comprehension: those that it reads of the blocks around it."""

from __future__ import annotations

from mxlint.record import Record
from mxlint.syntax import ir


def free_names(node: ir.FuncDef | ir.Lambda | ir.Comp) -> frozenset[str]:
    """The names that a block and those within it read and do not bind."""
    return _names(node)


def _names(item: object) -> frozenset[str]:
    if isinstance(item, ir.Name):
        return frozenset((item.id,))
    if isinstance(item, tuple):
        return frozenset().union(*map(_names, item))
    if not isinstance(item, Record) or isinstance(item, ir.Scope):
        return frozenset()
    parts = frozenset().union(*(_names(getattr(item, field)) for field in item.__match_args__))
    if isinstance(item, (ir.FuncDef, ir.Lambda, ir.Comp, ir.ClassDef)):
        return parts - item.scope.bound - {param.name for param in getattr(item, "params", ())}
    return parts
