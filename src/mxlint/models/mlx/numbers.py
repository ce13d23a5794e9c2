"""What functions of MLX make of constants, number by number: an array with no axis is a number here, one with one axis a tuple of numbers.

Only how many different numbers come of it is asked, and which: what MLX rounds to the precision of an array is not the same to the last digit.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

MOST: Final = 1_024
"""The length of the longest array whose numbers are made."""
ARRAY: Final = "mlx.core.array"


def _each(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of numbers, of arrays as well."""

    def run(*operands: Any) -> Any:
        lengths = {len(operand) for operand in operands if isinstance(operand, tuple)}
        if not lengths:
            return function(*operands)
        (length,) = lengths
        return tuple(function(*(o[n] if isinstance(o, tuple) else o for o in operands)) for n in range(length))

    return run


def _filled(shape: Any, value: Any) -> Any:
    if isinstance(shape, tuple):
        if len(shape) > 1:
            raise ValueError(shape)
        shape = shape[0] if shape else None
    if shape is not None and shape > MOST:
        raise ValueError(shape)
    return value if shape is None else (value,) * shape


def _linspace(start: float, stop: float, num: int = 50) -> tuple[float, ...]:
    if not 1 <= num <= MOST:
        raise ValueError(num)
    return tuple(start + (stop - start) * n / max(num - 1, 1) for n in range(num))


def _arange(*bounds: float) -> tuple[float, ...]:
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1) if len(bounds) == 2 else bounds
    count = max(math.ceil((stop - start) / step), 0)
    if count > MOST:
        raise ValueError(count)
    return tuple(start + step * n for n in range(count))


def _item(array: Any, index: Any) -> Any:
    if not isinstance(array, tuple) or type(index) is not int:
        raise TypeError(index)
    return array[index]


def _reduced(function: Callable[..., Any]) -> Callable[[Any], Any]:
    return lambda array: function(array) if isinstance(array, tuple) else array


def _cosine(step: float, init: float, decay_steps: int, end: float = 0.0) -> float:
    done = min(step, decay_steps)
    return end + 0.5 * (1 + math.cos(math.pi / decay_steps * done)) * (init - end)


def _linear(step: float, init: float, end: float, steps: int) -> float:
    return min(step, steps) * ((end - init) / steps) + init


def _joined(step: float, schedules: tuple[Callable[[float], float], ...], boundaries: tuple[int, ...]) -> float:
    found = schedules[0](step)
    for boundary, schedule in zip(boundaries, schedules[1:]):
        found = found if step < boundary else schedule(step - boundary)
    return found


_OPERATORS: Final[Mapping[str, Callable[..., Any]]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv, "floordiv": operator.floordiv, "mod": operator.mod,
    "pow": operator.pow,
}  # fmt: skip
_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "abs": abs, "add": operator.add, "ceil": math.ceil, "cos": math.cos, "divide": operator.truediv, "exp": math.exp, "floor": math.floor,
    "floor_divide": operator.floordiv, "log": math.log, "log1p": math.log1p, "log2": math.log2, "log10": math.log10, "maximum": max, "minimum": min,
    "multiply": operator.mul, "negative": operator.neg, "power": operator.pow, "reciprocal": lambda x: 1 / x, "remainder": operator.mod,
    "round": round, "rsqrt": lambda x: 1 / math.sqrt(x), "sigmoid": lambda x: 1 / (1 + math.exp(-x)), "sin": math.sin, "sqrt": math.sqrt,
    "square": lambda x: x * x, "subtract": operator.sub, "tanh": math.tanh,
}  # fmt: skip
_REDUCTIONS: Final[Mapping[str, Callable[..., Any]]] = {"sum": sum, "max": max, "min": min, "mean": lambda xs: sum(xs) / len(xs)}
SCHEDULES: Final[Mapping[str, Callable[..., Any]]] = {
    "mlx.optimizers.cosine_decay": _cosine,
    "mlx.optimizers.exponential_decay": lambda step, init, decay_rate: init * decay_rate**step,
    "mlx.optimizers.join_schedules": _joined,
    "mlx.optimizers.linear_schedule": _linear,
    "mlx.optimizers.step_decay": lambda step, init, decay_rate, step_size: init * decay_rate ** (step // step_size),
}
"""What schedules give for a step, by the functions that make them; behind the step stands what these are given."""
NUMBERS_OF_NUMBERS: Final = frozenset(("mlx.optimizers.exponential_decay", "mlx.optimizers.step_decay"))
"""Makers of schedules that give a number of Python for a step that is one; others give an array."""
COMPUTED: Final[Mapping[str, Callable[..., Any]]] = {
    ARRAY: lambda numbers: numbers,
    f"{ARRAY}.__getitem__": _item,
    f"{ARRAY}.__neg__": _each(operator.neg),
    f"{ARRAY}.__abs__": _each(abs),
    **{f"{ARRAY}.__{name}__": _each(function) for name, function in _OPERATORS.items()},
    **{f"{ARRAY}.__r{name}__": _each(lambda a, b, function=function: function(b, a)) for name, function in _OPERATORS.items()},
    **{f"mlx.core.{name}": _each(function) for name, function in _FUNCTIONS.items()},
    **{f"{ARRAY}.{name}": _each(function) for name, function in _FUNCTIONS.items()},
    **{f"{start}.{name}": _reduced(function) for start in ("mlx.core", ARRAY) for name, function in _REDUCTIONS.items()},
    "mlx.core.zeros": lambda shape: _filled(shape, 0),
    "mlx.core.ones": lambda shape: _filled(shape, 1),
    "mlx.core.full": _filled,
    "mlx.core.linspace": _linspace,
    "mlx.core.arange": _arange,
}
"""What functions make of constants. What they are given besides, as a dtype, is not among these."""
