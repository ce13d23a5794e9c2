"""Values of the abstract interpreter, as a lattice with join and widening.

A value is one member or a `Union` of members. Members are immutable and compare by what they stand for; provenance is not part of the order.
Objects with identity (lists, instances, functions, frames, …) are `Ref`s into the heap; only their number stands here.
docs/semantics.md, section 2, has the table of members.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from math import gcd
from typing import Any, Final, Literal, Protocol, TypeAlias

from mxlint.domain.size import Size, symbol

MAX_MEMBERS: Final = 8
"""A union of more members than this widens."""
MAX_GUARD: Final = 8
"""Literals of one guard; the oldest goes first."""

Cause = Literal["varying", "open", "imprecise"]
"""Why a scalar has no one value: the program in sight brings several, nobody in sight gives it, or join and widening blurred it."""


class Literal_:
    """A condition and the outcome that it had: `condition` is the identity of what was tested."""

    __slots__ = ("_hash", "condition", "outcome")

    def __init__(self, condition: Identity, outcome: bool) -> None:
        self.condition = condition
        self.outcome = outcome
        self._hash: int | None = None

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Literal_) and self.outcome is other.outcome and self.condition == other.condition)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.condition, self.outcome))  # a condition nests as deep as what it tests
        return self._hash

    def __repr__(self) -> str:
        return f"{'' if self.outcome else 'not '}{self.condition}"


Identity: TypeAlias = tuple[object, ...]
"""The name of one particular unknown thing: where it came into being, or the operation that makes it from others."""
Guard: TypeAlias = tuple[Literal_, ...]
EARLIER: Final = "earlier"
"""Begins the condition that another one had an outcome in an earlier round of a loop: it contradicts none of this round."""


class Member:
    """What a value consists of. Subclasses say what they stand for."""

    __slots__ = ()

    def key(self) -> tuple[object, ...]:
        """What tells members apart; equal keys stand for the same set of values."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return self is other or type(self) is type(other) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self.key()!r}"


class Composite(Member):
    """A member that holds values. Several may hold one in turn, so what every walk asks of it is kept: its hash, the numbers that it refers to,
    how deep it nests, and a member that it was found equal to."""

    __slots__ = ("_hash", "_height", "_refers", "_same")

    def __init__(self) -> None:
        self._hash: int | None = None
        self._height: int | None = None
        self._refers: frozenset[int] | None = None
        self._same: Composite | None = None

    @property
    def parts(self) -> tuple[Value, ...]:
        """The values that it holds."""
        raise NotImplementedError

    def holding(self, parts: tuple[Value, ...]) -> Composite:
        """The same member with other parts."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return False
        assert isinstance(other, Composite)
        a, b = _first(self), _first(other)
        if a is b:
            return True
        if a._hash is not None and b._hash is not None and a._hash != b._hash or a.key() != b.key():
            return False
        b._same = a
        return True

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.key())
        return self._hash


def _first(member: Composite) -> Composite:
    """The one of all members found equal to this one that stands for them."""
    while member._same is not None:
        if member._same._same is not None:
            member._same = member._same._same
        member = member._same
    return member


class Const(Member):
    """One Python scalar: None, bool, int, float, complex, str, bytes, Ellipsis."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def key(self) -> tuple[object, ...]:
        value = self.value
        return (type(value), repr(value) if isinstance(value, (float, complex)) else value)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(other) is not Const or type(self.value) is not type(other.value):
            return False
        return self.value == other.value if type(self.value) in _SIMPLE else self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.value) if type(self.value) in _SIMPLE else hash(self.key())


_SIMPLE: Final = frozenset((type(None), bool, int, str, bytes))
"""Types of which equal scalars are one."""


class Range(Member):
    """The integers low, low + stride, … up to high, all of which the program in sight brings about. None: no bound."""

    __slots__ = ("high", "low", "stride")

    def __init__(self, low: int | None, high: int | None, stride: int = 1) -> None:
        self.low = low
        self.high = high
        self.stride = stride

    def key(self) -> tuple[object, ...]:
        return (self.low, self.high, self.stride)


class Length(Member):
    """A Python integer that is the length of an axis, or computed from such: a `Size` with the axes that it comes from."""

    __slots__ = ("size",)

    def __init__(self, size: Size) -> None:
        self.size = size

    def key(self) -> tuple[object, ...]:
        return (self.size, self.size.origins)


