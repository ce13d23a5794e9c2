"""The widening of the lattice of values: upper bounds of the values of successive rounds of a loop, of which no chain is infinite.

A counter that was 0 and then 1 becomes the `Range` of all integers from 0 on. docs/semantics/values.md has the tables.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from itertools import pairwise, takewhile
from math import gcd
from typing import Final

from mxlint.domain.join import all_sources, approximated, hull, join, of
from mxlint.domain.members import (
    Const,
    Given,
    Kind,
    Length,
    Measure,
    Member,
    Option,
    Range,
    Sourced,
    Tuple,
    Unbound,
    Union,
    Unknown,
    Value,
    members,
    options,
    scalar_type,
)
from mxlint.domain.varying import Chance, Doubled, also_over, lengthened, loops_of, over, united


def widen(old: Value, new: Value, loop: Hashable = None, tested: Collection[int] = ()) -> Value:
    """An upper bound of two successive values of a loop, such that no chain of bounds is infinite.

    A number that changes by a constant becomes a step without end; tests of the loop bound it again. It first goes as far as one of the numbers with
    which it is `tested` to be equal, as a counter does that begins anew there. What a round changes varies over the `loop`.
    """
    if old is new or old == new:
        return old
    both = _longer(old, new, _changing(old, new, join((old, new)), loop), loop)
    if both == old or isinstance(old, Unknown):
        return old  # it was any value at all: what a round adds by name would be too many again
    before = [member for member in members(old) if _is(member, "int")]
    numbers = [member for value in (old, new) for member in members(value) if _is(member, "int")]
    changed = [member for member in members(both) if _is(member, "int")] != before
    if before and changed and all(isinstance(member, (Const, Range)) for member in numbers) and not _one_by_one(numbers):
        step = _step(before, numbers, frozenset((Doubled(loop),)) if _doubles(old, new, loop) else _marks(old, new, loop), tested)
        rest = [option for option in options(both) if not _is(option.member, "int")]
        both = of([*rest, Option(step)])
    both = _widened_lengths(old, both, loop)
    floats = [member for member in members(both) if _is(member, "float")]
    if len(floats) > 2:
        rest = [option for option in options(both) if not _is(option.member, "float")]
        both = of([*rest, Option(approximated("float", floats, _marks(old, new, loop)))])
    for name in {member.type: None for member in members(old) if isinstance(member, Kind)}:
        # Any value of a type stands for each of that type: what the rounds compute from it adds nothing.
        rest = [option for option in options(both) if not _is(option.member, name)]
        if group := [member for member in members(both) if _is(member, name)]:
            both = of([*rest, Option(approximated(name, group, _marks(old, new, loop) if len(group) > 1 else frozenset()))])
    both = _longer(old, new, _widened_tuples(old, both, loop), loop)
    texts = [member for member in members(both) if type(member) is Const and isinstance(member.value, str)]
    if len(texts) > 4:
        rest = [option for option in options(both) if option.member not in texts]
        both = of([*rest, Option(_varying("str", loop))])
    return _shallow(both)


def widen_late(old: Value, new: Value, loop: Hashable = None, tested: Collection[int] = ()) -> Value:
    """The same of what lies in something that the rounds make: it is a round behind what that is made of. So a second constant is only joined, as that of
    two that change places is."""
    first = (
        len(members(old)) == 1 and len(members(new)) <= 2 and all(type(part) is Const for value in (old, new) for part in members(value))
    )
    return join((old, new)) if first else widen(old, new, loop, tested)


def _varying(name: str, loop: Hashable) -> Kind:
    """Any value of a type, which the rounds of a loop bring about."""
    return Kind(name, "varying", None if loop is None else frozenset((loop,)))


def _changing(old: Value, new: Value, both: Value, loop: Hashable) -> Value:
    """The two together. What stands for several numbers of a type varies over the loop if a round leaves others of them than it found."""
    if loop is None or not any(isinstance(member, (Range, Kind)) for member in members(both)):
        return both
    types = {scalar_type(member) for member in members(old)} - {None}
    changed = {name for name in types if _numbers(old, name) != _numbers(new, name) and _numbers(new, name)}
    if not changed:
        return both
    marks = _marks(old, new, loop)
    return of(Option(also_over(o.member, marks) if scalar_type(o.member) in changed else o.member, o.guard) for o in options(both))


def _marks(old: Value, new: Value, loop: Hashable) -> frozenset[Hashable]:
    """A loop over which a number varies, as it stands among those of the number."""
    if loop is None:
        return frozenset()
    chosen = any(option.guard and scalar_type(option.member) is not None for value in (old, new) for option in options(value))
    return frozenset((loop, Chance(loop)) if chosen else (loop,))


def _longer(old: Value, new: Value, both: Value, loop: Hashable) -> Value:
    """The two together. A tuple of unknown length varies over the loop if each way through a round makes it longer, in each
    round so far."""
    if loop is None or not any(isinstance(member, Tuple) and member.items is None for member in members(both)):
        return both
    before, after = ([member.shortest for member in members(value) if isinstance(member, Tuple)] for value in (old, new))
    if not after:
        return both  # a round that brings none says nothing of their lengths
    known = [length for length in (*before, *after) if length is not None]
    grows = bool(before) and len(known) == len(before) + len(after) and min(known[len(before) :]) > min(known[: len(before)])

    def one(member: Member) -> Member:
        if not isinstance(member, Tuple) or member.items is not None:
            return member
        return member.longer(lengthened(member.loops, loop, grows=grows))

    return of(Option(one(option.member), option.guard) for option in options(both))


def _numbers(value: Value, name: str | None) -> set[Member]:
    """The numbers of a type that a value may be, whatever brings them about."""
    return {over(member, None) for member in members(value) if scalar_type(member) == name}


def _is(member: Member, name: str) -> bool:
    """Whether a member is a scalar of a type that may give way to a wider one: what says where it lies stays apart."""
    return scalar_type(member) == name and type(member) is not Sourced


MAX_KNOWN: Final = 6
"""Numbers at unequal distances that a location holds in a loop before they become a step."""


def _one_by_one(numbers: Sequence[Member]) -> bool:
    """Whether numbers are few and no step leads from one to the next, as where each round doubles one up to a bound: they stay as they are, as no
    step says how many come of them."""
    known = sorted({member.value for member in numbers if isinstance(member, Const) and isinstance(member.value, int)})
    if len({type(member) for member in numbers}) > 1 or not 2 < len(known) <= MAX_KNOWN:
        return False
    return len({b - a for a, b in pairwise(known)}) > 1


MAX_LENGTHS: Final = 3
"""Lengths of axes, and sums of them, that a location holds in a loop before they become any number."""


def _widened_lengths(old: Value, value: Value, loop: Hashable) -> Value:
    """A number to which rounds add the lengths of axes is another one after each, and so it is after the rounds that follow."""
    lengths = [member for member in members(value) if isinstance(member, Length)]
    measures = [member for member in members(value) if isinstance(member, Measure) and member.type == "int"]
    settled = any(isinstance(member, Measure) and member.type == "int" for member in members(old))
    if len(lengths) <= MAX_LENGTHS and not settled:
        return value
    axes = frozenset(axis for member in lengths for axis in member.size.origins).union(*(member.origins for member in measures))
    rest = [option for option in options(value) if option.member not in (*lengths, *measures)]
    return of([*rest, Option(Measure("int", axes) if axes else _varying("int", loop))])


def _widened_tuples(old: Value, value: Value, loop: Hashable) -> Value:
    """Tuples of several lengths, as a list that grows has them, become one of unknown length; so many of one length one of that length."""
    for cls in {member.cls for member in members(value) if isinstance(member, Tuple)}:
        value = _widened_of(old, value, cls, loop)
    return value


def _widened_of(old: Value, value: Value, cls: int | None, loop: Hashable) -> Value:
    """The widening of the tuples of one class (None: plain ones) among two values."""
    found, before = _tuples_of(value, cls), _tuples_of(old, cls)
    lengths = {len(t.items) if t.items is not None else None for t in found}
    if len(found) == 1 and (not before or found == before):
        return value
    if 1 < len(found) < 4 and len(lengths) == 1 and None not in lengths:
        within: dict[Tuple, Tuple] = {}
        for t in found:
            around = [other for other in found if other is not t and other not in within and _item_by_item(t, other)]
            if around:
                within[t] = around[0]
        if not within:
            return value
        # What took the place of a tuple of an earlier round is that one, grown.
        grown = {other: _together_tuples([t, other], [t], loop) for t, other in within.items() if t in before and other not in before}
        kept = [option for option in options(value) if option.member not in within]
        return of(Option(_of_class(grown[o.member], o.member), o.guard) if o.member in grown else o for o in kept)  # type: ignore[index,arg-type]
    rest = [option for option in options(value) if option.member not in found]
    together = _together_tuples(found, before, loop)
    return of([*rest, Option(_of_class(together, *found, *before))])


def _of_class(whole: Tuple, *found: Tuple) -> Tuple:
    """A tuple that stands for several of one class."""
    return Tuple(whole.items, whole.element, found[0].cls, whole.least, all_sources(found), whole.given, whole.loops, whole.front)


def _item_by_item(part: Tuple, whole: Tuple) -> bool:
    """Whether each item of a tuple is one of those of another of its length."""
    pairs = zip(part.items or (), whole.items or ())
    return part.sources <= whole.sources and all(_covers(outer, inner) for inner, outer in pairs)


def _covers(whole: Value, part: Value) -> bool:
    """Whether a value says nothing that another does not, also where tuples nest."""
    known = members(whole)
    return all(
        isinstance(member, Tuple) and any(isinstance(t, Tuple) and _covers_tuple(t, member) for t in known)
        for member in members(join((whole, part)))
        if member not in known
    )


def _covers_tuple(whole: Tuple, part: Tuple) -> bool:
    if whole.cls != part.cls or whole.items is None or part.items is None:
        return whole.cls == part.cls and whole.items is None and isinstance(whole.element, Unknown)
    return len(whole.items) == len(part.items) and _item_by_item(part, whole)


def _tuples_of(value: Value, cls: int | None) -> list[Tuple]:
    return [member for member in members(value) if isinstance(member, Tuple) and member.cls == cls]


def _together_tuples(found: list[Tuple], before: list[Tuple], loop: Hashable) -> Tuple:
    """One tuple that stands for several, some of which an earlier round had: what they hold is widened in the same way."""
    lengths = {len(t.items) if t.items is not None else None for t in found}
    if len(lengths) == 1 and None not in lengths:
        earlier = [t.items for t in before if t.items is not None and len(t.items) in lengths]
        columns = list(zip(*(t.items for t in found if t.items is not None)))
        starts = list(zip(*earlier)) if earlier else columns
        return Tuple(tuple(widen_late(join(start), join(column), loop) for start, column in zip(starts, columns)))
    now, then = (join([part for t in tuples for part in t.parts]) for tuples in (found, before))
    if isinstance(now, Unbound):
        return Tuple(None, Unknown("empty"))
    given: Given = "part" if any(t.given for t in found) else ""
    return Tuple(
        None,
        now if isinstance(then, Unbound) else widen(then, now, loop),
        least=_least(found, before),
        given=given,
        loops=united(t.loops for t in found),
        front=shared_front([*found, *before]),
    )


MAX_FRONT: Final = 4
"""Items at the front of a tuple of unknown length that are known one by one."""


def shared_front(found: list[Tuple]) -> tuple[Value, ...]:
    """What lies at the first places of all of some tuples: rounds that make one longer at its end leave it there."""
    columns = zip(*(t.beginning for t in found))
    return tuple(column[0] for column in takewhile(lambda column: all(item == column[0] for item in column), columns))[:MAX_FRONT]


def _least(found: list[Tuple], before: list[Tuple]) -> int | None:
    """From which length on rounds bring about tuples; one that got shorter gets as short as can be."""
    now, then = ([t.shortest for t in tuples] for tuples in (found, before))
    known = [length for length in now if length is not None]
    if len(known) < len(now):
        return None
    earlier = [length for length in then if length is not None]
    return min(known) if not earlier or min(known) == min(earlier) else 0


def _step(before: list[Member], numbers: list[Member], marks: frozenset[Hashable], tested: Collection[int]) -> Member:
    """The step that covers the numbers of an earlier and a later round."""
    now = hull(Union(tuple(map(Option, numbers)))) or (None, None)
    earlier = (hull(Union(tuple(map(Option, before)))) if before else None) or (None, None)
    strides = [m.stride for m in numbers if isinstance(m, Range)]
    ends = {end for m in numbers for end in ((m.low, m.high) if isinstance(m, Range) else (m.value,) if isinstance(m, Const) else ())}
    points = sorted(int(end) for end in ends if isinstance(end, int))
    loops = united(map(loops_of, numbers))
    if loops is not None:
        loops = loops | marks if marks else None
    stride = gcd(*strides, *(b - a for a, b in pairwise(points))) or 1
    kept = _set_anew(before, numbers)
    low = now[0] if now[0] in (earlier[0], *kept) else _end(now[0], -stride, tested)
    high = now[1] if now[1] in (earlier[1], *kept) else _end(now[1], stride, tested)
    return Range(low, high, stride, loops)


def _doubles(old: Value, new: Value, loop: Hashable) -> bool:
    """Whether each number that a round leaves is at least twice the one that it found: those that are known are, or the step between those that
    another round with this loop has left is."""
    if loop is None:
        return False
    before, after = ([member for member in members(value) if _is(member, "int")] for value in (old, new))
    steps = [member for member in before if isinstance(member, Range)]
    if not steps:
        known = sorted(member.value for member in (*before, *after) if isinstance(member, Const) and isinstance(member.value, int))
        neighbours = [(a, b) for a, b in pairwise(sorted(set(known)))]
        return len(neighbours) > MAX_KNOWN - 2 and all(b >= 2 * a > 0 for a, b in neighbours)
    widest = max(step.stride for step in steps)
    return all(
        isinstance(member, Range) and member.loops is not None and Doubled(loop) in member.loops and member.stride >= 2 * widest
        for member in after
        if member not in before
    )


def _set_anew(before: Sequence[Member], numbers: Sequence[Member]) -> set[int]:
    """Constants beside a step that goes on, or beside others that do not go the same way: a round sets the number to them, and does not come to them by
    going on."""
    known = {member.value for member in numbers if isinstance(member, Const) and isinstance(member.value, int)}
    if any(isinstance(member, Range) for member in before):
        return known
    earlier = {member.value for member in before if isinstance(member, Const) and isinstance(member.value, int)}
    after = {member.value for member in numbers[len(before) :] if isinstance(member, Const) and isinstance(member.value, int)}
    if not earlier or not after or (min(after) < min(earlier)) is (max(after) < max(earlier)):
        return set()
    return known


MAX_TESTED: Final = 2
"""With so many numbers at most a location is tested where a step ends at them: each may take a round of the loop."""


def _end(bound: int | None, stride: int, tested: Collection[int]) -> int | None:
    """How far a step goes that has come to `bound`: to the next number with which it is tested or just behind it, or to the one before that; None: without
    end."""
    if bound is None or len(tested) > MAX_TESTED:
        return None
    steps = [-((bound - number) // stride) + more for number in tested for more in (-1, 0, 1)]
    return min((bound + count * stride for count in steps if count >= 0), key=lambda end: abs(end - bound), default=None)


MAX_DEPTH: Final = 6
"""Nesting of tuples beyond which a value that a loop builds is cut."""


def _shallow(value: Value) -> Value:
    """The value, with tuples cut that nest too deep."""
    return value if height(value) <= MAX_DEPTH else _cut(value, 0, {})


def _cut(value: Value, depth: int, done: dict[tuple[int, int], Value]) -> Value:
    if depth + height(value) <= MAX_DEPTH:
        return value
    if isinstance(value, Union):
        return of(Option(cut, option.guard) for option in options(value) for cut in members(_cut(option.member, depth, done)))
    if not isinstance(value, Tuple):
        return value
    if depth >= MAX_DEPTH:
        return Tuple(None, Unknown("nested too deep"), sources=value.sources)
    key = (id(value), depth)
    if key not in done:
        done[key] = value.holding(tuple(_cut(part, depth + 1, done) for part in value.parts))
    return done[key]


def height(value: Value) -> int:
    """How deep the tuples of a value nest."""
    return max((_height(member) for member in members(value) if isinstance(member, Tuple)), default=0)


def _height(owner: Tuple) -> int:
    if owner._height is None:
        owner._height = 1 + max(map(height, owner.parts), default=0)
    return owner._height
