"""Readings of a clock, which tell when the program asks what they are: a time that is only printed decides nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from .switches import asker

CLOCKS = tuple(
    name + unit
    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time")
    for unit in ("", "_ns")
    if hasattr(time, name + unit)
)
"""Functions of `time` whose results count on. Those that write a date (strftime, ctime) are left out."""
STILL_A_READING = ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "rpow", "neg", "pos", "abs", "round")
DECIDES = (
    "lt", "le", "eq", "ne", "gt", "ge", "bool", "hash", "int", "float", "trunc", "floor", "ceil", "index", "mod", "rmod", "floordiv", "rfloordiv", "divmod", "rdivmod",
)  # fmt: skip


class _Seconds(float):
    """Seconds."""


class _Nanoseconds(int):
    """Nanoseconds."""


READINGS = (_Seconds, _Nanoseconds)


def install(root: str, decides: Callable[[], None]) -> None:
    """Give the program in `root` readings; `decides` is called when its own code compares one, or takes a part of it."""
    for kind in READINGS:
        kind.__name__ = kind.__base__.__name__  # type: ignore[union-attr]  # as a program shows its type
        for name in DECIDES:
            if (real := getattr(kind.__base__, f"__{name}__", None)) is not None:
                setattr(kind, f"__{name}__", _telling(real, root, decides))
        for name in STILL_A_READING:
            setattr(kind, f"__{name}__", _going_on(getattr(kind.__base__, f"__{name}__")))
    for name in CLOCKS:
        setattr(time, name, _read(getattr(time, name), root))


def _read(clock: Callable[[], Any], root: str) -> Callable[[], Any]:
    def read() -> Any:
        return _reading(clock()) if asker().startswith(root) else clock()

    read.__name__ = clock.__name__
    return read


def _reading(value: Any) -> Any:
    return _Seconds(value) if isinstance(value, float) else _Nanoseconds(value)


def _going_on(real: Callable[..., Any]) -> Callable[..., Any]:
    def go_on(*args: Any) -> Any:
        result = real(*args)
        return _reading(result) if isinstance(result, (int, float)) else result

    return go_on


def _telling(real: Callable[..., Any], root: str, decides: Callable[[], None]) -> Callable[..., Any]:
    def tell(*args: Any) -> Any:
        if asker().startswith(root):
            decides()
        return real(*args)

    return tell
