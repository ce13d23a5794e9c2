"""Watching without changing: traces counted by code objects, expressions by the instructions that run, exceptions as they pass.

Nothing of the program is replaced but the name mx.compile, and what that returns is the real compiled object in a thin shell that logs calls:
MLX keys its cache by the identity of the function, which stays, and empties it when the compiled object dies, which still happens in time.
"""

from __future__ import annotations

import dis
import functools
import inspect
import itertools
import opcode
import os
import sys
import threading
import time
import types
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx

from . import asked, instruments, values

real_compile: Callable[..., Any] = mx.compile
SURVEY_S = 5.0
"""Of processor time: after this no call is made only to see what comes."""
SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
BEGINNING = opcode.opmap.get("RETURN_GENERATOR")
"""Where the frame of a generator stands before its first item; before Python 3.11 there is no such place."""
LOOKED_THROUGH = 4
"""So many calls are followed by a search for placeholders."""
MARK = "_mxlint_number"


class Enough(BaseException):
    """So many calls tell all that there is to tell."""


@dataclass(slots=True)
class Watch:
    """An expression that is waited for: rows from 1, columns in bytes from 0. `inside` and `outside` count how often it was begun in
    and out of compiled calls, `finished` how often its last instruction ran inside; `exact`: that there is one which is all of it."""

    file: str
    start: tuple[int, int]
    end: tuple[int, int]
    inside: int = 0
    outside: int = 0
    finished: int = 0
    exact: bool = False
    objects: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Object:
    """One compiled object: where it was made and how."""

    number: int
    file: str
    row: int
    options: dict[str, Any]
    code: types.CodeType | None
    function: Callable[[], Any] | None
    name: str
    made: int
    died: int | None = None
    failed: str | None = None
    nested: int = 0
    nested_traced: int = 0
    threads: dict[int, int] = field(default_factory=dict)
    tracing: set[int] = field(default_factory=set)
    """Calls within the trace of another, and how many of them ran the body; calls by each thread but the main one, and which ran the body."""
    called: int = 0
    span: list[int] | None = None
    kind: str = ""
    parameters: list[str] = field(default_factory=list)
    """The names of those that are given by position."""
    outputs: Any = None
    """What outputs= captures, where the graph behind it is looked at."""


