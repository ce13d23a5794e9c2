"""What Python itself refuses an experiment: an audit hook, and wrappers of the functions that no audit event tells of.

This is against accidents, and for a name of what was refused; code that means harm gets past it, and then has the kernel before it.
"""

from __future__ import annotations

import builtins
import os
import sys
import termios
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .guard import DEVICES, readable_anyway
from .refusals import ALLOWED, CHANGES, DENIED, MODULES, OF_MLX, OF_PROCESSES, UNHEARD, said

LAYER = "audit hook"
F_GETPATH = 50
"""macOS: the path of an open file."""


class Denied(PermissionError):
    """The experiment tried something that has no place in one."""


def arm(writable: str, refused: list[str], readable: Iterable[str] | None = None) -> list[str]:
    """Refuse, from now on, what no experiment needs; `refused` gets the kinds of what was.

    `readable`: the folders that the kernel lets the experiment read, if it does refuse others: this is only noted here.
    """
    judge = _Judge(writable, refused, readable)
    _wrap(judge)
    sys.addaudithook(_hook(judge))
    return [LAYER]


class _Judge:
    """Says what lies where. It holds what it calls, so that the program cannot replace it."""

    __slots__ = ("devices", "exists", "fsdecode", "fspath", "join", "link", "realpath", "refused", "root", "roots")

    def __init__(self, writable: str, refused: list[str], readable: Iterable[str] | None) -> None:
        self.root = os.path.join(os.path.realpath(writable), "")
        known = None if readable is None else {*readable_anyway(), *readable}
        both = None if known is None else {*known, *(os.path.realpath(path) for path in known), self.root}
        self.roots = None if both is None else tuple(os.path.join(path, "") for path in both)
        self.devices, self.refused = frozenset(DEVICES), refused
        self.fspath, self.realpath, self.join, self.exists = os.fspath, os.path.realpath, os.path.join, os.path.lexists
        self.link, self.fsdecode = os.readlink, os.fsdecode

    def refuse(self, kind: str) -> Denied:
        """The exception to raise."""
        if kind not in self.refused:
            self.refused.append(kind)
        return Denied(said(kind))

    def outside(self, path: Any, folder: Any = None) -> bool:
        """Whether a path, or an open file, is not the experiment's own. What is no path is none of our business."""
        start = self.place(folder) if isinstance(folder, int) and folder >= 0 else ""
        if isinstance(path, int):
            text = self.place(path)
        else:
            try:
                text = self.fsdecode(self.fspath(path))
            except TypeError:
                return False
        if text is None or start is None:
            return True
        text = self.join(start, text)
        return text not in self.devices and not (self.realpath(text) + "/").startswith(self.root)

    def place(self, descriptor: int) -> str | None:
        """Where an open file or folder is; None if that cannot be told."""
        try:
            if sys.platform == "linux":
                return self.link(f"/proc/self/fd/{descriptor}")
            import fcntl

            return self.fsdecode(fcntl.fcntl(descriptor, F_GETPATH, bytes(1024)).rstrip(b"\0"))
        except OSError:
            return None

    def read(self, path: Any) -> None:
        """Note that a file is about to be read that the kernel does not show."""
        if self.roots is None or isinstance(path, int):
            return
        try:
            text = self.fsdecode(self.fspath(path))
        except TypeError:
            return
        if text.startswith(self.roots) and "/../" not in text or text in self.devices:
            return
        if not (self.realpath(text) + "/").startswith(self.roots) and self.exists(text) and "read" not in self.refused:
            self.refused.append("read")


