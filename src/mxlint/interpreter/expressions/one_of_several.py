"""What a test has said of one of the objects that one object of the heap stands for.

`if self.gate is not None:` says nothing of the others. It is kept in the frame, of the name under which the one is known there, until the name is bound anew or
that attribute is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mxlint.domain.join import of
from mxlint.domain.members import Const, Member, Option, Ref, Tuple, Value, members, options
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.writing import Writes
from mxlint.syntax import ir

SAID: Final = "said"
"""Begins the field of a frame that says what an attribute of one object may be, and how often it was written by then."""


def say(i: Interpreter, target: ir.Expr, owner: Ref, kept: Sequence[Option], frame: Frame) -> None:
    """A test says what an attribute of the one may be that a name of this frame stands for."""
    if not isinstance(target, ir.Attr) or not isinstance(target.value, ir.Name):
        return
    held = i.heap.get(frame.oid, target.value.id)
    if isinstance(held, Ref) and held.oid == owner.oid:
        if target.value.id not in frame.said_of:  # what an earlier activation has left there is of another object
            forget(i, target.value.id, frame)
            frame.said_of.add(target.value.id)
        i.heap.set(frame.oid, (SAID, target.value.id, target.name), Tuple((_written(i, owner, target.name), of(kept))))


def read(i: Interpreter, node: ir.Attr, owner: Value, value: Value, frame: Frame) -> Value:
    """What was read of an attribute, as far as tests of this frame leave it."""
    said = i.heap.get(frame.oid, (SAID, node.value.id, node.name)) if isinstance(node.value, ir.Name) else None
    if not isinstance(said, Tuple) or not isinstance(owner, Ref) or not i.info(owner.oid).summary:
        return value
    written, kept = said.items or (None, None)
    if written != _written(i, owner, node.name) or kept is None:
        return value
    left = [option for option in options(value) if any(_is(option.member, member) for member in members(kept))]
    return of(left) if left else value


def forget(i: Interpreter, name: str, frame: Frame) -> None:
    """A name is bound anew: what was said of the object that it stood for says nothing of this one."""
    for field in list(i.heap.fields(frame.oid)):
        if isinstance(field, tuple) and field[:2] == (SAID, name):
            i.heap.drop(frame.oid, field)


def _written(i: Interpreter, owner: Ref, name: str) -> Const:
    """How often an attribute of any of the objects has been written."""
    return Const(i.ledger.of(Writes).counts.get((owner.oid, name), 0))


def _is(member: Member, other: Member) -> bool:
    """Whether two members are one thing, whichever of them a trace only came to."""
    if isinstance(member, Ref) and isinstance(other, Ref):
        return member.oid == other.oid
    return member == other or isinstance(member, Const) and isinstance(other, Const) and Const(member.value) == Const(other.value)
