"""Lists that are a slice of another, one end of which loops move: each has another length."""

from __future__ import annotations

from mxlint.domain.members import (
    Loops,
    Member,
    Ref,
    Slice,
    Symbolic,
    Tuple,
)
from mxlint.domain.varying import united
from mxlint.interpreter.loops.novelty import one_end
from mxlint.interpreter.loops.running import NO_LOOPS
from mxlint.interpreter.machine.core import Interpreter


class Cut:
    """Lists that are a slice of another, one end of which loops move: which."""

    __slots__ = ("lists",)

    def __init__(self) -> None:
        self.lists: dict[int, Loops] = {}


def sliced(i: Interpreter, oid: int, index: Slice) -> None:
    """A list was made of a slice of another: one end of it may move."""
    loops = one_end(i, index) if i.trace is None else NO_LOOPS
    if loops is None or loops:
        i.ledger.of(Cut).lists[oid] = loops
    else:
        i.ledger.of(Cut).lists.pop(oid, None)


def cut(i: Interpreter, member: Member) -> Loops:
    """The loops that move one end of a slice, of which a list or something symbolic is made. Whatever was cut, an array, a list or a text, it is a
    part of another length each time."""
    if isinstance(member, Ref):
        return i.ledger.of(Cut).lists.get(member.oid, NO_LOOPS) if i.trace is None else NO_LOOPS
    if i.trace is not None or not isinstance(member, Symbolic) or member.identity[0] != "[]":
        return NO_LOOPS
    found = [part for index in member.identity[2:] for part in (index.items or () if isinstance(index, Tuple) else (index,))]
    return united(one_end(i, part) for part in found if isinstance(part, Slice))
