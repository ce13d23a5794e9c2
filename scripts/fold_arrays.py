"""Which parameters of MLX's functions are arrays and nothing else, and which never are, by the signatures that MLX itself gives
→ src/mxlint/models/mlx/arrays.json.

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
from made import keep

FILE = Path(__file__).parents[1] / "src" / "mxlint" / "models" / "mlx" / "arrays.json"
MODULES = {"mlx.core": mx, "mlx.core.fast": mx.fast, "mlx.core.fft": mx.fft, "mlx.core.linalg": mx.linalg, "mlx.core.random": mx.random}


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


def others(function: object) -> dict[str, int]:
    """The parameters that are an array in no overload, with their places, of a function that makes arrays: sizes, numbers, axes, dtypes."""
    signatures = [one[0] for one in getattr(function, "__nb_signature__", ()) if re.search(r"-> (?:array|list\[array\])$", one[0])]
    overloads = [
        {
            part.partition(":")[0].strip(): (number, re.search(r"\b(?:array|DLPackCompatible)\b", part))
            for number, part in enumerate(parameters(one))
            if ":" in part
        }
        for one in signatures
    ]
    taking = {key for found in overloads for name, (number, is_array) in found.items() if is_array for key in (name, number)}
    return {
        name: number for found in overloads for name, (number, is_array) in found.items() if not is_array and not taking & {name, number}
    }


def folded(modules: dict[str, ModuleType]) -> str:
    """The file: one line a function."""
    found = {
        f"{prefix}.{name}": names
        for prefix, module in sorted(modules.items())
        for name in sorted(dir(module))
        if (names := arrays(getattr(module, name)))
    }
    never = {
        f"{prefix}.{name}": names
        for prefix, module in sorted(modules.items())
        for name in sorted(dir(module))
        if 0 in (names := others(getattr(module, name))).values()
    }
    entries, numbers = (",\n".join(f"{json.dumps(name)}: {json.dumps(names)}" for name, names in part.items()) for part in (found, never))
    return f'{{"mlx": "{mx.__version__}", "entries": {{\n{entries}\n}}, "others": {{\n{numbers}\n}}}}\n'


if __name__ == "__main__":
    sys.exit(keep(FILE, folded(MODULES)))
