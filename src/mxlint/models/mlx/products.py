"""The functions of the language that make shapes of products, convolutions and Fourier transforms: `PRODUCTS`, by name."""

from __future__ import annotations

from collections.abc import Callable

from mxlint.domain import arranging, shape, size, windows
from mxlint.domain.shape import Shape, of_rank, size_at
from mxlint.domain.size import ONE, MaybeSize, number
from mxlint.models.mlx.arguments import (
    Argument,
    ArrayType,
    Dtype,
    Unknown,
    array_shape,
    integer,
    integers,
    plain_integer,
    plain_integers,
    truth,
)  # fmt: skip
from mxlint.models.mlx.shapes import made

_BYTES = {"bool": 1, "uint8": 1, "int8": 1, "uint16": 2, "int16": 2, "float16": 2, "bfloat16": 2, "uint32": 4, "int32": 4, "float32": 4}
"""The bytes of an element; all other dtypes have 8."""


def matmul(a: Argument, b: Argument) -> ArrayType:
    """The product of matrices, with leading axes broadcast."""
    return made(arranging.matmul(array_shape(a), array_shape(b)))


def tensordot(a: Argument, b: Argument, axes: Argument) -> ArrayType:
    """The product over some last axes of one and first axes of the other, or over pairs of axes."""
    x, y = array_shape(a), array_shape(b)
    if x is None or y is None:
        return made(None)
    n = plain_integer(axes)
    if n is not None:
        ends = 0 <= n <= min(len(x), len(y)) and not any(map(size.provably_different, x[len(x) - n :], y[:n]))
        return made((*x[: len(x) - n], *y[n:]) if ends else None)
    if not isinstance(axes, (list, tuple)) or len(axes) != 2:
        return made(None)
    left, right = (plain_integers(part) for part in axes)
    if (
        left is not None
        and right is not None
        and (len(left) != len(right) or any(size.provably_different(size_at(x, i), size_at(y, j)) for i, j in zip(left, right)))
    ):
        return made(None)
    one, other = (None if gone is None else shape.reduce(whole, gone) for whole, gone in ((x, left), (y, right)))
    return made((*one, *other) if one is not None and other is not None else None)


def inner(a: Argument, b: Argument) -> ArrayType:
    """The product over the last axes."""
    x, y = array_shape(a), array_shape(b)
    if x is None or y is None:
        return made(None)
    if x and y and size.provably_different(x[-1], y[-1]):
        return made(None)
    return made((*x[:-1], *y[:-1]) if x and y else x or y)


def kron(a: Argument, b: Argument) -> ArrayType:
    """The Kronecker product."""
    x, y = array_shape(a), array_shape(b)
    return made(None if x is None or y is None else tuple(map(size.mul, *shape.padded(x, y))))


def einsum(subscripts: Argument, operands: Argument) -> ArrayType:
    """Einstein notation."""
    known = isinstance(subscripts, str) and isinstance(operands, (list, tuple))
    return made(arranging.einsum(subscripts, [array_shape(operand) for operand in operands]) if known else None)


# -- windows -----------------------------------------------------------------------------------------------------------


def _settings(value: Argument, count: int) -> list[MaybeSize]:
    found = integers(value)
    if found is None:
        return [None] * count
    return found * count if len(found) == 1 else found if len(found) == count else [None] * count


def _windowed(input: Argument, weight: Argument, lengths: Callable[[int, MaybeSize, MaybeSize], MaybeSize], groups: Argument) -> ArrayType:
    """(batch, *spatial, channels) with a weight of (channels out, *spatial, channels in): a length for each spatial axis."""
    x, w = array_shape(input), array_shape(weight)
    if x is None or w is None:
        rank = len(x) if x is not None else len(w) if w is not None else None
        return made(of_rank(rank))
    if len(x) != len(w) or len(x) < 3 or size.provably_different(x[-1], size.mul(w[-1], integer(groups))):
        return made(None)
    return made((x[0], *(lengths(i, n, k) for i, (n, k) in enumerate(zip(x[1:-1], w[1:-1]))), w[0]))


