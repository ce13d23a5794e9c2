"""Which files import which, read off their bytes: for the gate, which must not parse. An edge too many does no harm, one too few does."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

# To look for the one word and then around it is ten times as fast as to look for whole statements.
_IMPORT = re.compile(rb"import\b[ \t]*(\([^)]*|[^\n\\;]*(?:\\\r?\n[^\n\\;]*)*)")
_FROM = re.compile(rb"[ \t]*from\b[ \t]*([.\w\x80-\xff \t]+)$")
_STATEMENT_START = re.compile(rb"[;:]")
_ALIAS = re.compile(rb"\sas\s+[\w\x80-\xff]+")
_DOTTED = re.compile(rb"[\w.\x80-\xff]+")

_MOST_OUTSIDE = 200  # files read beyond those of the run


class ImportGraph:
    """Who imports a file, among `files` and the files outside of the run that these lead to, whose bytes are in `outside`."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.outside: dict[str, bytes] = {}
        self.importers: dict[str, set[str]] = defaultdict(set)
        finder = _Finder()
        waiting = list(files.items())
        while waiting:
            path, data = waiting.pop()
            for found in finder.imported(path, data):
                if found not in files and found not in self.outside and len(self.outside) < _MOST_OUTSIDE:
                    self.outside[found] = _bytes(found)
                    waiting.append((found, self.outside[found]))
                if found in files or found in self.outside:
                    self.importers[found].add(path)


class _Finder:
    """Imports to files. It asks the file system each question once."""

    def __init__(self) -> None:
        self._roots: dict[str, tuple[str, ...]] = {}
        self._begins: dict[tuple[str, str], bool] = {}
        self._files: dict[tuple[str, str], str | None] = {}

    def imported(self, path: str, data: bytes) -> set[str]:
        """The files that a file may import, directly."""
        folder = os.path.dirname(path)
        found: set[str | None] = set()
        for level, module in imported_modules(data):
            if level:
                base = folder
                for _ in range(level - 1):
                    base = os.path.dirname(base)
                found.add(self._file(base, module))
            else:
                head = module.partition(".")[0]
                found.update(self._file(root, module) for root in self._roots_of(folder) if self._has(root, head))
        return {file for file in found if file is not None}

    def _file(self, root: str, module: str) -> str | None:
        key = (root, module)
        if key not in self._files:
            stem = os.path.join(root, *module.split("."))
            candidates = (os.path.join(stem, "__init__.py"), stem + ".py")
            self._files[key] = next((file for file in candidates if os.path.isfile(file)), None)
        return self._files[key]

    def _has(self, root: str, head: str) -> bool:
        """Whether a top-level name exists at all: most imports are of other people's code."""
        key = (root, head)
        if key not in self._begins:
            stem = os.path.join(root, head)
            self._begins[key] = os.path.isdir(stem) or os.path.isfile(stem + ".py")
        return self._begins[key]

    def _roots_of(self, folder: str) -> tuple[str, ...]:
        """Where absolute imports may start: in the folder, in those above it up to the first that is no package or is the project's, in src."""
        if folder not in self._roots:
            above = os.path.dirname(folder)
            is_project = any(os.path.exists(os.path.join(folder, name)) for name in ("pyproject.toml", "setup.py", ".git"))
            if is_project or above == folder:
                self._roots[folder] = (folder, os.path.join(folder, "src"))
            else:
                self._roots[folder] = (folder, *self._roots_of(above))
        return self._roots[folder]


def imported_modules(data: bytes) -> Iterator[tuple[int, str]]:
    """The modules that a file may import: how many dots lead, and the dotted name. Each imported name may itself be a module."""
    for match in _IMPORT.finditer(data):
        start = data.rfind(b"\n", 0, match.start()) + 1
        head = _STATEMENT_START.split(data[start : match.start()])[-1]
        names = [name.decode(errors="replace") for name in _DOTTED.findall(_ALIAS.sub(b"", match[1]))]
        if not head.strip():
            yield from ((0, name) for name in names)
        elif source := _FROM.match(head):
            dotted = b"".join(source[1].split()).decode(errors="replace")
            module = dotted.lstrip(".")
            level = len(dotted) - len(module)
            yield level, module
            yield from ((level, f"{module}.{name}".lstrip(".")) for name in names)


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
