"""What the contents of arrays come from, and the numbers that are read out of them.

A number that goes into an array is kept beside it, as a draw or a counter: what is read out of the array later is made of that number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeGuard

from mxlint.domain.arrays import Array, Operands
from mxlint.domain.guards import Identity
from mxlint.domain.join import of
from mxlint.domain.members import (
    Const,
    Member,
    Symbolic,
    Value,
    members,
    options,
)
from mxlint.domain.place import Place
from mxlint.domain.varying import loops_of, takes_many
from mxlint.interpreter.loops.draws import ARITHMETIC
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import OPERANDS

CONTENT: Final = ("#", "content comes from")
"""Of an array: the symbolic values that its content comes from."""
REWRITTEN: Final = "content in place"
"""Begins the name of a content that an array was given in place."""
MAX_SOURCES: Final = 4
"""Sources of an array that are remembered, the latest first."""
MAX_READ: Final = 8
"""Arrays from which a number that is read out is said to come, the nearest first."""


class Numbered:
    """A number for each symbolic number that others are computed from."""

    __slots__ = ("numbers",)

    def __init__(self) -> None:
        self.numbers: dict[Identity, int] = {}


def made(i: Interpreter, ident: int, operands: Iterable[Value], place: Place, source: str = "") -> None:
    """An array was made by host code: keep what its content comes from. `source`: it is something else each time itself."""
    found: list[Member] = [i.symbolic(place, "content", source=source)] if source else []
    for value in operands:
        for member in members(value):
            if isinstance(member, Array):
                found.extend(members(i.heap.get(member.ident, CONTENT) or Const(None)))
            elif isinstance(member, Symbolic):
                found.append(member)
            elif takes_many(member):
                counter = i.symbolic(place, "content", source="counter" if loops_of(member) is None else "")
                i.comes_from[counter.identity] = tuple(dict.fromkeys((*i.comes_from.get(counter.identity, ()), member)))
                found.append(counter)
    kept = [member for member in dict.fromkeys(found) if isinstance(member, Symbolic)][:MAX_SOURCES]
    if kept:
        i.heap.set(ident, CONTENT, of(option for member in kept for option in options(member)))


def read_out(i: Interpreter, arrays: Sequence[Member], what: str, kind: str, place: Place) -> Symbolic:
    """The number that is read out of an array. What the array comes from is kept beside it: a call that ends takes its arrays along."""
    number = i.symbolic(place, what, kinds=frozenset((kind,)), source="evaluated")
    found = list(arrays)
    contents: list[Member] = []
    for array in found:
        if not isinstance(array, Array):
            continue
        contents += members(i.heap.get(array.ident, CONTENT) or Const(None))
        operands = i.heap.get(array.ident, OPERANDS)
        before = operands.idents or () if isinstance(operands, Operands) else ()
        found += [Array(ident) for ident in before if len(found) < MAX_READ and Array(ident) not in found]
    i.comes_from[number.identity] = tuple(dict.fromkeys((*found, *contents)))
    return number


def rewritten(i: Interpreter, array: Array, made: Array, place: Place) -> None:
    """The whole content of an array is replaced in place by that of another."""
    number = read_out(i, (made,), REWRITTEN, "number", place)
    i.comes_from[number.identity] = (array, *i.comes_from[number.identity])
    i.heap.set(array.ident, CONTENT, number)


def is_rewritten(member: Member) -> TypeGuard[Symbolic]:
    """Whether it is a content that an array was given in place."""
    return isinstance(member, Symbolic) and member.identity[0] == REWRITTEN


ITEM: Final = "item "
"""Begins the names of numbers that are read out of an array together."""


def read_from(i: Interpreter, number: Symbolic) -> str:
    """Which of the numbers of an array it is that were read out together, as by `tolist`; empty where it is none."""
    identity = number.identity
    together = len(identity) == 3 and isinstance(identity[0], str) and identity[0].startswith(ITEM)
    return f"{identity[0]} {identity[1]}" if together and i.sources.get(identity) == "evaluated" else ""


def computed_from(i: Interpreter, number: Symbolic) -> str:
    """Which of the numbers it is that arithmetic makes of one symbolic number and constants: others of it are other numbers; empty where it is none."""
    atoms: set[Identity] = set()
    text = _in_words(number.identity, atoms)
    if len(atoms) != 1 or number.identity in atoms:
        return ""
    names = i.ledger.of(Numbered).numbers
    return f"{text} of {names.setdefault(atoms.pop(), len(names))}"


def _in_words(part: object, atoms: set[Identity]) -> str:
    """An expression over constants and `?`, which stands for what else it is made of."""
    if isinstance(part, Const):
        return repr(part.value)
    if isinstance(part, tuple) and len(part) == 3 and part[0] in ARITHMETIC:
        return f"({_in_words(part[1], atoms)} {part[0]} {_in_words(part[2], atoms)})"
    atoms.add(part)  # type: ignore[arg-type]
    return "?"
