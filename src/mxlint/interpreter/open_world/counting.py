"""Whether a call leaves another count: a number, text or list that the next call finds, and goes on from."""

from __future__ import annotations

from typing import Final

from mxlint.domain.heap import ALIVE
from mxlint.domain.members import NONE, Value, members, scalar_type
from mxlint.interpreter.generators.iterators import POSITION
from mxlint.interpreter.loops.lengthening import Lengthened, goes_on
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS

COUNTING: Final = frozenset(("instance", "class", "dict", "list", "set", "module", "iterator", "frame"))
"""Kinds of objects that hold counters."""


def leaves_another_count(i: Interpreter, mark: int, given_before: int) -> bool:
    """Whether an object that is older holds another number or text since, where it held one or nothing, or an array from which another call may go on; whether the
    content of a list or set is another one, or an iterator has gone on. `given_before`: how much compiled objects had been given then."""
    given = frozenset(i.ledger.of(Lengthened).given[given_before:])
    before: dict[tuple[int, object], Value | None] = {}
    for (oid, field), value in i.heap.trail[mark:]:
        before.setdefault((oid, field), value)
    made = {oid for (oid, field), value in before.items() if field == ALIVE and value is None}
    return any(
        _counts(value, now) or goes_on(i, value, now, given) if field != ITEMS and field != POSITION else value is not None
        for (oid, field), value in before.items()
        if oid not in made and i.info(oid).kind in COUNTING and (now := i.heap.get(oid, field)) != value
    )


def _counts(before: Value | None, now: Value | None) -> bool:
    """Whether a number or text lies where one, None or nothing lay."""
    held = before if before is not None and before != NONE else now
    return held is not None and any(scalar_type(member) in ("int", "float", "str") for member in members(held))
