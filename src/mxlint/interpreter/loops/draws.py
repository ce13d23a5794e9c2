"""How many different numbers come of a draw, or of a clock: of `round(random(), 1)` few, of `int(random() * 10000)` many.

A draw has a spread, which its model says: how far apart most of its numbers lie. Arithmetic makes it wider or narrower, and what is rounded lies on a grid. So there
are about as many numbers as steps of the grid in the spread.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import inf
from typing import Final, NamedTuple

from mxlint.domain.guards import Identity
from mxlint.domain.members import Const, Symbolic, Value, members
from mxlint.facts.rows import AGAIN
from mxlint.interpreter.machine.core import Interpreter
from mxlint.models.evaluate import number
from mxlint.models.load import model
from mxlint.models.schema import Model

DRAWN: Final = frozenset(("clock", "random"))
"""Sources that need nothing but another call to give something else."""
ARITHMETIC: Final = frozenset(("+", "-", "*", "/", "//", "%", "**"))


class Spread(NamedTuple):
    """How far apart most of some numbers lie, and on what grid: 0 where they lie on none."""

    width: float
    grid: float

    @property
    def numbers(self) -> float:
        """About how many there are."""
        return self.width / self.grid + 1 if self.grid else inf


PLAIN: Final = Spread(1.0, 0.0)
"""Of a draw of which nothing else is known, as of `random()`."""
UNTOLD: Final = Spread(0.0, 1.0)
"""Of what something that is not followed makes of a draw: it may be one of few."""


class Drawn:
    """What is known of draws. `known`: the spreads of those of which the models tell; `calls`: how many calls of compiled objects were given one of many."""

    __slots__ = ("calls", "known")

    def __init__(self) -> None:
        self.calls = 0
        self.known: dict[Identity, Spread] = {}


def drawn(i: Interpreter, identity: Identity, found: Model, bound: Mapping[str, Value], kind: str) -> None:
    """A call of a library has drawn a number."""
    i.ledger.of(Drawn).known[identity] = spread_of(found, bound, kind)


def spread_of(found: Model, bound: Mapping[str, Value], kind: str) -> Spread:
    """The spread of what a call of a library draws. Of integers whose bounds are not known there are many."""
    given = _given(found, bound)
    width = number(found.spread, given) if found.spread else None
    grid = (number(found.rounds, given) if found.rounds else None) or (1.0 if kind == "int" else 0.0)
    return Spread((inf if kind == "int" else PLAIN.width) if width is None else abs(width), abs(grid))


def _given(found: Model, bound: Mapping[str, Value]) -> dict[str, object]:
    """The parameters of a call that are known, as Python's own values; None for those that are not given."""
    given: dict[str, object] = {
        parameter.name: None if parameter.default is ... else parameter.default
        for signature in found.signatures
        for parameter in signature.parameters
        if parameter.name not in bound
    }
    return given | {name: value.value for name, value in bound.items() if isinstance(value, Const)}


def given(i: Interpreter, values: Iterable[Value]) -> None:
    """A compiled object is called: count it if a number among the arguments is one of many that are drawn, or read off a clock."""
    found = (spread(i, member.identity) for value in values for member in members(value) if isinstance(member, Symbolic))
    if any(each is not None and each.numbers > AGAIN for each in found):
        i.ledger.of(Drawn).calls += 1


def spread(i: Interpreter, identity: Identity) -> Spread | None:
    """How what is made of draws is spread; None if there is no draw in it."""
    if i.sources.get(identity) in DRAWN:
        return i.ledger.of(Drawn).known.get(identity, PLAIN)
    op, *parts = identity
    made_of = list(_parts(parts))
    spreads = [spread(i, part) if isinstance(part, tuple) and part else None for part in made_of]
    known = [each for each in spreads if each is not None]
    if not known:
        return None
    if op in ARITHMETIC and len(parts) == 2:
        return (
            _sum(known) if len(known) == 2 else _moved(str(op), known[0], made_of[1 - spreads.index(known[0])], left=spreads[0] is not None)
        )
    found = model(op) if isinstance(op, str) else None
    if found is None or not found.rounds or spreads[0] is None:
        return UNTOLD
    names = [parameter.name for parameter in max((each.parameters for each in found.signatures), key=len)]
    to = number(found.rounds, _given(found, {name: part for name, part in zip(names, made_of) if isinstance(part, Const)}))
    return UNTOLD if to is None else Spread(spreads[0].width, max(spreads[0].grid, to))


def _parts(parts: Iterable[object]) -> Iterator[object]:
    """What something is made of: of symbolic values their identities."""
    return (part.identity if isinstance(part, Symbolic) else part for part in parts)


def _sum(both: list[Spread]) -> Spread:
    """The spread of what arithmetic makes of two draws."""
    one, other = both
    return Spread(one.width + other.width, min(one.grid, other.grid))


def _moved(op: str, one: Spread, other: object, *, left: bool) -> Spread:
    """The spread of what arithmetic makes of a draw and a number that is none. `left`: the draw is the first operand."""
    by = abs(other.value) if isinstance(other, Const) and isinstance(other.value, (int, float)) else None
    if op == "*" and by:
        return Spread(one.width * by, one.grid * by)
    if op == "/" and by and left:
        return Spread(one.width / by, one.grid / by)
    if op == "//" and by and left:
        return Spread(one.width / by, max(1.0, one.grid / by))
    if op == "%" and by and left:
        return Spread(min(one.width, by), one.grid)
    return one


__all__ = ["DRAWN", "Drawn", "Spread", "drawn", "given", "spread", "spread_of"]
