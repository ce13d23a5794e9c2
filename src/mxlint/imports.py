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
_NAMED = re.compile(rb"([\w.\x80-\xff]+)(?:\s+as\s+([\w\x80-\xff]+))?|\*")

_MOST_OUTSIDE = 200  # files read beyond those of the run


Import = tuple[int, str, bytes | None, bytes]
"""How many dots lead, the dotted module, the name imported from it (`*` for all; None for the module itself), and what that is called here."""


class ImportGraph:
    """Who imports a file, among `files` and the files outside of the run that these lead to, whose bytes are in `outside`.

    `names` says for a file and one that imports it under what names: (name there, or None for the file itself; name here).
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.outside: dict[str, bytes] = {}
        self.importers: dict[str, set[str]] = defaultdict(set)
        self.names: dict[tuple[str, str], set[tuple[bytes | None, bytes]]] = defaultdict(set)
        finder = _Finder()
        waiting = list(files.items())
        while waiting:
            path, data = waiting.pop()
            for found, name, here in finder.imported(path, data):
                if found not in files and found not in self.outside and len(self.outside) < _MOST_OUTSIDE:
                    self.outside[found] = _bytes(found)
                    waiting.append((found, self.outside[found]))
                if found in files or found in self.outside:
                    self.importers[found].add(path)
                    self.names[found, path].add((name, here))


class _Finder:
    """Imports to files. It asks the file system each question once."""

    def __init__(self) -> None:
        self._roots: dict[str, tuple[str, ...]] = {}
        self._begins: dict[tuple[str, str], bool] = {}
        self._files: dict[tuple[str, str], str | None] = {}

    def imported(self, path: str, data: bytes) -> Iterator[tuple[str, bytes | None, bytes]]:
        """The files that a file may import, directly, and under what names."""
        folder = os.path.dirname(path)
        for level, module, name, here in imports(data):
            base = folder
            for _ in range(level - 1):
                base = os.path.dirname(base)
            head = module.partition(".")[0]
            for root in (base,) if level else (root for root in self._roots_of(folder) if self._has(root, head)):
                found = self._file(root, module)
                if found is not None:
                    yield found, name, here
                inner = self._file(root, f"{module}.{name.decode(errors='replace')}".lstrip(".")) if name not in (None, b"*") else None
                if inner is not None:
                    yield inner, None, here

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
        """Where absolute imports may start: in the folder and in those above it up to the project's, each with its src."""
        if folder not in self._roots:
            above = os.path.dirname(folder)
            is_project = any(os.path.exists(os.path.join(folder, name)) for name in ("pyproject.toml", "setup.py", ".git"))
            outer = () if is_project or above == folder else self._roots_of(above)
            self._roots[folder] = (folder, os.path.join(folder, "src"), *outer)
        return self._roots[folder]


def imports(data: bytes) -> Iterator[Import]:
    """What a file imports. Each imported name may itself be a module."""
    for match in _IMPORT.finditer(data):
        start = data.rfind(b"\n", 0, match.start()) + 1
        head = _STATEMENT_START.split(data[start : match.start()])[-1]
        if not head.strip():
            for name, alias in _NAMED.findall(match[1]):
                yield 0, name.decode(errors="replace"), None, alias or name
        elif source := _FROM.match(head):
            dotted = b"".join(source[1].split())
            module = dotted.lstrip(b".")
            for name, alias in _NAMED.findall(match[1]):
                yield len(dotted) - len(module), module.decode(errors="replace"), name or b"*", alias or name or b"*"


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