@dataclass
class Observer:
    """Everything seen in one run of a program."""

    root: str
    compiled: bool
    watches: list[Watch]
    most_calls: int
    results: bool
    state: bool
    memory: bool
    computed: bool
    modules: Callable[[], dict[str, dict[str, Any]]]
    namespaces: Callable[[], list[types.ModuleType]]
    graph: bool = False
    keeps: bool = False
    random: bool = False
    survey: int = 0
    switch: instruments.Switch = field(default_factory=instruments.Switch)
    transforms: instruments.Transforms | None = None
    clocks: instruments.Clocks | None = None
    paused: bool = False
    clock: int = 0
    kept: list[Any] = field(default_factory=list)
    lazy_bytes: int = 0
    objects: list[Object] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    exceptions: list[dict[str, Any]] = field(default_factory=list)
    bodies: dict[str, int] = field(default_factory=dict)
    logging: list[dict[str, Any]] = field(default_factory=list)
    hold: list[Any] | None = None
    stack: list[tuple[Object, dict[str, Any]]] = field(default_factory=list)
    spots: dict[types.CodeType, dict[int, list[tuple[Watch, bool]]]] = field(default_factory=dict)
    targets: set[types.CodeType] = field(default_factory=set)
    examples: dict[int, tuple[Any, tuple[Any, ...], dict[str, Any]]] = field(default_factory=dict)
    passed_over: set[types.CodeType] = field(default_factory=set)
    main_thread: int = field(default_factory=threading.get_ident)
    own: threading.local = field(default_factory=threading.local)
    absent: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    """Files that the program looked for in vain."""
    follows: bool = False
    over_time: bool = False
    """The program is over, and calls of it are made by hand."""
    last: dict[int, tuple[Any, tuple[Any, ...], dict[str, Any]]] = field(default_factory=dict)
    """The last call of each compiled object, where one more is to be made."""
    captures: tuple[str, list[list[Any]]] | None = None
    """How what is captured is mended (captures.py), and at which sites."""
    mend: Callable[..., Any] = real_compile
    over: Callable[[], None] = lambda: None
    thread_numbers: Iterator[int] = field(default_factory=itertools.count)

    # -- compile -------------------------------------------------------------------------------------------------------

    def compile(self, *args: Any, **options: Any) -> Any:
        """Stands in for mx.compile."""
        file, row = self.caller()
        fun = args[0] if args else options.get("fun")
        code = code_of(fun)
        self.clock += 1
        given = {name: name in options for name in ("inputs", "outputs")} | {"shapeless": bool(options.get("shapeless"))}
        made = Object(
            len(self.objects), file, row, given, code, reference(unwrap(fun)), getattr(code, "co_name", type(fun).__name__), self.clock
        )
        made.span, made.kind, made.parameters = self.span(), kind_of(fun), parameters(fun)
        made.outputs = options.get("outputs") if self.graph else None
        self.objects.append(made)
        if code is not None:
            self.targets.add(code)
            self.passed_over.discard(code)
        if not self.compiled:
            if not args:
                return lambda late: self.compile(late, **options)
            return self.held_back(Plain(self, made, fun))
        try:
            if self.captures is not None and args and any(made.file == at[0] and at[1] <= made.row <= at[2] for at in self.captures[1]):
                return self.held_back(Compiled(self, made, self.mend(self.captures[0], args[0], options, self.roots(args[0]))))
            return self.held_back(Compiled(self, made, real_compile(*args, **options)))
        except Exception as error:
            made.failed = f"{type(error).__name__}: {first_line(error)}"
            self.note(error, sys._getframe(1), None)
            raise

    def held_back(self, shell: Any) -> Any:
        """A compiled object, kept alive while someone waits for those that are made."""
        if self.hold is not None:
            self.hold.append(shell)
        return shell

    def called(self, made: Object, fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        made.called += 1
        if self.paused or self.stack or threading.get_ident() != self.main_thread:
            return self.inner(made, fun, args, kwargs)
        if len(self.calls) >= self.most_calls and not self.over_time and (len(self.calls) >= self.survey or time.process_time() > SURVEY_S):
            raise Enough
        self.clock += 1
        file, row = self.caller()
        entry: dict[str, Any] = {
            "object": made.number, "file": file, "row": row, "span": self.span(), "key": [values.signature(args), values.signature(kwargs)],
            "traced": 0, "error": None, "at": self.clock, "off": self.switch.off,
        }  # fmt: skip
        self.calls.append(entry)
        if self.follows:
            self.last[made.number] = fun, args, kwargs
        if self.keeps and made.options["shapeless"]:
            self.examples.setdefault(made.number, (fun, args, kwargs))
        if self.state:
            entry["before"] = values.seen([args, kwargs])
            entry["globals"] = self.snapshot(made, fun)
        if self.graph:
            self.placeholders({"arguments": [args, kwargs], **self.held(made, fun)})  # computes them all
        if self.memory:
            if self.computed and len(self.calls) == 1:
                self.lazy_bytes = self.compute(made, fun)
            entry["lazy_bytes"] = self.lazy_bytes
            mx.synchronize()
            active = mx.get_active_memory()
            mx.reset_peak_memory()
        before_random = self.key() if self.random else None
        self.stack.append((made, entry))
        try:
            result = fun(*args, **kwargs)
        except BaseException as error:
            entry["error"] = self.note(error, None, made, (file, row))
            raise
        finally:
            self.stack.pop()
            self.over()
            if self.state:
                entry["after"] = values.seen([args, kwargs])
        if self.transforms is not None:
            entry["transformed"] = bool(self.transforms.under_way)
            entry["transform"] = self.transforms.of(made.number)
        if self.clocks is not None and not entry.get("transformed"):
            self.clocks.returned(len(self.calls) - 1, result)
        if self.graph:
            found = instruments.operations(values.arrays([result, made.outputs]))
            entry["operations"], entry["operation"] = len(found), found[0] if len(found) == 1 else ""
        if self.memory:
            values.seen(result)
            entry["extra_bytes"] = max(0, mx.get_peak_memory() - active)  # of a call that takes nothing the peak is 0
        if self.random:
            entry["drew"] = before_random != self.key()
        if self.results:
            self.note_result(made, fun, entry, result)
        return result

    def note_result(self, made: Object, fun: Callable[..., Any], entry: dict[str, Any], result: Any) -> None:
        """Note what a call returned, and the placeholders that are left in it and in what the function holds."""
        entry["result"] = values.seen(result)
        entry["result_leaks"] = self.placeholders({"result": result})
        if not isinstance(result, (mx.array, str, int, float, type(None))):
            self.kept.append(result)  # so that no later object has its number
            entry["result_id"] = id(result)
        if len(self.calls) <= LOOKED_THROUGH:
            entry["leaks"] = self.placeholders(self.held(made, fun))

    @staticmethod
    def key() -> Any:
        """The state of the global generator."""
        return values.seen(mx.random.state[0])  # type: ignore[index]

    def length_one(self) -> dict[str, Any] | None:
        """The first call of a shapeless function once more, with length 1 on the axes that differ between its calls, else on the leading one."""
        for number, (fun, args, kwargs) in self.examples.items():
            shapes = [values.shapes(call["key"]) for call in self.calls if call["object"] == number]
            short_args, short_kwargs = values.with_arrays(
                [args, kwargs], iter(instruments.cut_to_one(values.arrays([args, kwargs]), shapes))
            )
            try:
                return {"result": values.seen(fun(*short_args, **short_kwargs))}
            except Exception as error:  # noqa: BLE001 - whatever it raises
                return {"error": f"{type(error).__name__}: {first_line(error)}"}
        return None

    @staticmethod
    def placeholders(held: dict[str, Any]) -> list[str]:
        found: list[str] = []
        done: set[int] = set()
        for name, value in held.items():
            values.leaks(value, name.removeprefix("__main__."), found, done)
        return found

    def inner(self, made: Object, fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call while another is under way, or in another thread: part of what it does, counted and not logged."""
        if self.paused:
            return fun(*args, **kwargs)
        if threading.get_ident() != self.main_thread:
            thread = self.own.__dict__.setdefault("number", next(self.thread_numbers))
            made.threads[thread] = made.threads.get(thread, 0) + 1
            before = self.runs(made, self.ran)
            try:
                return fun(*args, **kwargs)
            finally:
                if self.runs(made, self.ran) > before:
                    made.tracing.add(thread)
        before = self.runs(made, self.bodies)
        made.nested += 1
        try:
            return fun(*args, **kwargs)
        finally:
            made.nested_traced += self.runs(made, self.bodies) > before

    @property
    def ran(self) -> dict[str, int]:
        """How often this thread has run each body."""
        return self.own.__dict__.setdefault("ran", {})  # type: ignore[no-any-return]

    def runs(self, made: Object, bodies: dict[str, int]) -> int:
        """How often the body of a compiled function has run, of those that were counted."""
        return bodies.get(body(made.code, self.root), 0) if made.code is not None else 0

    def compute(self, made: Object, fun: Any) -> int:
        """Compute every array that the program's names lead to; the bytes that this takes."""
        mx.synchronize()
        before = mx.get_active_memory()
        for name, value in self.held(made, fun).items():
            values.leaks(value, name, [], set())
        mx.synchronize()
        return int(mx.get_active_memory() - before)

    def snapshot(self, made: Object, fun: Any) -> dict[str, Any]:
        """What the program's names hold, to see what changes between calls."""
        return {name: values.seen(value) for name, value in self.held(made, fun).items() if not isinstance(value, (types.ModuleType, type))}

    def held(self, made: Object, fun: Any) -> dict[str, Any]:
        """The values that the program's names and those of the compiled function hold."""
        held = {f"{module}.{name}": value for module, names in self.modules().items() for name, value in names.items()}
        target = made.function() if made.function is not None else None
        if isinstance(target, types.MethodType):
            held["self"] = target.__self__
            target = target.__func__
        if isinstance(target, types.FunctionType):
            for name, cell in zip(target.__code__.co_freevars, target.__closure__ or ()):
                try:
                    held[name] = cell.cell_contents
                except ValueError:
                    continue
        elif hasattr(target, "__dict__"):
            held["self"] = target
        return held

    def roots(self, fun: Any) -> list[Any]:
        """What holds the names that a function can read: those of the modules, and its own."""
        target = unwrap(fun)
        own = [target.__self__] if isinstance(target, types.MethodType) else [] if isinstance(target, types.FunctionType) else [target]
        return (
            [vars(module) for module in self.namespaces()]
            + [{"self": value} for value in own]
            + list(getattr(target, "__closure__", None) or ())
        )

    def public(self) -> dict[int, str]:
        """Public names that lead to compiled objects, so that other modules can call them."""
        found: dict[int, str] = {}
        done: set[int] = set()
        for names in self.modules().values():
            for name, value in names.items():
                if not name.startswith("_"):
                    shells(value, name, found, done)
        return found

    # -- tracing -------------------------------------------------------------------------------------------------------

    def install(self) -> None:
        mx.compile = self.compile
        self.switch.install()
        if self.transforms is not None:
            self.transforms.install()
        if self.clocks is not None:
            self.clocks.install()
        self.see_absent(os.stat)
        os.listdir, os.scandir = self.see_listed(os.listdir), self.see_listed(os.scandir)
        sys._getframe().f_trace_opcodes = True  # Python 3.12 asks only when tracing starts whether anyone wants to hear of opcodes
        threading.settrace(self.on_call)
        sys.settrace(self.on_call)

    def see_absent(self, real: Callable[..., Any]) -> None:
        """Whoever asks whether a file is there asks for its status."""

        def stat(path: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return real(path, *args, **kwargs)
            except FileNotFoundError:
                if isinstance(path, (str, os.PathLike)):
                    self.absent.add(os.path.abspath(path))
                raise

        os.stat = stat

    def see_listed(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def read(path: Any = ".", *args: Any, **kwargs: Any) -> Any:
            if isinstance(path, (str, os.PathLike)):
                self.listed.add(os.path.abspath(path))
            return real(path, *args, **kwargs)

        return read

    def stop(self) -> None:
        sys.settrace(None)
        threading.settrace(None)

    def on_call(self, frame: types.FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        if code in self.passed_over or self.paused:
            return None
        if code.co_flags & SUSPENDED and code.co_code[max(frame.f_lasti, 0)] == BEGINNING:
            return None  # one that was never begun is closed: nothing of its body runs
        ours = code.co_filename.startswith(self.root)
        if not ours and code not in self.targets:
            self.passed_over.add(code)
            return None
        back = frame.f_back
        if self.stack and (back is None or not back.f_code.co_filename.startswith(self.root)) and self.entered(frame):
            entry = self.stack[-1][1]
            entry["traced"] += 1
        name = body(code, self.root)
        for bodies in (self.bodies, self.ran):
            bodies[name] = bodies.get(name, 0) + 1
        if not ours:
            return None
        if code not in self.spots:
            self.spots[code] = self.find(code)
            if code.co_flags & inspect.CO_GENERATOR and not self.spots[code] and code not in self.targets:
                self.passed_over.add(code)  # each item that it yields would be a call
        frame.f_trace_lines = False
        frame.f_trace = self.on_event  # Python 3.13 hears of opcodes only in frames that are traced already
        frame.f_trace_opcodes = bool(self.spots[code])
        return self.on_event

    def entered(self, frame: types.FrameType) -> bool:
        """Whether this is the body of the compiled function, and not something that it calls through other people's code."""
        made = self.stack[-1][0]
        if made.code is not None:
            return frame.f_code is made.code
        return not self.stack[-1][1]["traced"]

    def on_event(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "opcode":
            spots = self.spots[frame.f_code].get(frame.f_lasti)
            for watch, last in spots or ():
                if not self.stack:
                    watch.outside += not last
                elif last:
                    watch.finished += 1
                else:
                    watch.inside += 1
                    watch.objects.add(self.stack[-1][0].number)
        elif event == "exception":
            self.note(argument[1], frame, self.stack[-1][0] if self.stack else None)
        return self.on_event

    def find(self, code: types.CodeType) -> dict[int, list[tuple[Watch, bool]]]:
        """Where a watched expression begins in a code object, and where it ends if one instruction is exactly it."""
        found: dict[int, list[tuple[Watch, bool]]] = {}
        name = relative(code.co_filename, self.root)
        for watch in self.watches:
            if watch.file != name:
                continue
            within = [(offset, (start, end)) for offset, start, end in positions(code) if watch.start <= start and end <= watch.end]
            if within:
                found.setdefault(within[0][0], []).append((watch, False))
            exactly = [offset for offset, place in within if place == (watch.start, watch.end)]
            if exactly:
                watch.exact = True
                found.setdefault(exactly[-1], []).append((watch, True))
        return found

    def note(self, error: BaseException, frame: types.FrameType | None, made: Object | None, at: tuple[str, int] | None = None) -> int:
        """The number of an exception; the first place that it is seen at is where it was raised. `at`: it left a compiled call there."""
        number = getattr(error, MARK, None)
        if isinstance(error, FileNotFoundError) and isinstance(error.filename, str):
            self.absent.add(os.path.abspath(error.filename))
        if number is None:
            number = len(self.exceptions)
            try:
                setattr(error, MARK, number)
            except AttributeError:
                return -1
            place = at or (("", 0) if frame is None else (relative(frame.f_code.co_filename, self.root), frame.f_lineno))
            record = {
                "type": type(error).__name__, "message": str(error)[:600].replace(self.root, ""), "file": place[0], "row": place[1], "left": False,
                "object": made.number if made else None, "call": len(self.calls) - 1 if self.stack else None,
                "rows": [], "at": spot(frame) if frame is not None else None, "asked": asked.by(error),
                "instruction": dis.opname[frame.f_code.co_code[frame.f_lasti]] if frame is not None and frame.f_lasti >= 0 else "",
            }  # fmt: skip
            self.exceptions.append(record)
        record = self.exceptions[number]
        if frame is not None:
            record["rows"].append([relative(frame.f_code.co_filename, self.root), frame.f_lineno])
        if at is not None:
            record["left"] = True
        return int(number)

    def forgive(self, error: BaseException) -> None:
        """An exception that says nothing of the program: something else took the place of what raised it."""
        number = getattr(error, MARK, None)
        if number is not None:
            self.exceptions[number]["type"] = "Forgiven"

    def caller(self) -> tuple[str, int]:
        """Where in the program we are."""
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None and not frame.f_code.co_filename.startswith(self.root):
            frame = frame.f_back
        return (relative(frame.f_code.co_filename, self.root), frame.f_lineno) if frame is not None else ("", 0)

    def span(self) -> list[int] | None:
        """Where the expression that the program is at starts and ends."""
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None and not frame.f_code.co_filename.startswith(self.root):
            frame = frame.f_back
        return spot(frame) if frame is not None else None

    def lost_record(self) -> None:
        """Stands in for logging.Handler.handleError: a log record that could not be formatted."""
        error = sys.exc_info()[1]
        file, row = self.caller()
        self.logging.append(
            {"file": file, "row": row, "type": type(error).__name__, "message": str(error)[:600], "inside": bool(self.stack)}
        )


class Compiled:
    """The real compiled object with a log around it. Its death is noted: it empties the cache."""

    is_shell = True

    def __init__(self, observer: Observer, made: Object, real: Any) -> None:
        self._observer, self._made, self._real = observer, made, real

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._observer.called(self._made, self._real, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_real"], name)

    def __del__(self) -> None:
        self._observer.clock += 1
        self._made.died = self._observer.clock


class Plain:
    """The function itself, uncompiled, with the same log."""

    is_shell = True

    def __init__(self, observer: Observer, made: Object, fun: Any) -> None:
        self._observer, self._made, self.fun = observer, made, fun
        if callable(fun) and not isinstance(fun, dict):
            functools.update_wrapper(self, fun, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._observer.called(self._made, self.fun, args, kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        bound = instance is not None and self._made.code is not None and self._made.code.co_varnames[:1] == ("self",)
        return types.MethodType(self, instance) if bound else self

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["fun"], name)


_real = type(real_compile(lambda x: x))
for _shell in (Compiled, Plain):  # MLX names them in what it raises, and both runs have to say the same
    _shell.__module__, _shell.__qualname__, _shell.__name__ = _real.__module__, _real.__qualname__, _real.__name__


def shells(value: Any, path: str, found: dict[int, str], done: set[int], depth: int = 0) -> None:
    """The compiled objects below a value, by their numbers, with a path to each. What a function closes over is its own."""
    if isinstance(value, (Compiled, Plain)):
        found.setdefault(vars(value)["_made"].number, path)
        return
    if depth > values.DEPTH or id(value) in done or isinstance(value, (types.ModuleType, types.FunctionType, mx.array)):
        return
    done.add(id(value))
    if isinstance(value, (list, tuple)):
        for item in value[: values.ITEMS]:
            shells(item, path, found, done, depth + 1)
    inside = {**(value if isinstance(value, dict) else {}), **getattr(value, "__dict__", {})}
    for key, item in list(inside.items()):
        if not str(key).startswith("_"):
            shells(item, f"{path}.{key}", found, done, depth + 1)


def unwrap(fun: Any) -> Any:
    """The Python function below partials and compiled objects."""
    for _ in range(8):
        if isinstance(fun, functools.partial):
            fun = fun.func
        elif isinstance(fun, (Compiled, Plain)):
            inside = vars(fun)
            fun = inside["fun"] if "fun" in inside else inside["_real"]
        else:
            break
    return fun


def reference(fun: Any) -> Callable[[], Any] | None:
    """A way back to a function that does not keep it alive; a bound method is made anew at each look."""
    try:
        return weakref.WeakMethod(fun) if isinstance(fun, types.MethodType) else weakref.ref(fun)
    except TypeError:
        return None


def code_of(fun: Any) -> types.CodeType | None:
    """The code that a trace of `fun` runs, if that can be told."""
    fun = unwrap(fun)
    code = getattr(fun, "__code__", None)
    if code is None and fun is not None:
        code = getattr(inherited(type(fun)), "__code__", None)
    return code if isinstance(code, types.CodeType) else None


def parameters(fun: Any) -> list[str]:
    """The names of the parameters that a call gives by position, as far as they can be told."""
    try:
        found = inspect.signature(fun).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one.name for one in found if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]


LAZY = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def kind_of(fun: Any) -> str:
    """What is compiled: a method that nothing is bound to, a function whose calls run nothing yet, a function, or none."""
    code, fun = code_of(fun), unwrap(fun)
    if not callable(fun):
        return "none"
    if code is not None and code.co_flags & LAZY:
        return "lazy"
    method = code is not None and isinstance(fun, types.FunctionType) and code.co_varnames[:1] in (("self",), ("cls",))
    return "method" if method else "function"


def inherited(cls: type) -> Any:
    """The __call__ that a class has from one of those above it."""
    return next((vars(base)["__call__"] for base in cls.__mro__ if "__call__" in vars(base)), None)


def positions(code: types.CodeType) -> Any:
    """(offset, start, end) of each instruction; before Python 3.11 only rows are known, and nothing is exact."""
    if not hasattr(code, "co_positions"):
        for offset, row in dis.findlinestarts(code):
            yield offset, (row, 1 << 20), (row, -1)
        return
    for instruction in dis.get_instructions(code):  # without the caches between them
        at = instruction.positions
        if at is not None and None not in (at.lineno, at.end_lineno, at.col_offset, at.end_col_offset):
            yield instruction.offset, (at.lineno, at.col_offset), (at.end_lineno, at.end_col_offset)


def spot(frame: types.FrameType) -> list[int] | None:
    """Where the instruction at hand stands: row, column, end row, end column."""
    if not hasattr(frame.f_code, "co_positions"):
        return None
    row, end_row, column, end_column = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    return None if row is None or end_row is None or column is None or end_column is None else [row, column, end_row, end_column]


def body(code: types.CodeType, root: str) -> str:
    """What a body is counted under."""
    return f"{relative(code.co_filename, root)}:{code.co_firstlineno}:{code.co_name}"


def relative(file: str, root: str) -> str:
    return file[len(root) :].lstrip(os.sep).replace(os.sep, "/") if file.startswith(root) else file


def first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0]
