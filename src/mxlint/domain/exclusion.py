"""Which literals exclude each other, so that a guard cannot hold on a path.

Three kinds do: the two outcomes of one condition (`flag` is true, `flag` is false); equations of one thing with two constants (`mode == "a"`,
`mode == "b"`); and literals of which another one says that they do not all hold, as after a join.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from mxlint.domain.guards import Guard, Identity, Literal_, closed, opposite, parts
from mxlint.domain.members import Const
from mxlint.domain.ordering import Ordered, ordered

_EQUAL = frozenset(("==", "is"))
EQUALS = "equals"
"""Begins what is asked of a path: what a thing equals, whatever it is."""
Equations = dict[object, object]
"""Constants that things equal, by the identity of the thing."""
Exclusions: TypeAlias = Mapping[Literal_, Sequence[Guard]]


class RuledOut(NamedTuple):
    """What a path says of the conditions of guards: the opposites of its literals; what equals what; its literals, and those which some of them say
    not to hold together, by each of them; between which numbers things lie."""

    opposites: frozenset[Literal_]
    known: Equations
    held: frozenset[Literal_]
    exclusions: Exclusions
    ordered: Ordered


def ruled_out(literals: Iterable[Literal_]) -> RuledOut:
    """What a path with some literals says."""
    held = closed(literals)
    return RuledOut(frozenset(map(opposite, held)), equations(held), frozenset(held), by_part(held), ordered(held))


def equation(condition: Identity) -> tuple[object, object] | None:
    """The thing and the constant of which a condition asks whether they are equal; None if it asks something else."""
    if len(condition) == 3 and condition[0] in _EQUAL and isinstance(condition[2], Const):
        return condition[1], condition[2].value
    return None


def equations(literals: Iterable[Literal_]) -> Equations:
    """What literals say of what equals what."""
    return dict(found for literal in literals if literal.outcome for found in (equation(literal.condition),) if found is not None)


def refuted(condition: Identity, known: Equations) -> bool:
    """Whether something is asked to equal a constant that equals another one."""
    found = equation(condition) if known else None
    return found is not None and found[0] in known and known[found[0]] != found[1]


def by_part(literals: Iterable[Literal_]) -> Exclusions:
    """Literals that do not hold together, as some of `literals` say, by each of them."""
    found: dict[Literal_, list[Guard]] = {}
    for together in map(parts, literals):
        for part in together:
            found.setdefault(part, []).append(together)
    return found


def is_excluded(guard: Guard, held: Collection[Literal_], exclusions: Exclusions) -> bool:
    """Whether a guard cannot hold where a path `held` some literals: with them, all literals of some set hold that do not hold together. A literal of the
    guard may say so itself, or `exclusions` of it."""
    for literal in guard:
        for together in (parts(literal),) if parts(literal) else exclusions.get(literal, ()):
            if all(part in held or part in guard for part in together):
                return True
    return False


def contradict(guard: Guard, more: Guard) -> bool:
    """Whether two guards cannot hold together."""
    for a in guard:
        for b in more:
            if a.outcome is not b.outcome and a.condition == b.condition:
                return True
    known = equations(more)
    return any(literal.outcome and refuted(literal.condition, known) for literal in guard)


def together(literals: Iterable[Literal_]) -> bool:
    """Whether some literals may hold together: one thing equals one constant, and two things that equal one are equal."""
    held = frozenset(literals)
    known = equations(held)
    for literal in held:
        if literal.outcome and refuted(literal.condition, known):
            return False
        for denied in () if literal.outcome else ((opposite(literal),), parts(literal)):
            if denied and all(part in held or part.outcome and _follows(part.condition, known) for part in denied):
                return False
    return True


def _follows(condition: Identity, known: Equations) -> bool:
    """Whether two things are asked to be equal that equal one constant."""
    if len(condition) != 3 or condition[0] not in _EQUAL:
        return False
    first, second = (part.value if isinstance(part, Const) else known.get(part, part) for part in condition[1:])
    return bool(first == second)
