"""Which attributes the classes of MLX have, measured by scripts/measure_members.py."""

from __future__ import annotations

import json
from functools import cache
from typing import Final

from mxlint.resources import resource

MODULE: Final = "mlx.nn.Module"
"""The class of modules, which extends that of dicts."""


@cache
def _classes() -> dict[str, list[str]]:
    """The attributes of each class that hide those of its base or that it adds, behind the name of its base."""
    found: dict[str, list[str]] = json.loads(resource("models", "mlx", "members.json").read_bytes())["classes"]
    return found


@cache
def members_of(name: str) -> frozenset[str] | None:
    """The attributes of a class of MLX, but for special methods; None where it is none."""
    found = _classes().get(name)
    if found is None:
        return None
    base, *own = found
    return frozenset(own) | (members_of(base) or frozenset())


def hides(name: str, attribute: str) -> bool:
    """Whether a class of MLX has an attribute of its own: what its bases have under that name is not asked for."""
    return attribute in _classes().get(name, ())[1:]


@cache
def bases_of(name: str) -> tuple[str, ...]:
    """The classes that a class of MLX inherits from, the nearest first."""
    found = _classes().get(name)
    return (found[0], *bases_of(found[0])) if found is not None and found[0] else ()


@cache
def defined(name: str) -> str:
    """A method by the class of MLX that defines it: `mlx.optimizers.Optimizer.update` for that of Adam. Any other name is given as it is."""
    cls, _, method = name.rpartition(".")
    return next((f"{owner}.{method}" for owner in (cls, *bases_of(cls)) if hides(owner, method)), name)


@cache
def lineage_of(name: str) -> tuple[str, ...]:
    """A class of MLX and all that it inherits from; empty where it is none. What lies below the classes of the table is Python's."""
    if name not in _classes():
        return ()
    found = (name, *bases_of(name))
    return (*found, "builtins.dict", "builtins.object") if MODULE in found else (*found, "builtins.object")
