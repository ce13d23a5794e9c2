"""Lists and arrays of numpy that are a slice of another, one end of which loops move, or what a condition selects: each has another length."""

from __future__ import annotations

from mxlint.domain.members import (
    NONE,
    Loops,
    Member,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    members,
)
from mxlint.domain.varying import loops_of, united
from mxlint.interpreter.loops.novelty import one_end
from mxlint.interpreter.loops.running import NO_LOOPS
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import LENGTH


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
    """The loops that move one end of a slice, of which a list or something symbolic is made, or the condition that selects what an array of numpy
    holds. Whatever was cut, an array, a list or a text, it is a part of another length each time."""
    if i.trace is not None:
        return NO_LOOPS
    if isinstance(member, Ref):
        lengths = members(i.heap.get(member.oid, LENGTH) or NONE)
        return united((i.ledger.of(Cut).lists.get(member.oid, NO_LOOPS), *map(loops_of, lengths)))
    if not isinstance(member, Symbolic) or member.identity[0] != "[]":
        return NO_LOOPS
    found = [part for index in member.identity[2:] for part in (index.items or () if isinstance(index, Tuple) else (index,))]
    return united(one_end(i, part) for part in found if isinstance(part, Slice))
