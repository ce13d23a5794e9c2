"""The files together: which file an import statement means."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mxlint.source import Source, SourceError, read_source

if TYPE_CHECKING:
    from mxlint.tracing.files import Files


@dataclass(frozen=True, slots=True)
class Found:
    """A module of the project. `source` is None for a folder without `__init__.py`."""

    name: str
    path: Path
    source: Source | None


class Project:
    """Resolves imports between files (and keeps what was lowered of them in `files`): the folder of the importing file, the folder above its top package, and a `src` folder there."""

    def __init__(self, contents: Mapping[str, bytes] | None = None) -> None:
        """`contents`: the files of the run, by real path, for the few questions about files that no import leads to."""
        self._contents = contents or {}
        self._resolved: dict[Path, Path] = {}
        self._roots: dict[Path, tuple[Path, ...]] = {}
        self._found: dict[tuple[Path, str], Found | None] = {}
        self._sources: dict[Path, Source | None] = {}
        self.files: Files | None = None

    def add(self, source: Source) -> None:
        """Files that are read anyway need not be read again."""
        if source.path is not None:
            self._sources.setdefault(self._resolve(source.path), source)

    def named_elsewhere(self, name: str, source: Source) -> bool:
        """Whether another file of the run says `name`."""
        word = re.compile(rb"\b" + re.escape(name.encode()) + rb"\b")
        own = str(self._resolve(source.path)) if source.path is not None else None
        return any(path != own and word.search(content) is not None for path, content in self._contents.items())

    def changed(self, sources: Iterable[Source]) -> Project:
        """The same project with other contents of some files; what is known of the rest is kept."""
        other = Project(self._contents)
        other._resolved, other._roots = self._resolved, self._roots
        other._sources = {**self._sources, **{self._resolve(source.path): source for source in sources if source.path is not None}}
        other.files = self.files
        return other

    def find(self, name: str, level: int, source: Source) -> Found | None:
        """The module that `import name` (or `from <level dots>name import …`) means in `source`; None when it is not of the project."""
        if source.path is None:
            return None
        folder = self._resolve(source.path).parent
        if level:
            for _ in range(level - 1):
                folder = folder.parent
            return self._under(folder, name)
        for root in self._import_roots(folder):
            found = self._under(root, name)
            if found is not None and (found.source is not None or root != folder):
                return found
        return None

    def import_roots(self, source: Source) -> tuple[Path, ...]:
        """The folders in which `source` looks for what it imports, first that by which others import it."""
        if source.path is None:
            return ()
        path = self._resolve(source.path)
        top = path.parents[self.module_name(source).count(".") + (path.stem == "__init__")]
        return tuple(dict.fromkeys((top, *self._import_roots(path.parent))))

    def module_name(self, source: Source) -> str:
        """The dotted name by which other files import `source`."""
        if source.path is None:
            return Path(source.name).stem
        path = self._resolve(source.path)
        parts = [] if path.stem == "__init__" else [path.stem]
        folder = path.parent
        while os.path.exists(folder / "__init__.py") and folder.parent != folder:
            parts.insert(0, folder.name)
            folder = folder.parent
        return ".".join(parts)

    def _import_roots(self, folder: Path) -> tuple[Path, ...]:
        if folder not in self._roots:
            top = folder
            while os.path.exists(top / "__init__.py") and top.parent != top:
                top = top.parent
            candidates = [folder, top, top / "src", top.parent / "src"]
            self._roots[folder] = tuple(dict.fromkeys(root for root in candidates if os.path.isdir(root)))
        return self._roots[folder]

    def _under(self, root: Path, name: str) -> Found | None:
        key = (root, name)
        if key not in self._found:
            self._found[key] = self._look(root, name)
        return self._found[key]

    def _look(self, root: Path, name: str) -> Found | None:
        base = root.joinpath(*name.split(".")) if name else root
        for path in (base / "__init__.py", base.with_suffix(".py") if name else base / "__init__.py"):
            if os.path.isfile(path):
                source = self._read(path)
                return None if source is None else Found(self.module_name(source), path, source)
        if os.path.isdir(base) and any(name.endswith(".py") for name in _names_in(base)):
            return Found(name, base, None)
        return None

    def _resolve(self, path: Path) -> Path:
        """The path without links; asked of the system once."""
        if path not in self._resolved:
            self._resolved[path] = path.resolve()
        return self._resolved[path]

    def _read(self, path: Path) -> Source | None:
        resolved = self._resolve(path)
        if resolved not in self._sources:
            try:
                self._sources[resolved] = read_source(path, display_name(path))
            except (OSError, SourceError):
                self._sources[resolved] = None
        return self._sources[resolved]


def neighbours(path: Path) -> list[str]:
    """What may belong to the same program as a file: the other files of its folder, or its whole package."""
    folder = top = path.parent
    while os.path.exists(top / "__init__.py") and top.parent != top:
        folder, top = top, top.parent
    packages = [str(folder)] if folder != top else []
    return [*packages, *(str(top / name) for name in sorted(_names_in(top)) if name.endswith(".py"))]


def _names_in(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:  # somebody else's folder
        return []


def display_name(path: Path) -> str:
    """A path as shown to the user: relative to the working directory where it lies below it, with forward slashes."""
    try:
        return path.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except ValueError:
        return path.as_posix()
