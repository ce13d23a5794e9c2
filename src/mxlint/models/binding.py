"""Which functions of libraries stay what they are where a class holds them, measured by scripts/measure_binding.py."""

from __future__ import annotations

import json
from functools import cache

from mxlint.models.load import canonical
from mxlint.resources import resource


@cache
def _staying() -> dict[str, str | list[str]]:
    found: dict[str, str | list[str]] = json.loads(resource("models", "data", "binding.json").read_bytes())["stays"]
    return found


def becomes_method(name: str) -> bool:
    """Whether a function of a library becomes a method of an object whose class holds it, as one that is written in Python does. One that is written in
    C does not; of one that is not known it is taken so."""
    module, _, short = canonical(name).rpartition(".")
    staying = _staying().get(module, ())
    return staying != "*" and short not in staying
