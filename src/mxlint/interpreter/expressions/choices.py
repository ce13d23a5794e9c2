"""One of several values: which one is a condition, and each value is guarded by it.

In `handlers[name](x)` each function of the dict may be called, on the condition that it is chosen. The choice is open if an index, key or name that nobody in sight
gives decides, and imprecise if that was approximated. If the program in sight takes all values, as a counter does, there is no condition.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Final

from mxlint.domain.exclusion import contradict
from mxlint.domain.guards import MAX_GUARD, Cause, Guard, Identity, Literal_
from mxlint.domain.join import join, of
from mxlint.domain.members import Const, Kind, Length, Measure, Member, Option, Range, Symbolic, Tuple, Value, options
from mxlint.domain.parts import each_part
from mxlint.domain.place import Place
from mxlint.domain.texts import cannot_be
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.paths import Condition
from mxlint.interpreter.open_world.defaults import Defaults

CHOICE: Final = "chosen"
"""The operation that takes one of several things by an index or key."""
FLAG: Final = frozenset(("bool",))
FLAGS: Final = (FLAG, None)
"""The kinds of what is a flag where it is a key beside True or False: nobody looks up anything else there."""
FEW: Final = 4
"""Alternatives of which each says that it is none of the others, too."""


def chosen(
    i: Interpreter,
    alternatives: Sequence[tuple[Member | None, Value]],
    by: Value,
    place: Place,
    otherwise: Value | None = None,
    tag: object = None,
    read: Callable[[Member | None, Value], Value] | None = None,
) -> Value:
    """The alternative that `by` chooses: each comes with what `by` is equal to then (None: not known). `otherwise`: if it is none of them.
    `tag` distinguishes several choices at one place. `read`: what is done with each where it is chosen."""
    why = cause(by)
    possible = [(label, value) for label, value in alternatives if not excludes(by, label)]
    alternatives = possible if possible or otherwise is not None else alternatives
    is_sure = why == "varying" or len(alternatives) + (otherwise is not None) == 1
    literals: list[Literal_] = []
    if why != "varying" and not (is_sure and read is None):
        literals = [_literal(i, by, label, (tag, number), place, why) for number, (label, _) in enumerate(alternatives)]
    if read is not None:
        ways: Sequence[Literal_ | None] = literals or [None] * len(alternatives)
        alternatives = [(label, _where(i, partial(read, label, value), why, way, place)) for (label, value), way in zip(alternatives, ways)]
    values = [value for _, value in alternatives] + ([otherwise] if otherwise is not None else [])
    if is_sure:
        return join(values)
    against = [Literal_(literal.condition, not literal.outcome) for literal in literals]
    found: list[Option] = []
    for number, (_, value) in enumerate(alternatives):
        others = (*against[:number], *against[number + 1 :]) if len(alternatives) <= FEW else ()
        found.extend(_guarded(value, (*others, literals[number])))
    if otherwise is not None:
        found.extend(_guarded(otherwise, tuple(against)))
    return join(values) if all(value == values[0] for value in values) else of(found, chosen=why == "open")


def _where(i: Interpreter, run: Callable[[], Value], why: Cause, literal: Literal_ | None, place: Place) -> Value:
    """What is done where a literal holds; None: wherever that is."""
    base = i.path
    i.path = (*base, Condition(why, place, literal, True)) if literal is not None else base
    try:
        return run()
    finally:
        i.path = base


def excludes(by: Value, label: Member | None) -> bool:
    """Whether an index or key is a text that is surely not equal to another one."""
    return isinstance(by, Symbolic) and isinstance(label, Const) and cannot_be(by.identity, label.value)


def any_of(i: Interpreter, values: Sequence[Value], place: Place, tag: object = None, default: int | None = None) -> Value:
    """One of some values, by the choice of something out of sight; `default`: the number of the one that it is if nothing chooses."""
    if default is not None:
        for number in range(len(values)):
            i.ledger.of(Defaults).values["choice", place, i.context, (tag, number)] = Const(number == default)
    return chosen(i, [(None, value) for value in values], Kind("int", "open"), place, tag=tag)


def combinations(values: Sequence[Value]) -> list[tuple[tuple[Member, ...], Guard]] | None:
    """What several values are together: the members of which guards do not say that they never are. None, if that is many."""
    found: list[tuple[tuple[Member, ...], Guard]] = [((), ())]
    for value in values:
        pairs = ((held, guard, option) for held, guard in found for option in options(value) if not contradict(option.guard, guard))
        found = [((*held, option.member), tuple(dict.fromkeys((*guard, *option.guard)))[-MAX_GUARD:]) for held, guard, option in pairs]
        if len(found) > FEW:
            return None
    return found


def cause(by: Value) -> Cause:
    """Why it is not decided what is chosen."""
    found: set[Cause] = set()
    for member in each_part(by, Tuple):
        if isinstance(member, Kind):
            found.add(member.cause)
        elif isinstance(member, (Const, Range)) or isinstance(member, Tuple) and member.items is not None:
            found.add("varying")
        elif isinstance(member, (Symbolic, Length, Measure)):
            found.add("open")
        else:
            found.add("imprecise")
    return "imprecise" if "imprecise" in found else "open" if "open" in found else "varying"


def _literal(i: Interpreter, by: Value, label: Member | None, number: object, place: Place, why: Cause) -> Literal_:
    """The condition under which an alternative is chosen: what a test of the index or key for equality asks, where that can be said."""
    known = isinstance(by, Symbolic) and isinstance(label, (Const, Symbolic))
    other = label.identity if isinstance(label, Symbolic) else label
    if (flag := as_flag(by, label, FLAGS)) is not None:
        return flag
    identity: Identity = ("==", by.identity, other) if known else ("choice", place, i.context, number)  # type: ignore[union-attr]
    if identity not in i.causes:
        i.causes[identity] = (why, place)
        i.choices.add(identity)
    return Literal_(identity, True)


def as_flag(value: Value, other: Value | None, flags: Collection[frozenset[str] | None] = (FLAG,)) -> Literal_ | None:
    """What a test of a flag asks that is compared with True or False: the flag itself. None of anything else. `flags`: the kinds of what is one."""
    if not isinstance(value, Symbolic) or value.kinds not in flags or not isinstance(other, Const) or not isinstance(other.value, bool):
        return None
    identity, outcome = value.identity, other.value
    while identity[0] == "not" and isinstance(identity[1], tuple):
        identity, outcome = identity[1], not outcome
    return Literal_(identity, outcome)


def _guarded(value: Value, guard: Guard) -> list[Option]:
    return [Option(option.member, (*option.guard, *guard)[-MAX_GUARD:]) for option in options(value)]


__all__ = ["any_of", "cause", "chosen"]
