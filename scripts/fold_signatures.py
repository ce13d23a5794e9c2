"""Which arguments the functions, layers and optimizers of MLX take, by the signatures that MLX itself gives
→ src/mxlint/models/mlx/signatures.json.

    python scripts/fold_signatures.py          write the file
    python scripts/fold_signatures.py --check  exit 1 if it is not what the installed MLX says

One line a function, and a text for each overload of it: `a / axis= * stream=` says that `a` is wanted, and by position alone, and that `stream` is given by
its name.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

import mlx.core as mx
from fold_arrays import MODULES
from made import keep
from mlx import nn, optimizers, utils

FILE = Path(__file__).parents[1] / "src" / "mxlint" / "models" / "mlx" / "signatures.json"
HIDDEN = {"mlx.core.arange": {"step"}}
"""What may be left out though no signature shows a default. Of each other function that takes arrays or numbers MLX refuses a call without what is wanted."""
ALONE = {
    1: """
    asarray bitwise_invert concat concatenate conj conjugate full_like hadamard_transform isfinite isinf isnan isneginf isposinf nan_to_num
    pad repeat slice slice_update stack to_fp8 view astype roll
""",
    2: """
    add array_equal bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor divide divmod equal floor_divide greater
    greater_equal issubdtype left_shift less less_equal multiply not_equal qqmm remainder right_shift subtract
""",
}
"""How many parameters functions of `mlx.core` take by position alone where the `/` of their signatures says something else, or is not there: MLX refuses
those by name, and takes the next one so."""
PYTHON = {"mlx.nn": nn, "mlx.nn.losses": nn.losses, "mlx.nn.init": nn.init, "mlx.optimizers": optimizers, "mlx.utils": utils}


def of_nanobind(signature: str, hidden: Collection[str], alone: Collection[int]) -> str:
    """`def exp(a: array, /, *, stream: StreamOrDevice = None) -> array` as a text of names."""
    inside = signature.partition("(")[2].rpartition(") ->")[0]
    while (shorter := re.sub(r"\[[^\[\]]*\]", "", inside)) != inside:  # annotations hold commas
        inside = shorter
    found: list[str] = []
    for part in filter(None, map(str.strip, inside.split(","))):
        name = re.split(r"\s*[:=]", part)[0]
        found.append(f"{name}=" if ("=" in part or name in hidden) and not name.startswith("*") else name)
    for count in alone:
        found = [name for name in found if name != "/"]
        found.insert(count, "/")
    return " ".join(found)


def of_python(function: object) -> str:
    """The same of a function that is written in Python."""
    found, starred = [], False
    for one in inspect.signature(function).parameters.values():  # type: ignore[arg-type]
        if one.kind is one.KEYWORD_ONLY and not starred:
            found, starred = [*found, "*"], True
        stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        starred = starred or stars == "*"
        found.append(f"{stars}{one.name}{'=' if one.default is not one.empty else ''}")
    return " ".join(found)


def signatures() -> Iterator[tuple[str, list[str]]]:
    """The names of functions, each with a text for each overload."""
    for prefix, module in {**MODULES, "mlx.core.array": mx.array}.items():
        for name in sorted(dir(module)):
            overloads = [one[0] for one in getattr(getattr(module, name), "__nb_signature__", ()) if isinstance(one[0], str)]
            if overloads and not name.startswith("_") and all(re.match(r"def \w+\(.*\) ->", one) for one in overloads):
                full = f"{prefix}.{name}"
                alone = [count for count, names in ALONE.items() if full.removeprefix("mlx.core.") in names.split()]
                yield full, [of_nanobind(one, HIDDEN.get(full, ()), alone) for one in overloads]
    for prefix, module in PYTHON.items():
        for name in sorted(dir(module)):
            function = getattr(module, name)
            if (
                not name.startswith("_")
                and (inspect.isclass(function) or inspect.isfunction(function))
                and function.__module__.startswith("mlx.")
            ):
                yield f"{prefix}.{name}", [of_python(function)]


def folded() -> str:
    """The file: one line a function."""
    entries = ",\n".join(f"{json.dumps(name)}: {json.dumps(overloads)}" for name, overloads in sorted(signatures()))
    return f'{{"mlx": "{mx.__version__}", "entries": {{\n{entries}\n}}}}\n'


if __name__ == "__main__":
    sys.exit(keep(FILE, folded()))
