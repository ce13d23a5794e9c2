"""Whose lengths tests ask for, also in what they call: what such a test makes longer may come to rest, as a cache that grows by a block where it is full."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

from mxlint.domain.members import Const, Value
from mxlint.facts.rows import AGAIN
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.paths import Condition, Truth


class Looked:
    """What is asked for its length while a test is evaluated, and which conditions have asked."""

    __slots__ = ("conditions", "now")

    def __init__(self) -> None:
        self.now: list[set[int]] = []
        """Of each test that is evaluated, outermost first, the arrays and lists whose lengths it has asked for so far."""
        self.conditions: dict[int, set[Condition]] = {}
        """The conditions that ask for the length of something."""


def looks(i: Interpreter, number: int) -> None:
    """The length of an array or list is asked for."""
    if now := i.ledger.of(Looked).now:
        now[-1].add(number)


@contextmanager
def looking(i: Interpreter) -> Iterator[set[int]]:
    """A test is evaluated: whose lengths it asks for."""
    now = i.ledger.of(Looked).now
    found: set[int] = set()
    now.append(found)
    try:
        yield found
    finally:
        now.pop()


def also(i: Interpreter, found: Collection[int]) -> None:
    """A comparison has asked for lengths: so has the test that it is part of."""
    if now := i.ledger.of(Looked).now:
        now[-1].update(found)


def limited(i: Interpreter, sides: Iterable[Value]) -> None:
    """Two sides are compared: a limit that is far away counts for nothing, and for lists only one that is a number."""
    asking = i.ledger.of(Looked).now[-1]
    limits = [side.value for side in sides if isinstance(side, Const) and isinstance(side.value, (int, float))] if asking else ()
    if any(limit > AGAIN for limit in limits):
        asking.clear()
    elif not any(limits):
        asking.difference_update([number for number in asking if i.info(number).kind != "array"])


def decides(i: Interpreter, truth: Truth, found: Collection[int]) -> None:
    """A branch begins whose test has asked for the lengths of some things."""
    for number in found if truth.outcome is None and i.path else ():
        i.ledger.of(Looked).conditions.setdefault(number, set()).add(i.path[-1])


def asks(i: Interpreter, conditions: Iterable[Condition], numbers: Iterable[int]) -> bool:
    """Whether one of some conditions asks for the length of one of some things."""
    known = i.ledger.of(Looked).conditions
    asked = [known[number] for number in numbers if number in known]
    return bool(asked) and any(condition in found for condition in conditions for found in asked)
