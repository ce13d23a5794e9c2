"""Shapes of results: tuples of integer scalars, or None where they are not known."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mxlint.tracing.values import MISSING, NO_AXES, Scalar, Value, const

Shape = tuple[Scalar, ...] | None

UNKNOWN_SIZE = Scalar("int")


def _is(size: Scalar, number: int) -> bool:
    return size.known and size.content == number


def one(a: Scalar, b: Scalar) -> Scalar:
    """The size of an axis that two operands broadcast along."""
    if _is(a, 1):
        return b
    if _is(b, 1):
        return a
    if a.known and not b.known and not b.axes:
        return a
    return b if b.known and not a.known and not a.axes else a if a.axes or not b.axes else b


def broadcast(a: Shape, b: Shape) -> Shape:
    if a is None or b is None:
        return None
    if len(a) < len(b):
        a, b = b, a
    lead = len(a) - len(b)
    return a[:lead] + tuple(one(x, y) for x, y in zip(a[lead:], b))


def axis_number(value: Value, rank: int) -> int | None:
    """A known axis as an index from the front."""
    if isinstance(value, Scalar) and value.known and isinstance(value.content, int) and not isinstance(value.content, bool):
        number = value.content + rank if value.content < 0 else value.content
        return number if 0 <= number < rank else None
    return None


def reduce(shape: Shape, axes: Sequence[int] | None, keepdims: bool) -> Shape:
    """Axes None: all of them."""
    if axes is None:
        return tuple(const(1) for _ in shape) if keepdims and shape is not None else () if not keepdims else None
    if shape is None:
        return None
    return tuple(const(1) if i in axes else size for i, size in enumerate(shape) if keepdims or i not in axes)


def product(sizes: Sequence[Scalar]) -> Scalar:
    axes = NO_AXES
    for size in sizes:
        axes |= size.axes
    param = any(size.param for size in sizes)
    if all(size.known and isinstance(size.content, (int, float)) for size in sizes):
        return Scalar("int", math.prod(size.content for size in sizes), axes, param)
    return Scalar("int", MISSING, axes, param)


def reshape(shape: Shape, sizes: Sequence[Scalar]) -> Shape:
    """The result of reshape to `sizes`, in which one -1 stands for what is left."""
    if sum(1 for size in sizes if _is(size, -1)) != 1:
        return tuple(sizes)
    rest = [size for size in sizes if not _is(size, -1)]
    left = UNKNOWN_SIZE
    if shape is not None:
        whole, used = product(shape), product(rest)
        same = [size for size in rest if any(size == old and size.axes for old in shape)]
        unused = [size for size in shape if not any(size is old or (size == old and size.axes) for old in same)]
        if whole.known and used.known and used.content:
            left = Scalar("int", whole.content // used.content, product(unused).axes, whole.param)
        else:
            left = Scalar("int", MISSING, product(unused).axes, whole.param)
    return tuple(left if _is(size, -1) else size for size in sizes)


def matmul(a: Shape, b: Shape) -> Shape:
    if a is None or b is None or not a or not b:
        return None
    if len(a) == 1 and len(b) == 1:
        return ()
    if len(a) == 1:
        return b[:-2] + b[-1:]
    if len(b) == 1:
        return a[:-1]
    lead = broadcast(a[:-2], b[:-2])
    return None if lead is None else (*lead, a[-2], b[-1])


def einsum(text: str, operands: Sequence[Shape]) -> Shape:
    """The result of `einsum`, for subscripts without an ellipsis."""
    given, arrow, result = text.replace(" ", "").partition("->")
    terms = given.split(",")
    if "." in text or len(terms) != len(operands):
        return None
    sizes: dict[str, Scalar] = {}
    for term, shape in zip(terms, operands):
        if shape is None or len(shape) != len(term):
            return None
        for letter, size in zip(term, shape):
            sizes[letter] = one(sizes[letter], size) if letter in sizes else size
    letters = given.replace(",", "")
    wanted = result if arrow else "".join(sorted(letter for letter in sizes if letters.count(letter) == 1))
    return tuple(sizes[letter] for letter in wanted) if all(letter in sizes for letter in wanted) else None


def sizes_of(value: Value) -> tuple[Scalar, ...] | None:
    """A shape given as a tuple, list or number."""
    from mxlint.tracing.values import ListV, Tup

    if isinstance(value, Scalar) and value.kind in ("int", "number"):
        return (value,)
    items = value.items if isinstance(value, (Tup, ListV)) else None
    if items is None:
        return None
    return tuple(item if isinstance(item, Scalar) else UNKNOWN_SIZE for item in items)


def transpose(shape: Shape, order: Sequence[int] | None) -> Shape:
    if shape is None:
        return None
    if order is None:
        return tuple(reversed(shape))
    return tuple(shape[i] for i in order) if len(order) == len(shape) and all(-len(shape) <= i < len(shape) for i in order) else None
