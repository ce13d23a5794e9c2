"""The real side, run as a script under a Python that has MLX: each program in forks of its own, once as written and once uncompiled.

Reads one JSON object a line ({"folder": …}) and writes one a line: what the two runs showed. With "asked", expressions of the program by where they
stand, it looks again: at what these hold in each call, and at the program with other contents in its arrays. MLX runs no operation before the
fork, since its threads would not survive it. On CUDA it is not even imported before, so each run imports it anew.
"""

from __future__ import annotations

import ast
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
MAKERS = ("ones", "zeros", "full", "arange", "eye", "linspace", "ones_like", "zeros_like")
"""Functions of MLX that make an array of constants."""
APART = 0.0078125
"""What the contents of arrays that are made alike are set apart by; a power of two, which sums keep."""
PURE = frozenset(("len", "sum", "max", "min", "any", "all", "abs", "list", "tuple", "sorted", "get", "values", "items", "keys"))
"""What an expression may call that is evaluated once more."""
ENDS = (StopIteration, StopAsyncIteration, GeneratorExit)
"""What is raised where something ends."""
QUIET = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.Call, ast.Load, ast.UnaryOp, ast.USub, ast.Slice)
"""Nodes of expressions that can be evaluated once more."""


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
        if "asked" in job:
            again = [forked(job["folder"], compiled, asked=job["asked"], apart=True) for compiled in (False, True)]
            same = [forked(job["folder"], compiled, asked=job["asked"]) for compiled in (False, True)]
            sys.stdout.write(json.dumps({"apart": again, "asked": same}) + "\n")
            sys.stdout.flush()
            continue
        plain, compiled = forked(job["folder"], False), forked(job["folder"], True)
        if compiled.get("results") == plain.get("results") and "shapeless" in Path(job["folder"], "main.py").read_text(encoding="utf-8"):
            # What lies beyond the memory of the first shape may be right by chance.
            compiled = forked(job["folder"], True, filled=0xFE)
        if compiled.get("results") == plain.get("results"):
            compiled["leaks"] = forked(job["folder"], True, watched=True).get("leaks", [])
        sys.stdout.write(json.dumps({"plain": plain, "compiled": compiled}) + "\n")
        sys.stdout.flush()