class Measure(Member):
    """A number that is computed from lengths of axes in a way that no `Size` says: its type, and the axes that it comes from."""

    __slots__ = ("origins", "type")

    def __init__(self, type: str, origins: frozenset[tuple[int, int]]) -> None:
        self.type = type
        self.origins = origins

    def key(self) -> tuple[object, ...]:
        return (self.type, self.origins)


class Kind(Member):
    """Any value of a scalar type, by the type's name ("number" for int or float). `cause` says why it is not known."""

    __slots__ = ("cause", "type")

    def __init__(self, type: str, cause: Cause) -> None:
        self.type = type
        self.cause = cause

    def key(self) -> tuple[object, ...]:
        return (self.type, self.cause)


class Symbolic(Member):
    """One particular thing that nothing in sight gives: a parameter, something of a library, a random draw.

    `identity` makes two reads of it the same; `kinds` are the kinds that its uses and annotations leave (None: any); `label` is what the program calls it.
    `presumed`: the kinds are a presumption, in words. `source`: why it is open (parameter, environment, random, …).
    """

    __slots__ = ("_hash", "identity", "kinds", "label", "presumed", "source")

    def __init__(
        self, identity: Identity, kinds: frozenset[str] | None = None, label: str = "", presumed: str = "", source: str = ""
    ) -> None:
        self.identity = identity
        self.kinds = kinds
        self.label = label
        self.presumed = presumed
        self.source = source
        self._hash: int | None = None

    def key(self) -> tuple[object, ...]:
        return (self.identity, self.kinds)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.identity)
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(other) is Symbolic and hash(self) == hash(other) and self.kinds == other.kinds and self.identity == other.identity
        )


