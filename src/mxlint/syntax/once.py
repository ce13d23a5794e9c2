"""What the text of a file says by itself, computed once: of a node of it, whatever the state is."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from mxlint.syntax import ir

Said = TypeVar("Said")


class Once:
    """What functions of the nodes of a file gave. A node is known by its identity, and is kept."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], tuple[ir.Node, Any]] = {}

    def of(self, compute: Callable[..., Said], node: ir.Node, *given: Hashable) -> Said:
        """`compute(node, *given)`, computed the first time that it is asked for."""
        key = (compute, id(node), *given)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = node, compute(node, *given)
        return known[1]
