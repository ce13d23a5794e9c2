"""Members that stand for arrays, and members that hold only what is known of one: its shape, what it is computed from, the traces that read it.

`join_arrays` gives one array for two: what they disagree in, such as the length of an axis, is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, Protocol, TypeAlias

from mxlint.domain.members import Const, Length, Loops, Measure, Member
from mxlint.domain.size import Size, number, symbol, symbols
from mxlint.domain.varying import united

GOING_ON: Final = frozenset(("number", "rounds"))
"""Why a shape goes on to change (`Array.grows`), where the array is made anew in each round."""


class Array(Member):
    """An mx.array. `ident` names the object; `trace` the trace whose placeholder it is or is computed from (None: none; -1: not known).

    `shape` is a tuple of sizes or None, `dtype` MLX's name or None. `chain` leads to where it came into being. `grows`: why its shape
    differs from round to round of a loop, if it does: "rounds" (each round makes it of what the last one made), "number" (a length is a number
    that the loop changes); "differs": it is made of arrays of different shapes, which says so only if this shape was known in an earlier round.
    `loops`: the rounds of which loops make that so, if it is known. `several`: it stands for other arrays as well, since a union had too many: all arrays of a union with it are part of it.
    """

    __slots__ = ("chain", "dtype", "grows", "ident", "loops", "origin", "several", "shape", "trace")

    def __init__(
        self,
        ident: int,
        trace: int | None = None,
        shape: tuple[object, ...] | None = None,
        dtype: str | None = None,
        chain: Chain | None = None,
        origin: frozenset[int] = frozenset(),
        grows: str = "",
        several: bool = False,
        loops: Loops = None,
    ) -> None:
        self.ident = ident
        self.several = several
        self.loops = loops
        self.trace = trace
        self.grows = grows
        self.shape = shape
        self.dtype = dtype
        self.chain = chain
        self.origin = origin

    def key(self) -> tuple[object, ...]:
        return (self.ident, self.trace, self.shape, self.dtype, self.origin, self.grows, self.several, self.loops)

    def but(self, **changes: object) -> Array:
        """The same array with some fields changed."""
        fields: dict[str, object] = {name: getattr(self, name) for name in _ARRAY}
        return Array(**{**fields, **changes})  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return self.ident

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Array)
            and self.ident == other.ident
            and self.trace == other.trace
            and self.dtype == other.dtype
            and self.grows == other.grows
            and self.several is other.several
            and self.loops == other.loops
            and self.shape == other.shape
            and self.origin == other.origin
        )


_ARRAY: Final = Array.__slots__


class Chain:
    """One link of the provenance of an array: it was made, or handed on, at `place`, from `origin`.

    `presumed`: the placeholder at its beginning, if that is only presumed to be an array.
    """

    __slots__ = ("note", "origin", "place", "presumed")

    def __init__(self, place: object, note: str, origin: Chain | None = None, presumed: int | None = None) -> None:
        self.place = place
        self.note = note
        self.origin = origin
        self.presumed: int | None = origin.presumed if origin is not None else presumed


class Traced(Protocol):
    """A trace that a compiled object has. `number` is that of its cache key, `refers` are the objects and arrays that it holds on to, `made` says when it
    was made, counted in rounds of loops."""

    made: int

    @property
    def number(self) -> int: ...

    @property
    def refers(self) -> frozenset[int]: ...

    def renamed(self, change: Callable[[Member], Member], number: int | None = None) -> Traced:
        """The same trace, with what it read under other numbers. `number`: the only one that `change` knows."""
        ...


class Traces(Member):
    """The traces that a compiled object has, each with its cache key, its result and what it read. Two members of one object are joined:
    of two traces of one key, one stands for both."""

    __slots__ = ("entries", "oid")

    def __init__(self, oid: int, entries: tuple[Traced, ...]) -> None:
        self.oid = oid
        self.entries = entries

    def key(self) -> tuple[object, ...]:
        return (self.oid, frozenset(self.entries))


MAX_JOINED: Final = 8
"""Arrays from which another one is computed on several ways that are told one by one."""


class Operands(Member):
    """The arrays that an array is computed from, by number, on one way or another; None: they are too many. Never seen by a program."""

    __slots__ = ("idents",)

    def __init__(self, idents: tuple[int, ...] | None) -> None:
        self.idents = idents

    def key(self) -> tuple[object, ...]:
        return (self.idents,)

    def joined(self, other: Operands) -> Operands:
        """Those on two ways together."""
        if self.idents is None or other.idents is None:
            return Operands(None)
        found = tuple(sorted({*self.idents, *other.idents}))
        return Operands(found if len(found) <= MAX_JOINED else None)


Part: TypeAlias = "tuple[int, int | None] | None"
"""Which part of a shape, as the bounds of a slice; None if nobody says which."""
WHOLE: Final[Part] = (0, None)


ELEMENT: Final = "element"
"""Begins the name of a length that a loop takes out of a shape, before its place."""


class ShapeOf(Member):
    """The shape of an array of unknown rank, or a part of it: `origin` are the array arguments that have it; `exact`: in the same order of axes.
    `last`: how long the last axis is, if that is known."""

    __slots__ = ("exact", "ident", "last", "origin", "part")

    def __init__(self, ident: int, origin: frozenset[int], exact: bool, part: Part = WHOLE, last: int | None = None) -> None:
        self.ident = ident
        self.origin = origin
        self.exact = exact
        self.part = part
        self.last = last

    def key(self) -> tuple[object, ...]:
        return (self.ident, self.origin, self.exact, self.part, self.last)

    @property
    def is_whole(self) -> bool:
        """Whether it is the whole shape."""
        return self.part == WHOLE

    def sliced(self, lower: int | None, upper: int | None) -> ShapeOf:
        """The axes between two bounds of a slice."""
        part: Part = None
        if self.is_whole:
            part = lower or 0, upper
        elif self.part is not None and upper is None and (lower or 0) >= 0 <= self.part[0]:
            part = self.part[0] + (lower or 0), self.part[1]
        return ShapeOf(self.ident, self.origin, self.exact, part, self.last)

    def axis(self, number: int | None) -> Length | Measure | Const:
        """The length of an axis (negative: from the end; None: any of them)."""
        at = self._whole(number) if number is not None else None
        if at == -1 and self.last is not None:
            return Const(self.last)
        return self._length(at) if at is not None else Measure("int", self._origins(None))

    def named(self, identity: Hashable) -> Length | Measure:
        """The length of the axis with a number that nobody in sight gives: of one number it is one length."""
        return self._length((self.part, identity)) if self.part is not None else Measure("int", self._origins(None))

    @property
    def product(self) -> Length:
        """How many elements the array has."""
        return self._length(None)

    def _length(self, at: Hashable) -> Length:
        return Length(symbol(("axis", self.ident, at), 0, self._origins(at)))

    def _origins(self, at: Hashable) -> frozenset[tuple[int, int]]:
        """The axes of the arguments that a length comes from, as far as their numbers are known."""
        number = at if self.exact and isinstance(at, int) else None
        return frozenset((argument, number) for argument in self.origin)  # type: ignore[misc]

    def _whole(self, number: int) -> int | None:
        """Which axis of the array is one of this part; None if nobody says."""
        if self.part is None:
            return None
        lower, upper = self.part
        if number >= 0:
            return lower + number if lower >= 0 or lower + number < 0 else None
        return number if upper is None else upper + number if upper < 0 else None

    def with_rank(self, count: int) -> tuple[Size, ...]:
        """All lengths, where it is known how many there are. The last of several is named as such, and so is one alone whose length is known."""
        alone = count == 1 and self.last is None
        lengths = [self.axis(axis if axis < count - 1 or alone else -1) for axis in range(count)]
        return tuple(
            length.size if isinstance(length, Length) else number(self.last or 0) for length in lengths if not isinstance(length, Measure)
        )


def taken_at(length: Length) -> set[object]:
    """Where loops take the elements of shapes of unknown rank that a length is computed from."""
    names = (name[2] for name in symbols(length.size) if isinstance(name, tuple) and name[0] == "axis")
    return {at[1][1] for at in names if isinstance(at, tuple) and isinstance(at[1], tuple) and at[1][0] == ELEMENT}


def unranked(array: Array, last: int | None = None) -> ShapeOf:
    """The shape of an array of unknown rank. `last`: how long the last axis is, if that is known."""
    return ShapeOf(array.ident, array.origin, array.chain is not None and array.chain.note == "argument", last=last)


def of_two_rounds(a: Array, b: Array) -> Array:
    """What a site makes in two rounds of a loop, as one array: its shape may differ from round to round, as far as they say."""
    both = join_arrays(a, b)
    if "differs" in (a.grows, b.grows) and _unlike(a.shape, b.shape):
        return both.but(grows="rounds", loops=None)
    return both.but(grows="rounds") if "rounds" in (a.grows, b.grows) else both


def _unlike(a: tuple[object, ...] | None, b: tuple[object, ...] | None) -> bool:
    """Whether two shapes differ, at least one of them in a length that is known."""
    if a is None or b is None or len(a) != len(b):
        return False
    return any(x != y and (x is not None or y is not None) for x, y in zip(a, b))


def join_arrays(a: Array, b: Array) -> Array:
    """One array of which two descriptions are known: what they disagree in is unknown."""
    shape = a.shape
    if a.shape != b.shape:
        same_rank = a.shape is not None and b.shape is not None and len(a.shape) == len(b.shape)
        shape = tuple(x if x == y else None for x, y in zip(a.shape, b.shape)) if same_rank and a.shape and b.shape else None
    trace = a.trace if a.trace == b.trace else -1
    dtype = a.dtype if a.dtype == b.dtype else None
    grows, several = max(a.grows, b.grows), a.several or b.several
    return Array(a.ident, trace, shape, dtype, a.chain or b.chain, a.origin | b.origin, grows, several, _loops(a, b))


def _loops(a: Array, b: Array) -> Loops:
    """The loops in which the shape of one of two arrays differs from round to round."""
    return united(array.loops for array in (a, b) if array.grows) if a.grows or b.grows else None
