"""Models and optimizers that nobody in sight gives: what an update leaves in them.

`nn.value_and_grad` and optimizers raise for a model that is none, so what they are given is one. Of its weights, and of the state of an optimizer out of
sight, one object of the heap stands for all.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.guards import Identity
from mxlint.domain.heap import Info
from mxlint.domain.members import Symbolic, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.compiled import writes
from mxlint.interpreter.compiled.captures import covers, under_other_names
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.open_world.results import OutOfSight

STATE: Final = ("#", "state")
"""The field of the object that stands for the state of a model or optimizer."""


class Unseen:
    """The objects that stand for the state of symbolic models and optimizers."""

    __slots__ = ("objects",)

    def __init__(self) -> None:
        self.objects: dict[Identity, int] = {}


def differentiated(i: Interpreter, model: Value) -> None:
    """`nn.value_and_grad` is given a model."""
    i.ledger.of(OutOfSight).differentiated.update(member.identity for member in members(model) if isinstance(member, Symbolic))


def is_model(i: Interpreter, value: Value) -> bool:
    """Whether gradients are taken of something symbolic as of a model."""
    return any(isinstance(member, Symbolic) and member.identity in i.ledger.of(OutOfSight).differentiated for member in members(value))


def updated(i: Interpreter, owner: Symbolic, how: str, place: Place, frame: Frame) -> None:
    """A trace updates a model or optimizer: placeholders are left in it, unless its state is captured. Where the state of something else that is not in
    sight is captured as well, that may be it under another name."""
    trace = i.trace
    if trace is None or owner.source == "argument" or _is_captured(i, trace.captures.symbolic_out, owner.identity):
        return
    if under_other_names(trace.captures.symbolic_out):
        i.imprecise("the state of a model or optimizer that is not in sight", place)
        return
    known = i.ledger.of(Unseen).objects
    if owner.identity not in known:
        known[owner.identity] = i.heap.new(Info("state", owner.identity, place, 0, label=owner.label))
    new = Array(i.ident(place, ("updated", owner.identity)), trace.number, None, None)
    i.heap.set(known[owner.identity], STATE, new)
    writes.on_write(i, known[owner.identity], STATE, new, place, frame, how)


def _is_captured(i: Interpreter, symbolic: Collection[object], owner: Identity) -> bool:
    """Whether what is captured is derived from a model or optimizer, or is the state of what that is a part of."""
    return any(_comes_from(found, owner) for found in symbolic) or covers(i, symbolic, owner)


def _comes_from(identity: object, owner: Identity) -> bool:
    """Whether something symbolic is a thing, or derived from it."""
    return identity == owner or isinstance(identity, tuple) and any(_comes_from(part, owner) for part in identity)
