"""Runs programs in forks of its own, instrumented or as they are. Reads one JSON object a line, writes one a line.

{"folder": …, "main": "main.py", "instrument": true, "seconds": 20} → {"kinds": …, "files": …, "output": …, "raised": …}, or {"failed": why}
"""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import decode_source
from types import CodeType, ModuleType
from typing import Any

from oracle.instrument import Tables, instrument
from oracle.watch import Watch


def main() -> None:
    for name in sys.argv[1:]:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.freeze()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(forked(json.loads(line))) + "\n")
        sys.stdout.flush()


def forked(job: dict[str, Any]) -> dict[str, Any]:
    """Run one program in a fork and return what it wrote."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(read)
            signal.alarm(job["seconds"])
            answer = run(job["folder"], job["main"], job["instrument"])
            with os.fdopen(write, "w") as pipe:
                json.dump(answer, pipe)
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status) or not text:
        return {"failed": f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else "no answer"}
    result: dict[str, Any] = json.loads(text)
    return result


def run(folder: str, main_file: str, instrumented: bool) -> dict[str, Any]:
    folder = os.path.realpath(folder)
    watch = Watch(Tables())
    finder = Finder(folder, watch)
    if instrumented:
        watch.install()
        sys.meta_path.insert(0, finder)
    for name in [name for name in sys.modules if name.partition(".")[0] == "oracle"]:
        del sys.modules[name]
    sys.path[0] = folder
    os.chdir(folder)
    path = os.path.join(folder, main_file)
    sys.argv[:] = [path]
    with tempfile.TemporaryFile() as output:
        os.dup2(output.fileno(), 1)
        os.dup2(os.open(os.devnull, os.O_RDWR), 2)
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        raised = None
        module = ModuleType("__main__")
        module.__dict__.update(__file__=path, __cached__=None, __builtins__=__builtins__)
        sys.modules["__main__"] = module
        try:
            with open(path, "rb") as file:
                data = file.read()
            code = finder.code(data, path) if instrumented else compile(data, path, "exec", dont_inherit=True)
            exec(code, module.__dict__)  # noqa: S102 - to run programs is what this is for
        except BaseException as error:  # noqa: BLE001 - whatever the program raises is what is asked for
            raised = f"{type(error).__name__}: {error}"
        sys.stdout.flush()
        output.seek(0)
        text = output.read().decode(errors="replace")
    return {**watch.answer(), "output": text, "raised": raised}


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of the program's folder, and has them instrumented."""

    def __init__(self, folder: str, watch: Watch) -> None:
        self.folder = folder
        self.watch = watch

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> importlib.machinery.ModuleSpec | None:
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or not isinstance(spec.loader, importlib.machinery.SourceFileLoader) or spec.origin is None:
            return None
        if os.path.realpath(spec.origin).startswith(self.folder + os.sep):
            spec.loader = Loader(spec.loader.name, spec.loader.path, self)
            return spec
        return None

    def code(self, data: bytes, path: str) -> CodeType:
        """The code of an instrumented file."""
        file = os.path.relpath(os.path.realpath(path), self.folder).replace(os.sep, "/")
        ast.parse(data)  # a wrong encoding or text raises what Python would
        tree = instrument(_text(data), file, self.watch.tables)
        code: CodeType = compile(tree, path, "exec", dont_inherit=True)
        self.watch.add_code(code, path, file)
        return code


class Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, finder: Finder) -> None:
        super().__init__(name, path)
        self.finder = finder

    def path_stats(self, path: Any) -> Any:
        """No byte code of an uninstrumented file is to be found."""
        raise OSError

    def source_to_code(self, data: Any, path: Any, *, _optimize: int = -1) -> CodeType:  # type: ignore[override]
        return self.finder.code(bytes(data), os.fspath(path))


def _text(data: bytes) -> str:
    """The text with the newlines of the file, where they are all of one length; else as Python reads it."""
    text = decode_source(data)
    if b"\r\n" in data and text.count("\n") == data.count(b"\r\n"):
        return text.replace("\n", "\r\n")
    return text


if __name__ == "__main__":
    main()
