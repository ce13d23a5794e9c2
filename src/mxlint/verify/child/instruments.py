"""What some claims are about beside calls and exceptions: the switch that turns compilation off, clocks, and the graph behind a result."""

from __future__ import annotations

import functools
import io
import re
import sys
import threading
import time
from collections.abc import Callable
from concurrent import futures
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx

from . import values

CLOCKS = ("perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "time", "time_ns", "process_time", "process_time_ns")
TRANSFORMS = ("grad", "value_and_grad", "vmap", "jvp", "vjp", "checkpoint")
_LABEL = re.compile(r'\[label ="([^"]*)"')

_compile, _eval, _synchronize, _export_to_dot = mx.compile, mx.eval, mx.synchronize, mx.export_to_dot


def operations(arrays: list[Any]) -> list[str]:
    """The operations that still have to be run for some arrays. An array that has its value has none."""
    if not arrays:
        return []
    graph = io.StringIO()
    _export_to_dot(graph, *arrays)
    return sorted(_LABEL.findall(graph.getvalue()))


def cut_to_one(arrays: list[Any], calls: list[list[list[int]]]) -> list[Any]:
    """Arrays of which the axes that differ between calls have length 1; where none does, the leading ones."""
    axes = [
        [axis for axis in range(array.ndim) if len({str(call[number][axis : axis + 1]) for call in calls if number < len(call)}) > 1]
        for number, array in enumerate(arrays)
    ]
    if not any(axes):
        axes = [[0][: array.ndim] for array in arrays]
    return [array[tuple(slice(1) if axis in chosen else slice(None) for axis in range(array.ndim))] for array, chosen in zip(arrays, axes)]


def compiles() -> bool:
    """Whether mx.compile still does what it is for."""
    runs = []

    def counted(x: Any) -> Any:
        runs.append(1)
        return mx.tanh(x) * 2

    compiled = _compile(counted)
    compiled(mx.zeros(1))
    compiled(mx.zeros(1))
    return len(runs) == 1


@dataclass
class Switch:
    """mx.disable_compile and mx.enable_compile, as they are, and what was called last."""

    off: bool = False

    def install(self) -> None:
        disable, enable = mx.disable_compile, mx.enable_compile

        def disable_compile() -> None:
            self.off = True
            disable()

        def enable_compile() -> None:
            self.off = False
            enable()

        mx.disable_compile, mx.enable_compile = disable_compile, enable_compile


@dataclass
class Transforms:
    """How many transforms (mx.grad and the like) are under way."""

    depth: int = 0

    def install(self) -> None:
        for name in TRANSFORMS:
            setattr(mx, name, self.transform(getattr(mx, name)))

    def transform(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def inside(run: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(run)
            def call(*args: Any, **kwargs: Any) -> Any:
                self.depth += 1
                try:
                    return run(*args, **kwargs)
                finally:
                    self.depth -= 1

            return call

        def make(*args: Any, **kwargs: Any) -> Any:
            made = inside(real)(*args, **kwargs)
            return inside(made) if callable(made) else made

        return make


class Seconds(float):
    """A reading that notes what it is the end of."""

    clocks: Clocks
    number: int

    def __sub__(self, other: float) -> float:
        note(self, other)
        return float(self) - float(other)


class Ticks(int):
    """The same in nanoseconds."""

    clocks: Clocks
    number: int

    def __sub__(self, other: Any) -> Any:
        note(self, other)
        return int(self) - other


def note(end: Seconds | Ticks, start: Any) -> None:
    if isinstance(start, (Seconds, Ticks)):
        end.clocks.spans.append((start.number, end.number))


@dataclass
class Clocks:
    """Readings of clocks by the program, and what of the calls between two of them was still to be computed at the second.

    mx.async_eval, which starts the work and does not wait, is put off until something waits, since it is not to be seen whether an
    array is being computed or has been. Calls from inside a transform do not count: their results are no arrays that anyone gets.
    """

    root: str
    caller: Callable[[], tuple[str, int]]
    readings: list[dict[str, Any]] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    """Readings, and which of them were taken from which."""
    returns: list[tuple[int, list[Any]]] = field(default_factory=list)
    started: list[Any] = field(default_factory=list)

    def install(self) -> None:
        mx.async_eval, mx.synchronize = self.async_eval, self.synchronize
        for name in CLOCKS:
            setattr(time, name, self.clock(getattr(time, name)))
        if "timeit" in sys.modules:
            sys.modules["timeit"].default_timer = time.perf_counter  # type: ignore[attr-defined]

    def async_eval(self, *trees: Any) -> None:
        self.started.append(trees)

    def synchronize(self, *streams: Any, **named: Any) -> None:
        for trees in self.started:
            _eval(*trees)
        self.started.clear()
        _synchronize(*streams, **named)

    def returned(self, number: int, result: Any) -> None:
        """A call of a compiled function has returned to the program."""
        self.returns.append((number, values.arrays(result)))

    def clock(self, real: Callable[[], Any]) -> Callable[[], Any]:
        def read() -> Any:
            if sys._getframe(1).f_code.co_filename.startswith(self.root):  # and not for a library's own use
                file, row = self.caller()
                calls = [
                    {"call": number, "arrays": len(arrays), "lazy": sum(bool(operations([array])) for array in arrays)}
                    for number, arrays in self.returns
                ]
                self.returns.clear()
                self.readings.append({"file": file, "row": row, "calls": calls[-8:]})
                kind = Ticks if isinstance(now := real(), int) else Seconds
                reading = kind(now)
                reading.clocks, reading.number = self, len(self.readings) - 1
                return reading
            return real()

        return read


def serial() -> None:
    """Each thread runs to its end where it is started, as part of the thread that starts it."""

    def start(thread: threading.Thread) -> None:
        thread.run()

    def submit(pool: Any, fun: Callable[..., Any], /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
        future: futures.Future[Any] = futures.Future()
        try:
            future.set_result(fun(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - it is the future's to raise
            future.set_exception(error)
        return future

    threading.Thread.start = start  # type: ignore[method-assign, assignment]
    threading.Thread.join = lambda thread, timeout=None: None  # type: ignore[method-assign, assignment]
    threading.Thread.is_alive = lambda thread: False  # type: ignore[method-assign, assignment]
    futures.ThreadPoolExecutor.submit = submit  # type: ignore[method-assign]
    mx.clear_streams = lambda: None  # the streams are those of the main thread
