"""The real side, run as a script under a Python that has MLX: each program in forks of its own, once as written and once uncompiled.

Reads one JSON object a line ({"folder": …}) and writes one a line: what the two runs showed. MLX runs no operation before the
fork, since its threads would not survive it. On CUDA it is not even imported before, so each run imports it anew.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import inspect
import json
import os
import random
import runpy
import signal
import sys
import traceback
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType, FunctionType, GeneratorType, ModuleType
from typing import Any

mx: Any = None
SECONDS = 20
"""Seconds of the processor for one run."""
WAITING = 10
"""So many times that by the clock: the C++ compiler is another process, and a busy machine is slow."""
MOST_ITEMS = 20
"""So many of what a generator still gives are looked at."""
M_PERTURB = -6
"""Of mallopt in glibc."""
LIMIT = 4
"""How deep objects are looked into."""
FILES = frozenset({"<run_path>", "helper", "parts", "work", "tools", "base", "settings"})
"""The modules of programs."""
OPERATORS = ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "gt", "ge", "lt", "le")


CUDA = ("mlx-cuda-12", "mlx-cuda-13")
"""The distributions that bring MLX's backend for CUDA, which does not survive a fork."""


def load() -> None:
    """Import MLX: all of it before mx.compile is replaced, since mlx.nn compiles functions of its own."""
    global mx
    mx = importlib.import_module("mlx.core")
    importlib.import_module("mlx.nn")


def main() -> None:
    if not any(found.name in CUDA for found in importlib.metadata.distributions()):
        load()
    for line in sys.stdin:
        job = json.loads(line)
        plain, compiled = forked(job["folder"], False), forked(job["folder"], True)
        if compiled.get("results") == plain.get("results") and "shapeless" in Path(job["folder"], "main.py").read_text(encoding="utf-8"):
            # What lies beyond the memory of the first shape may be right by chance.
            compiled = forked(job["folder"], True, filled=0xFE)
        if compiled.get("results") == plain.get("results"):
            compiled["leaks"] = forked(job["folder"], True, watched=True).get("leaks", [])
        sys.stdout.write(json.dumps({"plain": plain, "compiled": compiled}) + "\n")
        sys.stdout.flush()