class Unknown(Member):
    """Any value at all. `reason` is the imprecision that it comes from."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def key(self) -> tuple[object, ...]:
        return ()


class Array(Member):
    """An mx.array. `ident` names the object; `trace` the trace whose placeholder it is or is computed from (None: none; -1: not known).

    `shape` is a tuple of sizes or None, `dtype` MLX's name or None. `chain` leads to where it came into being. `grows`: why its shape
    differs from round to round of a loop, if it does: "rounds" (each round makes it of what the last one made), "number" (a length is a number
    that the loop changes); "differs": it is made of arrays of different shapes, which says so only if this shape was known in an earlier round.
    `several`: it stands for other arrays as well, since a union had too many: all arrays of a union with it are part of it.
    """

    __slots__ = ("chain", "dtype", "grows", "ident", "origin", "several", "shape", "trace")

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
    ) -> None:
        self.ident = ident
        self.several = several
        self.trace = trace
        self.grows = grows
        self.shape = shape
        self.dtype = dtype
        self.chain = chain
        self.origin = origin

    def key(self) -> tuple[object, ...]:
        return (self.ident, self.trace, self.shape, self.dtype, self.origin, self.grows, self.several)

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


class Tuple(Composite):
    """A tuple. `items` is None where the length is unknown; then `element` stands for each of them. `cls`: the NamedTuple class, a Ref number."""

    __slots__ = ("cls", "element", "items")

    def __init__(self, items: tuple[Value, ...] | None, element: Value | None = None, cls: int | None = None) -> None:
        super().__init__()
        self.items = items
        self.element = element
        self.cls = cls

    @property
    def parts(self) -> tuple[Value, ...]:
        return self.items if self.items is not None else (self.element,) if self.element is not None else ()

    def holding(self, parts: tuple[Value, ...]) -> Tuple:
        return Tuple(parts, None, self.cls) if self.items is not None else Tuple(None, parts[0], self.cls)

    def key(self) -> tuple[object, ...]:
        return (self.items, self.element, self.cls)


class Traced(Protocol):
    """A trace that a compiled object has. `number` is that of its cache key, `refers` are the objects and arrays that it holds on to."""

    @property
    def number(self) -> int: ...

    @property
    def refers(self) -> frozenset[int]: ...


class Traces(Member):
    """The traces that a compiled object has, each with its cache key, its result and what it read. Two members of one object are joined:
    of two traces of one key, one stands for both."""

    __slots__ = ("entries", "oid")

    def __init__(self, oid: int, entries: tuple[Traced, ...]) -> None:
        self.oid = oid
        self.entries = entries

    def key(self) -> tuple[object, ...]:
        return (self.oid, frozenset(self.entries))


class Operands(Member):
    """The arrays that an array is computed from, by number; None: they differ. Two members are joined. Never seen by a program."""

    __slots__ = ("idents",)

    def __init__(self, idents: tuple[int, ...] | None) -> None:
        self.idents = idents

    def key(self) -> tuple[object, ...]:
        return (self.idents,)


class ShapeOf(Member):
    """The shape of an array of unknown rank: `origin` are the array arguments that have it; `exact`: in the same order of axes."""

    __slots__ = ("exact", "ident", "origin")

    def __init__(self, ident: int, origin: frozenset[int], exact: bool) -> None:
        self.ident = ident
        self.origin = origin
        self.exact = exact

    def key(self) -> tuple[object, ...]:
        return (self.ident, self.origin, self.exact)

    def axis(self, number: int | None) -> Length:
        """The length of an axis (negative: from the end; None: any)."""
        at = number if self.exact else None
        origins = frozenset((argument, at) for argument in self.origin)
        return Length(symbol(("axis", self.ident, number), 0, origins))  # type: ignore[arg-type]


class Slice(Composite):
    """A slice object."""

    __slots__ = ("lower", "step", "upper")

    def __init__(self, lower: Value, upper: Value, step: Value) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.step = step

    def key(self) -> tuple[object, ...]:
        return (self.lower, self.upper, self.step)

    @property
    def parts(self) -> tuple[Value, ...]:
        return (self.lower, self.upper, self.step)

    def holding(self, parts: tuple[Value, ...]) -> Slice:
        return Slice(*parts)


class RangeObject(Composite):
    """`range(start, stop, step)`."""

    __slots__ = ("start", "step", "stop")

    def __init__(self, start: Value, stop: Value, step: Value) -> None:
        super().__init__()
        self.start = start
        self.stop = stop
        self.step = step

    def key(self) -> tuple[object, ...]:
        return (self.start, self.stop, self.step)

    @property
    def parts(self) -> tuple[Value, ...]:
        return (self.start, self.stop, self.step)

    def holding(self, parts: tuple[Value, ...]) -> RangeObject:
        return RangeObject(*parts)


class Ref(Member):
    """An object of the heap, by its number."""

    __slots__ = ("oid",)

    def __init__(self, oid: int) -> None:
        self.oid = oid

    def key(self) -> tuple[object, ...]:
        return (self.oid,)

    def __hash__(self) -> int:
        return self.oid

    def __eq__(self, other: object) -> bool:
        return type(other) is Ref and self.oid == other.oid


class External(Member):
    """Something of a library, by its canonical dotted name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def key(self) -> tuple[object, ...]:
        return (self.name,)


class Bound(Composite):
    """A function with its first argument: a method of an object."""

    __slots__ = ("function", "owner")

    def __init__(self, owner: Value, function: Value) -> None:
        super().__init__()
        self.owner = owner
        self.function = function

    def key(self) -> tuple[object, ...]:
        return (self.owner, self.function)

    @property
    def parts(self) -> tuple[Value, ...]:
        return (self.owner, self.function)

    def holding(self, parts: tuple[Value, ...]) -> Bound:
        return Bound(*parts)


class Unbound(Member):
    """No value: a name that may not be bound, a field that may not be there."""

    __slots__ = ()

    def key(self) -> tuple[object, ...]:
        return ()


class Option:
    """A member of a union and the literals under which it was bound."""

    __slots__ = ("guard", "member")

    def __init__(self, member: Member, guard: Guard = ()) -> None:
        self.member = member
        self.guard = guard


