"""Modules of which nothing is known but that they are modules: one field stands for all weights of their layers."""

from __future__ import annotations

from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.members import External, Ref, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter import choices
from mxlint.interpreter.compiled import writes
from mxlint.interpreter.core import Interpreter
from mxlint.interpreter.frames import Frame
from mxlint.interpreter.kinds import CLASS, MODULE, kind

WEIGHTS: Final = "weights"
"""The field that stands for all weights of a module whose layers are not known."""


def is_opaque(i: Interpreter, ref: Ref) -> bool:
    return i.heap.get(ref.oid, CLASS) == External(MODULE)


def changed(i: Interpreter, ref: Ref, tag: object, place: Place, frame: Frame) -> None:
    """Such a module may have other layers from now on: nobody in sight says whether it uses them. What a trace puts there is said of the attribute."""
    present = i.heap.get(ref.oid, WEIGHTS)
    if i.trace is None and is_opaque(i, ref) and present is not None:
        new = Array(i.ident(place, ("weights", ref.oid, tag)), None, None, None)
        value = choices.any_of(i, (present, new), place, ("weights", tag))
        i.heap.set(ref.oid, WEIGHTS, value)
        writes.on_write(i, ref.oid, WEIGHTS, value, place, frame, "update")


def holds_layers(i: Interpreter, value: Value) -> bool:
    """Whether a module that is given a value may have other layers. Arrays and lists say nothing of it: it may only keep them."""
    return any(isinstance(member, Ref) and kind(i, member) == "module" for member in members(value))
