"""What the running Python says: the real object of a canonical name, orders of resolution, registrations for abstract classes, constants."""

from __future__ import annotations

import builtins
import collections.abc
import contextlib
import importlib
import numbers
import types
from typing import Any

MISSING: Any = object()
# Types that no module has under their own name.
HIDDEN = {
    "builtins.dict_keys": type({}.keys()), "builtins.dict_values": type({}.values()), "builtins.dict_items": type({}.items()),
    **{f"builtins.{cls.__name__}": cls for cls in vars(types).values() if isinstance(cls, type) and cls.__module__ == "builtins"},
}  # fmt: skip
LEFT_OUT = ("builtins.object", "typing.Generic", "typing.Protocol")
ABSTRACT = [
    *(f"collections.abc.{name}" for name in collections.abc.__all__),
    *(f"numbers.{name}" for name in numbers.__all__),
    "os.PathLike",
    *(f"contextlib.{name}" for name in contextlib.__all__ if name.startswith("Abstract")),
]
# collections.abc.Buffer came with Python 3.12.
BUFFERS = frozenset({"builtins.bytes", "builtins.bytearray", "builtins.memoryview", "array.array", "mmap.mmap"})


def own_names() -> dict[str, str]:
    """Types that the module `types` gives names to, by their real names: `types.GeneratorType` is `builtins.generator`."""
    found = {}
    for name, cls in vars(types).items():
        if isinstance(cls, type) and cls.__module__ == "builtins" and cls.__name__.isidentifier():
            found[f"types.{name}"] = f"builtins.{cls.__name__}"
    return found


def resolve(name: str) -> Any:
    """The object of a dotted name, or MISSING."""
    if name in HIDDEN:
        return HIDDEN[name]
    found = _resolve(name)
    return _resolve(f"_{name}") if found is MISSING and not name.startswith("_") else found


def _resolve(name: str) -> Any:
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: Any = builtins if parts[:end] == ["builtins"] else importlib.import_module(".".join(parts[:end]))
        except ImportError:
            continue
        for part in parts[end:]:
            # Not getattr: a class attribute may be inherited from the metaclass, and that is not what is asked.
            found = getattr(found, part, MISSING)
        return found
    return MISSING


def order(name: str, stub: list[str], names: dict[int, str]) -> list[str]:
    """The classes after the class itself and before `object`, as the running Python has them, else as the stubs do."""
    real = resolve(name)
    if not isinstance(real, type):
        concrete = any(each.startswith("builtins.") and each != "builtins.object" for each in stub)
        # The builtins inherit from abstract classes in the stubs only.
        return [each for each in stub if each not in LEFT_OUT and not (concrete and each.startswith("collections.abc."))]
    found = []
    for each in real.__mro__[1:-1]:
        shown = names.get(id(each)) or f"{each.__module__}.{each.__qualname__}"
        # Of two classes of one name, the hidden one is a namedtuple that the other inherits from.
        if shown not in LEFT_OUT and (id(each) in names or resolve(shown) is each):
            found.append(shown)
    return found


def registered(name: str, mro: list[str]) -> list[str]:
    """The abstract classes that issubclass says yes for, though the class does not inherit from them."""
    real = resolve(name)
    if not isinstance(real, type):
        return ["collections.abc.Hashable"]  # of a newer Python
    found = ["collections.abc.Buffer"] if name in BUFFERS else []
    for abstract in ABSTRACT:
        cls = resolve(abstract)
        try:
            if isinstance(cls, type) and abstract != name and abstract not in mro and issubclass(real, cls):
                found.append(abstract)
        except TypeError:
            continue
    return found