class Union:
    """Two or more members, any of which the value may be. Order does not count."""

    __slots__ = ("_conditions", "_hash", "_key", "_members", "_refers", "options")

    def __init__(self, options: tuple[Option, ...]) -> None:
        self.options = options
        self._conditions: frozenset[Identity] | None = None
        self._key: frozenset[object] | None = None
        self._hash: int | None = None
        self._members: tuple[Member, ...] | None = None
        self._refers: frozenset[int] | None = None

    def key(self) -> frozenset[object]:
        if self._key is None:
            self._key = frozenset((option.member, frozenset(option.guard)) for option in self.options)
        return self._key

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(other) is not Union or len(self.options) != len(other.options):  # no member is there twice
            return False
        if all(a is b or a.member is b.member and a.guard is b.guard for a, b in zip(self.options, other.options)):
            return True
        return self.key() == other.key()

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.key())
        return self._hash

    @property
    def conditions(self) -> frozenset[Identity]:
        """The conditions that its members hang on."""
        if self._conditions is None:
            self._conditions = frozenset(literal.condition for option in self.options for literal in option.guard)
        return self._conditions

    def __repr__(self) -> str:
        return " | ".join(repr(option.member) for option in self.options)


Value: TypeAlias = "Member | Union"

UNBOUND: Final = Unbound()
NONE: Final = Const(None)
TRUE: Final = Const(True)
FALSE: Final = Const(False)


def members(value: Value) -> tuple[Member, ...]:
    """Each member of a value."""
    if type(value) is Union:
        if value._members is None:
            value._members = tuple([option.member for option in value.options])
        return value._members
    return (value,)  # type: ignore[return-value]


def options(value: Value) -> tuple[Option, ...]:
    """Each member of a value with its guard."""
    return value.options if isinstance(value, Union) else (Option(value),)


def filtered(value: Value, keep: Callable[[Member], Member | None]) -> Value | None:
    """The members that `keep` leaves, each with its guard; None if none is left."""
    found = [Option(member, option.guard) for option in options(value) if (member := keep(option.member)) is not None]
    return of(found) if found else None


def bound(value: Value) -> Value | None:
    """The value as far as there is one: without `UNBOUND`."""
    if not isinstance(value, Union):
        return None if isinstance(value, Unbound) else value
    return filtered(value, lambda member: None if isinstance(member, Unbound) else member)


def of(alternatives: Iterable[Option]) -> Value:
    """The value that is one of some alternatives, joined and widened where there are too many."""
    found: list[Option] = []
    slots: dict[object, int] = {}
    names: dict[int, list[int]] = {}
    kinds: set[type[Member]] = set()
    for option in alternatives:
        member = option.member
        kind = type(member)
        kinds.add(kind)
        if kind is Symbolic:
            at = _named(member, found, names)
        else:
            at = slots.setdefault(_SLOTS[kind](member) if kind in _SLOTS else member, len(found))
        if at == len(found):
            found.append(option)
        else:
            present = found[at]
            common = tuple([literal for literal in present.guard if literal in option.guard])
            found[at] = Option(_together(present.member, member), common)
    if len(found) == 1:
        return found[0].member
    alike = tuple(found)
    if Range in kinds:
        alike = _one_range(alike)
    if Tuple in kinds:
        alike = _one_sequence(alike)
    if Array in kinds:
        alike = _one_array(alike)
    if len(alike) == 1:
        return alike[0].member
    if len(alike) > MAX_MEMBERS:
        return _widened([option.member for option in alike])
    return Union(alike)


def _named(member: Member, found: list[Option], names: dict[int, list[int]]) -> int:
    """Where something symbolic of the same identity stands, by the hashes that these keep: identities are deep. The end, if it is new."""
    assert isinstance(member, Symbolic)
    same = names.setdefault(hash(member), [])
    for at in same:
        other = found[at].member.identity  # type: ignore[attr-defined]
        if other is member.identity or other == member.identity:
            return at
    same.append(len(found))
    return len(found)


_SLOTS: Final[dict[type[Member], Callable[[Any], object]]] = {
    Array: lambda member: ("array", member.ident),
    Traces: lambda member: ("traces", member.oid),
    Operands: lambda member: "operands",
}
"""For members of which a value has one for each identity: what that is. Others are one if they are equal."""


def hull(value: Value) -> tuple[int | None, int | None] | None:
    """Bounds of an integer, None for no bound; None for what may be no integer."""
    lows: list[int | None] = []
    highs: list[int | None] = []
    for member in members(value):
        if isinstance(member, Range):
            lows.append(member.low)
            highs.append(member.high)
        elif isinstance(member, Const) and type(member.value) is int:
            lows.append(member.value)
            highs.append(member.value)
        else:
            return None
    low = None if None in lows else min(x for x in lows if x is not None)
    high = None if None in highs else max(x for x in highs if x is not None)
    return low, high