def conv(input: Argument, weight: Argument, stride: Argument, padding: Argument, dilation: Argument, groups: Argument = 1) -> ArrayType:
    """A convolution."""
    rank = len(array_shape(input) or array_shape(weight) or ()) - 2
    steps, pads, spread = (_settings(value, rank) for value in (stride, padding, dilation))
    both = [size.mul(pad, number(2)) for pad in pads]
    return _windowed(input, weight, lambda i, n, k: windows.convolved(n, k, steps[i], both[i], spread[i]), groups)


def conv_transpose(
    input: Argument, weight: Argument, stride: Argument, padding: Argument, dilation: Argument, extra: Argument, groups: Argument = 1
) -> ArrayType:
    """A transposed convolution."""
    rank = len(array_shape(input) or array_shape(weight) or ()) - 2
    steps, pads, spread, more = (_settings(value, rank) for value in (stride, padding, dilation, extra))
    both = [size.mul(pad, number(2)) for pad in pads]
    return _windowed(input, weight, lambda i, n, k: windows.transposed(n, k, steps[i], both[i], spread[i], more[i]), groups)


def conv_general(
    input: Argument,
    weight: Argument,
    stride: Argument,
    padding: Argument,
    kernel_dilation: Argument,
    input_dilation: Argument,
    groups: Argument,
) -> ArrayType:
    """A convolution with two paddings (one for each end) and a dilated input."""
    rank = len(array_shape(input) or array_shape(weight) or ()) - 2
    steps, spread, thin = (_settings(value, rank) for value in (stride, kernel_dilation, input_dilation))
    nested = isinstance(padding, (list, tuple)) and len(padding) == 2 and all(isinstance(side, (list, tuple)) for side in padding)
    low, high = (_settings(side, rank) for side in (padding if nested else (padding, padding)))

    def length(i: int, n: MaybeSize, k: MaybeSize) -> MaybeSize:
        return windows.convolved(windows.span(n, thin[i]), k, steps[i], size.add(low[i], high[i]), spread[i])

    return _windowed(input, weight, length, groups)


def pool(x: Argument, kernel: Argument, stride: Argument, padding: Argument) -> ArrayType:
    """Windows over the axes between the first and the last; a padding is a number or a pair of both ends for each of them."""
    whole = array_shape(x)
    if whole is None or len(whole) < 3:
        return made(None)
    count = len(whole) - 2
    sides = padding if isinstance(padding, (list, tuple)) else [padding] * count
    pads = [_both(side) for side in sides]
    wide, steps = _settings(kernel, count), _settings(stride, count)
    if len(pads) != count:
        return made(of_rank(len(whole)))
    return made((whole[0], *(windows.convolved(n, wide[i], steps[i], pads[i]) for i, n in enumerate(whole[1:-1])), whole[-1]))


def upsampled(x: Argument, factor: Argument) -> ArrayType:
    """The axes between the first and the last longer by a factor, which may be a fraction: one for all, or one for each."""
    whole = array_shape(x)
    if whole is None or len(whole) < 3:
        return made(None)
    factors = list(factor) if isinstance(factor, (list, tuple)) else [factor] * (len(whole) - 2)
    if len(factors) != len(whole) - 2:
        return made(None)
    return made((whole[0], *map(_scaled, whole[1:-1], factors), whole[-1]))


def _scaled(length: MaybeSize, factor: Argument) -> MaybeSize:
    if isinstance(factor, float) and not factor.is_integer():
        return number(int(factor * length.number)) if length is not None and length.number is not None else None
    return size.mul(length, integer(int(factor) if isinstance(factor, float) else factor))


def _both(side: Argument) -> MaybeSize:
    if isinstance(side, (list, tuple)):
        return size.add(integer(side[0]), integer(side[1])) if len(side) == 2 else None
    return size.mul(integer(side), number(2))


def convolve(a: Argument, v: Argument, mode: Argument) -> ArrayType:
    """The convolution of two vectors."""
    n, m = (size_at(array_shape(side), 0) for side in (a, v))
    long, short = size.greatest(n, m), size.least(n, m)
    if mode == "full":
        return made((size.sub(size.add(n, m), ONE),))
    if mode == "same":
        return made((long,))
    return made((size.add(size.sub(long, short), ONE) if mode == "valid" else None,))


