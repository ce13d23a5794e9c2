"""Ask Python, numpy and MLX which functions stay what they are where a class holds them, and write it down as data.

A function written in Python becomes a method of the object that it is read of; one written in C does not, nor does what MLX compiled.

measure_binding.py           write binding.json
measure_binding.py --check   compare what is written there
"""

from __future__ import annotations

import importlib
import json
import platform
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import mlx.core as mx
import mlx.nn
import mlx.optimizers
import mlx.utils
import numpy
from made import keep

from mxlint.models import load

DATA = Path(__file__).parents[1] / "src" / "mxlint" / "models" / "data" / "binding.json"
MLX: tuple[ModuleType, ...] = (
    mx,
    mx.fast,
    mx.linalg,
    mx.fft,
    mx.random,
    mx.distributed,
    mlx.nn,
    mlx.nn.losses,
    mlx.nn.init,
    mlx.utils,
    mlx.optimizers,
)


def names() -> Iterator[str]:
    """The functions of libraries that have a model, and what the modules of MLX hold."""
    for top in load.libraries():
        found = load.library(top)
        yield from found.functions if found is not None else ()
    for module in MLX:
        for name, held in vars(module).items():
            if callable(held) and not isinstance(held, type) and type(held).__module__ != "typing" and not name.startswith("_"):
                yield f"{module.__name__}.{name}"


def stays(name: str) -> bool | None:
    """Whether what has a name is no method of an object whose class holds it; None where it is not here."""
    owner, _, attribute = name.rpartition(".")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            held = getattr(importlib.import_module(owner), attribute)
    except (ImportError, AttributeError):
        return None
    return not hasattr(type(held), "__get__")


def binding() -> dict[str, str | list[str]]:
    """By module the functions that stay what they are, `*` where all do."""
    found: dict[str, dict[str, bool]] = {}
    for name in names():
        if (known := stays(name)) is not None:
            found.setdefault(name.rpartition(".")[0], {})[name.rpartition(".")[2]] = known
    return {
        module: "*" if all(known.values()) else sorted(name for name, same in known.items() if same)
        for module, known in sorted(found.items())
        if any(known.values())
    }


def main() -> int:
    source = f"Python {platform.python_version()}, numpy {numpy.__version__}, mlx {mx.__version__}: scripts/measure_binding.py"
    lines = ",\n".join(f"{json.dumps(module)}: {json.dumps(same)}" for module, same in binding().items())
    made = f'{{"source": {json.dumps(source)},\n"stays": {{\n{lines}\n}}}}\n'
    return keep(DATA, made)


if __name__ == "__main__":
    sys.exit(main())