def constant_range(member: RangeObject) -> range | None:
    """A range of which all bounds are constant, as Python's own."""
    bounds = [int(b.value) for b in (member.start, member.stop, member.step) if isinstance(b, Const) and isinstance(b.value, int)]
    return range(*bounds) if len(bounds) == 3 and bounds[2] else None


def _one_range(found: tuple[Option, ...]) -> tuple[Option, ...]:
    """Several steps are one; a number that it covers, or that continues it, is part of it."""
    ranges = [option.member for option in found if isinstance(option.member, Range)]
    if not ranges or len(found) == 1:
        return found
    whole = ranges[0]
    for other in ranges[1:]:
        low = None if whole.low is None or other.low is None else min(whole.low, other.low)
        high = None if whole.high is None or other.high is None else max(whole.high, other.high)
        apart = whole.low - other.low if whole.low is not None and other.low is not None else 1
        whole = Range(low, high, gcd(whole.stride, other.stride, apart) or 1)
    numbers = {o.member.value for o in found if isinstance(o.member, Const) and type(o.member.value) is int and not o.guard}
    while whole.high is not None and whole.high + whole.stride in numbers:
        whole = Range(whole.low, whole.high + whole.stride, whole.stride)
    while whole.low is not None and whole.low - whole.stride in numbers:
        whole = Range(whole.low - whole.stride, whole.high, whole.stride)
    rest = tuple(option for option in found if not isinstance(option.member, Range) and not _covers(whole, option.member))
    return (*rest, Option(whole))


def _one_array(found: tuple[Option, ...]) -> tuple[Option, ...]:
    """An array that stands for several already stands for the others, too."""
    arrays = [option.member for option in found if isinstance(option.member, Array)]
    if len(arrays) < 2 or not any(array.several for array in arrays):
        return found
    return (*(option for option in found if not isinstance(option.member, Array)), Option(_several(arrays)))


def _several(arrays: list[Array]) -> Array:
    whole, *others = sorted(arrays, key=lambda array: array.ident)
    for array in others:
        whole = join_arrays(whole, array.but(ident=whole.ident))
    return whole.but(several=True)


def _one_sequence(found: tuple[Option, ...]) -> tuple[Option, ...]:
    """A tuple is part of one of unknown length that stands for it, and is bound wherever it is."""
    if len(found) == 1:
        return found
    wholes = [option for option in found if isinstance(option.member, Tuple) and option.member.items is None]
    for whole in wholes:
        assert isinstance(whole.member, Tuple)
        items = set(members(whole.member.element)) if whole.member.element is not None else set()
        found = tuple(option for option in found if option is whole or not _within(option, items, whole))
    return found


def _within(option: Option, items: set[Member], whole: Option) -> bool:
    """Whether a tuple is one of those that another, with these items, stands for."""
    member = option.member
    if not isinstance(member, Tuple) or member.cls != whole.member.cls or not set(whole.guard) <= set(option.guard):  # type: ignore[attr-defined]
        return False
    return all(inner in items for part in member.parts for inner in members(part))


def _covers(whole: Range, member: Member) -> bool:
    """Whether a step contains a number."""
    if not isinstance(member, Const) or type(member.value) is not int:
        return False
    value = member.value
    inside = (whole.low is None or whole.low <= value) and (whole.high is None or value <= whole.high)
    anchor = whole.low if whole.low is not None else whole.high
    return inside and (whole.stride == 1 or anchor is not None and (value - anchor) % whole.stride == 0)


def _together(a: Member, b: Member) -> Member:
    """Two members of one identity as one."""
    if a is b or a == b:
        return a
    if isinstance(a, Array) and isinstance(b, Array):
        # One site in one context: what it makes differs between the rounds of a loop.
        return join_arrays(a, b).but(grows=_grows(a, b))
    if isinstance(a, Traces) and isinstance(b, Traces):
        numbers = {entry.number for entry in b.entries}
        return Traces(a.oid, (*(entry for entry in a.entries if entry.number not in numbers), *b.entries))
    if isinstance(a, Operands):
        return Operands(None)
    if isinstance(a, Symbolic) and isinstance(b, Symbolic):
        kinds = a.kinds | b.kinds if a.kinds is not None and b.kinds is not None else None
        return Symbolic(a.identity, kinds, a.label, a.presumed or b.presumed, a.source)
    return a


