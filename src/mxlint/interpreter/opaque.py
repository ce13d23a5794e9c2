"""Modules of which nothing is known but that they are modules: one field stands for all weights of their layers."""

from __future__ import annotations

from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.members import External, Ref, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.compiled import writes
from mxlint.interpreter.core import Interpreter
from mxlint.interpreter.frames import Frame
from mxlint.interpreter.kinds import CLASS, MODULE, kind
from mxlint.interpreter.reach import arrays_in

WEIGHTS: Final = "weights"
"""The field that stands for all weights of a module whose layers are not known."""


def is_opaque(i: Interpreter, ref: Ref) -> bool:
    return i.heap.get(ref.oid, CLASS) == External(MODULE)


def changed(i: Interpreter, ref: Ref, tag: object, place: Place, frame: Frame) -> None:
    """Such a module has other layers or weights from now on. What a trace puts there is said of the attribute itself."""
    if i.trace is None and is_opaque(i, ref) and isinstance(i.heap.get(ref.oid, WEIGHTS), Array):
        new = Array(i.ident(place, ("weights", ref.oid, tag)), None, None, None)
        i.heap.set(ref.oid, WEIGHTS, new)
        writes.on_write(i, ref.oid, WEIGHTS, new, place, frame, "update")


def holds_weights(i: Interpreter, value: Value) -> bool:
    """Whether a module that is given a value has other weights: these are arrays, modules, and containers of such."""
    found = [member for member in members(value) if isinstance(member, Ref)]
    return any(True for _ in arrays_in(i, value)) or any(kind(i, member) == "module" for member in found)