def _hook(judge: _Judge) -> Callable[[str, tuple[Any, ...]], None]:
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    denied, allowed, changes, modules, starts = dict(DENIED), ALLOWED, dict(CHANGES), dict(MODULES), tuple(DENIED)
    by_path = getattr(os, "O_PATH", 0)  # nothing is read through it
    own, ours = (0, os.getpid()), os.path.join(os.path.dirname(__file__), "")
    requests = frozenset(getattr(termios, name) for name in ("TIOCGWINSZ", "FIONREAD", "FIONBIO", "FIOCLEX") if hasattr(termios, name))

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if not isinstance(flags, int) or isinstance(path, int):
                return
            if not flags & writing:
                if not flags & by_path:
                    judge.read(path)
            elif judge.outside(path):
                raise judge.refuse("write")
        elif event in changes:
            kind, places = changes[event]
            for path, folder in places:
                start = arguments[folder] if folder is not None and folder < len(arguments) else None
                if event == "os.truncate" and isinstance(arguments[path], int):
                    continue  # it was opened for writing
                if event == "os.mkdir" and start in (None, -1) and judge.exists(arguments[path]):
                    continue  # the system says that it exists
                if judge.outside(arguments[path], start):
                    raise judge.refuse(kind)
        elif event == "import":
            if arguments[0] in modules:
                raise judge.refuse(modules[arguments[0]])
        elif event == "object.__setattr__":
            # types.coroutine gives a function other code; nobody is to do so with ours.
            if arguments[1] == "__code__" and arguments[0].__code__.co_filename.startswith(ours):
                raise judge.refuse("interpreter")
        elif event == "resource.prlimit":
            if arguments[0] not in own:
                raise judge.refuse("scheduling")
        elif event == "fcntl.ioctl":
            if arguments[1] not in requests:
                raise judge.refuse("metadata")
        elif event.startswith(starts) and event not in allowed:
            raise judge.refuse(next(kind for start, kind in denied.items() if event.startswith(start)))

    return hook


def _wrap(judge: _Judge) -> None:
    """Put wrappers in the place of functions that no event tells of."""
    own = os.getpid()
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

    def of_itself(kind: str, mine: tuple[int, ...]) -> Callable[..., bool]:
        return lambda args, _: args[: len(mine)] in (mine, (*mine[:-1], own))

    def in_folder(path: int) -> Callable[..., bool]:
        return lambda args, named: not judge.outside(args[path] if len(args) > path else named.get("path"), named.get("dir_fd"))

    def opened(args: Sequence[Any], named: dict[str, Any]) -> bool:
        flags = args[1] if len(args) > 1 else named.get("flags", 0)
        folder = named.get("dir_fd")
        return folder is None or not flags & writing or not judge.outside(args[0] if args else named.get("path"), folder)

    def given(args: Sequence[Any], named: dict[str, Any]) -> bool:
        return not judge.outside(args[0] if args else named.get("file"))

    def reading(args: Sequence[Any], named: dict[str, Any]) -> bool:
        judge.read(args[0] if args else named.get("file"))
        return True

    for name, mine in OF_PROCESSES.items():
        _replace(_OS, name, "other process" if name == "pidfd_open" else "scheduling", of_itself(name, mine), judge)
    for name, (kind, path) in UNHEARD.items():
        _replace(_OS, name, kind, (lambda args, named: False) if path is None else in_folder(path), judge)
    _replace(_OS, "open", "write", opened, judge)
    for name, kind in MODULES.items():
        for function in [*vars(sys.modules.get(name, builtins))] if name in sys.modules else ():
            if not function.startswith("_"):
                _replace((name,), function, kind, lambda args, named: False, judge)
    for name, kind in OF_MLX.items():
        if kind == "write":
            _replace(("mlx.core",), name, kind, given, judge)
        else:
            _replace(("mlx.core",), name, kind, reading, judge)


_OS = ("os", "posix")


def _replace(modules: Sequence[str], name: str, kind: str, allowed: Callable[..., bool], judge: _Judge) -> None:
    """Let a function be called only with allowed arguments, in each module that has it."""
    real = getattr(sys.modules.get(modules[0]), name, None)
    if not callable(real) or isinstance(real, type):
        return

    def call(*args: Any, **named: Any) -> Any:
        if not allowed(args, named):
            raise judge.refuse(kind)
        return real(*args, **named)

    call.__name__, call.__qualname__, call.__doc__ = name, name, real.__doc__
    for module in modules:
        if getattr(sys.modules.get(module), name, None) is real:
            setattr(sys.modules[module], name, call)
