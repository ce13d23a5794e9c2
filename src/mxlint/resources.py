"""The files that come with the package: pages of rules, models of libraries, the code of experiments.

They are read through what imported the package, so that mxlint runs from an archive as well. importlib.resources takes 20 ms to import, a third of
a run that finds nothing to do, so it is asked only where the package lies in no folder: elsewhere its files are paths, with the same methods.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

PACKAGE = Path(__file__).parent


class Resource(Protocol):
    """A file or folder of the package: what Path and importlib's Traversable have in common."""

    @property
    def name(self) -> str: ...

    def is_dir(self) -> bool: ...

    def iterdir(self) -> Iterator[Resource]: ...

    def joinpath(self, part: str, /) -> Resource: ...

    def read_bytes(self) -> bytes: ...

    def read_text(self, encoding: str | None = None) -> str: ...


def resource(*parts: str) -> Resource:
    """A file or folder by its path inside the package; whether it exists shows when it is read."""
    found: Resource = PACKAGE if PACKAGE.is_dir() else _archived()
    for part in parts:
        found = found.joinpath(part)
    return found


def _archived() -> Resource:
    from importlib.resources import files

    return files(__package__)


def folder(*parts: str) -> Path:
    """A flat folder of the package as one that other programs can read: copied out of an archive, until this process ends."""
    path = PACKAGE.joinpath(*parts)
    return path if path.is_dir() else Path(_copied(parts).name)


@lru_cache
def _copied(parts: tuple[str, ...]) -> TemporaryDirectory[str]:
    from tempfile import TemporaryDirectory

    copied = TemporaryDirectory(prefix="mxlint-")
    for each in resource(*parts).iterdir():
        if not each.is_dir():
            (Path(copied.name) / each.name).write_bytes(each.read_bytes())
    return copied
