"""One form of a program under the clock, turn by turn of the loop that the claim is about; between batches it waits to be told to go on.

A turn is one time round the innermost loop in which the claim's event happens: something is compiled there, called, or transformed. Where no
loop is in sight, the statements of the program that lead to the event are gone through again, and a call with made-up arguments is repeated.
Nothing is watched meanwhile: what stands in for mx.compile keeps the results of compiled calls from staying lazy, and no more.
"""

from __future__ import annotations

import builtins
import functools
import json
import os
import resource
import sys
import threading
import time
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import mlx.core as mx
from mlx import nn

from . import inputs, lending, loops, observe, values
from .replay import Replay
from .turns import WARM_UP

MOST_WARM_UP = 64
COMPARED = 4
"""So many results of each form are compared, from the first on."""
MOST_KEPT = 4096
"""Items of an iterator that are kept to be given out again."""
TRANSFORMS = ("grad", "value_and_grad", "vmap")
BY_MODEL = "value_and_grad"
Unit = list[Any]


class Made:
    """A compiled object. `counts`: the claim is about it; `another`: makes a second one of the same function, which shares no trace with it."""

    __slots__ = ("another", "code", "counts", "died")

    def __init__(self, counts: bool, another: Callable[[], Any]) -> None:
        self.counts, self.another = counts, another
        self.code = self.died = None


