"""What `*args` and `**kwargs` hold that nobody in sight gives.

Each item is a thing of its own, by its number or name: where `args[0]` is shown to be an array, `args[1]` may still be a number.
"""

from __future__ import annotations

from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.members import Const, Symbolic, Value
from mxlint.domain.place import Place
from mxlint.interpreter.containers import open_entries
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.open_world import given_dicts
from mxlint.interpreter.open_world.presumptions import PRESUMED

GIVEN_AS: Final = ("#", "given as star")
"""Of a placeholder that stands for all items of a star: what the program calls that."""


def apart_by_number(i: Interpreter, array: Array, name: str) -> Array:
    """An array that stands for all items of something: if it is presumed to be one, each of them is so by itself."""
    if i.heap.get(array.ident, PRESUMED) is not None:
        i.heap.set(array.ident, GIVEN_AS, Const(name))
    return array


def item(i: Interpreter, star: Value, number: int | str, place: Place) -> Value:
    """One item of what a star holds, by its number, or by its name."""
    if isinstance(star, Symbolic):
        named = open_entries.at_key(i, star, Const(number), place)
        return named if named != star else i.derived("[]", (star, Const(number)), None, place)
    label = i.heap.get(star.ident, GIVEN_AS) if isinstance(star, Array) and i.trace is not None else None
    if not isinstance(star, Array) or not isinstance(label, Const):
        return star
    field = ("given item", number)
    known = i.heap.get(star.ident, field)
    if known is None:
        known = given_dicts.apart(i, star, field, f"{label.value}[{number!r}]", place)
        i.heap.set(star.ident, field, known)
    return known


def mark(i: Interpreter, oid: int, name: str, rest: Value) -> None:
    """Make what `**kwargs` is in a trace a dict that nobody in sight gives."""
    if isinstance(rest, Array) and i.heap.get(rest.ident, GIVEN_AS) is not None:
        given_dicts.mark(i, oid, name, rest)
