"""What one form of a program has built, the other need not build again: it is given copies, and what they took counts as if it had built them.

A kernel is known by its name, which MLX makes of what it does, so the same name in two forms is the same work for the C++ compiler.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence

MAPS = "/proc/self/maps"


def lend(built: str, other: str) -> dict[str, float]:
    """Copy kernels from one temporary folder to another; returns the seconds that each took, from its source to its end, by its path there."""
    took: dict[str, float] = {}
    if not os.path.exists(MAPS):  # who has loaded what cannot be told
        return took
    for top, _, names in os.walk(built):
        for name in names:
            stem, suffix = os.path.splitext(name)
            source = os.path.join(top, f"{stem.removeprefix('lib')}.cpp")
            if suffix == ".so" and os.path.isfile(source):
                path = os.path.join(top, name)
                place = os.path.relpath(path, built)
                copy(built, other, [place])
                took[place] = max(0.0, os.stat(path).st_mtime - os.stat(source).st_mtime)
    return took


def copy(source: str, target: str, places: Iterable[str]) -> None:
    """Copy files from one folder to the same places in another, as far as they are there."""
    for place in places:
        if os.path.isfile(os.path.join(source, place)):
            os.makedirs(os.path.dirname(os.path.join(target, place)), exist_ok=True)
            shutil.copyfile(os.path.join(source, place), os.path.join(target, place))


def loaded() -> list[str]:
    """The kernels that this process has loaded, by their paths in its temporary folder."""
    top = os.path.join(os.environ["TMPDIR"], "")
    try:
        with open(MAPS, encoding="utf-8", errors="replace") as file:
            paths = {line.split(maxsplit=5)[-1].rstrip("\n") for line in file if line.rstrip("\n").endswith(".so")}
    except OSError:
        return []
    return sorted(path.removeprefix(top) for path in paths if path.startswith(top))


def owed(took: Mapping[str, float], built: int, kernels: Sequence[str]) -> int:
    """The part of the nanoseconds `built`, which all kernels took the compiler, that is due to these."""
    whole = sum(took.values())
    return round(built * sum(took.get(kernel, 0.0) for kernel in kernels) / whole) if whole else 0
