"""What a value of the abstract interpreter consists of: one member, or a `Union` of members.

Members are immutable and compare by what they stand for; provenance is not part of the order. Objects with identity (lists, instances,
functions, frames, …) are `Ref`s into the heap; only their number stands here. docs/semantics/values.md has the table of members.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from mxlint.domain.guards import Cause, Guard, Identity, Literal_, parts
from mxlint.domain.place import Place
from mxlint.domain.size import Size
from mxlint.domain.size import number as size_number


class Member:
    """What a value consists of. Subclasses say what they stand for."""

    __slots__ = ()

    def key(self) -> tuple[object, ...]:
        """What distinguishes members; equal keys stand for the same set of values."""
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


Loops: TypeAlias = "frozenset[Hashable] | None"
"""The loops over which a number is now this and now that; None: nobody says which."""


class Sourced(Const):
    """A number, flag or text that a trace came to, or that it made of such: `sources` say where it lies, and what was made of it. So far the trace has
    used nothing of it."""

    __slots__ = ("sources",)

    def __init__(self, value: object, sources: frozenset[Spot]) -> None:
        super().__init__(value)
        self.sources = sources

    def key(self) -> tuple[object, ...]:
        return (*super().key(), self.sources)

    def __eq__(self, other: object) -> bool:
        return self is other or type(other) is Sourced and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())


class Range(Member):
    """The integers low, low + stride, … up to high, all of which the program in sight brings about. None: no bound. `loops`: whose rounds bring them
    about; in one round of all of these it is one number."""

    __slots__ = ("high", "loops", "low", "stride")

    def __init__(self, low: int | None, high: int | None, stride: int = 1, loops: Loops = None) -> None:
        self.low = low
        self.high = high
        self.stride = stride
        self.loops = loops

    def key(self) -> tuple[object, ...]:
        return (self.low, self.high, self.stride, self.loops)


class Length(Member):
    """A Python integer that is the length of an axis, or computed from such: a `Size` with the axes that it comes from."""

    __slots__ = ("size",)

    def __init__(self, size: Size) -> None:
        self.size = size

    def key(self) -> tuple[object, ...]:
        return (self.size, self.size.origins)


class Measure(Member):
    """A number that is computed from lengths of axes in a way that no `Size` says: its type, and the axes that it comes from. `value`: the number, where the
    lengths are known."""

    __slots__ = ("origins", "type", "value")

    def __init__(self, type: str, origins: frozenset[tuple[int, int]], value: complex | None = None) -> None:
        self.type = type
        self.origins = origins
        self.value = value

    def key(self) -> tuple[object, ...]:
        return (self.type, self.origins, self.value)


class Kind(Member):
    """Any value of a scalar type, by the type's name ("number" for int or float). `cause` says why it is not known. `loops`: as of a `Range`. `values`: all that it
    takes, each once, where that is known."""

    __slots__ = ("cause", "loops", "type", "values")

    def __init__(self, type: str, cause: Cause, loops: Loops = None, values: tuple[object, ...] | None = None) -> None:
        self.type = type
        self.cause = cause
        self.loops = loops
        self.values = values

    def key(self) -> tuple[object, ...]:
        return (self.type, self.cause, self.loops, self.values)


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


@dataclass(frozen=True, slots=True, repr=False)
class Applied:
    """An operator that is applied to a number, flag or text: with the other operand, or where that lies, which comes first if it is `turned`. None:
    it takes one operand."""

    op: str
    other: Member | Spot | None = None
    turned: bool = False

    def __repr__(self) -> str:
        return f"{self.other!r} {self.op}" if self.turned else f"{self.op} {self.other!r}"


TRUTH: Final = Applied("truth")
Step: TypeAlias = "int | str | None | Applied"
"""To an item of a tuple or to one of its named fields, or to what an operator makes of a scalar. As the last: None to whether it is None, `COUNT` to
how many items it has."""
COUNT: Final = "#"


@dataclass(frozen=True, slots=True, repr=False)
class Spot:
    """Where a tuple or scalar lies that a trace came to: the location, the way from there through tuples and operators, where the program reads it, by
    which calls in the trace, and what it found. `here`: that lies there; if not, it was found behind that location, as in the class of an object. `under`:
    the literals under which the trace came to it."""

    oid: int
    field: object
    path: tuple[Step, ...]
    place: Place
    calls: tuple[Place, ...]
    found: Value
    here: bool = True
    under: frozenset[Literal_] = frozenset()

    def inner(self, step: Step) -> Spot:
        """Where a part of the tuple lies, or what an operator makes of the scalar."""
        return replace(self, path=(*self.path, step))

    def __repr__(self) -> str:
        return f"{self.oid} {self.field!r} {self.path!r}"


Given = Literal["", "whole", "part"]
"""What of the things that nobody in sight gives a tuple of unknown length has."""


class Tuple(Composite):
    """A tuple. `items` is None where the length is unknown; then `element` stands for each of them, and it has at least `least` of them (None:
    nothing is known of the length). All lengths from there on are brought about by the program in sight or, if it is `given`, perhaps by what
    nobody in sight gives: if that is a whole, the element stands for it. `cls`: the NamedTuple class, a Ref number. `sources`: where it lies, if
    a trace came to it there and has not used it as a whole. `loops`: those in each of whose rounds it has another length. `front`: where the length
    is unknown, what lies at its first places in all lengths; the element stands for that as well."""

    __slots__ = ("cls", "element", "front", "given", "items", "least", "loops", "sources")

    def __init__(
        self,
        items: tuple[Value, ...] | None,
        element: Value | None = None,
        cls: int | None = None,
        least: int | None = None,
        sources: frozenset[Spot] = frozenset(),
        given: Given = "",
        loops: Loops = frozenset(),
        front: tuple[Value, ...] = (),
    ) -> None:
        super().__init__()
        self.front = front
        self.loops = loops
        self.items = items
        self.element = element
        self.cls = cls
        self.least = least
        self.sources = sources
        self.given = given

    @property
    def parts(self) -> tuple[Value, ...]:
        return self.items if self.items is not None else (self.element, *self.front) if self.element is not None else ()

    @property
    def beginning(self) -> tuple[Value, ...]:
        """What is known to lie at its first places."""
        return self.items if self.items is not None else self.front

    def holding(self, parts: tuple[Value, ...]) -> Tuple:
        if self.items is not None:
            return Tuple(parts, None, self.cls, None, self.sources)
        element, *front = parts or (None,)
        return Tuple(None, element, self.cls, self.least, self.sources, self.given, self.loops, tuple(front))

    def sourced(self, sources: frozenset[Spot]) -> Tuple:
        """The same tuple, which lies somewhere else."""
        if sources == self.sources:
            return self
        return Tuple(self.items, self.element, self.cls, self.least, sources, self.given, self.loops, self.front)

    def longer(self, loops: Loops) -> Tuple:
        """The same tuple, of another length in each round of these loops."""
        if self.loops == loops:
            return self
        return Tuple(self.items, self.element, self.cls, self.least, self.sources, self.given, loops, self.front)

    def beginning_with(self, front: tuple[Value, ...]) -> Tuple:
        """The same tuple of unknown length, of which it is known what lies at its first places."""
        if self.items is not None or self.front == front:
            return self
        return Tuple(None, self.element, self.cls, self.least, self.sources, self.given, self.loops, front)

    @property
    def shortest(self) -> int | None:
        """The least length that it may have, None if nothing is known of it."""
        return len(self.items) if self.items is not None else self.least

    def key(self) -> tuple[object, ...]:
        return (self.items, self.element, self.cls, self.least, self.sources, self.given, self.loops, self.front)


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


class SourcedRef(Ref):
    """An object that a trace came to where `sources` say. So far the trace has used nothing of it, nor of which one it is."""

    __slots__ = ("sources",)

    def __init__(self, oid: int, sources: frozenset[Spot]) -> None:
        super().__init__(oid)
        self.sources = sources

    def key(self) -> tuple[object, ...]:
        return (self.oid, self.sources)

    def __eq__(self, other: object) -> bool:
        return self is other or type(other) is SourcedRef and self.oid == other.oid and self.sources == other.sources

    def __hash__(self) -> int:
        return hash(self.key())


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


_UNGUARDED: Final[frozenset[object]] = frozenset()
"""The literals of an empty guard: the one set, as Python makes a new one each time."""


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
            self._key = frozenset((option.member, frozenset(option.guard) if option.guard else _UNGUARDED) for option in self.options)
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
        """The conditions that its members depend on."""
        if self._conditions is None:
            literals = [literal for option in self.options for literal in option.guard]
            self._conditions = frozenset(literal.condition for one in literals for literal in (one, *parts(one)))
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


_SCALARS: Final = frozenset((Const, Sourced, Range, Length, Kind, Measure, Symbolic))


def scalar_type(member: Member) -> str | None:
    """The name of a scalar's type, or None for what is no scalar."""
    if type(member) not in _SCALARS:
        return None
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


def as_constant(member: Member) -> Member:
    """A number that is computed from lengths which are known as the constant that it is; any other member as it is."""
    if isinstance(member, Length):
        number = member.size.number
        return member if number is None else Const(number)
    return Const(member.value) if isinstance(member, Measure) and member.value is not None else member


def from_lengths(value: object, origins: frozenset[tuple[int, int]]) -> Member:
    """What is computed from lengths that are known: a number keeps the axes that it comes from."""
    if not origins or isinstance(value, bool) or not isinstance(value, (int, float, complex)):
        return Const(value)
    return Length(size_number(value, origins)) if isinstance(value, int) else Measure(type(value).__name__, origins, value)


def library_class(member: Member) -> str | None:
    """The class of something particular of a library, by its dotted name; None if it is not known."""
    if isinstance(member, Symbolic) and member.kinds is not None and len(member.kinds) == 1:
        (kind,) = member.kinds
        return kind if "." in kind else None
    return None
