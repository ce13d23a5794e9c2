"""What Python's own functions do that put things in order: they run here, and each `<` asks the interpreter.

`sorted([(2, f), (1, g)])` compares the tuples as Python does, by the first items that differ. So it is known which comes first, though functions have no order and
are no constants. Where a comparison has no outcome, nobody knows the order.
"""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from mxlint.domain.arrays import Array
from mxlint.domain.guards import Cause
from mxlint.domain.members import NONE, Const, Kind, Member, Ref, Tuple, Value, members
from mxlint.domain.parts import each_part
from mxlint.domain.place import Place
from mxlint.interpreter.containers.elements import known_items
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.expressions.operators import binary
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame

T = TypeVar("T")
MOST: Final = 32
"""Of more things the order is not worked out."""


class _Undecided(Exception):
    """A comparison has no one outcome, for a cause."""

    def __init__(self, cause: Cause) -> None:
        self.cause: Cause = cause


class Compared:
    """A value in the hands of Python."""

    __slots__ = ("_ask", "value")

    def __init__(self, value: Value, ask: Callable[[str, Value, Value], bool]) -> None:
        self.value = value
        self._ask = ask

    def __lt__(self, other: Compared) -> bool:
        return self._ask("<", self.value, other.value)

    def __gt__(self, other: Compared) -> bool:
        return self._ask(">", self.value, other.value)


def in_python(i: Interpreter, values: Sequence[Value], place: Place, frame: Frame, run: Callable[[list[Compared]], T]) -> T | Cause:
    """What a function of Python gives of some values; or why it is not known, where a comparison of them has no outcome."""
    if len(values) > MOST or not have_order(i, values):
        found = {member.cause if isinstance(member, Kind) else "open" for value in values for member in members(value)}
        return "imprecise" if "imprecise" in found else "varying" if found == {"varying"} else "open"

    def ask(op: str, a: Value, b: Value) -> bool:
        found = i.truth(binary(i, op, a, b, place, frame), place, frame)
        if found.outcome is None:
            raise _Undecided(found.cause or "open")
        return found.outcome

    try:
        return run([Compared(value, ask) for value in values])
    except _Undecided as undecided:
        return undecided.cause


def have_order(i: Interpreter, values: Sequence[Value]) -> bool:
    """Whether comparisons may be decided: of constants, sequences, and objects of the program."""
    return all(_has_order(i, member) for value in values for member in members(value))


def in_any_order(i: Interpreter, values: Sequence[Value], number: int, why: Cause, place: Place) -> Tuple:
    """A number of places, each of which holds one of some values."""
    by = Kind("int", why)
    return Tuple(tuple(choices.chosen(i, [(None, value) for value in values], by, place, tag=("order", n)) for n in range(number)))


def _has_order(i: Interpreter, member: Member) -> bool:
    """Whether a comparison may be decided: of constants, sequences without arrays, and objects of the program."""
    if isinstance(member, Ref):
        return i.info(member.oid).kind in ("list", "instance")
    return isinstance(member, Const) or isinstance(member, Tuple) and not any(isinstance(part, Array) for part in each_part(member, Tuple))


ON_LISTS: Final[Mapping[str, Callable[..., Any]]] = {
    "heapq.heapify": heapq.heapify,
    "heapq.heappop": heapq.heappop,
    "heapq.heappush": heapq.heappush,
    "heapq.heappushpop": heapq.heappushpop,
    "heapq.heapreplace": heapq.heapreplace,
    "bisect.insort_left": bisect.insort_left,
    "bisect.insort_right": bisect.insort_right,
}
"""Functions that keep a list in an order: each takes it first, and perhaps an item."""


def on_list(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`on_list(name, a, *items)`: what such a function leaves in a list, and what it gives; None where that is not known, and in a trace, where data says
    what is read."""
    name, ref, *given = args.args
    items = known_items(i, ref) if isinstance(ref, Ref) and i.info(ref.oid).kind == "list" and i.trace is None else None
    if items is None or not isinstance(name, Const) or not have_order(i, (*items, *given)):
        return NONE
    function = ON_LISTS[str(name.value)]

    def run(compared: list[Compared]) -> tuple[list[Compared], Compared | None]:
        held = compared[: len(items)]
        result = function(held, *compared[len(items) :])
        return held, result

    try:
        found = in_python(i, (*items, *given), place, frame, run)
    except IndexError:
        throw_named(i, "builtins.IndexError", place)
    if isinstance(found, tuple):
        held, result = found
        return Tuple((Tuple(tuple(item.value for item in held)), NONE if result is None else result.value))
    numbers = list(range(len(items)))
    gives = function(numbers, *range(len(given))) is not None
    if not given and not gives:
        return NONE  # only the order is another one, which data says
    left = in_any_order(i, (*items, *given), len(numbers) + gives, found, place).items or ()
    return Tuple((Tuple(left[gives:]), left[0] if gives else NONE))