def _grows(a: Array, b: Array) -> str:
    """Why the shape of what a site makes differs from round to round, as far as two rounds say."""
    differs = "differs" in (a.grows, b.grows) and _unlike(a.shape, b.shape)
    return "rounds" if differs or "rounds" in (a.grows, b.grows) else max(a.grows, b.grows)


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
    return Array(a.ident, trace, shape, dtype, a.chain or b.chain, a.origin | b.origin, max(a.grows, b.grows), a.several or b.several)


def join(values: Iterable[Value]) -> Value:
    """The least value that stands for all of some values; `UNBOUND` for none."""
    items = list(values)
    if not items:
        return UNBOUND
    first = items[0]
    if all(item is first or item == first for item in items[1:]):
        return first
    return of(option for item in items for option in options(item))


def scalar_type(member: Member) -> str | None:
    """The name of a scalar's type, or None for what is no scalar."""
    if isinstance(member, Const):
        return type(member.value).__name__
    if isinstance(member, (Range, Length)):
        return "int"
    if isinstance(member, (Kind, Measure)):
        return member.type
    if isinstance(member, Symbolic) and member.kinds is not None and len(member.kinds) == 1:
        (kind,) = member.kinds
        return None if "." in kind else kind
    return None


def library_class(member: Member) -> str | None:
    """The class of something particular of a library, by its dotted name; None if it is not known."""
    if isinstance(member, Symbolic) and member.kinds is not None and len(member.kinds) == 1:
        (kind,) = member.kinds
        return kind if "." in kind else None
    return None


def _widened(found: list[Member]) -> Value:
    """Too many members: scalars of one type become that type, the rest is unknown."""
    by_type: dict[str | None, list[Member]] = {}
    for member in found:
        by_type.setdefault(scalar_type(member), []).append(member)
    others = by_type.pop(None, [])
    result: list[Member] = []
    for name, group in by_type.items():
        result.extend(group if len(group) == 1 or name == "NoneType" else [_blurred(name or "", group)])
    tuples = [member for member in others if isinstance(member, Tuple) and member.cls is None]
    if len(tuples) > 1:
        others = [member for member in others if member not in tuples]
        others.append(_together_tuples(tuples, []))
    arrays = [member for member in others if isinstance(member, Array)]
    if len(arrays) > 2:
        others = [member for member in others if not isinstance(member, Array)]
        result.append(_several(arrays))
    if len(others) + len(result) > MAX_MEMBERS:
        return Unknown("more than 8 values")
    result.extend(others)
    return of(Option(member) for member in result) if len(result) <= MAX_MEMBERS else Unknown("more than 8 values")


def _blurred(type_name: str, group: list[Member]) -> Member:
    causes = {member.cause for member in group if isinstance(member, Kind)}
    if type_name == "int" and all(isinstance(member, (Const, Range)) for member in group):
        bounds = hull(Union(tuple(map(Option, group))))
        if bounds is not None and None not in bounds:
            return Range(*bounds)
    cause: Cause = "imprecise" if "imprecise" in causes else "open" if "open" in causes else "varying"
    return Kind(type_name, cause)


