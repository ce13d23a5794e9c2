"""By which operation, of which operands, arrays were made outside of traces whose shape nobody says.

The shape of `x * 2` is that of `x`, whatever that is, and the one of `x @ x.T` follows from it: MLX computes shapes from shapes and from numbers alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from mxlint.domain.arrays import Array
from mxlint.domain.members import Ref, Value
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS

Tells: TypeAlias = Callable[[int], bool]
"""Whether the shape of a result tells that of the operand with a number: no other one gives the same."""


class Making(NamedTuple):
    """An operation of MLX by its name, and its operands."""

    name: str
    args: tuple[Value, ...]
    keywords: Mapping[str, Value]
    tells: Tells
    repeats: bool
    """Whether it gives the same again, as no draw does."""

    @property
    def operands(self) -> tuple[Value, ...]:
        return (*self.args, *(self.keywords[name] for name in sorted(self.keywords)))

    def is_alike(self, other: Making) -> bool:
        """Whether two arrays were made by one operation, of as many operands."""
        return (self.name, len(self.args), sorted(self.keywords)) == (other.name, len(other.args), sorted(other.keywords))


class Makings:
    """How each array of unknown shape was made last, by its number."""

    __slots__ = ("by",)

    def __init__(self) -> None:
        self.by: dict[int, Making] = {}


def keep(i: Interpreter, name: str, made: Value, args: Sequence[Value], keywords: Mapping[str, Value], tells: Tells) -> None:
    """Keep how an array of unknown shape was made."""
    if i.trace is None and isinstance(made, Array) and (made.shape is None or None in made.shape):
        entry = i.table.entry(name)
        i.ledger.of(Makings).by[made.ident] = Making(
            name, tuple(_content(i, value) for value in args), keywords, tells, entry is not None and not entry.random
        )


def of(i: Interpreter, ident: int) -> Making | None:
    """How an array was made, if that was kept."""
    return i.ledger.of(Makings).by.get(ident)


def _content(i: Interpreter, value: Value) -> Value:
    """What a list holds when it is given, or anything else as it is."""
    return i.heap.get(value.oid, ITEMS) or value if isinstance(value, Ref) and i.info(value.oid).kind == "list" else value
