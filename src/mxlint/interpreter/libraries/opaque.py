"""What objects of libraries hold, of which the program sees what their methods show: that it is read, and changed in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mxlint.domain.heap import Field
from mxlint.domain.members import NONE, Const, Ref, Value
from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import CELL, CONTENTS
from mxlint.interpreter.objects.lookup import is_of_library


def _cell(name: str, method: str, index: Value | None) -> Field | None:
    """Where a call of a method finds something, if that is at an index which names one thing in one way."""
    if name.rpartition(".")[2] != method or not isinstance(index, Const) or type(index.value) is not int or index.value < 0:
        return None
    return CELL, index.value


def read_cell(i: Interpreter, name: str, given: Sequence[Value], place: Place, frame: Frame) -> Field | None:
    """Note that a call reads what such an object holds at one index, and nothing else of it; None if it reads more."""
    owner = given[0] if len(given) == 2 else None
    cell = _cell(name, "__getitem__", given[1]) if isinstance(owner, Ref) and is_of_library(i, owner) else None
    if cell is not None and isinstance(owner, Ref):
        i.operations.read(i, owner.oid, cell, i.heap.get(owner.oid, cell) or NONE, place, frame)
    return cell


def change(i: Interpreter, owner: Ref, name: str, bound: Mapping[str, Value], place: Place, frame: Frame) -> None:
    """A call changes what such an object holds: at one index, or anywhere."""
    cell = _cell(name, "__setitem__", bound.get("key"))
    cells = {field for oid, field in i.traced if oid == owner.oid and isinstance(field, tuple) and field[0] == CELL}
    now = i.symbolic(place, "contents")
    fields = sorted(cells, key=str) if cell is None else [cell]
    for field in (CONTENTS, *fields):
        i.heap.set(owner.oid, field, now)
        i.operations.written(i, owner.oid, field, now, place, frame)
