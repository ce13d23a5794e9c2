"""`array.at[index]`, whose `.add(value)` and like methods give an updated array."""

from __future__ import annotations

from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.members import UNBOUND, External, Ref, Value
from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.objects.lookup import CLASS

AT: Final = "mlx.core.ArrayAt"
"""Their class."""
UPDATES: Final = ("add", "subtract", "multiply", "divide", "maximum", "minimum")
"""Its methods."""


def at(i: Interpreter, array: Array, place: Place, index: Value | None = None) -> Value:
    """`array.at`, or `array.at[index]`."""
    oid = i.allocate("instance", None, place, (AT, index is None))
    i.heap.set(oid, CLASS, External(AT))
    i.heap.set(oid, "#array", array)
    if index is not None:
        i.heap.set(oid, "#index", index)
    return Ref(oid)


def parts(i: Interpreter, owner: Value) -> tuple[Value, Value | None]:
    """The array and the index of such an object."""
    held = [i.heap.get(owner.oid, field) if isinstance(owner, Ref) else None for field in ("#array", "#index")]
    return held[0] or UNBOUND, held[1]
