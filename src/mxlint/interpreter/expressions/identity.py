"""Tests of which object something is: `mode is Mode.TRAIN`. A trace reads the outcome: another object that is not that one either is nothing to say."""

from __future__ import annotations

from typing import Final

from mxlint.domain.members import UNBOUND, Applied, Ref, Value, members
from mxlint.interpreter.compiled.portions import is_older, scalar
from mxlint.interpreter.compiled.telling import unused
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.expressions.equality import by_identity
from mxlint.interpreter.expressions.operators import binary
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import part
from mxlint.interpreter.statements.narrowing import location
from mxlint.syntax import ir

OPERATORS: Final = ("is", "is not", "==", "!=")


def compared(i: Interpreter, node: ir.Compare, frame: Frame) -> Value | None:
    """The outcome of a comparison of an object that lies under a name or attribute, and that a trace reads for itself; None if it is another one."""
    # What stands on the right is asked for first, so it must be no more than a name or attribute.
    simple = len(node.ops) == 1 and node.ops[0] in OPERATORS and isinstance(node.rights[0], (ir.Name, ir.Attr))
    where = location(i, node.left, frame) if simple else None
    here = (i.heap.get(*where) or UNBOUND) if where is not None else UNBOUND
    if where is None or not _is_object(i, here) or not is_older(i, *where, frame):
        return None
    oid, field = where
    right = scalar(i, node.rights[0], frame)
    either = [*members(here), *members(right)]
    equal_if_same = node.ops[0] in ("is", "is not") or all(isinstance(member, Ref) and by_identity(i, member) for member in either)
    if isinstance(right, Ref) and _is_object(i, right) and equal_if_same:
        if isinstance(node.left, ir.Attr):
            i.eval(node.left.value, frame)
        with unused(i):
            left = i.part(node.left, frame)
        outcome = part(field, (Applied("is", right),))
        i.operations.read(i, oid, outcome, aspects.at(i, oid, outcome) or UNBOUND, frame.place(node.left), frame)
    else:
        left = scalar(i, node.left, frame)
    return binary(i, node.ops[0], left, right, frame.place(node), frame)


def _is_object(i: Interpreter, value: Value) -> bool:
    """Whether a value is one of some objects of the program, each of which stands for exactly one."""
    return all(
        isinstance(member, Ref) and i.info(member.oid).kind == "instance" and not i.info(member.oid).summary for member in members(value)
    )
