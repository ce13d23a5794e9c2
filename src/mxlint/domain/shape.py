"""Shapes: tuples of sizes. None is a shape of unknown rank; a size in a shape may be None, which is unknown (see `size`).

Operations answer what the result is if the program gets past the operation. Where MLX is sure to raise, they answer None: what follows is not
reached, and nothing is claimed of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from mxlint.domain.size import ONE, MaybeSize, Size, as_size, join, product, provably_different, with_origins

Sizes = tuple[MaybeSize, ...]
Shape = Sizes | None


def shape_of(sizes: Sequence[int | Size | None]) -> Sizes:
    """A shape of ints and sizes."""
    return tuple(as_size(size) for size in sizes)


def of_rank(rank: int | None) -> Shape:
    """A shape of which no more than the rank is known."""
    return None if rank is None or rank < 0 else (None,) * rank


def known(shape: Shape) -> tuple[int, ...] | None:
    """The lengths, where all are numbers."""
    if shape is None:
        return None
    numbers = tuple(size.number if size is not None else None for size in shape)
    return tuple(n for n in numbers if n is not None) if None not in numbers else None


def different_shape(a: Shape, b: Shape) -> bool:
    """Whether two shapes are provably not the same."""
    return a is not None and b is not None and (len(a) != len(b) or any(map(provably_different, a, b)))


def surely_unlike(a: object, b: object) -> bool:
    """Whether two lengths of an array, ints or sizes, are never the same."""
    sizes = [as_size(length) if isinstance(length, (int, Size)) else None for length in (a, b)]
    return provably_different(*sizes)


def join_shapes(a: Shape, b: Shape) -> Shape:
    """The least shape above both."""
    return tuple(map(join, a, b)) if a is not None and b is not None and len(a) == len(b) else None


def total(shape: Shape) -> MaybeSize:
    """The number of elements."""
    return None if shape is None else product(shape)


# -- axes --------------------------------------------------------------------------------------------------------------


def axis_index(axis: int, rank: int) -> int | None:
    """An axis as an index from the front; None where there is none."""
    return axis + rank if -rank <= axis < 0 else axis if 0 <= axis < rank else None


def axis_indices(axes: Sequence[int], rank: int) -> list[int] | None:
    """Axes as indices from the front; None where one does not exist or is there twice."""
    found = [axis_index(axis, rank) for axis in axes]
    numbers = [axis for axis in found if axis is not None]
    return numbers if len(set(numbers)) == len(axes) else None


def replace_axis(shape: Shape, axis: int, size: MaybeSize) -> Shape:
    """The shape with another length of one axis."""
    at = None if shape is None else axis_index(axis, len(shape))
    return None if shape is None or at is None else (*shape[:at], size, *shape[at + 1 :])


def size_at(shape: Shape, axis: int) -> MaybeSize:
    """The length of an axis."""
    at = None if shape is None else axis_index(axis, len(shape))
    return None if shape is None or at is None else shape[at]


def reduce(shape: Shape, axes: Sequence[int] | None, keepdims: bool = False) -> Shape:
    """Without some axes, or without all of them (`axes` None); `keepdims` leaves them with length 1."""
    if shape is None:
        return () if axes is None and not keepdims else None
    gone = range(len(shape)) if axes is None else axis_indices(axes, len(shape))
    if gone is None:
        return None
    return tuple(ONE if i in gone else size for i, size in enumerate(shape) if keepdims or i not in gone)


def permute(shape: Shape, axes: Sequence[int] | None = None) -> Shape:
    """In another order of axes, or reversed (`axes` None)."""
    if shape is None:
        return of_rank(len(axes)) if axes is not None else None
    order = list(reversed(range(len(shape)))) if axes is None else axis_indices(axes, len(shape))
    return tuple(shape[i] for i in order) if order is not None and len(order) == len(shape) else None


def swap(shape: Shape, a: int, b: int) -> Shape:
    """With two axes in each other's place."""
    if shape is None:
        return None
    i, j = axis_index(a, len(shape)), axis_index(b, len(shape))
    if i is None or j is None:
        return None
    order = list(range(len(shape)))
    order[i], order[j] = j, i
    return tuple(shape[k] for k in order)


