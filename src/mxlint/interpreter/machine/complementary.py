"""What happens whichever way a test turns out: the same fact under a condition and under its opposite depends on neither."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from mxlint.domain.guards import Literal_, opposite
from mxlint.facts.events import Condition, Event, Write

Happening = TypeVar("Happening", Event, Write)

Hanging = Mapping[Literal_, Condition]
"""The open conditions that a fact depends on, each with the literal that stands for it."""
MOST: Final = 32
"""Facts of one expression that are compared with each other."""


class _Fact(NamedTuple):
    number: int
    event: Any
    hangs: Hanging


def joined(events: Sequence[tuple[Happening, Hanging]]) -> list[Happening]:
    """Events or writes, with those joined that differ in one condition alone, in where their values come from and by which calls the trace comes to them.
    The first of each stays."""
    alike: dict[object, list[_Fact]] = {}
    found: dict[int, Happening] = {}
    for number, (event, hangs) in enumerate(events):
        if hangs and len(hangs) == len(event.modality.conditions):
            key = event.but(calls=(), modality=event.modality.but(conditions=()), **({"chain": ()} if isinstance(event, Event) else {}))
            alike.setdefault(key, []).append(_Fact(number, event, hangs))
        else:
            found[number] = event
    for facts in alike.values():
        for fact in _resolved(facts) if 1 < len(facts) <= MOST else facts:
            found[fact.number] = fact.event
    return [found[number] for number in sorted(found)]


def _resolved(facts: Iterable[_Fact]) -> list[_Fact]:
    """Facts, as few as say the same."""
    by_literals: dict[frozenset[Literal_], _Fact] = {}
    todo = list(reversed(list(facts)))
    while todo:
        fact = todo.pop()
        literals = frozenset(fact.hangs)
        if literals in by_literals:
            continue
        other, both = next(
            ((found, one) for one in fact.hangs if (found := by_literals.get((literals - {one}) | {opposite(one)})) is not None),
            (None, None),
        )
        if other is None or both is None:
            by_literals[literals] = fact
            continue
        del by_literals[frozenset(other.hangs)]
        first = min(fact, other, key=lambda one: one.number)
        hangs = {literal: condition for literal, condition in first.hangs.items() if literal.condition != both.condition}
        modality = first.event.modality.but(conditions=tuple(hangs.values()))
        todo.append(_Fact(first.number, first.event.but(modality=modality), hangs))
    return list(by_literals.values())
