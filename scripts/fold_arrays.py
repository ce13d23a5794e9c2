"""Which parameters of MLX's functions are arrays and nothing else, by the signatures that MLX itself gives → src/mxlint/models/mlx/arrays.json.

    python scripts/fold_arrays.py          write the file
    python scripts/fold_arrays.py --check  exit 1 if it is not what the installed MLX says

A parameter that takes a scalar as well (`maximum`, `where`) is left out, and so is one that only some overloads have.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import ModuleType

import mlx.core as mx

FILE = Path(__file__).parents[1] / "src" / "mxlint" / "models" / "mlx" / "arrays.json"
MODULES = {"mlx.core": mx, "mlx.core.fast": mx.fast, "mlx.core.linalg": mx.linalg, "mlx.core.fft": mx.fft}


def parameters(signature: str) -> list[str]:
    """The parameters of `def name(a: array, axis: int | None = None) -> array`, each with its annotation and default."""
    found = re.match(r"def \w+\((.*)\) ->", signature)
    return [part.strip() for part in re.split(r",(?![^\[(]*[\])])", found.group(1))] if found else []


def arrays(function: object) -> dict[str, int]:
    """The parameters that are arrays in every overload, with their places."""
    overloads = [
        {part.partition(":")[0]: number for number, part in enumerate(parameters(one[0])) if re.fullmatch(r"\w+: array", part)}
        for one in getattr(function, "__nb_signature__", ())
    ]
    return (
        {name: number for name, number in overloads[0].items() if all(other.get(name) == number for other in overloads)}
        if overloads
        else {}
    )


def folded(modules: dict[str, ModuleType]) -> str:
    """The file: one line a function."""
    found = {
        f"{prefix}.{name}": names
        for prefix, module in sorted(modules.items())
        for name in sorted(dir(module))
        if (names := arrays(getattr(module, name)))
    }
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(names)}" for name, names in found.items())
    return f'{{"mlx": "{mx.__version__}", "entries": {{\n{lines}\n}}}}\n'


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(int(FILE.read_text(encoding="utf-8") != folded(MODULES)))
    FILE.write_text(folded(MODULES), encoding="utf-8")
