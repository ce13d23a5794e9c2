"""What Python asks of an array when it wants a value, noted on the exception that MLX answers with."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import mlx.core as mx

METHODS = (
    "__repr__", "__str__", "__format__", "__bool__", "__index__", "__int__", "__float__", "__complex__", "__bytes__", "__array__", "__dlpack__",
    "__getstate__", "item", "tolist",
)  # fmt: skip
"""Methods that evaluate the array. What MLX itself is called with (mx.eval, mx.save), and a buffer, ask by none of them."""
_MARK = "__mxlint_asked__"


def install() -> None:
    """Let each method that evaluates an array note its name on the exception that it raises."""
    for name in METHODS:
        if name in vars(mx.array):
            setattr(mx.array, name, _noting(name, vars(mx.array)[name]))


def by(error: BaseException) -> str:
    """The method that an exception was raised in, empty if in none."""
    return str(getattr(error, _MARK, ""))


def _noting(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def noting(self: mx.array, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except Exception as error:
            if not hasattr(error, _MARK):
                setattr(error, _MARK, name)
            raise

    return noting