class Clock:
    """Stands in for mx.compile, and for the transforms, in one form of the program (FORMS says which there are)."""

    def __init__(self, root: str, timing: Mapping[str, Any], form: str, names: Callable[[], dict[str, dict[str, Any]]], line: Line) -> None:
        self.root, self.form, self.line, self.modules = root, form, line, names
        self.sites: list[list[Any]] = timing["sites"]
        self.everywhere: bool = timing["everywhere"]
        self.kind: str = timing["event"]
        self.new: bool = timing["new"]
        self.barred: list[Unit] = list(timing["barred"])
        self.unit: Unit | None = None
        self.warm_up: int | None = None  # turns, where another process found the unit
        self.script: Iterator[int] | None = None
        self.active: list[Unit] = []
        self.depth = self.events = self.turn = self.until = 0
        self.shared = mx.default_device().type == mx.cpu
        self.ticks = time.thread_time_ns if self.shared else time.perf_counter_ns
        self.off = 0  # for what is done here; `stood`: for what is done while the clock stands still
        self.since, self.stood = Spent.now(), NOTHING
        self.left: Spent | None = None
        self.begun = (0, 0)
        self.stale = False
        self.rows: list[int] = []
        self.keys: set[str] = set()
        self.kept: dict[Any, Any] = {}
        self.recorded: list[Any] | None = None  # the items of turns that are to be gone round a second time
        self.again: deque[Any] = deque()
        self.replay: Replay | None = None  # their calls
        self.repeating = False
        self.results: list[Any] = []
        self.noted = 0
        self.numbers: dict[Any, Any] = {}
        self.objects: list[observe.Object] = []
        self.clock = 0  # for observe.Compiled
        self.main_thread = threading.get_ident()
        self.prepare: Callable[[Any, tuple[Any, ...], dict[str, Any]], tuple[Any, Any]] | None = {
            "seen": self.call_before,
            "arrays": self.as_arrays,
            "computed": self.compute_first,
        }.get(form, self.tell_apart if self.new else None)

    def install(self) -> None:
        setattr(builtins, loops.TURNS, self.turns)
        setattr(builtins, loops.WHILE, loops.while_)
        mx.compile = self.compile
        if self.kind == "transform":
            for name in TRANSFORMS:
                setattr(mx, name, self.transform(getattr(mx, name), 0))
            setattr(nn, BY_MODEL, self.transform(getattr(nn, BY_MODEL), 1))

    # -- turns ---------------------------------------------------------------------------------------------------------

    def turns(self, file: str, number: int, iterable: Any) -> Any:
        """The items of a loop, and more of them where it is the one that is timed."""
        loop = [file, number]
        if self.depth or (self.unit is not None and self.unit != loop) or threading.get_ident() != self.main_thread:
            return iterable
        return self.counted(loop, iterable)

    def counted(self, loop: Unit, iterable: Any) -> Iterator[Any]:
        self.active.append(loop)
        iterator = iter(iterable)
        kept: list[Any] | None = [] if iterator is iterable else None
        self.enter()
        finished = False
        try:
            for item in iterator:
                if kept is not None and len(kept) < MOST_KEPT:
                    kept.append(item)
                yield from self.gone_round(loop, item)
            while self.unit == loop:
                before = self.turn
                for item in further(iterable, kept):
                    yield from self.gone_round(loop, item)
                if self.turn == before:
                    break
            finished = True
        finally:
            self.active.remove(loop)
            if self.unit == loop:
                self.left = Spent.now(ending=True)
                if not finished and self.warm_up is None and self.script is None:
                    self.forget()  # it is left too soon: an outer loop has to do

    def gone_round(self, loop: Unit, item: Any) -> Iterator[Any]:
        """A turn, and those that are gone round a second time after it."""
        yield item
        if self.unit == loop and self.recorded is not None:
            self.recorded.append(item)
        self.lap(loop)
        while self.unit == loop and self.again:
            yield self.again.popleft()
            self.lap(loop)

    def enter(self) -> None:
        if self.script is None:
            self.begun = time.perf_counter_ns(), time.process_time_ns()
        elif self.left is not None:
            self.stood = self.stood.minus(self.left.minus(Spent.now()))
        self.left = None

    def lap(self, loop: Unit) -> None:
        """The end of a turn."""
        if self.unit == loop:
            self.turn += 1
            if self.script is None:
                self.script = self.batches()
            elif self.turn < self.until:
                return
            self.until = self.turn + next(self.script)
        elif self.unit is None:
            self.begun = time.perf_counter_ns(), time.process_time_ns()

    def batches(self) -> Iterator[int]:
        """What is done at the end of a batch; yields the turns of the next one."""
        mx.synchronize()
        spent = Spent.now(ending=True)
        clock, core = spent.clock - self.begun[0], spent.core - self.begun[1] + spent.built
        first: dict[str, Any] = {"unit": self.unit, "first": min(clock, core) if self.shared else clock}
        first |= {"built": spent.built, "kernels": lending.loaded()}
        warm: list[int] = []
        seen = 0
        while len(warm) < self.warm_up if self.warm_up is not None else seen < WARM_UP * (not self.new) and len(warm) < MOST_WARM_UP:
            self.start()
            yield 1
            warm.append(self.read())
            seen += self.events > 0
        order = self.exchange({**first, "warm": warm})
        while True:
            if order["skip"]:
                yield order["skip"]
            if self.form == "seen":
                self.recorded, self.replay = [], Replay(self.turn, order["turns"])
                yield order["turns"]
                self.again, self.recorded, self.noted = deque(self.recorded), None, COMPARED
                self.replay.trace(self.settled)
                self.repeating = True
            self.start()
            yield order["turns"]
            batch = {"ns": self.read(), "built": Spent.now().minus(self.since).minus(self.stood).built}
            self.replay, self.repeating = None, False
            order = self.exchange({**batch, "events": self.events, "new": not self.stale})

    def exchange(self, message: dict[str, Any]) -> dict[str, Any]:
        """Say what was measured, and what was returned meanwhile."""
        returned = [values.seen(result) for result in self.results]
        self.results.clear()
        return self.line.exchange({**message, "results": returned})

    @contextmanager
    def standing(self) -> Iterator[None]:
        """What is done within costs nothing."""
        since = Spent.now(ending=True)
        yield
        self.stood = self.stood.minus(since.minus(Spent.now()))

    def start(self) -> None:
        mx.synchronize()
        self.off, self.stood, self.events, self.stale, self.since = 0, NOTHING, 0, False, Spent.now()

    def read(self) -> int:
        mx.synchronize()
        spent = Spent.now(ending=True).minus(self.since).minus(self.stood)
        return max(1, spent.alone(self.shared) - self.off)

    def event(self) -> None:
        """What the claim is about happens."""
        self.events += 1
        if self.unit is None and self.warm_up is None:
            self.unit = next((loop for loop in reversed(self.active) if loop not in self.barred), None)
            self.events, self.turn, self.until = 1, 0, 1
            if self.unit is None:
                self.rows.append(self.row_of_entry())

    def forget(self) -> None:
        assert self.unit is not None
        self.barred.append(self.unit)
        self.unit = self.script = None

    def row_of_entry(self) -> int:
        """The row of the program's entry that runs now."""
        frame: types.FrameType | None = sys._getframe(1)
        row = 0
        while frame is not None:
            if frame.f_code.co_filename.startswith(self.root) and frame.f_code.co_name == "<module>":
                row = frame.f_lineno
            frame = frame.f_back
        return row

    # -- compiled objects ----------------------------------------------------------------------------------------------

    def compile(self, *args: Any, **options: Any) -> Any:
        """Stands in for mx.compile."""
        if not args:
            return lambda late: self.compile(late, **options)
        since = self.ticks()
        file, row = self.place()
        at_site = self.is_site(file, row)
        if at_site and self.kind == "compile" and not self.depth:
            self.event()
        made = Made(at_site or self.everywhere, lambda: observe.real_compile(functools.partial(args[0]), *args[1:], **options))
        self.off += self.ticks() - since
        if at_site and self.form == "hoisted":
            key = (file, row, bound(args[0]))
            if key not in self.kept:
                self.kept[key] = observe.Compiled(self, made, observe.real_compile(*args, **options))  # type: ignore[arg-type]
            return self.kept[key]
        if self.form == "computed":
            self.objects.append(observe.Object(0, file, row, {}, None, observe.reference(observe.unwrap(args[0])), "", 0))
        if at_site and self.kind == "once":
            self.start()
        if at_site and self.form == "plain":
            return observe.Plain(self, made, args[0])  # type: ignore[arg-type]
        return observe.Compiled(self, made, observe.real_compile(*args, **options))  # type: ignore[arg-type]

    def place(self) -> tuple[str, int]:
        return observe.Observer.caller(self)  # type: ignore[arg-type]

    def is_site(self, file: str, row: int) -> bool:
        """Whether the claim is about what stands there."""
        return any(file == place and first <= row <= last for place, first, last in self.sites)

    def called(self, made: Made, fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of a compiled object; its result is computed before it returns."""
        if self.depth or threading.get_ident() != self.main_thread:
            return fun(*args, **kwargs)
        if made.counts:
            if self.kind == "call":
                self.event()
            instead = self.instead(made, args, kwargs)
            if instead is not None:
                fun, args, kwargs = instead
            elif self.prepare is not None:
                args, kwargs = self.prepare(fun, args, kwargs)
        result = self.settled(fun, args, kwargs)
        if made.counts:
            if self.kind == "once":
                spent = self.read(), Spent.now().built
                self.note(result)
                self.exchange({"unit": None, "warm": [], "first": spent[0], "built": spent[1]})
            self.note(result)
        return result

    def note(self, result: Any) -> None:
        """Keep a result to be compared with that of the other form, which makes no call a second time: what the program computes after that is
        computed from more."""
        if self.noted < COMPARED:
            self.noted += 1
            self.results.append(result)

    def settled(self, fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.depth += 1
        try:
            result = fun(*args, **kwargs)
        finally:
            self.depth -= 1
        try:
            mx.eval(result)
        except (ValueError, TypeError):  # not a tree of arrays
            inputs.evaluate(result)
        return result

    def transform(self, real: Callable[..., Any], position: int) -> Callable[..., Any]:
        """Stands in for a transform: that of a compiled object is what a claim about transforms is about."""

        def transformed(*args: Any, **options: Any) -> Any:
            fun = args[position] if len(args) > position else None
            if self.depth or not isinstance(fun, observe.Compiled) or not self.is_site(*self.place()):
                return real(*args, **options)
            inner = [*args]
            inner[position] = vars(fun)["_real"]
            if self.form != "turned":
                return Transformed(self, real(*inner, **options))
            key = (real, bound(fun), str(options), str(args[position + 1 :]), id(args[0]) if position else 0)
            if key not in self.kept:
                state = {"inputs": args[0].state, "outputs": args[0].state} if position else {}
                self.kept[key] = observe.real_compile(real(*inner, **options), **state)
            return Transformed(self, self.kept[key])

        return transformed

    # -- other forms ---------------------------------------------------------------------------------------------------

    def tell_apart(self, fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
        """Whether a call is like one before, which is then no measure of what new ones cost."""
        self.stale |= not self.is_new(args, kwargs)
        return args, kwargs

    def is_new(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether no call before had this signature. To find out is no part of what is timed."""
        since = self.ticks()
        key = str(values.signature([args, kwargs]))
        new = key not in self.keys
        self.keys.add(key)
        self.off += self.ticks() - since
        return new

    def instead(self, made: Made, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, tuple[Any, ...], dict[str, Any]] | None:
        """The call that is made in place of one in a turn that is gone round a second time; a call of a first time is kept for that."""
        if self.replay is None:
            return None
        since = self.ticks()
        if not self.repeating:
            self.replay.record(self.turn, made, args, kwargs)
        found = self.replay.instead(self.turn, made) if self.repeating else None
        self.off += self.ticks() - since
        return found

    def call_before(self, fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
        """Trace a new signature while the clock stands still."""
        if self.is_new(args, kwargs) and self.recorded is None:
            with self.standing():
                self.settled(fun, args, kwargs)
                mx.synchronize()
        return args, kwargs

    def as_arrays(self, fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
        """Numbers that were seen to vary are given as arrays."""
        given = tuple(self.as_array(place, value) for place, value in enumerate(args))
        return self.call_before(fun, given, {name: self.as_array(name, value) for name, value in kwargs.items()})

    def as_array(self, place: Any, value: Any) -> Any:
        if type(value) not in (int, float):
            return value
        if self.numbers.setdefault(place, value) != value:
            self.numbers[place] = None
        return mx.array(value) if self.numbers[place] is None else value

    def compute_first(self, fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
        """Compute all that the program's names lead to, once, before the first call."""
        if self.objects:
            with self.standing():
                for item in self.objects:
                    for name, value in observe.Observer.held(self, item, fun).items():  # type: ignore[arg-type]
                        values.leaks(value, name, [], set())
                self.objects.clear()
                mx.synchronize()
        return args, kwargs


class Transformed:
    """A transform of a compiled function: its results are computed before it returns."""

    def __init__(self, clock: Clock, real: Callable[..., Any]) -> None:
        self._clock, self._real = clock, real

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._clock.depth:
            return self._real(*args, **kwargs)
        self._clock.event()
        result = self._clock.settled(self._real, args, kwargs)
        self._clock.note(result)
        return result

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_real"], name)


def bound(fun: Any) -> Any:
    """A function and what it is tied to, so far as that decides what a trace of it costs."""
    fun = observe.unwrap(fun)
    owner = id(fun.__self__) if isinstance(fun, types.MethodType) else 0
    cells = []
    for cell in getattr(fun, "__closure__", None) or ():
        try:
            held = cell.cell_contents
        except ValueError:
            continue
        plain = isinstance(held, (mx.array, int, float, str, bool, type(None)))
        cells.append(str(values.signature(held)) if plain else getattr(held, "__code__", id(held)))
    return getattr(fun, "__code__", id(fun)), owner, tuple(cells)


def further(iterable: Any, kept: list[Any] | None) -> Iterable[Any]:
    """What a loop goes on with after its end: a range further, anything else again."""
    if isinstance(iterable, range):
        size = max(1, len(iterable))
        start = iterable.start
        while True:
            start += size * iterable.step
            yield from range(start, start + size * iterable.step, iterable.step)
    if isinstance(iterable, types.GeneratorType) and iterable.gi_code is loops.while_.__code__:
        while True:
            yield None
    yield from iterable if kept is None else kept


class Spent(NamedTuple):
    """Nanoseconds so far: by the clock, of this process on a core, ready for a core that others had, and of what it started: the C++ compiler."""

    clock: int
    core: int
    waited: int
    built: int

    @classmethod
    def now(cls, ending: bool = False) -> Spent:
        """What takes time here itself is kept out of what is timed: it comes before a beginning and after an end."""
        clocks = time.perf_counter_ns(), time.process_time_ns()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        waited = 0
        try:
            for task in os.listdir("/proc/self/task"):
                with open(f"/proc/self/task/{task}/schedstat", "rb") as file:
                    waited += int(file.read().split()[1])
        except (OSError, ValueError, IndexError):
            waited = 0
        if not ending:
            clocks = time.perf_counter_ns(), time.process_time_ns()
        return cls(*clocks, waited, int((used.ru_utime + used.ru_stime) * 1e9))

    def minus(self, other: Spent) -> Spent:
        return Spent(*(mine - theirs for mine, theirs in zip(self, other)))

    def alone(self, shared: bool) -> int:
        """Without the time that other programs had the core; as the clock says if the work is not done on a core."""
        if not shared or self.waited <= 0:
            return self.clock
        return min(self.clock, self.core + self.built if self.built else max(self.core, self.clock - self.waited))


NOTHING = Spent(0, 0, 0, 0)


class Line:
    """To the process that measures. It answers what it is told with an order, or never, when there is nothing more to do."""

    def __init__(self, read: int, write: int) -> None:
        self.orders, self.write = os.fdopen(read, "rb", buffering=0), write

    def say(self, message: Mapping[str, Any]) -> None:
        os.write(self.write, json.dumps(message).encode() + b"\n")

    def exchange(self, message: Mapping[str, Any]) -> dict[str, Any]:
        self.say(message)
        return self.ask()

    def ask(self) -> dict[str, Any]:
        line = self.orders.readline()
        if not line:
            os._exit(0)
        order: dict[str, Any] = json.loads(line)
        return order
