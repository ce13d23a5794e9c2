"""What each process that runs a program does before: MLX and our own code are imported, mx.compile is proved to trace, the hook is put on."""

from __future__ import annotations

import builtins
import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

SCRIPTS = ("run", "serve")
"""Files that are begun by name; all others are imported."""
UNCOMPILED = ("plain", "rounded")
"""The modes in which mx.compile is left out."""


def preload() -> None:
    """Import all of our own code that runs in a child."""
    for name in sorted(os.listdir(os.path.dirname(__file__))):
        stem, suffix = os.path.splitext(name)
        if suffix == ".py" and stem not in SCRIPTS:
            importlib.import_module(f"{__package__}.{stem}")


def start_mlx(job: dict[str, Any]) -> None:
    """Import all that is needed, without computing anything."""
    from . import environment

    environment.settle()
    import mlx.core
    import mlx.nn
    import mlx.optimizers
    import mlx.utils  # noqa: F401 - before mx.compile is replaced: it compiles functions of its own

    for name in job["modules"]:  # on import they do things that the hook refuses
        try:
            importlib.import_module(name)
        except ImportError:
            continue


def ready(proven: bool) -> tuple[dict[str, str], str | None]:
    """Which MLX this is, and what is wrong with it, after its first computation."""
    import mlx.core as mx

    mx.eval(mx.zeros(1) + 1)  # the first call of a process that has run nothing traces twice
    device = str(mx.default_device().type).rpartition(".")[2]
    name = mx.device_info().get("device_name") if hasattr(mx, "device_info") else None
    about = {
        "version": mx.__version__,  # type: ignore[attr-defined]
        "device": f"{device} ({name})" if name else device,
    }
    return about, canary(mx) if proven else None


def unfused() -> bool:
    """Whether no kernels are built from now on. The mode is decided when it is first asked for, so not where the program decides it."""
    import mlx.core as mx

    from . import fusion

    return fusion.leave_out(mx)


def canary(mx: Any) -> str | None:
    """What is wrong with mx.compile here. Without a usable C++ compiler it does nothing at all on the CPU, and never says so."""
    runs = []

    def counted(x: Any) -> Any:
        runs.append(1)
        return mx.tanh(x) * 2

    compiled = mx.compile(counted)
    compiled(mx.zeros(1))
    compiled(mx.zeros(1))
    return None if len(runs) == 1 else "mx.compile does nothing here: the body of a compiled function ran at every call"


def readable(folder: str, job: dict[str, Any]) -> tuple[str, ...]:
    """What an experiment may read apart from what every one may: its own, the interpreter's and what belongs to the project."""
    return folder, os.path.dirname(os.path.realpath(__file__)), sys.prefix, sys.base_prefix, *job["readable"]


def prepare(root: str, job: dict[str, Any], within: Callable[[], int | None] = lambda: None) -> None:
    """The process as the program in `root` is to find it. `within`: the compiled object whose trace is under way."""
    import random

    import mlx.core as mx

    from . import absent, standins

    if job["drive"] is not None:
        trees = job["drive"]["trees"]
        vars(builtins)["or_stand_in"] = lambda names, kind, attempt: standins.or_stand_in(names, kind, attempt, trees, root)
        vars(builtins)["or_left_out"] = standins.or_left_out
    random.seed(7)
    mx.random.seed(7)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(7)
    sys.path[:0] = [os.path.join(root, folder) for folder in job["roots"]]
    sys.argv = [os.path.join(root, job["entry"]["file"])]
    absent.install(job["outside"], root + os.sep, within)


def arm(folder: str, job: dict[str, Any], layers: list[str], refused: list[str]) -> None:
    """Put the audit hook on; nothing but the program runs after it."""
    from . import hook

    layers += hook.arm(os.path.join(folder, "work"), refused, readable(folder, job) if "landlock" in layers else None)
