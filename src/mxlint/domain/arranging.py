"""Shapes of the results of operations that rearrange, join, split or multiply arrays: `reshape`, `concatenate`, `split`, `matmul`, `einsum`.

The shape of `mx.concatenate([x, y])` has the sum of the first axes of `x` and `y`. The answer is None where MLX is sure to raise.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mxlint.domain.shape import (
    Shape,
    axis_index,
    broadcast,
    broadcast_size,
    different_shape,
    expand,
    fit,
    padded,
    reduce,
    replace_axis,
    size_at,
    total,
)
from mxlint.domain.size import (
    ONE,
    ZERO,
    MaybeSize,
    add,
    exact_quotient,
    floordiv,
    greatest,
    least,
    mul,
    number,
    product,
    provably_at_least,
    provably_different,
    sub,
)  # fmt: skip


def reshape(shape: Shape, sizes: Sequence[MaybeSize]) -> Shape:
    """The same elements in another shape, in which one -1 (or one unknown size) is what is left over."""
    free = [i for i, size in enumerate(sizes) if size == -1]
    certain = all(size is not None and (size.number is not None or provably_at_least(size, ZERO)) for size in sizes)
    if len(free) > 1 or certain and not free and provably_different(total(shape), product(sizes)):
        return None  # MLX multiplies negative sizes as well
    open_ = free or [i for i, size in enumerate(sizes) if size is None or not provably_at_least(size, ZERO)]
    result = [size if size is not None and provably_at_least(size, ZERO) else None for size in sizes]
    if len(open_) == 1:
        at = open_[0]
        others = [size for i, size in enumerate(result) if i != at]
        result[at] = _left_over(shape, others)
        if free and result[at] is None and _is_no_multiple(total(shape), product(others)):
            return None
    return tuple(result)


def _left_over(shape: Shape, others: Sequence[MaybeSize]) -> MaybeSize:
    """What an axis must be so that all elements of `shape` have room beside the `others`."""
    if shape is None:
        return None
    mine, rest = list(shape), list(others)
    for size in others:  # what stands on both sides goes, also where it is no number
        if size is not None and size in mine:
            mine.remove(size)
            rest.remove(size)
    whole, used = product(mine), product(rest)
    if whole is None or used is None or used == 0:
        return None
    return exact_quotient(whole, used) or (None if whole.number is not None and used.number is not None else floordiv(whole, used))


def _is_no_multiple(whole: MaybeSize, part: MaybeSize) -> bool:
    """Whether a number is surely not so many times another one."""
    if whole is None or part is None or whole.number is None or not part.number:
        return False
    return whole.number % part.number != 0


def flatten(shape: Shape, start: int = 0, end: int = -1) -> Shape:
    """With the axes from `start` to `end`, both inclusive, as one. Bounds beyond the rank are cut."""
    if shape is None:
        return None
    rank = len(shape)
    if rank == 0:
        return (ONE,)
    first, last = start + rank if start < 0 else start, end + rank if end < 0 else end
    first, last = max(0, first), min(last, rank - 1)
    if last < first:
        return None
    return (*shape[:first], product(shape[first : last + 1]), *shape[last + 1 :])


def unflatten(shape: Shape, axis: int, sizes: Sequence[MaybeSize]) -> Shape:
    """With one axis as several."""
    at = None if shape is None else axis_index(axis, len(shape))
    if shape is None or at is None:
        return None
    inner = reshape((shape[at],), sizes)
    return None if inner is None else (*shape[:at], *inner, *shape[at + 1 :])


def concatenate(shapes: Sequence[Shape], axis: int | None = 0) -> Shape:
    """One after the other along an axis; flattened before (`axis` None)."""
    if not shapes:
        return None
    if axis is None:
        return concatenate([flatten(shape) for shape in shapes], 0)
    if len(shapes) == 1:
        return shapes[0]  # MLX does not look at the axis
    result: Shape = None
    for shape in shapes:  # what one does not know of the other axes, another may
        if shape is None:
            continue
        at = axis_index(axis, len(shape))
        if at is None or result is not None and len(result) != len(shape):
            return None
        result = shape if result is None else tuple(_either(x, y) for x, y in zip(result, shape))
    if result is None:
        return None
    along: MaybeSize = ZERO
    for shape in shapes:
        along = add(along, size_at(shape, axis))
    if any(different_shape(reduce(result, [axis]), reduce(shape, [axis])) for shape in shapes if shape is not None):
        return None
    return replace_axis(result, axis, along)


def _either(a: MaybeSize, b: MaybeSize) -> MaybeSize:
    """The size of two axes that must be the same: the one of which more is known."""
    if a is None or b is None:
        return a if b is None else b
    return b if a.number is None and b.number is not None else a


def stack(shapes: Sequence[Shape], axis: int = 0) -> Shape:
    """As many of the same shape along a new axis."""
    if not shapes:
        return None
    lifted = [expand(shape, [axis]) for shape in shapes]
    result = concatenate(lifted, axis)
    return None if result is None else replace_axis(result, axis, number(len(shapes)))


def split(shape: Shape, sections: int | Sequence[MaybeSize], axis: int = 0) -> list[Shape] | None:
    """Into a number of equal parts, or at positions. None where the number of parts is not known or an equal split is impossible."""
    size = size_at(shape, axis)
    if isinstance(sections, int):
        if sections <= 0:
            return None
        part = None if size is None else exact_quotient(size, number(sections))
        if part is None and size is not None:
            if size.number is not None:
                return None
            part = floordiv(size, number(sections))
        return [replace_axis(shape, axis, part)] * sections
    bounds: list[MaybeSize] = [ZERO]
    for position in sections:
        negative = position is not None and position.number is not None and position.number < 0
        start = add(size, position) if negative else position if position is not None and provably_at_least(position, ZERO) else None
        bounds.append(least(greatest(start, ZERO), size))
    bounds.append(size)
    return [replace_axis(shape, axis, greatest(sub(end, start), ZERO)) for start, end in pairwise(bounds)]


def repeat(shape: Shape, repeats: MaybeSize, axis: int | None = None) -> Shape:
    """Each element several times in a row, along an axis or of all that there are (`axis` None)."""
    if axis is None:
        return (mul(total(shape), repeats),)
    return replace_axis(shape, axis, mul(size_at(shape, axis), repeats))


def tile(shape: Shape, repeats: Sequence[MaybeSize]) -> Shape:
    """The whole several times along each axis; shorter ones get leading ones."""
    if shape is None:
        return None
    a, b = padded(shape, tuple(repeats))
    return tuple(map(mul, a, b))


# -- products ----------------------------------------------------------------------------------------------------------


def matmul(a: Shape, b: Shape) -> Shape:
    """Of two matrices, with leading axes broadcast; a vector counts as a row on the left and as a column on the right."""
    if a is None or b is None or not a or not b or provably_different(a[-1], b[-2] if len(b) > 1 else b[0]):
        return None
    rows, columns = a[:-1][-1:], b[-1:] if len(b) > 1 else ()
    lead = broadcast(a[:-2], b[:-2])
    return None if lead is None else (*lead, *rows, *columns)


def einsum(subscripts: str, operands: Sequence[Shape]) -> Shape:
    """The result of Einstein notation without an ellipsis."""
    given, arrow, wanted = subscripts.replace(" ", "").partition("->")
    terms = given.split(",")
    if "." in subscripts or len(terms) != len(operands):
        return None
    sizes: dict[str, MaybeSize] = {}
    for term, shape in zip(terms, operands):
        if shape is None:
            sizes |= {letter: None for letter in term if letter not in sizes}
            continue
        if len(shape) != len(term):
            return None
        for letter, size in zip(term, shape):
            if letter in sizes and not fit(sizes[letter], size):
                return None
            sizes[letter] = broadcast_size(sizes[letter], size)[0] if letter in sizes and sizes[letter] is not None else size
    letters = given.replace(",", "")
    result = wanted if arrow else "".join(sorted(letter for letter in sizes if letters.count(letter) == 1))
    return tuple(sizes[letter] for letter in result) if all(letter in sizes for letter in result) else None
