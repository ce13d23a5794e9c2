"""Which calls the functions, layers and optimizers of MLX take: how many arguments by position, and which by name. Any other raises TypeError,
and so does one that gives an argument twice."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import cache
from typing import NamedTuple

from mxlint.resources import resource


class Signature(NamedTuple):
    """The parameters of one overload: those by position, in their order; all that may be given by name; those without default; and whether stars
    take more of either."""

    places: tuple[str, ...]
    named: frozenset[str]
    wanted: frozenset[str]
    more_places: bool
    more_names: bool

    def takes(self, count: int, keywords: Collection[str]) -> bool:
        """Whether a call gives what it wants and nothing else: so many arguments by position, and some by name."""
        if count > len(self.places) and not self.more_places or not self.more_names and not self.named.issuperset(keywords):
            return False
        if any(name in self.named and name in keywords for name in self.places[:count]):
            return False
        return self.wanted <= {*self.places[:count], *keywords}


@cache
def _signatures(name: str) -> tuple[Signature, ...]:
    """The overloads of a function, by its canonical name."""
    return tuple(map(_read, _entries().get(name, ())))


@cache
def _entries() -> Mapping[str, list[str]]:
    """What scripts/fold_signatures.py has made of MLX's signatures."""
    found: Mapping[str, list[str]] = json.loads(resource("models", "mlx", "signatures.json").read_bytes())["entries"]
    return found


def _read(text: str) -> Signature:
    """A signature as the file has it: `a / axis= * stream=`."""
    parts = text.split()
    alone = parts.index("/") if "/" in parts else 0
    parts = [part for part in parts if part != "/"]
    star = next((number for number, part in enumerate(parts) if part.startswith("*")), len(parts))
    names = [part for part in parts if not part.startswith("*")]
    return Signature(
        tuple(part.rstrip("=") for part in parts[:star]),
        frozenset(name.rstrip("=") for name in names[alone:]),
        frozenset(name for name in names if not name.endswith("=")),
        any(part.startswith("*") and part.strip("*") and not part.startswith("**") for part in parts),
        any(part.startswith("**") for part in parts),
    )


def takes(name: str, count: int, keywords: Collection[str]) -> bool:
    """Whether a function of MLX takes a call with so many arguments by position and some by name, as far as its signatures are known."""
    found = _signatures(name)
    return not found or any(signature.takes(count, keywords) for signature in found)
