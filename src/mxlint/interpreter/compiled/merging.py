"""How many operations of a trace MLX merges with the one before: those that work element by element become one kernel together."""

from __future__ import annotations

from collections.abc import Collection

from mxlint.domain.arrays import Array
from mxlint.domain.members import members
from mxlint.interpreter.compiled.traces import Operation
from mxlint.models.mlx.traits import has_trait


def share_merged(operations: Collection[Operation]) -> float:
    """How many of some operations, of all of them, become part of the kernel of an operand."""
    return sum(map(_is_merged, operations)) / len(operations) if operations else 0.0


def _is_merged(operation: Operation) -> bool:
    """Whether an operation works element by element, as the one does that has made an operand of it."""
    what, _, operands = operation
    return _is_by_element(what) and any(
        isinstance(member, Array) and member.chain is not None and _is_by_element(member.chain.note)
        for operand in operands
        for member in members(operand)
    )


def _is_by_element(name: str) -> bool:
    return has_trait(name, "element by element")
