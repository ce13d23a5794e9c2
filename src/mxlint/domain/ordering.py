"""What the literals of a path say of the order of numbers: what is greater than 5 is not less than 3, and is not 0, so it is true.

Behind `if n > 5:` the test `n > 3` is decided, and so is `if n:`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, isnan
from typing import NamedTuple, TypeAlias

from mxlint.domain.guards import Identity, Literal_
from mxlint.domain.members import Const

_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "=="}
_NOT = {"<": ">=", ">": "<=", "<=": ">", ">=": "<"}
ORDERED = "ordered"
"""Begins what is asked of a path: between which numbers a thing lies."""


class Bounds(NamedTuple):
    """From `low` to `high`; `above`, `below`: the bound itself is left out."""

    low: float = -inf
    above: bool = False
    high: float = inf
    below: bool = False

    def cut(self, op: str, number: float) -> Bounds:
        """What is left of it where a comparison holds."""
        found = self
        if op in (">", ">=", "==") and (number, op == ">") > (found.low, found.above):
            found = found._replace(low=number, above=op == ">")
        if op in ("<", "<=", "==") and (-number, op == "<") > (-found.high, found.below):
            found = found._replace(high=number, below=op == "<")
        return found

    @property
    def is_empty(self) -> bool:
        """Whether no number is left."""
        return self.low > self.high or self.low == self.high and (self.above or self.below)


Ordered: TypeAlias = Mapping[object, Bounds]
"""Between which numbers things lie, by the identity of the thing."""


def comparison(condition: Identity) -> tuple[object, str, float] | None:
    """The thing, the operator and the number of which a condition asks how they lie; None if it asks something else."""
    if len(condition) != 3 or condition[0] not in _TURNED:
        return None
    op, left, right = condition
    turned = isinstance(left, Const)
    thing, number = (right, left) if turned else (left, right)
    if not isinstance(number, Const) or not isinstance(number.value, (int, float)) or isnan(number.value) or isinstance(thing, Const):
        return None
    return thing, _TURNED[str(op)] if turned else str(op), number.value


def ordered(literals: Iterable[Literal_]) -> Ordered:
    """What literals say of how things lie to numbers. What is put in order with one is a number; where it is false, it is 0."""
    given = tuple(literals)
    found: dict[object, Bounds] = {}
    for literal in given:
        asked = comparison(literal.condition)
        if asked is not None and (literal.outcome or asked[1] in _NOT):
            thing, op, number = asked
            found[thing] = found.get(thing, Bounds()).cut(op if literal.outcome else _NOT[op], number)
    for literal in given if found else ():
        if not literal.outcome and literal.condition in found:
            found[literal.condition] = found[literal.condition].cut("==", 0)
    return found


def outcome(condition: Identity, known: Ordered) -> bool | None:
    """How a comparison, or the truth of a number, comes out where it is known how things lie; None if it may come out in two ways."""
    if condition in known:
        return True if known[condition].cut("==", 0).is_empty else None
    asked = comparison(condition)
    if asked is None or asked[0] not in known:
        return None
    thing, op, number = asked
    if known[thing].cut(op, number).is_empty:
        return False
    return True if op in _NOT and known[thing].cut(_NOT[op], number).is_empty else None
