"""Defaults of the fields of dataclasses: what lies there, or what a factory makes for each object."""

from __future__ import annotations

from mxlint.domain.members import Ref, Value
from mxlint.domain.place import Place
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame


def default_of(i: Interpreter, default: Value | None, place: Place, frame: Frame) -> Value | None:
    """What a field holds that nothing is given for; None if it has no default."""
    if isinstance(default, Ref) and i.info(default.oid).kind == "field":
        factory = i.heap.get(default.oid, "default_factory")
        if factory is not None:
            with i.within((place, "default", default.oid)):
                return i.call(factory, Arguments(), place, frame)
        return i.heap.get(default.oid, "default")
    return default
