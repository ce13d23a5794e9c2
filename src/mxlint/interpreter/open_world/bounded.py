"""What the layers of a model that is not in sight may do in a trace beside computing, and what bounds it.

In training mode they may draw, and put new statistics into the model. Where the state of the model and the random state are captured in both directions, a call
finds and leaves what it would without `mx.compile`, whatever they do; outside of training mode they do neither. The mode itself is a constant of the trace, so
it has to be the same at each call (`compiled/staleness.py`).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from mxlint.domain.members import FALSE, NONE, UNBOUND, Const, Ref, Symbolic, Tuple, Value
from mxlint.domain.place import Place
from mxlint.interpreter.compiled import reads
from mxlint.interpreter.compiled.captures import covers
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.journal import imprecise
from mxlint.interpreter.machine.writing import count_write
from mxlint.interpreter.open_world import installed
from mxlint.interpreter.open_world.shadows import shadow
from mxlint.interpreter.open_world.unseen_layers import NOT_IN_SIGHT, UNSEEN_MODE, is_opaque

METHODS: Final = {".train": True, ".eval": False}
"""Methods that set the mode of a model, and the mode that they set without an argument."""
RESTS: Final = Tuple((FALSE, NONE))
"""The mode in which no layer draws or keeps statistics."""


def called(i: Interpreter, model: Ref | Symbolic, place: Place, frame: Frame, *, is_model: bool = True) -> None:
    """Note that such a model is not followed where a trace calls it, unless what the trace captures bounds what its layers do. Of what may be none, not
    `is_model`, the mode alone counts."""
    trace = i.trace
    if trace is None:
        return
    oid = _holder(i, model, place)
    mode = i.heap.get(oid, UNSEEN_MODE)
    reads.on_read(i, oid, UNSEEN_MODE, UNBOUND if mode is None else mode, place, frame)
    if not is_model:
        return
    caught = trace.captures
    rests = mode is not None and i.live(mode) == RESTS
    if rests and isinstance(model, Ref):
        return  # its weights are a location of their own
    leads_in = _captures(i, caught.ins, caught.symbolic_in, model)
    leads_out = _captures(i, caught.outs, caught.symbolic_out, model)
    if not (leads_in and (rests or leads_out and caught.random_in and caught.random_out)):
        imprecise(i, place, NOT_IN_SIGHT)


def set_mode(i: Interpreter, model: Ref | Symbolic, mode: Value, place: Place) -> None:
    """A model, or a part of one, is in another mode from now on: of what it is a part of, some layers are."""
    part = model if isinstance(model, Ref) else model.identity
    for whole in installed.around(i, part):
        if isinstance(whole, tuple) or is_opaque(i, whole):
            oid = _holder(i, whole if isinstance(whole, Ref) else Symbolic(whole), place)
            i.heap.set(oid, UNSEEN_MODE, Tuple((mode, NONE if whole == part else model)))
            count_write(i, oid, UNSEEN_MODE, place)


def method_called(i: Interpreter, function: Symbolic, args: Arguments, place: Place) -> None:
    """Something symbolic is called, which may be a method that sets the mode of a model."""
    name, *owner = function.identity
    default = METHODS.get(name) if isinstance(name, str) else None
    if default is not None and owner:
        mode = (args.get(0, "mode") if default else None) or Const(default)
        for part in owner[:1]:
            if isinstance(part, (Ref, tuple)):
                set_mode(i, part if isinstance(part, Ref) else Symbolic(part), mode, place)


def _holder(i: Interpreter, model: Ref | Symbolic, place: Place) -> int:
    """The object of which the mode is kept."""
    return model.oid if isinstance(model, Ref) else shadow(i, model, place)


def _captures(i: Interpreter, containers: Collection[int], symbolic: Collection[object], model: Ref | Symbolic) -> bool:
    """Whether what is captured leads to a model."""
    if isinstance(model, Ref) and model.oid in containers:
        return True
    return covers(i, symbolic, model if isinstance(model, Ref) else model.identity)
