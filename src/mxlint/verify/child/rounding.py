"""Random rounding: what rounding errors make of a program, measured by making one more of them in every operation.

A fused kernel computes what its operations compute one by one, but rounds elsewhere: it multiplies and adds in one step, or sums in another
order. What such a difference can come to by the end of a call, or after it was fed back through state for a hundred calls, is a property of
the program. So the uncompiled program is run once more, and inside of compiled functions each result of an operation is moved by a few units
in the last place, up or down as its own bits fall (Monte Carlo arithmetic, Parker 1997). What then differs from the run without is the noise.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import mlx.core as mx

OPERATORS = (
    "__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__", "__rtruediv__", "__div__", "__rdiv__", "__pow__",
    "__rpow__", "__matmul__",
)  # fmt: skip
IN_PLACE = ("__iadd__", "__isub__", "__imul__", "__itruediv__", "__ipow__", "__imatmul__")
FUNCTIONS = (
    "acos", "acosh", "add", "addmm", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "asin", "asinh", "atan", "atan2",
    "atanh", "block_masked_mm", "conv1d", "conv2d", "conv3d", "conv_general", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "convolve", "cos", "cosh", "cumprod", "cumsum", "degrees", "dequantize", "divide", "einsum", "erf", "erfinv", "exp", "expm1", "gather_mm",
    "gather_qmm", "hadamard_transform", "inner", "kron", "log", "log10", "log1p", "log2", "logaddexp", "logcumsumexp", "logsumexp", "matmul",
    "mean", "multiply", "outer", "pow", "power", "prod", "quantized_matmul", "radians", "reciprocal", "rsqrt", "segmented_mm", "sigmoid", "sin",
    "sinh", "softmax", "sqrt", "square", "std", "subtract", "sum", "tan", "tanh", "tensordot", "trace", "var", "vecdot",
)  # fmt: skip
"""The operations that round. Those that only move, compare or choose values are exact."""
METHODS = (
    "cos", "cumprod", "cumsum", "exp", "log", "log10", "log1p", "log2", "logcumsumexp", "logsumexp", "mean", "prod", "reciprocal", "rsqrt",
    "sin", "sqrt", "square", "std", "sum", "var",
)  # fmt: skip
TRANSFORMS = ("grad", "value_and_grad", "jvp", "vjp")
"""What they compute is not spelled out in operations."""
UNITS = {mx.float32: (8, 2.0**-20), mx.float16: (4, 2.0**-10), mx.bfloat16: (2, 2.0**-7)}
"""Of a dtype: how many are its last bits, and by which part a number is moved: by 8 units in the last place where there are so many, so that
these errors are ahead of those of a compiled program where they grow from call to call. A number whose last bits are all zero, as those of 1.0 and 0.5
are, was hardly rounded: it stays as it is, and ties and comparisons of such numbers come out as they do without."""

_where, _stop_gradient, _equal, _greater, _multiply, _subtract = mx.where, mx.stop_gradient, mx.equal, mx.greater, mx.multiply, mx.subtract
_multiply_in_place: Callable[[Any, Any], Any] = mx.array.__imul__


def factor(value: Any) -> Any:
    """1 for each element that stays, else one unit more or less than 1."""
    last, unit = UNITS[value.dtype]
    value = _stop_gradient(value)
    # Veltkamp's way to round to fewer bits, in operations that a shapeless trace of MLX's own functions can follow.
    large = _multiply(value, mx.array(2.0**last + 1, value.dtype))
    short = _subtract(large, _subtract(large, value))
    moved = _where(_greater(short, value), mx.array(1 + unit, value.dtype), mx.array(1 - unit, value.dtype))
    return _where(_equal(short, value), mx.array(1, value.dtype), moved)


def rounded(value: Any) -> Any:
    """A value, or a tree of them, with its arrays rounded once more."""
    if isinstance(value, mx.array):
        return _multiply(value, factor(value)) if value.dtype in UNITS else value
    if type(value) in (list, tuple):
        return type(value)(rounded(item) for item in value)
    if type(value) is dict:
        return {key: rounded(item) for key, item in value.items()}
    return value


def install(active: Callable[[], bool]) -> None:
    """From now on operations round once more while `active`."""

    def rounding(real: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(real)
        def operation(*args: Any, **kwargs: Any) -> Any:
            result = real(*args, **kwargs)
            return rounded(result) if active() else result

        return operation

    def in_place(real: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(real)
        def operation(array: Any, other: Any) -> Any:
            result = real(array, other)
            if active() and isinstance(result, mx.array) and result.dtype in UNITS:
                return _multiply_in_place(result, factor(result))  # the array is the same one, for all that hold it
            return result

        return operation

    def transform(real: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(real)
        def transformed(*args: Any, **kwargs: Any) -> Any:
            result = real(*args, **kwargs)
            return rounding(result) if callable(result) else rounded(result) if active() else result

        return transformed

    for owner, names, how in (
        (mx.array, (*OPERATORS, *METHODS), rounding),
        (mx.array, IN_PLACE, in_place),
        (mx, FUNCTIONS, rounding),
        (mx, TRANSFORMS, transform),
        (mx.fast, tuple(name for name in dir(mx.fast) if not name.startswith("_") and not name.endswith("_kernel")), rounding),
    ):
        for name in names:
            if hasattr(owner, name):
                setattr(owner, name, how(getattr(owner, name)))