def widen(old: Value, new: Value) -> Value:
    """An upper bound of two successive values of a loop, such that no chain of bounds is infinite.

    A number that changes by a constant becomes a step without end; tests of the loop bound it again.
    """
    if old is new or old == new:
        return old
    both = join((old, new))
    if both == old or isinstance(old, Unknown):
        return old  # it was any value at all: what a round adds by name would be too many again
    before = [member for member in members(old) if scalar_type(member) == "int"]
    numbers = [member for value in (old, new) for member in members(value) if scalar_type(member) == "int"]
    changed = [member for member in members(both) if scalar_type(member) == "int"] != before
    if before and changed and all(isinstance(member, (Const, Range)) for member in numbers):
        step = _step(before, numbers)
        rest = [option for option in options(both) if scalar_type(option.member) != "int"]
        both = of([*rest, Option(step)])
    both = _widened_lengths(both)
    floats = [member for member in members(both) if scalar_type(member) == "float"]
    if len(floats) > 2:
        rest = [option for option in options(both) if scalar_type(option.member) != "float"]
        both = of([*rest, Option(_blurred("float", floats))])
    for name in {member.type: None for member in members(old) if isinstance(member, Kind)}:
        # Any value of a type stands for each of that type: what the rounds compute from it adds nothing.
        rest = [option for option in options(both) if scalar_type(option.member) != name]
        if group := [member for member in members(both) if scalar_type(member) == name]:
            both = of([*rest, Option(_blurred(name, group))])
    both = _widened_tuples(old, both)
    texts = [member for member in members(both) if isinstance(member, Const) and isinstance(member.value, str)]
    if len(texts) > 4:
        rest = [option for option in options(both) if option.member not in texts]
        both = of([*rest, Option(Kind("str", "varying"))])
    return _shallow(both)


MAX_LENGTHS: Final = 3
"""Lengths of axes, and sums of them, that a location holds in a loop before they become any number."""


def _widened_lengths(value: Value) -> Value:
    """A number to which rounds add the lengths of axes is another one after each."""
    lengths = [member for member in members(value) if isinstance(member, Length)]
    if len(lengths) <= MAX_LENGTHS:
        return value
    axes = frozenset(axis for member in lengths for axis in member.size.origins)
    rest = [option for option in options(value) if option.member not in lengths]
    return of([*rest, Option(Measure("int", axes) if axes else Kind("int", "varying"))])


def _widened_tuples(old: Value, value: Value) -> Value:
    """Tuples of several lengths, as a list that grows has them, become one of unknown length; so many of one length one of that length."""
    for cls in {member.cls for member in members(value) if isinstance(member, Tuple)}:
        value = _widened_of(old, value, cls)
    return value


def _widened_of(old: Value, value: Value, cls: int | None) -> Value:
    """The same for the tuples of one class: None for plain ones."""
    found, before = _tuples_of(value, cls), _tuples_of(old, cls)
    lengths = {len(t.items) if t.items is not None else None for t in found}
    if len(found) == 1 and (not before or found == before):
        return value
    if 1 < len(found) < 4 and len(lengths) == 1 and None not in lengths:
        within: list[Tuple] = []
        for t in found:
            if any(other is not t and other not in within and _item_by_item(t, other) for other in found):
                within.append(t)
        return of(option for option in options(value) if option.member not in within) if within else value
    rest = [option for option in options(value) if option.member not in found]
    together = _together_tuples(found, before)
    return of([*rest, Option(together if cls is None else Tuple(together.items, together.element, cls))])


def _item_by_item(part: Tuple, whole: Tuple) -> bool:
    """Whether each item of a tuple is one of those of another of its length."""
    pairs = zip(part.items or (), whole.items or ())
    return all(join((outer, inner)) == outer for inner, outer in pairs)


def _tuples_of(value: Value, cls: int | None) -> list[Tuple]:
    return [member for member in members(value) if isinstance(member, Tuple) and member.cls == cls]


def _together_tuples(found: list[Tuple], before: list[Tuple]) -> Tuple:
    """One tuple that stands for several, some of which an earlier round had: what they hold is widened in the same way."""
    lengths = {len(t.items) if t.items is not None else None for t in found}
    if len(lengths) == 1 and None not in lengths:
        earlier = [t.items for t in before if t.items is not None and len(t.items) in lengths]
        columns = list(zip(*(t.items for t in found if t.items is not None)))
        starts = list(zip(*earlier)) if earlier else columns
        return Tuple(tuple(widen(join(start), join(column)) for start, column in zip(starts, columns)))
    now, then = (join([part for t in tuples for part in t.parts]) for tuples in (found, before))
    if isinstance(now, Unbound):
        return Tuple(None, Unknown("empty"))
    return Tuple(None, now if isinstance(then, Unbound) else widen(then, now))


