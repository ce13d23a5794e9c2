"""Entries of dicts under keys that are computed from the shapes of what a call is given, as in `tables[x.shape[0]]`.

Calls of one key of MLX come to one entry, whichever array they name it by.
"""

from __future__ import annotations

from typing import Final, TypeGuard

from mxlint.domain.exclusion import together
from mxlint.domain.guards import EARLIER, Guard, parts
from mxlint.domain.heap import Field, Location
from mxlint.domain.join import of
from mxlint.domain.members import UNBOUND, Const, Option, Unbound, Unknown, Value, options
from mxlint.interpreter.compiled.by_shape import SameKey
from mxlint.interpreter.compiled.state import held
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.paths import TEST

EVICTED: Final = Unknown("whether an entry under a key that is not known is there still")


def is_computed_key(field: Field) -> TypeGuard[tuple[str, object]]:
    """Whether a location is the entry of a dict under a key that is computed."""
    return isinstance(field, tuple) and field[0] == "k" and not isinstance(field[1], Const)


def held_now(i: Interpreter, location: Location, key: SameKey) -> Value | None:
    """What lies at a location at a call. An entry of a dict that a trace has found under a key which the shapes of what it was given say is the one under the key
    that the shapes say now. Whether an entry is there still where a test says so of which nothing is known, as in a cache that drops its oldest one, is not followed."""
    oid, field = location
    before = held(i, oid, field)
    if not is_computed_key(field) or before is None:
        return before
    pairs = key.pairs()
    keys = [found for found, _ in i.heap.entries(oid)]
    now = next((held(i, oid, ("k", found)) for found in reversed(keys) if found != field[1] and pairs.are_same(field[1], found)), None)
    there: list[Option] = []
    for option in options(i.live(before if now is None else now)):
        if now is not None and isinstance(option.member, Unbound):  # what is equal to a key that is there has no entry of its own
            both = (Option(other.member, (*option.guard, *other.guard)) for other in options(i.live(before)))
            there += [other for other in both if together(other.guard)]
        else:
            there.append(option)
    if all(isinstance(option.member, Unbound) for option in there):
        return UNBOUND
    return of(
        Option(EVICTED, option.guard) if isinstance(option.member, Unbound) and _is_blind(option.guard) else option for option in there
    )


def _is_blind(guard: Guard) -> bool:
    """Whether nothing says when a guard holds but what came to be in rounds, a test for which no value in sight stands, or that a key is there under another name."""
    heads = {part.condition[0] for literal in guard for part in parts(literal) or (literal,)}
    return not heads or not heads.isdisjoint((TEST, EARLIER, "in"))
