"""Dicts that nobody in sight gives to a compiled function: MLX takes arrays, numbers and texts in them, and by that presumption each entry is an array.

What lies under a key that the program names is one array, the same each time; what is so used as an array says nothing of the other entries. Where no
use shows that an entry is an array nothing is said of it: the dict may hold settings.
"""

from __future__ import annotations

from typing import Final

from mxlint.domain.arrays import Array, Chain
from mxlint.domain.join import join
from mxlint.domain.members import UNBOUND, Const, Value
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.journal import journal
from mxlint.interpreter.open_world.presumptions import PRESUMED, root

LABEL: Final = ("#", "given as")
"""Of such a dict: what the program calls it."""
ARGUMENT: Final = ("#", "argument")
"""Of a placeholder: of which argument it is, or is part of."""


def is_given(i: Interpreter, oid: int) -> bool:
    """Whether a dict is one that nobody in sight gives."""
    return i.heap.get(oid, LABEL) is not None


def named_entry(i: Interpreter, oid: int, key: Const, rest: Value) -> Value:
    """What lies in such a dict under a key that the program names for the first time; `rest`: what stands for any entry. It may not be there."""
    label, place = i.heap.get(oid, LABEL), i.info(oid).place
    if not isinstance(label, Const) or not isinstance(rest, Array) or place is None or i.trace is None:
        return rest
    ident = i.ident(place, ("entry", rest.ident, key))
    i.info(ident).trace = i.info(rest.ident).trace
    for field in (ARGUMENT, ("#", "original")):
        value = i.heap.get(rest.ident, field)
        if value is not None:
            i.heap.set(ident, field, value)
    journal(i).entries.add(ident)
    i.heap.set(ident, PRESUMED, Const(f"`{label.value}[{key.value!r}]` is an array"))
    i.trace.parts[ident] = frozenset()
    i.trace.arguments.add(ident)
    made = rest.but(ident=ident, chain=Chain(place, "argument", presumed=ident))
    i.heap.set(oid, ("k", key), join((made, UNBOUND)))
    return made


def mark(i: Interpreter, oid: int, label: str, rest: Value) -> None:
    """Make a dict one of these. `rest`: the array that stands for any entry."""
    i.heap.set(oid, LABEL, Const(label))
    number = root(rest) if isinstance(rest, Array) else None
    if number is not None:
        journal(i).entries.add(number)