def _step(before: list[Member], numbers: list[Member]) -> Member:
    """The step that covers the numbers of an earlier and a later round."""
    now = hull(Union(tuple(map(Option, numbers)))) or (None, None)
    earlier = (hull(Union(tuple(map(Option, before)))) if before else None) or (None, None)
    low = now[0] if now[0] == earlier[0] else None
    high = now[1] if now[1] == earlier[1] else None
    strides = [m.stride for m in numbers if isinstance(m, Range)]
    ends = {end for m in numbers for end in ((m.low, m.high) if isinstance(m, Range) else (m.value,) if isinstance(m, Const) else ())}
    points = sorted(int(end) for end in ends if isinstance(end, int))
    return Range(low, high, gcd(*strides, *(b - a for a, b in pairwise(points))) or 1)


MAX_DEPTH: Final = 6
"""Nesting of tuples beyond which a value that a loop builds is cut."""


def _shallow(value: Value) -> Value:
    """The value, with tuples cut that nest too deep."""
    return value if height(value) <= MAX_DEPTH else _cut(value, 0, {})


def _cut(value: Value, depth: int, done: dict[tuple[int, int], Value]) -> Value:
    if not isinstance(value, Tuple) or value.items is None or depth + height(value) <= MAX_DEPTH:
        return value
    if depth >= MAX_DEPTH:
        return Tuple(None, Unknown("nested too deep"))
    key = (id(value), depth)
    if key not in done:
        done[key] = Tuple(tuple(_cut(item, depth + 1, done) for item in value.items), None, value.cls)
    return done[key]


def height(value: Value) -> int:
    """How deep the tuples of a value nest."""
    if not isinstance(value, Tuple):
        return 0
    if value._height is None:
        value._height = 1 + max(map(height, value.parts), default=0)
    return value._height


NOTHING: Final[frozenset[int]] = frozenset()


def referred(value: Value) -> frozenset[int]:
    """The numbers of the objects and arrays that a value refers to itself, not through the heap."""
    kind = type(value)
    if kind is Ref:
        return frozenset((value.oid,))  # type: ignore[union-attr]
    if kind is Array:
        return frozenset((value.ident,))  # type: ignore[union-attr]
    if kind in FLAT:
        return NOTHING
    if isinstance(value, (Union, Composite)):
        if value._refers is None:
            parts = members(value) if isinstance(value, Union) else value.parts
            value._refers = NOTHING.union(*(referred(part) for part in parts if type(part) not in FLAT))
        return value._refers
    if isinstance(value, Traces):
        return NOTHING.union(*(entry.refers for entry in value.entries))
    return NOTHING


FLAT: Final = frozenset((Const, Unbound, Symbolic, Unknown, External, Kind, Range, Length, Operands))
"""Members that refer to nothing."""


def rename(value: Value, change: Callable[[Member], Member], done: dict[int, Member] | None = None) -> Value:
    """The value with each heap reference and array that `change` knows replaced; the same object if nothing changed. Each part is changed once."""
    if isinstance(value, Union):
        done = {} if done is None else done
        changed = [Option(_rename(option.member, change, done), option.guard) for option in value.options]
        if all(new.member is old.member for new, old in zip(changed, value.options)):
            return value
        return of(changed)
    return _rename(value, change, {} if done is None else done)


def _rename(member: Member, change: Callable[[Member], Member], done: dict[int, Member]) -> Member:
    if isinstance(member, (Ref, Array, Operands)):
        return change(member)
    if not isinstance(member, Composite) or not referred(member):
        return member
    found = done.get(id(member))
    if found is None:
        parts = tuple(rename(part, change, done) for part in member.parts)
        same = all(a is b for a, b in zip(parts, member.parts))
        found = done[id(member)] = member if same else member.holding(parts)
    return found


def each_option(value: Value, into: type[Composite] = Composite) -> Iterator[Option]:
    """Each member of a value and of what its members hold themselves, not through the heap, with its guard; what several hold counts once."""
    todo, seen = [value], set()
    while todo:
        for option in options(todo.pop()):
            yield option
            member = option.member
            if isinstance(member, into) and id(member) not in seen:
                seen.add(id(member))
                todo.extend(reversed(member.parts))


def each_part(value: Value, into: type[Composite] = Composite) -> Iterator[Member]:
    """Each member of a value and of what its members hold themselves, not through the heap; what several hold counts once."""
    return (option.member for option in each_option(value, into))
