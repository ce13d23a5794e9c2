"""Operations of MLX as they are said of any run of a body, so that those of two runs can be compared: arrays, lengths and numbers without the identities that
each run gives them anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TypeAlias

from mxlint.domain.arrays import Array
from mxlint.domain.members import Composite, Const, Kind, Length, Measure, Member, Range, Symbolic, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.domain.size import Atom, Size
from mxlint.interpreter.compiled.traces import Operation
from mxlint.interpreter.machine.core import Interpreter

Said: TypeAlias = tuple[str, Place, tuple[object, ...]]
"""An operation as it is said of any run of the body: which, where, of what."""


class Symbol:
    """A number or thing that stands under a name of its own. `name`: None where nothing says that two of them are the same."""

    __slots__ = ("kind", "name")

    def __init__(self, kind: type[Member], name: object) -> None:
        self.kind, self.name = kind, name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbol) and self.kind is other.kind and self.name == other.name

    def __hash__(self) -> int:
        return hash((self.kind, self.name))


def anonymous(said: object) -> object:
    """What is said without the names of symbols."""
    if isinstance(said, Symbol):
        return said.kind
    return tuple(map(anonymous, said)) if isinstance(said, tuple) else said


def leaves_open(said: object) -> bool:
    """Whether something is said of which nobody knows whether it is the same in another run."""
    if isinstance(said, Symbol):
        return said.name is None
    return isinstance(said, tuple) and any(map(leaves_open, said))


def operations(
    i: Interpreter,
    computed: Iterable[Operation],
    given: Sequence[int],
    number: int,
    floats: Collection[str | None],
    kept: Collection[int],
) -> Iterator[Said]:
    """Operations as they are said of any run of the body: what is older than it by its own number, and so is what is `kept` from one to the next; what it was given and made
    by the order of it. Beside an array of one of the dtypes `floats`, 2 is no other number than 2.0."""
    numbers = {oid: at for at, oid in enumerate(given)}

    def named(value: Value, as_float: bool) -> object:
        return tuple(one(member, as_float) for member in members(value))

    def one(member: Member, as_float: bool) -> object:
        if isinstance(member, Array):
            own = member.ident not in kept and (member.ident in numbers or i.info(member.ident).trace == number)
            return ("made", numbers.setdefault(member.ident, len(numbers))) if own else ("older", member.ident)
        if isinstance(member, Const):
            is_number = as_float and isinstance(member.value, (bool, int, float))
            return "number" if is_number else type(member.value), member.value
        if isinstance(member, Length):
            exact = member.size.number
            return Symbol(Length, _size(member.size, numbers)) if exact is None else ("number" if as_float else int, exact)
        if isinstance(member, Composite):
            return type(member), *(named(part, as_float) for part in member.parts)
        if isinstance(member, Symbolic):
            return Symbol(Symbolic, member.identity)
        if isinstance(member, Measure):  # of the same lengths, as the key of the call has them
            return Symbol(Measure, member.key())
        return Symbol(type(member), None) if isinstance(member, (Kind, Range, Unknown)) else (type(member),)

    for what, place, operands in computed:
        as_float = any(isinstance(member, Array) and member.dtype in floats for operand in operands for member in members(operand))
        yield what, place, tuple(named(operand, as_float) for operand in operands)


def _size(size: Size, numbers: dict[int, int]) -> object:
    """A size whose atoms are said of any run: the axes of arrays by the numbers of these."""
    return frozenset(
        (frozenset(Counter(_atom(atom, numbers) for atom in monomial).items()), factor) for monomial, factor in size.terms.items()
    )


def _atom(atom: Atom, numbers: dict[int, int]) -> object:
    name = atom.name
    if isinstance(name, tuple) and len(name) == 3 and name[0] == "axis":
        return "axis", numbers.get(name[1], ("older", name[1])), name[2]
    return atom.kind, name, tuple(_size(operand, numbers) for operand in atom.operands)
