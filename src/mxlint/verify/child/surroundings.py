"""What a program asks of its surroundings that an experiment does not have, or has otherwise: a run without the answers refutes nothing."""

from __future__ import annotations

import functools
import getpass
import os
import platform
import pwd
import random
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from typing import Any

from .switches import asker

STANDARD_INPUT, RANDOM = "its standard input", "random numbers that nothing seeds"
USER, TERMINAL, MACHINE = "who runs it", "whether it runs in a terminal", "which machine it runs on"
ENVIRONMENT = "all variables of its environment"
QUESTIONS: tuple[tuple[Any, str, tuple[str, ...]], ...] = (
    (os, USER, ("getlogin", "getuid", "geteuid", "getresuid", "getgid", "getegid", "getresgid", "getgroups")),
    (pwd, USER, ("getpwuid", "getpwnam", "getpwall")),
    (getpass, USER, ("getuser",)),
    (getpass, STANDARD_INPUT, ("getpass",)),
    (os, TERMINAL, ("isatty", "ttyname", "ctermid", "get_terminal_size")),
    (shutil, TERMINAL, ("get_terminal_size",)),
    (os, MACHINE, ("uname", "cpu_count", "sched_getaffinity", "getloadavg")),
    (platform, MACHINE, ("machine", "mac_ver", "node", "platform", "processor", "release", "system", "uname", "version")),
    (socket, MACHINE, ("gethostname", "getfqdn")),
)
"""Functions of modules, and what they ask for. What a library asks in them for itself does not count."""


class Surroundings:
    """Note that the program asks a question, that the standard input is asked, and that the global generator of `random` is drawn from without a
    seed of the program's own.

    Make it once the generator has the experiment's seed, before the program runs. `root`: the folder of the program.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.seeded = False
        self.questions: dict[str, None] = {}
        self.before = random.getstate()
        self.seed = random.seed

    def install(self) -> None:
        if sys.stdin is not None:
            sys.stdin = _Asked(sys.stdin, self)
        random.seed = self._seed
        for module, word, names in QUESTIONS:
            for name in names:
                if hasattr(module, name):
                    setattr(module, name, self._noting(getattr(module, name), word))
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.isatty = self._noting(stream.isatty, TERMINAL)  # type: ignore[method-assign]
        environment: Any = type(os.environ)
        environment.__iter__ = self._noting(environment.__iter__, ENVIRONMENT)

    def _noting(self, real: Callable[..., Any], word: str) -> Callable[..., Any]:
        @functools.wraps(real)
        def asking(*args: Any, **kwargs: Any) -> Any:
            if asker().startswith(self.root):
                self.questions[word] = None
            return real(*args, **kwargs)

        return asking

    def _seed(self, *args: Any, **kwargs: Any) -> None:
        self.seeded = True
        self.seed(*args, **kwargs)

    def asked(self) -> list[str]:
        """Return what the program asked for, in words."""
        drawn = not self.seeded and random.getstate() != self.before
        return [*self.questions, *([RANDOM] if drawn else [])]


class _Asked:
    """The standard input, and a note that something was read from it."""

    def __init__(self, real: Any, surroundings: Surroundings) -> None:
        self._real, self._surroundings = real, surroundings

    def __getattr__(self, name: str) -> Any:
        self._surroundings.questions[TERMINAL if name == "isatty" else STANDARD_INPUT] = None
        return getattr(self.__dict__["_real"], name)

    def __iter__(self) -> Iterator[str]:
        self._surroundings.questions[STANDARD_INPUT] = None
        return iter(self._real)