def forked(
    folder: str, compiled: bool, *, filled: int = 0, watched: bool = False, asked: list[list[Any]] | None = None, apart: bool = False
) -> dict[str, Any]:
    """What a run shows. Where the C library can do so, new memory is `filled` with one byte. `watched`: variables are looked at after each call. `asked`:
    expressions, with file and row, whose values are looked at in each call. `apart`: arrays that are made of constants hold other numbers each time."""
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
                out.write(json.dumps(looked_at(Run(folder, compiled, watched, asked or [], apart))))
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

    def __init__(self, folder: str, compiled: bool, watched: bool, asked: list[list[Any]], apart: bool) -> None:
        self.folder = os.path.realpath(folder)
        self.compiled = compiled
        self.watched = watched
        self.leaks: set[str] = set()
        self.numbers: list[dict[str, Any]] = []
        self.depth = 0
        self.results: list[Any] = []
        self.bodies: dict[CodeType, int] = {}
        self.calls: dict[CodeType, int] = {}
        self.entered: set[CodeType] = set()
        self.lines: set[tuple[str, int]] = set()
        self.caught: list[tuple[str, str, str, int]] = []
        self.arguments: list[Any] = []
        self.states: list[Any] = []
        self.apart = apart
        self.made = 0
        self.compiles = 0
        self.current = 0
        self.asked: dict[tuple[str, int], list[tuple[int, CodeType]]] = {}
        for number, (name, row, text) in enumerate(asked):
            if (code := quiet(text)) is not None:
                self.asked.setdefault((name, row), []).append((number, code))
        self.values: dict[str, list[Any]] = {}

    def result(self) -> dict[str, Any]:
        if mx is None:
            load()
        # The first compiled call of a process that has run nothing yet traces twice.
        mx.eval(mx.zeros(1) + 1)
        mx.random.seed(7)
        random.seed(7)
        for name in OPERATORS:
            unfused(f"__{name}__")
        if self.apart:
            for name in MAKERS:
                setattr(mx, name, partial(self.set_apart, getattr(mx, name)))
            setattr(mx, "array", self.arrays(mx.array))  # noqa: B010 - it is a stand-in, of another type
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
            "never": sorted(code.co_name for code in self.bodies if code not in self.entered),
            "lines": sorted(self.lines),
            "leaks": sorted(self.leaks),
            "numbers": self.numbers,
            "caught": self.caught,
            "arguments": self.arguments,
            "states": self.states,
            "values": self.values,
        }

    def traced(self, frame: FrameType, event: str, given: Any) -> Any:
        if not self.is_own(frame.f_code.co_filename):
            return None
        if event == "call" and frame.f_code in self.bodies:
            self.bodies[frame.f_code] += 1
        elif event == "line":
            place = (os.path.relpath(frame.f_code.co_filename, self.folder), frame.f_lineno)
            self.lines.add(place)
            for number, code in self.asked.get(place, ()) if self.depth else ():
                self.look(number, code, frame)
        elif event == "exception":
            kind, error, after = given
            if not issubclass(kind, ENDS) and not any(self.is_own(inner.filename) for inner in traceback.extract_tb(after)[1:]):
                self.caught.append((kind.__name__, said(error), os.path.relpath(frame.f_code.co_filename, self.folder), frame.f_lineno))
        return self.traced

    def look(self, number: int, code: CodeType, frame: FrameType) -> None:
        """Keep what an expression holds here, with the compiled object and the call that it is in."""
        try:
            value = eval(code, frame.f_globals, frame.f_locals)
            held = seen(value if isinstance(value, mx.array) or not hasattr(value, "mapping") else list(value))
        except Exception:  # noqa: BLE001 - whatever it raises
            return
        self.values.setdefault(str(number), []).append([self.current, len(self.results), held])

    def set_apart(self, real: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """An array of constants, with other contents."""
        made = real(*args, **options)
        self.change(made)
        return made

    def arrays(self, real: Any) -> type:
        """What stands for the class of arrays, and makes some with other contents."""

        class Stand(type):
            def __call__(cls, *args: Any, **options: Any) -> Any:
                return self.set_apart(real, *args, **options)

            def __instancecheck__(cls, given: object) -> bool:
                return isinstance(given, real)

            def __getattr__(cls, name: str) -> Any:
                return getattr(real, name)

        return Stand("array", (), {})

    def change(self, made: mx.array) -> None:
        """Add a little more than to each array that was made before. In a call the two runs make them at other times."""
        if not self.depth and mx.issubdtype(made.dtype, mx.floating):
            self.made += 1
            made[...] = made + APART * self.made
            mx.eval(made)

    def is_own(self, filename: str) -> bool:
        """Whether a file is one of the program's."""
        return filename.startswith(self.folder + os.sep)

    def kept(self, real: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """What mx.compile gives, which is no descriptor, with a log of its calls."""
        self.compiles += 1
        return Compiled(self, real(*args, **options), self.watch(args[0] if args else None), self.compiles)

    def plain(self, fun: Any = None, **options: Any) -> Any:
        """The function itself, with the same log."""
        if fun is None:
            return lambda real: self.plain(real)
        code = self.watch(fun)
        self.compiles += 1
        number = self.compiles

        def uncompiled(*args: Any, **kwargs: Any) -> Any:
            return self.logged(fun, code, args, kwargs, number)

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

    def logged(self, function: Any, code: CodeType | None, args: Any, kwargs: Any, number: int) -> Any:
        if self.depth == 0:
            self.current = number
        self.depth += 1
        if code is not None:
            self.entered.add(code)
        try:
            result = function(*args, **kwargs)
        finally:
            self.depth -= 1
        if self.depth == 0:
            if code is not None:
                self.calls[code] = self.calls.get(code, 0) + 1
            self.results.append(seen(result))
            self.arguments.append(seen([args, kwargs]))
            self.states.append(seen(list(mx.random.state)))
            self.watch_globals(sys._getframe(1))
        return result

    def watch_globals(self, frame: FrameType | None) -> None:
        """The numbers among the globals of the program, and which variables hold a placeholder now, even if not for long."""
        around = frame
        while around is not None and self.watched:
            if self.is_own(around.f_code.co_filename):
                self.leaks.update(
                    name for name, value in around.f_locals.items() if name[:2] != "__" and '"leak"' in json.dumps(kept(value))
                )
            around = around.f_back
        while frame is not None and frame.f_globals.get("__name__") != "<run_path>":
            frame = frame.f_back
        present = {} if frame is None else every(frame.f_globals)
        self.numbers.append({name: value for name, value in present.items() if isinstance(value, (int, float))})
        for name, value in present.items() if self.watched else ():
            if '"leak"' in json.dumps(kept(value)):
                self.leaks.add(name)


class Compiled:
    """Nothing but `done` keeps the compiled object alive: its end matters, since it empties the cache."""

    __slots__ = ("code", "done", "number", "run")

    def __init__(self, run: Run, done: Callable[..., Any], code: CodeType | None, number: int) -> None:
        self.run, self.done, self.code, self.number = run, done, code, number

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.run.logged(self.done, self.code, args, kwargs, self.number)


def said(error: object) -> str:
    """The text of an exception; "" if it asks for the value of a placeholder."""
    try:
        return str(error)[:300]
    except Exception:  # noqa: BLE001 - whatever it raises
        return ""


def quiet(text: str) -> CodeType | None:
    """An expression that nothing shows to have been evaluated once more, compiled; None if it is another one."""
    try:
        tree = ast.parse(text.strip(), "<asked>", "eval")
    except SyntaxError:
        return None
    for node in ast.walk(tree.body):
        called = node.func if isinstance(node, ast.Call) else None
        name = called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""
        if not isinstance(node, QUIET) or called is not None and name not in PURE:
            return None
    return compile(tree, "<asked>", "eval")


def unfused(name: str) -> None:
    """MLX builds a kernel with the C++ compiler for each new chain of operators and each new number in it; a barrier between any two makes few of all."""
    array = mx.array
    real = getattr(array, name)

    def operator(self: mx.array, other: Any) -> Any:
        if isinstance(other, (int, float)) and self.dtype == mx.float32:
            other = mx.contiguous(array(float(other), self.dtype))
        result = real(self, other)
        return mx.contiguous(result) if isinstance(result, array) else result

    setattr(array, name, operator)


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
