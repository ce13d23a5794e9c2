"""The content of objects of libraries, of which the program sees only what their methods show.

`a[0] = 1` of a numpy array changes it at one index, and `a[1]` reads it at another. What reads more of the object reads all of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mxlint.domain import cells
from mxlint.domain.heap import Field
from mxlint.domain.members import NONE, Const, Ref, Tuple, Value
from mxlint.domain.place import Place
from mxlint.interpreter.libraries import sharing
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import CELL, CONTENTS
from mxlint.interpreter.objects.lookup import is_of_library
from mxlint.models.schema import Model

FIXED: Final = ("#", "fixed")
"""Of an object of a library that is made of constants: a string that is equal for equal ones."""


def _cell(i: Interpreter, owner: Ref, name: str, index: Value) -> Field | None:
    """Where a call of a method finds something, if that is at one index of constants. A number alone may name a row."""
    found = cells.cell(index, sharing.shape(i, owner.oid)) if name.rpartition(".")[2] == "__getitem__" else None
    if found is None:
        return None
    return CELL, found[0] if len(found) == 1 and found[0] >= 0 else found


def read_cell(i: Interpreter, name: str, given: Sequence[Value], place: Place, frame: Frame) -> Field | None:
    """Note that a call reads what such an object holds at one index, and nothing else of it; None if it reads more."""
    owner = given[0] if len(given) == 2 else None
    cell = _cell(i, owner, name, given[1]) if isinstance(owner, Ref) and is_of_library(i, owner) else None
    if cell is not None and isinstance(owner, Ref):
        i.operations.read(i, owner.oid, cell, i.heap.get(owner.oid, cell) or NONE, place, frame)
    return cell


def change(i: Interpreter, owner: Value, name: str, bound: Mapping[str, Value], place: Place, frame: Frame) -> None:
    """A call changes what such an object holds: at one index, or anywhere."""
    sharing.changed(i, owner, bound.get("key") if name.endswith(".__setitem__") else None, place, frame)


def fix(i: Interpreter, made: Ref, found: Model | None, given: Sequence[Value]) -> None:
    """What a function of a library makes of constants alone is the same each time, if nothing is drawn or read."""
    if found is None or found.kind != "function" or found.effect is not None or found.source or found.draws or not given:
        return
    parts = [_fixed(i, value) for value in given]
    if None not in parts:
        i.heap.set(made.oid, FIXED, Const(f"{found.name}({', '.join(map(str, parts))})"))


def _fixed(i: Interpreter, value: Value) -> str | None:
    """A text that tells a constant, or what is made of constants, from any other; None for anything else."""
    if isinstance(value, Const):
        return repr(value.value)
    if isinstance(value, Tuple) and value.items is not None:
        parts = [_fixed(i, item) for item in value.items]
        return None if None in parts else f"({', '.join(map(str, parts))})"
    held = i.heap.get(value.oid, FIXED) if isinstance(value, Ref) and _is_unchanged(i, value) else None
    return str(held.value) if isinstance(held, Const) else None


def _is_unchanged(i: Interpreter, value: Ref) -> bool:
    """Whether nothing has written what an object looks at."""
    return all(i.heap.get(oid, CONTENTS) is None for oid in (value.oid, *(part.array for part in sharing.parts(i, value))))


def fixed(i: Interpreter, given: Sequence[Value]) -> tuple[Const, ...] | None:
    """What is read out of objects that are made of constants alone is the same each time: the constants; None if there is no such object, or
    anything else."""
    texts = [_fixed(i, value) for value in given]
    if None in texts or not any(isinstance(value, Ref) for value in given):
        return None
    return tuple(Const(text) for text in texts if text is not None)
