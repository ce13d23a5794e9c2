"""What some claims are about beside calls and exceptions: the switch that turns compilation off, clocks, and the graph behind a result."""

from __future__ import annotations

import _thread
import functools
import io
import re
import sys
import threading
import time
from collections.abc import Callable
from concurrent import futures
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
from mlx import nn

from . import values

CLOCKS = ("perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "time", "time_ns", "process_time", "process_time_ns")
BY_MODEL = "value_and_grad"
TRANSFORMS = ("grad", "value_and_grad", "vmap", "jvp", "vjp", "checkpoint")
MOST_WAITING = 64
STACK = 512 << 20
"""Bytes of address space, of which only what is used is taken; a graph of 80,000 operations in a row needs 8 to 12 MB."""
_LABEL = re.compile(r'\[label ="([^"]*)"')

_compile, _eval, _synchronize, _export_to_dot = mx.compile, mx.eval, mx.synchronize, mx.export_to_dot


def operations(arrays: list[Any]) -> list[str]:
    """The operations that still have to be run for some arrays. An array that has its value has none."""
    if not arrays:
        return []
    graph = io.StringIO()
    _on_a_deep_stack(lambda: _export_to_dot(graph, *arrays))
    return sorted(_LABEL.findall(graph.getvalue()))


def _on_a_deep_stack(work: Callable[[], None]) -> None:
    """Do some work in a thread with room for it: MLX walks a graph by recursion, and dies of one that is too deep."""
    done = _thread.allocate_lock()
    done.acquire()
    errors: list[Exception] = []

    def run() -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - raised again by who waits
            errors.append(error)
        finally:
            done.release()

    usual = _thread.stack_size(STACK)
    try:
        _thread.start_new_thread(run, ())
    finally:
        _thread.stack_size(usual)
    done.acquire()
    if errors:
        raise errors[0]


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
    """Transforms (mx.grad and the like) that are under way: the number of the compiled object that each was given, and where that was. What
    such a transform made is called twice the first time, to see what a second call does."""

    caller: Callable[[], tuple[str, int]]
    under_way: list[tuple[int | None, tuple[str, int]]] = field(default_factory=list)

    def install(self) -> None:
        for name in TRANSFORMS:
            setattr(mx, name, self.transform(getattr(mx, name), 0))
        setattr(nn, BY_MODEL, self.transform(getattr(nn, BY_MODEL), 1))

    def of(self, number: int) -> tuple[str, int] | None:
        """Where a compiled object was given to a transform that calls it now."""
        return next((place for given, place in reversed(self.under_way) if given == number), None)

    def transform(self, real: Callable[..., Any], position: int) -> Callable[..., Any]:
        def inside(run: Callable[..., Any], number: int | None, place: tuple[str, int]) -> Callable[..., Any]:
            turns = 2 if number is not None else 1

            @functools.wraps(run)
            def call(*args: Any, **kwargs: Any) -> Any:
                nonlocal turns
                outermost = not self.under_way
                self.under_way.append((number, place))
                try:
                    result = run(*args, **kwargs)
                    if outermost and turns == 2 and not callable(result):
                        turns = 1
                        with suppress(Exception):  # what it does to the program is not what is looked at
                            run(*args, **kwargs)
                    return result
                finally:
                    self.under_way.pop()

            return call

        def make(*args: Any, **kwargs: Any) -> Any:
            given = args[position] if len(args) > position else None
            number = vars(given)["_made"].number if getattr(type(given), "is_shell", False) else None
            place = self.caller()
            made = inside(real, number, place)(*args, **kwargs)
            return inside(made, number, place) if callable(made) else made

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
    waiting: list[tuple[int, list[Any]]] = field(default_factory=list)
    """What was not computed at the last reading."""
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
                waiting = [(number, arrays) for number, arrays in self.waiting if any(operations([array]) for array in arrays)]
                waited = len(self.waiting) - len(waiting)
                calls = [
                    {"call": number, "arrays": len(arrays), "lazy": sum(bool(operations([array])) for array in arrays)}
                    for number, arrays in self.returns
                ]
                self.waiting = [*waiting, *(one for one, call in zip(self.returns, calls) if call["lazy"])][-MOST_WAITING:]
                self.returns.clear()
                self.readings.append({"file": file, "row": row, "calls": calls[-8:], "waited": waited})
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
