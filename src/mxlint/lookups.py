"""Where modules lie on the disk. Each question is put to the file system once; whoever wants to know of later changes begins anew."""

from __future__ import annotations

import os
from pathlib import Path

from mxlint.repository import Repositories

OUTERMOST = ("pyproject.toml", "setup.py", ".git")
"""What lies in the outermost folder of a project."""


class Lookups:
    """Answers about paths. What files hold is not among them."""

    def __init__(self) -> None:
        self._repositories = Repositories()
        self._resolved: dict[str | Path, str] = {}
        self._packages: dict[str, tuple[str, str]] = {}
        self._roots: dict[str, tuple[str, ...]] = {}
        self._above: dict[str, tuple[str, ...]] = {}
        self._places: dict[tuple[str, str], tuple[str, bool] | None] = {}

    def resolve(self, path: str | Path) -> str:
        """The path without links."""
        if path not in self._resolved:
            self._resolved[path] = os.path.realpath(path)
        return self._resolved[path]

    def package(self, folder: str) -> tuple[str, str]:
        """The folder above the top package that a folder belongs to, and the dotted name of the folder in it."""
        if folder not in self._packages:
            above, name = os.path.split(folder)
            if above != folder and os.path.exists(os.path.join(folder, "__init__.py")):
                top, outer = self.package(above)
                self._packages[folder] = top, f"{outer}.{name}" if outer else name
            else:
                self._packages[folder] = folder, ""
        return self._packages[folder]

    def import_roots(self, folder: str) -> tuple[str, ...]:
        """The folders in which a file of `folder` looks for what it imports: its own, the one above its top package, and a `src` folder there."""
        if folder not in self._roots:
            top = self.package(folder)[0]
            candidates = [folder, top, os.path.join(top, "src"), os.path.join(os.path.dirname(top), "src")]
            self._roots[folder] = tuple(root for root in dict.fromkeys(candidates) if os.path.isdir(root) and self.hold(root, folder))
        return self._roots[folder]

    def above(self, folder: str) -> tuple[str, ...]:
        """The folders above a file's own up to its project's, each with its `src`: a program that lies below them may put them where Python searches, as tests, examples
        and scripts do, or the project is installed. The nearest first."""
        if folder not in self._above:
            found: list[str] = []
            place = folder
            while not any(os.path.exists(os.path.join(place, mark)) for mark in OUTERMOST) and os.path.dirname(place) != place:
                place = os.path.dirname(place)
                found += (place, os.path.join(place, "src"))
            inside = any(os.path.exists(os.path.join(place, mark)) for mark in OUTERMOST)
            self._above[folder] = tuple(root for root in found if inside and os.path.isdir(root) and self.hold(root, folder))
        return self._above[folder]

    def hold(self, path: str, folder: str) -> bool:
        """Whether a path lies in the repository of a folder."""
        return self._repositories.hold(path, folder)

    def place(self, root: str, name: str) -> tuple[str, bool] | None:
        """Where a module of this dotted name is under a folder, and whether it is a file; a folder without `__init__.py` is one that holds Python."""
        key = (root, name)
        if key not in self._places:
            self._places[key] = self._place(root, name)
        return self._places[key]

    def _place(self, root: str, name: str) -> tuple[str, bool] | None:
        base = os.path.join(root, *name.split(".")) if name else root
        for path in (os.path.join(base, "__init__.py"), *([base + ".py"] if name else [])):
            if os.path.isfile(path) and self.hold(path, root):
                return path, True
        return (base, False) if os.path.isdir(base) and any(name.endswith(".py") for name in names_in(base)) else None


def names_in(folder: str | Path) -> list[str]:
    """What a folder holds; nothing if it is somebody else's."""
    try:
        return os.listdir(folder)
    except OSError:
        return []
