"""What stands in the brackets of `array[…]`, and the shape of the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from mxlint.domain import indexing
from mxlint.domain.arrays import Array
from mxlint.domain.members import NONE, Const, Length, Range, Slice, Symbolic, Tuple, Union, Value, members, scalar_type
from mxlint.domain.size import Size, number
from mxlint.facts.rows import FEW


def items(index: Value) -> Sequence[Value]:
    """Each index of a subscript."""
    return (index.items or ()) if isinstance(index, Tuple) else (index,)


def takes_all(item: Value) -> bool:
    """Whether an index leaves the lengths of the axes as they are: `:`, `...`, or None, which only adds one."""
    return item in (NONE, Const(...)) or isinstance(item, Slice) and (item.lower, item.upper, item.step) == (NONE, NONE, NONE)


def tells_length(item: Value) -> bool:
    """Whether the length of what a slice takes tells that of the axis: it takes all elements, or all but so many at the ends. Where these are all, it takes
    nothing of any shorter axis as well: that something is taken is presumed."""
    if not isinstance(item, Slice):
        return False
    if item.step == Const(-1):
        return (item.lower, item.upper) == (NONE, NONE)
    from_front = item.lower == NONE or _is_from(item.lower, _stays, end=False)
    to_end = item.upper == NONE or _is_from(item.upper, _stays, end=True)
    return item.step in (NONE, Const(1)) and from_front and to_end


Moves: TypeAlias = Callable[[Value], bool]
"""Whether a loop changes a number."""


def moving(array: Array, index: Value, moves: Moves) -> Iterator[Value]:
    """The numbers at which one end of a slice lies while the other does not move: the ends of a window may move together. Where such a window runs over the
    end of the axis, only its beginning moves from there on. A slice of a short axis has few lengths."""
    for item, size, axis in zip(items(index), _axes(array, index), _numbers(index)):
        length = size.number if isinstance(size, Size) else size
        if isinstance(length, int) and length < FEW:
            continue
        before_the_end = isinstance(item, Slice) and _is_before_the_end(array, item.lower, axis, moves)
        if isinstance(item, Slice) and not before_the_end:
            ends = [end for end in (item.lower, item.upper) if end != NONE and not isinstance(end, Const)]
            yield from ends if len(ends) == 1 else _over_the_end(item, size)


def _axes(array: Array, index: Value) -> Iterator[object]:
    """The length of the axis that each index of a subscript takes, as far as it is known."""
    left, axes = iter(array.shape or ()), True
    for item in items(index):
        axes = axes and item != Const(...) and not isinstance(item, Union)
        yield next(left, None) if axes and item != NONE else None


def _numbers(index: Value) -> Iterator[int | None]:
    """The number of the axis that each index of a subscript takes, as far as it is known."""
    axis: int | None = 0
    for item in items(index):
        axis = None if item == Const(...) or isinstance(item, Union) else axis
        yield axis
        axis = axis + 1 if axis is not None and item != NONE else axis


def _over_the_end(window: Slice, size: object) -> Iterator[Value]:
    """Where a window of one width begins that no longer fits into an axis."""
    lower, upper = window.lower, window.upper
    length = size.number if isinstance(size, Size) else size
    if not (isinstance(lower, Range) and isinstance(upper, Range) and window.step == NONE and isinstance(length, int)):
        return
    if lower.low is None or lower.high is None or upper.low is None or upper.high is None or lower.low < 0:
        return
    width = upper.low - lower.low
    if (lower.loops, lower.stride, width) == (upper.loops, upper.stride, upper.high - lower.high):
        fitting = max(0, (length - width - lower.low) // lower.stride + 1)
        first, last = lower.low + fitting * lower.stride, min(lower.high, length)
        if first < last:
            yield Range(first, last, lower.stride, lower.loops)


def shape_of(array: Array, index: Value) -> tuple[object, ...] | None:
    """The shape of `array[index]`."""
    return _shape(array, _parts(index))


def lengths(array: Array, index: Value, moves: Moves) -> tuple[object, ...] | None:
    """The shape of `array[index]` if each sliced axis is long enough for its slice. `x[:4]` then has 4 rows, whatever `x` has: a longer array gives no more."""
    found = _parts(index)
    if found is None:
        return None
    bounded: list[indexing.Item] = []
    for part, item, axis in zip(found, items(index), _numbers(index)):
        is_window = isinstance(part, indexing.Slice) and indexing.is_bounded(part) or _is_window(array, item, axis, moves)
        bounded += (indexing.Integer(), indexing.NewAxis()) if is_window else (part,)
    return _shape(array, bounded)


def _is_window(array: Array, item: Value, axis: int | None, moves: Moves) -> bool:
    """Whether a slice takes so many elements as numbers say that nobody gives, and that no loop changes: `x[-width:]`, `x[:width]`, `x[start:end]`. Such
    numbers are positive. So does `x[max(0, len(x) - width):]`. `axis`: which axis it takes."""
    if not isinstance(item, Slice) or item.step != NONE:
        return False
    lower, upper = item.lower, item.upper
    if _is_from(lower, moves, end=True):
        return upper == NONE or _is_from(upper, moves, end=True)
    if upper == NONE:
        return _is_before_the_end(array, lower, axis, moves)
    return _is_from(upper, moves, end=False) and (lower == NONE or _is_from(lower, moves, end=False))


def _is_from(place: Value, moves: Moves, *, end: bool) -> bool:
    """Whether a number says how far from the beginning, or from the end, of any axis a place is, and no loop changes it."""
    if isinstance(place, Const):
        return type(place.value) is int and (place.value < 0) is end
    is_negated = isinstance(place, Symbolic) and place.identity[0] == "-" and len(place.identity) == 2
    return isinstance(place, Symbolic) and is_negated is end and not moves(place) and (end or not _measures(place.identity))


def _stays(_: Value) -> bool:
    """No loop changes a number."""
    return False


def _measures(identity: tuple[object, ...]) -> bool:
    """Whether a number is computed from a length, as `len(x) - width` is: a longer array moves it."""
    if identity[:1] == ("size",):
        return True
    measured = [isinstance(part, tuple) and _measures(part) for part in identity[1:]]
    return all(measured) if identity[:1] == ("min",) else any(measured)


def _is_before_the_end(array: Array, number: Value, axis: int | None, moves: Moves) -> bool:
    """Whether a number is the length of an axis without a width, or 0 where the axis is shorter."""
    several = [member.identity if isinstance(member, Symbolic) else () for member in members(number)]
    found = [part for identity in several for part in (identity[1:] if identity[:1] == ("max",) else (identity,)) if part != Const(0)]
    cut = [part[1:] for part in found if isinstance(part, tuple) and len(part) == 3 and part[0] == "-"]
    lengths = [of for of, _ in cut if isinstance(of, tuple) and of[0] == "size" and of[2:] in ((), (Const(axis),))]
    widths = {width for _, width in cut}
    return (
        0 < len(lengths) == len(found)
        and len(widths) == 1
        and not any(moves(Symbolic(width, None)) for width in widths if isinstance(width, tuple))
        and any(isinstance(of[1], Array) and of[1].ident == array.ident for of in lengths)
    )


def _parts(index: Value) -> list[indexing.Item] | None:
    """The indices of a subscript; None if one may be anything."""
    parts: list[indexing.Item] = []
    for item in index.items if isinstance(index, Tuple) and index.items is not None else (index,):
        if isinstance(item, Union):
            return None
        if isinstance(item, Const) and item.value is None:
            parts.append(indexing.NewAxis())
        elif isinstance(item, Const) and item.value is ...:
            parts.append(indexing.Rest())
        elif isinstance(item, (Const, Range, Length)) or scalar_type(item) == "int":
            parts.append(indexing.Integer())
        elif isinstance(item, Slice):
            parts.append(indexing.Slice(*(_bound(bound) for bound in (item.lower, item.upper, item.step))))
        elif isinstance(item, Array):
            parts.append(indexing.Gather(item.shape))  # type: ignore[arg-type]
        else:
            return None
    return parts


def _bound(bound: Value) -> indexing.Bound:
    """A bound of a slice: a size, None if it is not known, ABSENT if there is none."""
    if isinstance(bound, Const):
        return indexing.ABSENT if bound.value is None else number(bound.value) if isinstance(bound.value, int) else None
    return bound.size if isinstance(bound, Length) else None


def _shape(array: Array, parts: list[indexing.Item] | None) -> tuple[object, ...] | None:
    if array.shape is None or parts is None:
        return None
    shape = tuple(size if isinstance(size, Size) else number(size) if isinstance(size, int) else None for size in array.shape)
    try:
        return indexing.index(shape, parts)
    except (ValueError, IndexError, TypeError):
        return None
