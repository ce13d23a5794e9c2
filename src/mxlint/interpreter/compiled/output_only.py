"""Which branches only print or log: `if verbose: print(x.shape)`. What such a branch reads, and what its tests read, no array of the trace depends on, so it
is no read of the trace.

The branch may also set the flag that it tests, to print once: `if not state["told"]: state["told"] = True; log.info(…)`. A read of that flag anywhere
else is a read of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final

from mxlint.domain.members import Bound, External, members
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.models.load import model
from mxlint.syntax import ir
from mxlint.syntax.slots import Slot, slot_of

OUTPUTS: Final = frozenset({"prints", "logs", "warns"})
"""Effects that put text where somebody reads it."""
PLAIN: Final = (
    ir.Arg, ir.Attr, ir.Bin, ir.BoolOp, ir.Call, ir.Compare, ir.Const, ir.Format, ir.FString, ir.IfExp, ir.Name, ir.Seq, ir.Slice, ir.Sub, ir.Unary,
)  # fmt: skip
"""Expressions that bind nothing and leave nothing behind, but for what calls in them do."""


def only_outputs(i: Interpreter, node: ir.If, frame: Frame) -> bool:
    """Whether each side of an `if` only prints, logs, or sets what its tests read, and whether the tests and what is printed change nothing."""
    asked = {slot_of(part) for test in _tests(node) for part in _parts(test) if isinstance(part, (ir.Attr, ir.Sub))}
    statements = [statement for statement in _statements(node) if not _sets(statement, asked)]
    if not all(isinstance(statement, ir.ExprStmt) and isinstance(statement.value, ir.Call) for statement in statements):
        return False
    calls = [statement.value for statement in statements if isinstance(statement, ir.ExprStmt) and isinstance(statement.value, ir.Call)]
    looked_at = [*_tests(node), *(arg.value for call in calls for arg in call.args)]
    found = [part for expression in looked_at for part in _parts(expression)]
    if not all(isinstance(part, PLAIN) for part in found):
        return False
    mark, path, checkpoint = i.heap.mark(), i.path, i.checkpoint()
    try:
        with unused(i):
            return all(_is(i, call, frame, outputs=True) for call in calls) and all(
                _is(i, part, frame, outputs=False) for part in found if isinstance(part, ir.Call)
            )
    except Halt:
        return False
    finally:
        i.heap.undo(mark)
        i.path = path
        i.forget(checkpoint)


@contextmanager
def unused(i: Interpreter) -> Iterator[None]:
    """Run a stretch of a trace in which nothing that is read is used."""
    before, i.modes.reads_unused = i.modes.reads_unused, True
    try:
        yield
    finally:
        i.modes.reads_unused = before


def _statements(node: ir.If) -> Iterator[ir.Stmt]:
    for statement in (*node.body, *node.orelse):
        if isinstance(statement, ir.If):
            yield from _statements(statement)
        else:
            yield statement


def _tests(node: ir.If) -> Iterator[ir.Expr]:
    yield node.test
    for statement in (*node.body, *node.orelse):
        if isinstance(statement, ir.If):
            yield from _tests(statement)


def _sets(statement: ir.Stmt, asked: Collection[Slot | None]) -> bool:
    """Whether a statement sets one of some attributes or items to a constant, or counts it up."""
    target = statement.target if isinstance(statement, ir.AugAssign) else None
    if isinstance(statement, ir.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    slot = slot_of(target) if isinstance(target, (ir.Attr, ir.Sub)) else None
    return slot is not None and slot in asked and isinstance(statement, (ir.Assign, ir.AugAssign)) and isinstance(statement.value, ir.Const)


def _parts(node: object) -> Iterator[ir.Node]:
    """An expression, with all that it is made of."""
    if isinstance(node, ir.Node):
        yield node
        fields: tuple[str, ...] = node.__match_args__[2:]
        for name in fields:
            yield from _parts(getattr(node, name))
    elif isinstance(node, tuple):
        for item in node:
            yield from _parts(item)


def _is(i: Interpreter, call: ir.Call, frame: Frame, *, outputs: bool) -> bool:
    """Whether a call surely prints or logs (`outputs`), or only computes with what Python has."""
    for member in members(i.eval(call.func, frame)):
        function = member.function if isinstance(member, Bound) else member
        found = model(function.name) if isinstance(function, External) else None
        if found is None or not (found.effect is not None and found.effect.kind in OUTPUTS if outputs else found.fold != "no"):
            return False
    return True
