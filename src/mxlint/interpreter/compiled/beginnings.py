"""Arrays of two lengths that begin alike: a table that was made anew as it was too short has what the shorter one had, and more.

Of `mx.cos(mx.arange(n)[:, None] * w)` a greater `n` adds rows and leaves those as they are that were there. A trace that has taken only such rows is not stale
where a longer table lies. `mx.linspace(0, 1, n)` is another array with each `n`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Final, NamedTuple, TypeAlias

from mxlint.domain.arrays import Array
from mxlint.domain.members import NONE, Const, Kind, Length, Member, Range, Slice, Symbolic, Tuple, Value, members
from mxlint.domain.parts import each_part, is_one
from mxlint.domain.size import Size
from mxlint.interpreter.compiled import recipes
from mxlint.interpreter.compiled.state import Entry
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.open_world.presumptions import round_of
from mxlint.models.mlx.traits import has_trait, lengths_of

REST: Final = Const(...)
_Given: TypeAlias = Mapping[int | str, Value]


class _Alike(NamedTuple):
    """Two arrays of which one begins as the other: along which axes one is longer, counted from the last (-1). `rank`: how many axes they have; None where that is not
    known."""

    longer: frozenset[int]
    rank: int | None


_ONE: Final = _Alike(frozenset(), 0)
"""What is no array, and is the same."""


def begins_alike(i: Interpreter, before: Value, now: Member, entry: Entry) -> bool:
    """Whether what a trace has taken of an array, or of each of several, is in the one that lies in its place."""
    return isinstance(now, Array) and all(isinstance(array, Array) and _one_begins_alike(i, array, now, entry) for array in members(before))


def _one_begins_alike(i: Interpreter, before: Array, now: Array, entry: Entry) -> bool:
    pairs = [*product(recipes.ways_of(i, before), recipes.ways_of(i, now))]
    found = _together(_alike(made, again) for made, again in pairs) if pairs else None
    if found is None or entry.graph is None:
        return False
    if before.shape is not None:
        found = found._replace(rank=len(before.shape))
    uses = [
        (what, operands) for what, _, operands in entry.graph if any(_is(part, before) for value in operands for part in each_part(value))
    ]
    return bool(uses) and (not found.longer or all(_takes_beginning(what, before, operands, found) for what, operands in uses))


def _is(value: Value, array: Array) -> bool:
    """Whether a value is an array, whatever is known of it."""
    return isinstance(value, Array) and value.ident == array.ident


def _takes_beginning(what: str, array: Array, operands: Sequence[Value], alike: _Alike) -> bool:
    """Whether an operation of a trace takes nothing of an array but what a longer one has as well. Computed element by element with another array it is as long
    as that, which the key of the trace says, along the axes along which that one is not broadcast."""
    if what == "[]" and _is(operands[0], array) and not any(_is(part, array) for part in each_part(operands[1])):
        axes = _by_axis(operands[1], alike.rank)
        return axes is not None and all(_is_inside(axes.get(axis)) and not _is_beyond(axes[axis], array, axis) for axis in alike.longer)
    others = [part for value in operands for part in members(value) if isinstance(part, Array) and part.ident != array.ident]
    return has_trait(what, "element by element") and any(all(_has_length(other, axis) for axis in alike.longer) for other in others)


def _has_length(array: Array, axis: int) -> bool:
    """Whether an array says how long an axis is of what is computed of it and of another one: it has the axis, with more than one element as far as is known."""
    return array.shape is None or -axis <= len(array.shape) and array.shape[axis] != 1


def _is_inside(item: Value | None) -> bool:
    """Whether an index says where in a longer axis the same lies: it counts from its beginning."""
    if isinstance(item, Slice):
        return item.upper != NONE and not _is_from_the_end(item.upper) and _goes_forward(item)
    return item is not None and not _is_from_the_end(item)


def _is_beyond(item: Value, array: Array, axis: int) -> bool:
    """Whether a slice ends behind an axis, so that it takes more of a longer one."""
    size = array.shape[axis] if array.shape is not None else None
    end = item.upper.value if isinstance(item, Slice) and isinstance(item.upper, Const) else None
    return isinstance(size, Size) and size.number is not None and isinstance(end, int) and end > size.number


def _goes_forward(item: Slice) -> bool:
    """Whether a slice takes of a longer axis what it takes of a shorter one, as far as that goes on: it begins at a place counted from the beginning."""
    return isinstance(item.step, Const) and not any(map(_is_from_the_end, (item.lower, item.step)))


def _is_from_the_end(place: Value) -> bool:
    """Whether a place is counted from the end of an axis."""
    if isinstance(place, Const):
        return isinstance(place.value, int) and place.value < 0
    return any(isinstance(member, Symbolic) and member.identity[0] == "-" and len(member.identity) == 2 for member in members(place))


def _by_axis(index: Value, rank: int | None) -> dict[int, Value] | None:
    """The index of each axis that a subscript names, by the axis as counted from the last; None where that is not known."""
    items = [item for item in _listed(index) if item != NONE]
    if rank is None:
        return None
    at = items.index(REST) if REST in items else len(items)
    behind = items[at + 1 :]
    front = {axis - rank: item for axis, item in enumerate(items[:at])}
    return front | {axis - len(behind): item for axis, item in enumerate(behind)}


class _Call(NamedTuple):
    """A call that a recipe names: the function, its arguments by places and names, and how many it is given by places."""

    name: str
    given: dict[int | str, Value]
    places: int


def _call(recipe: Value) -> _Call | None:
    """The call that makes what a recipe, or a part of one, stands for; None of anything else."""
    if not isinstance(recipe, Tuple) or len(recipe.parts) < 2:
        return None
    name, positional, *named = recipe.parts
    if not isinstance(name, Const) or not isinstance(name.value, str) or not isinstance(positional, Tuple):
        return None
    by_name: dict[int | str, Value] = {str(word.value): value for word, value in zip(named[::2], named[1::2]) if isinstance(word, Const)}
    return _Call(name.value, {**dict(enumerate(positional.parts)), **by_name}, len(positional.parts))


def _alike(one: Value, other: Value) -> _Alike | None:
    """Whether what two recipes make begins alike, and how; None where it may not."""
    made, again = _call(one), _call(other)
    if made is None or again is None or made.name != again.name or made.given.keys() != again.given.keys():
        return _ONE if _is_the_same(one, other) else None
    if has_trait(made.name, "element by element"):
        return _together(_alike(made.given[key], again.given[key]) for key in made.given)
    lengths = lengths_of(made.name, made.places)
    if lengths is not None:
        same = all(_is_the_same(made.given[key], again.given[key]) for key in made.given if key != lengths.at)
        return _of_lengths(made.given[lengths.at], again.given[lengths.at], lengths.axes) if same else None
    found = _RULES[made.name](made.given, again.given) if made.name in _RULES else None
    return _Alike(frozenset(), None) if found is None and _is_the_same(one, other) else found


def _is_the_same(one: Value, other: Value) -> bool:
    """Whether what recipes say is one thing: not one of several, the number of a round, an element of a loop or the length of an array that may be another one."""
    return (
        one == other
        and is_one(one)
        and not any(isinstance(part, (Kind, Length, Range)) or round_of(part) is not None for part in each_part(one))
    )


def _listed(value: Value) -> tuple[Value, ...]:
    """The items of a tuple; anything else by itself."""
    return value.parts if isinstance(value, Tuple) else (value,)


def _of_lengths(one: Value, other: Value, axes: int) -> _Alike | None:
    """What is made of lengths: each of several axes has the one that is given, or each that of its place."""
    first, second = _listed(one), _listed(other)
    if len(first) != len(second):
        return None
    pairs = [*zip(first, second)] * (axes if len(first) == 1 else 1)
    return _Alike(frozenset(axis - len(pairs) for axis, pair in enumerate(pairs) if not _is_the_same(*pair)), len(pairs))


def _together(found: Iterator[_Alike | None]) -> _Alike | None:
    """What is computed element by element of what begins alike."""
    all_ = list(found)
    if None in all_:
        return None
    ranks = [alike.rank for alike in all_ if alike is not None]
    longer = frozenset(axis for alike in all_ if alike is not None for axis in alike.longer)
    return _Alike(longer, None if None in ranks else max((rank for rank in ranks if rank is not None), default=0))


def _item(given: _Given, others: _Given) -> _Alike | None:
    """`array[index]`: an axis that an index takes to its end stays longer, one that is taken up to a place has one length."""
    array = _alike(given[0], others[0])
    if array is None or given[1] != others[1] or any(isinstance(part, Symbolic) for part in each_part(given[1])):
        return None
    axes = _by_axis(given[1], array.rank)
    if axes is None or array.rank is None:
        return None
    items = list(_listed(given[1]))
    left = array.rank - len([item for item in items if item not in (NONE, REST)])
    if left < 0 or not all(isinstance(item, (Slice, Const)) for item in items):
        return None
    at = items.index(REST) if REST in items else len(items)
    whole: list[Value] = [*items[:at], *[_ALL] * left, *items[at + 1 :]]
    axis, made = -array.rank, list[bool]()
    for item in whole:
        if item == NONE:
            made.append(False)
            continue
        goes_on = isinstance(item, Slice) and item.upper == NONE and _goes_forward(item)
        if axis in array.longer and not goes_on and not _is_inside(item):
            return None
        if isinstance(item, Slice):
            made.append(axis in array.longer and goes_on)
        axis += 1
    return _Alike(frozenset(number - len(made) for number, longer in enumerate(made) if longer), len(made))


_ALL: Final = Slice(NONE, NONE, NONE)


def _outer(given: _Given, others: _Given) -> _Alike | None:
    """`mx.outer(a, b)`: a row for each element of the first, a column for each of the second."""
    found = [_alike(given[key], others[key]) for key in (0, 1) if key in given]
    if len(found) != 2 or found[0] is None or found[1] is None:
        return None
    return _Alike(frozenset(axis for axis, alike in ((-2, found[0]), (-1, found[1])) if alike.longer), 2)


def _expanded(given: _Given, others: _Given) -> _Alike | None:
    """`mx.expand_dims(a, axis)`."""
    array, axis = _alike(given[0], others[0]), given.get(1, given.get("axis"))
    at = axis.value if isinstance(axis, Const) and isinstance(axis.value, int) else None
    if array is None or array.rank is None or at is None or axis != others.get(1, others.get("axis")):
        return None
    at = at if at < 0 else at - array.rank - 1
    return _Alike(frozenset(number if number > at else number - 1 for number in array.longer), array.rank + 1)


def _joined(given: _Given, others: _Given) -> _Alike | None:
    """`mx.concatenate(arrays, axis)`: none of several is longer along the axis along which they are joined."""
    pairs = [*zip(_listed(given[0]), _listed(others[0]))]
    found = _together(_alike(*pair) for pair in pairs)
    if len(_listed(given[0])) != len(_listed(others[0])):
        return None
    return _beside(found, given.get(1, given.get("axis", Const(0))), others.get(1, others.get("axis", Const(0))))


def _repeated(given: _Given, others: _Given) -> _Alike | None:
    """`mx.repeat(array, count, axis)`, along an axis along which it is not longer."""
    if not _is_the_same(given.get(1, given.get("repeats", NONE)), others.get(1, others.get("repeats", NONE))):
        return None
    return _beside(_alike(given[0], others[0]), given.get(2, given.get("axis", NONE)), others.get(2, others.get("axis", NONE)))


def _beside(found: _Alike | None, axis: Value, other: Value) -> _Alike | None:
    """What is made along an axis of what begins alike, if that is not longer there."""
    if found is None or found.rank is None or axis != other or not isinstance(axis, Const) or not isinstance(axis.value, int):
        return None
    return None if (axis.value if axis.value < 0 else axis.value - found.rank) in found.longer else found


_RULES: Final[Mapping[str, Callable[[_Given, _Given], _Alike | None]]] = {
    recipes.ITEM: _item,
    "mlx.core.outer": _outer,
    "mlx.core.expand_dims": _expanded,
    "mlx.core.concatenate": _joined,
    "mlx.core.repeat": _repeated,
}
"""How what functions make begins that are neither element by element nor given lengths."""
