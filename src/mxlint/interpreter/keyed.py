"""Compiled objects that a container holds, one under each key: a number that is the key differs from object to object, and is one for each."""

from __future__ import annotations

from mxlint.domain.members import UNBOUND, Range, Ref, Tuple, Value, members
from mxlint.interpreter.core import Interpreter
from mxlint.interpreter.frames import Context, is_round
from mxlint.interpreter.locations import ITEMS


def found_by(i: Interpreter, owner: Value, index: Value, found: Value) -> Value:
    """Keep by which key or number a compiled object is found, if each has its own."""
    for member in members(found):
        if isinstance(member, Ref) and i.info(member.oid).kind == "compiled" and _is_under_one_key(i, owner, member):
            i.ledger.found_by[member.oid] = index
    return found


def is_key_of(i: Interpreter, ref: Ref, value: Value) -> bool:
    """Whether a number is the key by which a compiled object was found. Two ranges of the same loops are one number in each round."""
    key = i.ledger.found_by.get(ref.oid)
    return key is not None and (value is key or isinstance(value, Range) and value.loops is not None and value == key)


def _is_under_one_key(i: Interpreter, owner: Value, held: Ref) -> bool:
    """Whether an object lies under one key of a container alone: each round of a loop makes another one, or it is under the only key that is known."""
    made: Context | None = i.info(held.oid).payload.context  # type: ignore[attr-defined]
    while made is not None:
        if is_round(made.step):
            return True
        made = made.parent
    fields = [field for oid, field in i.heap.holders(held.oid) if isinstance(owner, Ref) and oid == owner.oid]
    if fields == [ITEMS]:
        lists = members(i.heap.get(owner.oid, ITEMS) or UNBOUND) if isinstance(owner, Ref) else ()
        return all(isinstance(part, Tuple) and part.items is not None and part.items.count(held) == 1 for part in lists)
    return len(fields) == 1 and isinstance(fields[0], tuple) and fields[0][0] == "k"
