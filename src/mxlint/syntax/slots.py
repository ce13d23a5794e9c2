"""Names, attributes and items by how they are written: two expressions that are written alike lead to one place, if nothing is bound between them."""

from __future__ import annotations

from typing import TypeAlias

from mxlint.syntax import ir

Slot: TypeAlias = tuple[object, ...]


def slot_of(node: ir.Expr) -> Slot | None:
    """A name, attribute, item or constant by how it is written; None for an expression that may be another thing when it is computed again."""
    if isinstance(node, ir.Name):
        return "name", node.id
    if isinstance(node, ir.Const):
        return "constant", type(node.value), node.value
    if isinstance(node, ir.Attr):
        owner = slot_of(node.value)
        return None if owner is None else (".", owner, node.name)
    if isinstance(node, ir.Sub):
        owner, key = slot_of(node.value), slot_of(node.index)
        return None if owner is None or key is None else ("[]", owner, key)
    if isinstance(node, ir.Seq) and node.kind == "tuple":
        parts = [slot_of(item) for item in node.items]
        return None if None in parts else ("tuple", *parts)
    return None


def names_in(slot: Slot) -> set[str]:
    """The names by which a slot is named."""
    if slot[0] == "name":
        return {str(slot[1])}
    return {name for part in slot if isinstance(part, tuple) for name in names_in(part)}
