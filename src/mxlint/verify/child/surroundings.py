"""What a program asks of its surroundings that an experiment does not have, or has otherwise: a run without the answers refutes nothing."""

from __future__ import annotations

import functools
import getpass
import os
import platform
import pwd
import random
import secrets
import shutil
import socket
import sys
import types
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import mlx.core as mx

from . import readings
from .switches import asker

STANDARD_INPUT, RANDOM = "its standard input", "random numbers that nothing seeds"
USER, TERMINAL, MACHINE = "who runs it", "whether it runs in a terminal", "which machine it runs on"
ENVIRONMENT, COMMAND_LINE, CLOCK = "all variables of its environment", "its command line", "the time"
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
    (mx, MACHINE, ("default_device", "device_count", "device_info", "is_available")),
    *((getattr(mx, part), MACHINE, ("device_info", "is_available")) for part in ("metal", "cuda") if hasattr(mx, part)),
    (os, RANDOM, ("getrandom", "urandom")),
    (random.SystemRandom, RANDOM, ("getrandbits", "randbytes", "random")),
    (secrets, RANDOM, ("choice", "randbelow", "randbits", "token_bytes", "token_hex", "token_urlsafe")),
    (uuid, RANDOM, ("uuid1", "uuid4")),
)
"""Functions of modules, and what they ask for. What a library asks in them for itself does not count."""
OF_SYS = {"argv": COMMAND_LINE, "orig_argv": COMMAND_LINE, "platform": MACHINE}
"""Attributes of `sys` that ask."""


class Surroundings:
    """Note that the program asks a question, that the standard input is asked, that it goes by the time, and that a generator of `random` or
    `numpy.random` is drawn from without a seed of the program's own.

    Make it once the generators have the experiment's seed, before the program runs. `root`: the folder of the program.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.questions: dict[str, None] = {}
        self.generators = [_Generator(random, random.getstate)]
        if "numpy" in sys.modules:
            self.generators.append(_Generator(sys.modules["numpy"].random, _numpy_state))

    def install(self) -> None:
        if sys.stdin is not None:
            sys.stdin = _Asked(sys.stdin, self)
        readings.install(self.root, lambda: self.questions.setdefault(CLOCK))
        sys.__class__ = self._asked_attributes()
        for generator in self.generators:
            generator.install()
        random.Random.seed = self._noting_no_seed(random.Random.seed)  # type: ignore[method-assign]
        if "numpy" in sys.modules:
            generators = sys.modules["numpy"].random
            generators.default_rng = self._noting_no_seed(generators.default_rng)
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

    def _noting_no_seed(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """For what makes a generator, or seeds one: without a seed, or with None, the system gives it."""

        @functools.wraps(real)
        def seeding(*args: Any, **kwargs: Any) -> Any:
            given = [value for value in (*args, *kwargs.values()) if not isinstance(value, random.Random)]
            if (not given or given[0] is None) and asker().startswith(self.root):
                self.questions[RANDOM] = None
            return real(*args, **kwargs)

        return seeding

    def _asked_attributes(self) -> type[types.ModuleType]:
        """A class for `sys` that notes which of its attributes the program reads."""

        def attribute(name: str, word: str) -> property:
            def get(module: Any) -> Any:
                if asker().startswith(self.root):
                    self.questions[word] = None
                try:
                    return vars(module)[name]
                except KeyError:
                    raise AttributeError(f"module 'sys' has no attribute {name!r}") from None

            return property(get, lambda module, value: vars(module).update({name: value}))

        return type("module", (types.ModuleType,), {name: attribute(name, word) for name, word in OF_SYS.items()})

    def asked(self) -> list[str]:
        """Return what the program asked for, in words."""
        drawn = any(generator.drawn() for generator in self.generators) and RANDOM not in self.questions
        return [*self.questions, *([RANDOM] if drawn else [])]


class _Generator:
    """The global generator of a module: whether the program seeds it, and whether it is drawn from."""

    def __init__(self, module: Any, state: Callable[[], Any]) -> None:
        self.module, self.state = module, state
        self.seeded, self.before = False, state()

    def install(self) -> None:
        real = self.module.seed

        @functools.wraps(real)
        def seed(*args: Any, **kwargs: Any) -> None:
            self.seeded = any(value is not None for value in (*args, *kwargs.values()))
            real(*args, **kwargs)

        self.module.seed = seed

    def drawn(self) -> bool:
        return not self.seeded and self.state() != self.before


def _numpy_state() -> Any:
    """The state of numpy's global generator, as something that can be compared."""
    name, keys, *rest = sys.modules["numpy"].random.get_state()
    return name, keys.tobytes(), rest


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
