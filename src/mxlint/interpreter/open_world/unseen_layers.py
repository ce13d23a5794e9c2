"""Modules whose layers are not in sight, such as a parameter that is annotated as `nn.Module`, or as a class that leaves methods to those below it.

One field of the object stands for all weights of these layers.
"""

from __future__ import annotations

from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.members import External, Ref, Symbolic, Tuple, Union
from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import TREE
from mxlint.interpreter.machine.writing import Writes
from mxlint.interpreter.mlx.kinds import CLASS, MODULE

WEIGHTS: Final = "#weights"
"""The field that stands for all weights of layers that are not in sight; no name that a program can give an attribute."""


UNSEEN_MODE: Final = ("#", "mode")
"""The field of such a module, or of what stands for a symbolic one, that holds its mode, and of which part of it that was set last."""
NOT_IN_SIGHT: Final = "a model whose layers are not in sight"
"""Why something is not known that such a module decides."""


def is_opaque(i: Interpreter, ref: Ref) -> bool:
    """Whether a module may have other layers than those in sight."""
    return i.heap.get(ref.oid, WEIGHTS) is not None


def is_bare(i: Interpreter, ref: Ref) -> bool:
    """Whether nothing is known of a module but that it is one."""
    return i.heap.get(ref.oid, CLASS) == External(MODULE)


def add_to(i: Interpreter, ref: Ref, place: Place) -> None:
    """A module has layers that are not in sight: all that is known of them is that they have weights."""
    i.heap.set(ref.oid, WEIGHTS, Array(i.ident(place, ("weights", ref.oid)), None, None, None))


def length(i: Interpreter, oid: int, place: Place) -> Symbolic | None:
    """How many entries a tree of such a module has: each test of it asks the same. None if it is none, or the program has changed it."""
    tree = i.heap.get(oid, TREE)
    if tree is None or isinstance(tree, Union) or any(at == oid for at, _ in i.ledger.of(Writes).counts):
        return None
    return i.derived("len", (tree, Tuple(tuple(key for key, _ in i.heap.entries(oid)))), frozenset(("int",)), place)
