"""Ask the installed MLX which attributes its classes have, and write it down as data.

measure_members.py           write members.json
measure_members.py --check   compare what is written there
"""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from types import ModuleType

import mlx.core as mx
import mlx.nn
import mlx.optimizers
from made import keep

DATA = Path(__file__).parents[1] / "src" / "mxlint" / "models" / "mlx" / "members.json"
MODULES: tuple[ModuleType, ...] = (mlx.nn, mlx.optimizers)


def members() -> dict[str, list[str]]:
    """The attributes of each public class, by its public name: special methods left out, those of its first base as well, which stands first, but
    for methods that the class has in place of its base's and that do not call those."""
    classes: dict[type, str] = {}
    for module in MODULES:
        for name, value in vars(module).items():
            if inspect.isclass(value):
                classes.setdefault(value, f"{module.__name__}.{name}")
    found: dict[str, list[str]] = {}
    for cls, name in classes.items():
        base = next((classes[base] for base in cls.__mro__[1:] if base in classes), "")
        inherited = {attribute for other in cls.__mro__[1:] if other in classes for attribute in dir(other)}
        own = {attribute for attribute in dir(cls) if not attribute.startswith("__")} - inherited
        found[name] = [base, *sorted(own | {attribute for attribute in inherited & vars(cls).keys() if not calls_base(cls, attribute)})]
    return dict(sorted(found.items()))


def calls_base(cls: type, name: str) -> bool:
    """Whether what a class has under a name calls what its base has there; of what is no method of Python that is not known, and taken so."""
    value = vars(cls)[name]
    return not inspect.isfunction(value) or f"super().{name}(" in inspect.getsource(value)


def main() -> int:
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(attributes)}" for name, attributes in members().items())
    made = f'{{"mlx": {json.dumps(mx.__version__)},\n"classes": {{\n{lines}\n}}}}\n'
    return keep(DATA, made)


if __name__ == "__main__":
    sys.exit(main())
