"""The join of the lattice of values: one value that stands for several, of at most `MAX_MEMBERS` members.

Members of one identity become one. A union of too many members is approximated, type by type: ints become a `Range`, tuples one tuple, arrays one array.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import reduce
from math import gcd
from typing import Any, Final

from mxlint.domain.arrays import Array, Operands, Traces, join_arrays, of_two_rounds
from mxlint.domain.guards import Cause, either
from mxlint.domain.members import (
    UNBOUND,
    Const,
    Given,
    Kind,
    Length,
    Member,
    Option,
    Range,
    RangeObject,
    SourcedRef,
    Spot,
    Symbolic,
    Tuple,
    Unbound,
    Union,
    Unknown,
    Value,
    members,
    options,
    scalar_type,
)
from mxlint.domain.varying import loops_of, united

MAX_MEMBERS: Final = 8
"""A union of more members than this widens."""


def filtered(value: Value, keep: Callable[[Member], Member | None]) -> Value | None:
    """The members that `keep` leaves, each with its guard; None if none is left."""
    found = [Option(member, option.guard) for option in options(value) if (member := keep(option.member)) is not None]
    return of(found) if found else None


def bound(value: Value) -> Value | None:
    """The value as far as there is one: without `UNBOUND`."""
    if not isinstance(value, Union):
        return None if isinstance(value, Unbound) else value
    return filtered(value, lambda member: None if isinstance(member, Unbound) else member)


def of(alternatives: Iterable[Option], *, chosen: bool = False) -> Value:
    """The value that is one of some alternatives, joined and widened where there are too many. `chosen`: conditions choose among
    them, also where no guard says so any more, as of what lies under several keys."""
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
            if present.member is not member or present.guard is not option.guard:
                found[at] = Option(_together(present.member, member), either(present.guard, option.guard))
    if len(found) == 1:
        return found[0].member
    joined = tuple(found)
    if Range in kinds:
        joined = _one_range(joined)
    if Tuple in kinds:
        joined = _one_sequence(joined)
    if Array in kinds:
        joined = _one_array(joined)
    if len(joined) == 1:
        return joined[0].member
    if len(joined) > MAX_MEMBERS:
        return _widened(joined, chosen=chosen or sum(not option.guard for option in joined) < 2)
    return Union(joined)


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
    Kind: lambda member: ("kind", member.type, member.cause),
    SourcedRef: lambda member: ("sourced ref", member.oid),
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
    bounds = [number for number in map(_whole_number, (member.start, member.stop, member.step)) if number is not None]
    return range(*bounds) if len(bounds) == 3 and bounds[2] else None


def _whole_number(value: Value) -> int | None:
    """A whole number that is known: a constant, or the length of an axis."""
    if isinstance(value, Length):
        return value.size.number
    return int(value.value) if isinstance(value, Const) and isinstance(value.value, int) else None


def length_of(numbers: range) -> int:
    """How many numbers a range has, also where Python's own `len` overflows."""
    return max(0, (numbers.stop - numbers.start + numbers.step - (1 if numbers.step > 0 else -1)) // numbers.step)


def _one_range(found: tuple[Option, ...]) -> tuple[Option, ...]:
    """Several steps are one; a number that it covers, or that continues it, is part of it."""
    ranges = [option.member for option in found if isinstance(option.member, Range)]
    if not ranges or len(found) == 1:
        return found
    whole = ranges[0]
    for other in ranges[1:]:
        low = None if whole.low is None or other.low is None else min(whole.low, other.low)
        high = None if whole.high is None or other.high is None else max(whole.high, other.high)
        distance = whole.low - other.low if whole.low is not None and other.low is not None else 1
        whole = Range(low, high, gcd(whole.stride, other.stride, distance) or 1, united((whole.loops, other.loops)))
    numbers = {o.member.value for o in found if type(o.member) is Const and type(o.member.value) is int and not o.guard}
    while whole.high is not None and whole.high + whole.stride in numbers:
        whole = Range(whole.low, whole.high + whole.stride, whole.stride, whole.loops)
    while whole.low is not None and whole.low - whole.stride in numbers:
        whole = Range(whole.low - whole.stride, whole.high, whole.stride, whole.loops)
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
    for whole in sorted(wholes, key=_given, reverse=True):
        if whole not in found:
            continue  # it is part of another one, which may be part of it as well
        assert isinstance(whole.member, Tuple)
        items = set(members(whole.member.element)) if whole.member.element is not None else set()
        found = tuple(option for option in found if option is whole or not _within(option, items, whole))
    return found


def _given(option: Option) -> str:
    """Whether what nobody in sight gives decides the length of a tuple."""
    return option.member.given if isinstance(option.member, Tuple) else ""


def _within(option: Option, items: set[Member], whole: Option) -> bool:
    """Whether a tuple is one of those that another, with these items, stands for."""
    member = option.member
    if not isinstance(member, Tuple) or member.cls != whole.member.cls or not set(whole.guard) <= set(option.guard):  # type: ignore[attr-defined]
        return False
    if not member.sources <= whole.member.sources:  # type: ignore[attr-defined]
        return False
    if whole.member.loops is not None and (member.loops is None or not member.loops <= whole.member.loops):  # type: ignore[attr-defined]
        return False
    least: int | None = whole.member.least  # type: ignore[attr-defined]
    if least is not None and (member.shortest is None or member.shortest < least):
        return False
    if least is not None and member.items is None and member.given != whole.member.given:  # type: ignore[attr-defined]
        return False
    front: tuple[Value, ...] = whole.member.front  # type: ignore[attr-defined]
    if front and member.beginning[: len(front)] != front:
        return False
    return all(inner in items for part in member.parts for inner in members(part))


def _covers(whole: Range, member: Member) -> bool:
    """Whether a step contains a number."""
    if type(member) is not Const or type(member.value) is not int:
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
        return of_two_rounds(a, b)
    if isinstance(a, Traces) and isinstance(b, Traces):
        numbers = {entry.number for entry in b.entries}
        return Traces(a.oid, (*(entry for entry in a.entries if entry.number not in numbers), *b.entries))
    if isinstance(a, Operands) and isinstance(b, Operands):
        return a.joined(b)
    if isinstance(a, SourcedRef) and isinstance(b, SourcedRef):
        return SourcedRef(a.oid, a.sources | b.sources)
    if isinstance(a, Kind) and isinstance(b, Kind):
        return Kind(a.type, a.cause, united((a.loops, b.loops)))
    if isinstance(a, Symbolic) and isinstance(b, Symbolic):
        kinds = a.kinds | b.kinds if a.kinds is not None and b.kinds is not None else None
        return Symbolic(a.identity, kinds, a.label, a.presumed or b.presumed, a.source)
    return a


def join(values: Iterable[Value]) -> Value:
    """The least value that stands for all of some values; `UNBOUND` for none."""
    items = list(values)
    if not items:
        return UNBOUND
    first = items[0]
    if all(item is first or item == first for item in items[1:]):
        return first
    return of(option for item in items for option in options(item))


def itemwise(content: Value | None) -> tuple[Value, ...] | None:
    """What lies at each place of a list or tuple, also of one that may be several of one length; None if its length is not known."""
    if isinstance(content, Tuple):
        return content.items
    rows = (
        [member.items for member in members(content) if isinstance(member, Tuple) and member.items is not None]
        if content is not None
        else []
    )
    if not isinstance(content, Union) or len(rows) < len(content.options) or len({len(row) for row in rows}) > 1:
        return None
    return tuple(map(join, zip(*rows)))


def _widened(found: Iterable[Option], *, chosen: bool = False) -> Value:
    """Too many members: scalars of one type become that type, arrays one array, the rest is unknown. What is left as it is keeps its guard, and what stands for several
    has what theirs have in common. `chosen`: conditions say of each, but for the one that is left, that it is the one."""
    by_type: dict[str | None, list[Option]] = {}
    for option in found:
        by_type.setdefault(scalar_type(option.member), []).append(option)
    others = by_type.pop(None, [])
    result: list[Option] = []
    for name, group in by_type.items():
        if len(group) == 1 or name == "NoneType":
            result.extend(group)
        else:
            result.append(_one(group, approximated(name or "", [option.member for option in group], chosen=chosen)))
    tuples = [option for option in others if isinstance(option.member, Tuple) and option.member.cls is None]
    if len(tuples) > 1:
        others = [option for option in others if option not in tuples]
        others.append(_one(tuples, _one_tuple([option.member for option in tuples if isinstance(option.member, Tuple)])))
    arrays = [option for option in others if isinstance(option.member, Array)]
    if len(arrays) > 2:
        others = [option for option in others if option not in arrays]
        result.append(_one(arrays, _several([option.member for option in arrays if isinstance(option.member, Array)])))
    if len(others) + len(result) > MAX_MEMBERS:
        return Unknown("more than 8 values")
    return of((*result, *others))


def _one(group: Iterable[Option], member: Member) -> Option:
    """One member in the place of several: it is there where one of them is."""
    return Option(member, reduce(either, (option.guard for option in group)))


def approximated(type_name: str, group: list[Member], brought: frozenset[Hashable] = frozenset(), *, chosen: bool = False) -> Member:
    """One member that stands for several scalars of a type. Loops have `brought` them about; without such constants alone do not say what has, unless
    conditions have `chosen` among them, and what nobody in sight gives is decided by whoever does."""
    loops = united(map(loops_of, group))
    if loops is not None:
        loops = loops | brought if brought or chosen else loops or None
    causes: set[Cause] = {member.cause for member in group if isinstance(member, Kind)}
    if not brought and any(isinstance(member, Symbolic) for member in group):
        causes.add("open")
    if type_name == "int" and all(isinstance(member, (Const, Range)) for member in group):
        bounds = hull(Union(tuple(map(Option, group))))
        if bounds is not None and None not in bounds:
            return Range(*bounds, loops=loops)
    cause: Cause = "imprecise" if "imprecise" in causes else "open" if "open" in causes else "varying"
    return Kind(type_name, cause, loops if cause == "varying" and type_name != "bool" else None)


def _one_tuple(found: list[Tuple]) -> Tuple:
    """One tuple that stands for several: item by item if they have one length."""
    sources = all_sources(found)
    if len({len(t.items) if t.items is not None else None for t in found}) == 1 and found[0].items is not None:
        return Tuple(tuple(join(column) for column in zip(*(t.items for t in found if t.items is not None))), sources=sources)
    together = join([part for t in found for part in t.parts])
    loops = united(t.loops for t in found)
    element = Unknown("empty") if isinstance(together, Unbound) else together
    least = _from(found)
    given: Given = "part" if least is not None and any(t.given for t in found) else ""
    return Tuple(None, element, least=least, sources=sources, given=given, loops=loops)


def _from(found: list[Tuple]) -> int | None:
    """From which length on one of several tuples has each length; None if nothing is known of one of them, or some length is left out."""
    shortest = {t.shortest for t in found}
    wholes = [t.least for t in found if t.items is None]
    if not wholes or None in shortest:
        return None
    least = min(length for length in shortest if length is not None)
    reached = min(length for length in wholes if length is not None)
    return least if shortest >= set(range(least, reached)) else None


def all_sources(found: Iterable[Tuple]) -> frozenset[Spot]:
    """Where any of some tuples lies."""
    return frozenset(source for t in found for source in t.sources)
