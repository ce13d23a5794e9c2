"""Which parameters of MLX's functions, and which attributes, show that a value is an array: those that nothing else has."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Final

from mxlint.models.load import model
from mxlint.models.mlx.table import Table
from mxlint.resources import resource

TREES: Final = ("int", "float", "complex", "str", "bytes", "list", "tuple", "dict")
"""What else a compiled function may be given."""


@cache
def _parameters() -> Mapping[str, Mapping[str, Mapping[str, int]]]:
    """What scripts/fold_arrays.py has made of MLX's signatures."""
    found: Mapping[str, Mapping[str, Mapping[str, int]]] = json.loads(resource("models", "mlx", "arrays.json").read_bytes())
    return found


def array_parameters() -> Mapping[str, Mapping[str, int]]:
    """The parameters of MLX's functions that take arrays alone, with their places, by the function's canonical name."""
    return _parameters()["entries"]


def other_parameters(name: str) -> Mapping[str, int]:
    """The parameters that take no array, with their places, of a function of MLX that makes arrays of sizes or numbers; nothing of any other."""
    return _parameters()["others"].get(name, {})


def only_of_arrays(name: str, table: Table) -> bool:
    """Whether arrays have an attribute, and no number, text or container has it."""
    return table.entry(f"mlx.core.array.{name}") is not None and not any(model(f"builtins.{kind}.{name}") for kind in TREES)


def only_of_dicts(name: str) -> bool:
    """Whether dicts have an attribute, and nothing else that a compiled function may be given has it."""
    return model(f"builtins.dict.{name}") is not None and not any(model(f"builtins.{kind}.{name}") for kind in TREES if kind != "dict")