# -- Fourier transforms ------------------------------------------------------------------------------------------------


def _lengths(a: Argument, s: Argument, axes: Argument) -> tuple[list[MaybeSize], list[int]] | None:
    """The lengths before the transform and the axes that they belong to: `s`, or those of the array; all axes, or as many last ones as `s` has."""
    whole, given = array_shape(a), integers(s)
    at = None if axes is None else plain_integers(axes)
    if (
        whole is None
        or isinstance(s, Unknown)
        or isinstance(axes, Unknown)
        or s is not None
        and given is None
        or axes is not None
        and at is None
    ):
        return None
    if at is None:
        at = list(range(len(whole))) if given is None else list(range(-len(given), 0))
    found = [size_at(whole, axis) for axis in at] if given is None else [
        size_at(whole, axis) if n == -1 else n for axis, n in zip(at, given)
    ]  # fmt: skip
    return (found, at) if len(found) == len(at) else None


def fft(a: Argument, s: Argument, axes: Argument, kind: Argument) -> ArrayType:
    """A transform over several axes; the last of them changes its length where one side is real ("real", "inverse real")."""
    found, result = _lengths(a, s, axes), array_shape(a)
    if found is None:
        return made(of_rank(None if result is None else len(result)))
    lengths, at = found
    if at and kind == "real":
        lengths[-1] = size.add(size.floordiv(lengths[-1], number(2)), ONE)
    if at and kind == "inverse real" and s is None:
        lengths[-1] = size.mul(number(2), size.sub(lengths[-1], ONE))
    for axis, length in zip(at, lengths):
        result = shape.replace_axis(result, axis, length)
    return made(result)


# -- others ------------------------------------------------------------------------------------------------------------


def attention(queries: Argument, keys: Argument, values: Argument) -> ArrayType:
    """The queries with the length of the values: of four axes each, whose first and third agree, with as many keys as values in a head."""
    q, k, v = (array_shape(part) for part in (queries, keys, values))
    if q is None or v is None:
        return made(of_rank(None if q is None else len(q)))
    parts = [part for part in (q, k, v) if part is not None]
    if any(len(part) != 4 for part in parts):
        return made(None)
    same = [(q[0], v[0])] + ([(q[0], k[0]), (q[3], k[3]), (k[1], v[1]), (k[2], v[2])] if k is not None else [])
    return made(None if any(size.provably_different(a, b) for a, b in same) else (*q[:-1], v[-1]))


def view(a: Argument, dtype: Argument) -> ArrayType:
    """The same memory as elements of another dtype: the last axis has more or fewer."""
    whole, old, new = array_shape(a), a.dtype if isinstance(a, ArrayType) else None, dtype.name if isinstance(dtype, Dtype) else None
    if whole is None or old is None or new is None:
        return made(of_rank(None if whole is None else len(whole)))
    before, after = _BYTES.get(old, 8), _BYTES.get(new, 8)
    if before == after:
        return made(whole)
    return made(shape.replace_axis(whole, -1, size.floordiv(size.mul(whole[-1], number(before)), number(after))) if whole else None)


def norm(a: Argument, order: Argument, axis: Argument, keepdims: Argument) -> ArrayType:
    """A norm over one, two or all axes."""
    whole, keep = array_shape(a), truth(keepdims)
    axes = None if axis is None else plain_integers(axis)
    if keep is None or axis is not None and axes is None:
        return made(None)
    result: Shape = shape.reduce(whole, axes, keep)
    return made(result)


PRODUCTS: dict[str, Callable[..., Argument]] = {
    "matmul": matmul, "tensordot": tensordot, "inner": inner, "kron": kron, "einsum": einsum, "conv": conv, "conv_transpose": conv_transpose,
    "conv_general": conv_general, "pool": pool, "upsampled": upsampled, "convolve": convolve, "fft": fft, "attention": attention, "view": view, "norm": norm,
}  # fmt: skip
