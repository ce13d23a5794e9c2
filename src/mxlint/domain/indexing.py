"""The shape of `x[key]`, for keys made of integers, slices, None, an ellipsis and arrays of integers.

Of an `x` with the axes `(n, 4)`, `x[0]` has `(4,)`, `x[None]` has `(1, n, 4)`, and `x[:, 1:]` has `(n, 3)`.
"""

from __future__ import annotations

from collections.abc import Sequence

from mxlint.domain.shape import Shape, Sizes, broadcast
from mxlint.domain.size import ONE, ZERO, MaybeSize, add, floordiv, greatest, least, neg, number, provably_at_least, sub


class Integer:
    """An index that takes one position. Which one does not matter."""

    __slots__ = ()


class Slice:
    """`start:stop:step`. An absent bound is `ABSENT`, a bound of which nothing is known is None."""

    __slots__ = ("start", "step", "stop")

    def __init__(self, start: Bound, stop: Bound, step: Bound) -> None:
        self.start, self.stop, self.step = start, stop, step


class NewAxis:
    """None in a key."""

    __slots__ = ()


class Rest:
    """An ellipsis in a key."""

    __slots__ = ()


class Gather:
    """An array of integers in a key."""

    __slots__ = ("shape",)

    def __init__(self, shape: Shape) -> None:
        self.shape = shape


class Absent:
    """A bound of a slice that is not given."""

    __slots__ = ()


ABSENT = Absent()
Bound = MaybeSize | Absent
Item = Integer | Slice | NewAxis | Rest | Gather


def sliced(size: MaybeSize, key: Slice) -> MaybeSize:
    """How many elements of an axis a slice takes."""
    step = ONE if isinstance(key.step, Absent) else key.step
    if size is None:
        return _between(key) if step == 1 else None
    if step is None or step.number is None or step.number == 0:
        return None
    return _forward(size, key, step.number) if step.number > 0 else _backward(size, key, -step.number)


def is_bounded(key: Slice) -> bool:
    """Whether a slice takes no more elements of a longer axis than of a long one: one of its ends lies where it stops, counted from the end it starts at."""
    step = ONE if isinstance(key.step, Absent) else key.step
    if step is None or not step.number:
        return False
    first, last = (key.stop, key.start) if step.number > 0 else (key.start, key.stop)
    return (
        not isinstance(first, Absent)
        and first is not None
        and provably_at_least(first, ZERO)
        or not isinstance(last, Absent)
        and last is not None
        and provably_at_least(number(-1), last)
    )


def _between(key: Slice) -> MaybeSize:
    """What a slice of an axis of unknown length takes: something only if it is empty for sure."""
    start, stop = ZERO if isinstance(key.start, Absent) else key.start, key.stop
    return ZERO if not isinstance(stop, Absent) and stop == 0 and start is not None and provably_at_least(start, ZERO) else None


def _from_front(bound: MaybeSize, size: MaybeSize) -> tuple[MaybeSize, bool]:
    """A bound counted from the front, not cut yet; and whether it was counted from the end."""
    if bound is None:
        return None, False
    if provably_at_least(bound, ZERO):
        return bound, False
    return (add(size, bound), True) if provably_at_least(number(-1), bound) else (None, False)


def _forward(size: MaybeSize, key: Slice, step: int) -> MaybeSize:
    start, from_end = (ZERO, False) if isinstance(key.start, Absent) else _from_front(key.start, size)
    if from_end:
        start = greatest(start, ZERO)
    if isinstance(key.stop, Absent):
        if from_end and not isinstance(key.start, Absent):  # the last ones: n - max(n - k, 0) in its plain form
            return _rounded_up(least(neg(key.start), size), step)
        stop: MaybeSize = size
    else:
        stop, stop_from_end = _from_front(key.stop, size)
        stop = stop if stop_from_end else least(stop, size)
    return _rounded_up(greatest(sub(stop, start), ZERO), step)


def _backward(size: MaybeSize, key: Slice, step: int) -> MaybeSize:
    last = sub(size, ONE)
    start = last if isinstance(key.start, Absent) else least(_from_front(key.start, size)[0], last)
    stop = number(-1) if isinstance(key.stop, Absent) else greatest(_from_front(key.stop, size)[0], number(-1))
    return _rounded_up(greatest(sub(start, stop), ZERO), step)


def _rounded_up(size: MaybeSize, step: int) -> MaybeSize:
    return size if step == 1 else floordiv(add(size, number(step - 1)), number(step))


def index(shape: Shape, key: Sequence[Item]) -> Shape:
    """The shape of `x[key]`; None where the rank of a part is unknown or the key has too many parts.

    Arrays broadcast against each other. Their axes stand where the first of them stands if they are side by side, else in front.
    """
    taken = sum(1 for item in key if isinstance(item, (Integer, Slice, Gather)))
    if shape is None or taken > len(shape) or sum(1 for item in key if isinstance(item, Rest)) > 1:
        return None
    spread: list[Item] = []
    whole = [Slice(ABSENT, ABSENT, ABSENT)] * (len(shape) - taken)
    for item in key:
        spread += whole if isinstance(item, Rest) else [item]
    if not any(isinstance(item, Rest) for item in key):
        spread += whole
    gathers = [item.shape for item in spread if isinstance(item, Gather)]
    gathered: Shape = broadcast(*gathers)
    if gathered is None:
        return None
    return _assembled(shape, spread, gathered, bool(gathers))


def _assembled(shape: Sizes, items: Sequence[Item], gathered: Sizes, any_gather: bool) -> Shape:
    left = iter(shape)
    result: list[MaybeSize] = []
    positions: list[int] = []
    at = None
    for position, item in enumerate(items):
        if isinstance(item, NewAxis):
            result.append(ONE)
        elif isinstance(item, Slice):
            result.append(sliced(next(left), item))
        else:
            next(left)
            if any_gather:
                positions.append(position)
                at = len(result) if at is None else at
    if any_gather:
        side_by_side = positions[-1] - positions[0] == len(positions) - 1
        place = at if side_by_side and at is not None else 0
        result[place:place] = gathered
    return tuple(result)