def forked(folder: str, compiled: bool, *, filled: int = 0, watched: bool = False) -> dict[str, Any]:
    """What a run shows. Where the C library can do so, new memory is `filled` with one byte. `watched`: globals are looked at after each call."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(read)
            fill_memory(filled)
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            signal.alarm(WAITING * SECONDS)
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 1)
            os.dup2(null, 2)
            with os.fdopen(write, "w") as out:
                out.write(json.dumps(looked_at(Run(folder, compiled, watched))))
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        text = answer.read()
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status) or not text:
        return {"signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0}
    result: dict[str, Any] = json.loads(text)
    return result


def looked_at(run: Run) -> dict[str, Any]:
    """What a run shows; `broken` if that could not be looked at, which is a fault of this file."""
    try:
        return run.result()
    except Exception:  # noqa: BLE001 - it is told to whoever compares
        return {"broken": traceback.format_exc()}


def fill_memory(byte: int) -> None:
    perturb = getattr(ctypes.CDLL(None), "mallopt", None)
    if perturb is not None:
        perturb(M_PERTURB, byte ^ 0xFF)


class Run:
    """One run of one program: what its compiled functions return, how often their bodies run, and the globals that remain."""

    def __init__(self, folder: str, compiled: bool, watched: bool) -> None:
        self.folder = os.path.realpath(folder)
        self.compiled = compiled
        self.watched = watched
        self.leaks: set[str] = set()
        self.numbers: list[dict[str, Any]] = []
        self.depth = 0
        self.results: list[Any] = []
        self.bodies: dict[CodeType, int] = {}
        self.calls: dict[CodeType, int] = {}
        self.lines: set[tuple[str, int]] = set()

    def result(self) -> dict[str, Any]:
        if mx is None:
            load()
        # The first compiled call of a process that has run nothing yet traces twice.
        mx.eval(mx.zeros(1) + 1)
        mx.random.seed(7)
        random.seed(7)
        for name in OPERATORS:
            unfused(f"__{name}__")
        real = mx.compile
        setattr(mx, "compile", partial(self.kept, real) if self.compiled else self.plain)  # noqa: B010 - it is a stand-in, of another type
        os.chdir(self.folder)
        sys.path.insert(0, self.folder)
        sys.settrace(self.traced)
        raised = None
        left: dict[str, Any] = {}
        try:
            left = runpy.run_path(os.path.join(self.folder, "main.py"))
        except BaseException as error:  # noqa: BLE001 - whatever the program raises is what is asked for
            frames = [
                (os.path.relpath(frame.filename, self.folder), frame.lineno)
                for frame in traceback.extract_tb(error.__traceback__)
                if self.is_own(frame.filename)
            ]
            raised = {"type": type(error).__name__, "message": str(error)[:300], "frames": frames}
        sys.settrace(None)
        return {
            "raised": raised,
            "results": self.results,
            "globals": {name: kept(value) for name, value in every(left).items()},
            "bodies": [(code.co_name, count, self.calls.get(code, 0)) for code, count in self.bodies.items()],
            "lines": sorted(self.lines),
            "leaks": sorted(self.leaks),
            "numbers": self.numbers,
        }

    def traced(self, frame: FrameType, event: str, _: object) -> Any:
        if not self.is_own(frame.f_code.co_filename):
            return None
        if event == "call" and frame.f_code in self.bodies:
            self.bodies[frame.f_code] += 1
        elif event == "line":
            self.lines.add((os.path.relpath(frame.f_code.co_filename, self.folder), frame.f_lineno))
        return self.traced

    def is_own(self, filename: str) -> bool:
        """Whether a file is one of the program's."""
        return filename.startswith(self.folder + os.sep)

    def kept(self, real: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """What mx.compile gives, which is no descriptor, with a log of its calls."""
        return Compiled(self, real(*args, **options), self.watch(args[0] if args else None))

    def plain(self, fun: Any = None, **options: Any) -> Any:
        """The function itself, with the same log."""
        if fun is None:
            return lambda real: self.plain(real)
        code = self.watch(fun)

        def uncompiled(*args: Any, **kwargs: Any) -> Any:
            return self.logged(fun, code, args, kwargs)

        return uncompiled

    def watch(self, fun: Any) -> CodeType | None:
        while hasattr(fun, "func"):
            fun = fun.func
        code = getattr(fun, "__code__", None)
        if code is None and fun is not None:
            code = getattr(vars(type(fun)).get("__call__"), "__code__", None)
        if code is not None:
            self.bodies.setdefault(code, 0)
        return code

    def logged(self, function: Any, code: CodeType | None, args: Any, kwargs: Any) -> Any:
        self.depth += 1
        try:
            result = function(*args, **kwargs)
        finally:
            self.depth -= 1
        if self.depth == 0:
            if code is not None:
                self.calls[code] = self.calls.get(code, 0) + 1
            self.results.append(seen(result))
            self.watch_globals(sys._getframe(1))
        return result

    def watch_globals(self, frame: FrameType | None) -> None:
        """The numbers among the globals of the program, and which hold a placeholder now, even if not for long."""
        while frame is not None and frame.f_globals.get("__name__") != "<run_path>":
            frame = frame.f_back
        present = {} if frame is None else every(frame.f_globals)
        self.numbers.append({name: value for name, value in present.items() if isinstance(value, (int, float))})
        for name, value in present.items() if self.watched else ():
            if '"leak"' in json.dumps(kept(value)):
                self.leaks.add(name)


class Compiled:
    """Nothing but `done` keeps the compiled object alive: its end matters, since it empties the cache."""

    __slots__ = ("code", "done", "run")

    def __init__(self, run: Run, done: Callable[..., Any], code: CodeType | None) -> None:
        self.run, self.done, self.code = run, done, code

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.run.logged(self.done, self.code, args, kwargs)


def unfused(name: str) -> None:
    """MLX builds a kernel with the C++ compiler for each new chain of operators and each new number in it; a barrier between any two makes few of all."""
    real = getattr(mx.array, name)

    def operator(self: mx.array, other: Any) -> Any:
        if isinstance(other, (int, float)) and self.dtype == mx.float32:
            other = mx.contiguous(mx.array(float(other), self.dtype))
        result = real(self, other)
        return mx.contiguous(result) if isinstance(result, mx.array) else result

    setattr(mx.array, name, operator)


def every(main: dict[str, Any]) -> dict[str, Any]:
    """The globals of a program, those of its other modules too."""
    modules = {name + ".": vars(module) for name, module in list(sys.modules.items()) if name.partition(".")[0] in FILES}
    return {
        prefix + name: value for prefix, present in {"": main, **modules}.items() for name, value in present.items() if name[:2] != "__"
    }


def kept(value: Any) -> Any:
    """What a global keeps: a class its attributes, a function its defaults."""
    if isinstance(value, type) and value.__module__.partition(".")[0] in FILES:
        return {name: seen(item) for name, item in vars(value).items() if not name.startswith("__") and not callable(item)}
    if isinstance(value, FunctionType) and value.__code__.co_filename != __file__ and value.__defaults__:
        return [seen(item) for item in value.__defaults__]
    return "module" if isinstance(value, ModuleType) else seen(value)


def seen(value: Any, depth: int = 0) -> Any:
    """A value as JSON; what cannot be evaluated is a leaked placeholder."""
    if isinstance(value, mx.array):
        try:
            mx.eval(value)
            flat: Any = value.flatten().tolist()
            return {"shape": list(value.shape), "dtype": str(value.dtype), "values": [float(item) for item in flat]}
        except Exception as error:  # noqa: BLE001 - of many kinds
            return {"leak": str(error)[:120]}
    if depth > LIMIT:
        return "…"
    parameters = getattr(value, "parameters", None)
    if isinstance(value, dict) and parameters is not None:
        return {str(key): seen(item, depth + 1) for key, item in parameters().items()}
    if isinstance(value, dict):
        return {str(key): seen(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [seen(item, depth + 1) for item in value]
    if isinstance(value, bool) or value is None or isinstance(value, (int, float, str)):
        return value
    if "__dict__" in dir(value) and not callable(value) and not isinstance(value, type):
        return {key: seen(item, depth + 1) for key, item in vars(value).items() if not callable(item)}
    if isinstance(value, GeneratorType):
        return still_given(value, depth)
    if isinstance(value, FunctionType) and is_thunk(value.__code__):
        return seen(value(), depth + 1)
    return "callable" if callable(value) else type(value).__name__


def still_given(generator: GeneratorType[Any, Any, Any], depth: int) -> list[Any]:
    """What a generator holds, and what it gives from now on. One that waits for something to be sent may raise."""
    found: list[Any] = [seen(held, depth + 1) for held in list(generator.gi_frame.f_locals.values())] if generator.gi_frame else []
    try:
        found.extend(seen(item, depth + 1) for item in islice(generator, MOST_ITEMS))
    except Exception as error:  # noqa: BLE001 - whatever it raises
        found.append(type(error).__name__)
    return found


def is_thunk(code: CodeType) -> bool:
    """Whether it is a lambda of a program that takes nothing. What wraps a lambda has its name, and code of its own."""
    takes = code.co_argcount or code.co_kwonlyargcount or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    return code.co_name == "<lambda>" and code.co_filename != __file__ and not takes


if __name__ == "__main__":
    main()