def move(shape: Shape, source: int, destination: int) -> Shape:
    """With one axis elsewhere, the others in their order."""
    if shape is None:
        return None
    i, j = axis_index(source, len(shape)), axis_index(destination, len(shape))
    if i is None or j is None:
        return None
    rest = [*shape[:i], *shape[i + 1 :]]
    rest.insert(j, shape[i])
    return tuple(rest)


def expand(shape: Shape, axes: Sequence[int]) -> Shape:
    """With new axes of length 1, at these positions of the result."""
    if shape is None:
        return None
    rank = len(shape) + len(axes)
    new = axis_indices(axes, rank)
    if new is None:
        return None
    left = iter(shape)
    return tuple(ONE if i in new else next(left) for i in range(rank))


def squeeze(shape: Shape, axes: Sequence[int] | None) -> Shape:
    """Without axes of length 1: those given, or all of them (`axes` None), where it is known which those are."""
    if shape is None:
        return None
    if axes is None:
        ones = [i for i, size in enumerate(shape) if size == 1]
        return reduce(shape, ones) if all(size == 1 or provably_different(size, ONE) for size in shape) else None
    gone = axis_indices(axes, len(shape))
    if gone is None or any(provably_different(shape[i], ONE) for i in gone):
        return None
    return reduce(shape, gone)


# -- broadcasting ------------------------------------------------------------------------------------------------------


def broadcast_size(a: MaybeSize, b: MaybeSize) -> tuple[MaybeSize, bool]:
    """The length that two axes broadcast to, and whether it presumes that this length is not 1.

    1 gives way; a number other than 1 is the result whatever the other is, as MLX raises else. Of two that are not known, the first is taken if it is not 1,
    which is a presumption unless its lower bound says so.
    """
    if (a == 1) != (b == 1):
        return (b, False) if a == 1 else (a, False)
    origins = (a.origins if a is not None else frozenset()) | (b.origins if b is not None else frozenset())
    if a is not None and b is not None and a.terms == b.terms:
        return with_origins(a, origins), False
    for size in (a, b):
        if size is not None and provably_different(size, ONE):
            return with_origins(size, origins), False
    chosen = a if a is not None else b
    return (with_origins(chosen, origins), True) if chosen is not None else (None, False)


def broadcast(*shapes: Shape) -> Shape:
    """The shape that several broadcast to; None if one is unknown or if two never fit."""
    result: Sizes = ()
    for shape in shapes:
        if shape is None:
            return None
        a, b = padded(result, shape)
        if any(not fit(x, y) for x, y in zip(a, b)):
            return None
        result = tuple(broadcast_size(x, y)[0] for x, y in zip(a, b))
    return result


def broadcast_to(shape: Shape, wanted: Shape) -> Shape:
    """A shape that another one is to broadcast to; None where it does not."""
    if shape is None or wanted is None:
        return wanted
    if len(shape) > len(wanted):
        return None
    pairs = zip(padded(shape, wanted)[0], wanted)
    return None if any(provably_different(old, new) and provably_different(old, ONE) for old, new in pairs) else wanted


def presumed_not_one(*shapes: Shape) -> tuple[Size, ...]:
    """The sizes that `broadcast` takes to be other than 1 without knowing it."""
    result: Sizes = ()
    found: list[Size] = []
    for shape in shapes:
        if shape is None:
            break
        pairs = [broadcast_size(x, y) for x, y in zip(*padded(result, shape))]
        found += [size for size, presumed in pairs if presumed and size is not None]
        result = tuple(size for size, _ in pairs)
    return tuple(dict.fromkeys(found))


def padded(a: Sizes, b: Sizes) -> tuple[Sizes, Sizes]:
    rank = max(len(a), len(b))
    return (ONE,) * (rank - len(a)) + a, (ONE,) * (rank - len(b)) + b


def fit(a: MaybeSize, b: MaybeSize) -> bool:
    """Whether two axes may broadcast."""
    return not (provably_different(a, b) and provably_different(a, ONE) and provably_different(b, ONE))
