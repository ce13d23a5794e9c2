"""Lengths of axes after sliding windows: convolutions, their transposes, pooling, upsampling.

An axis of length n under a window of 3 and a stride of 2 has the length `(n - 3) // 2 + 1`.
"""

from __future__ import annotations

from mxlint.domain.size import ONE, MaybeSize, add, floordiv, mul, number, provably_at_least, sub


def span(kernel: MaybeSize, dilation: MaybeSize) -> MaybeSize:
    """How many neighbouring elements a dilated window covers."""
    return add(mul(sub(kernel, ONE), dilation), ONE)


def convolved(size: MaybeSize, kernel: MaybeSize, stride: MaybeSize, padding: MaybeSize, dilation: MaybeSize = ONE) -> MaybeSize:
    """The number of places of a window; `padding` is what both ends get together. None where the window does not fit."""
    room = sub(add(size, padding), span(kernel, dilation))
    if provably_at_least(number(-1), room):
        return None
    return add(floordiv(room, stride), ONE)


def transposed(
    size: MaybeSize, kernel: MaybeSize, stride: MaybeSize, padding: MaybeSize, dilation: MaybeSize, output_padding: MaybeSize
) -> MaybeSize:
    """The length that a transposed convolution makes; `padding` is what is cut from both ends together.

    None where more is cut than the window reaches over: MLX has no rule there.
    """
    reach = mul(number(2), sub(span(kernel, dilation), ONE))
    if not provably_at_least(reach, padding):
        return None
    return add(sub(add(mul(sub(size, ONE), stride), span(kernel, dilation)), padding), output_padding)
