"""Which files import which, read off their bytes: for the gate, which must not parse. An edge too many does no harm, one too few does."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from mxlint.repository import Repositories

# To look for the one word and then around it is ten times as fast as to look for whole statements.
_IMPORT = re.compile(rb"import\b[ \t]*(\([^)]*|[^\n\\;]*(?:\\\r?\n[^\n\\;]*)*)")
_FROM = re.compile(rb"[ \t]*from\b([.\w\x80-\xff \t]+)$")
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
        finder = _Finder(files)
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
    """Imports to files. It asks the file system each question once: what a folder holds, and of a file outside of the run whether it is one."""

    def __init__(self, known: Collection[str]) -> None:
        self._known = known
        self._repositories = Repositories()
        self._names: dict[str, frozenset[str]] = {}
        self._begins: dict[str, tuple[tuple[str, ...], str | None]] = {}
        self._roots: dict[tuple[str, str], tuple[str, ...]] = {}
        self._files: dict[tuple[str, str], str | None] = {}

    def imported(self, path: str, data: bytes) -> Iterator[tuple[str, bytes | None, bytes]]:
        """The files that a file may import, directly, and under what names."""
        folder = os.path.dirname(path)
        for level, module, name, here in imports(data):
            base = folder
            for _ in range(level - 1):
                base = os.path.dirname(base)
            if level > 1 and not self._repositories.hold(base, os.path.realpath(folder)):
                continue
            for root in (base,) if level else self._roots_of(folder, module.partition(".")[0]):
                found = self._file(root, module)
                if found is not None:
                    yield found, name, here
                    if not found.endswith("__init__.py"):
                        continue  # a module holds no others
                if name not in (None, b"*"):
                    inner = self._file(root, f"{module}.{name.decode(errors='replace')}".lstrip("."))
                    if inner is not None:
                        yield inner, None, here

    def _file(self, root: str, module: str) -> str | None:
        key = (root, module)
        if key not in self._files:
            stem = os.path.join(root, *module.split("."))
            folder, last = os.path.split(stem)
            is_package = (not last or last in self._names_in(folder)) and "__init__.py" in self._names_in(stem)
            file = os.path.join(stem, "__init__.py") if is_package else stem + ".py" if last + ".py" in self._names_in(folder) else None
            self._files[key] = file if file is not None and (file in self._known or self._is_ours(file, root)) else None
        return self._files[key]

    def _is_ours(self, file: str, root: str) -> bool:
        """Whether a file outside of the run is one, and of the repository that it was looked for in."""
        return os.path.isfile(file) and self._repositories.hold(file, os.path.realpath(root))

    def _roots_of(self, folder: str, head: str) -> tuple[str, ...]:
        """Where absolute imports of `head` may start: in the folder and in those above it up to the project's, each with its src, if it is there.

        Most are of other people's code, and start nowhere.
        """
        key = (folder, head)
        if key not in self._roots:
            places, above = self._begin(folder)
            outer = self._roots_of(above, head) if above is not None else ()
            self._roots[key] = (*(place for place in places if not self._names_in(place).isdisjoint((head, head + ".py"))), *outer)
        return self._roots[key]

    def _begin(self, folder: str) -> tuple[tuple[str, ...], str | None]:
        """A folder with its src, and the folder above if that belongs to the same project."""
        if folder not in self._begins:
            names, above = self._names_in(folder), os.path.dirname(folder)
            is_outermost = above == folder or not names.isdisjoint(("pyproject.toml", "setup.py", ".git"))
            places = (folder, os.path.join(folder, "src")) if "src" in names else (folder,)
            self._begins[folder] = places, None if is_outermost else above
        return self._begins[folder]

    def _names_in(self, folder: str) -> frozenset[str]:
        if folder not in self._names:
            try:
                self._names[folder] = frozenset(os.listdir(folder))
            except (OSError, ValueError):  # no folder, or somebody else's
                self._names[folder] = frozenset()
        return self._names[folder]


def imports(data: bytes) -> Iterator[Import]:
    """What a file imports. Each imported name may itself be a module."""
    start = looked = 0  # where the statement at hand begins, and how far that was looked for: a line may hold any number of them
    for match in _IMPORT.finditer(data):
        start = max(start, *(data.rfind(mark, looked, match.start()) + 1 for mark in (b"\n", b";", b":")))
        looked = match.start()
        head = data[start:looked]
        if not head.strip():
            for name, alias in _NAMED.findall(match[1]):
                yield 0, name.decode(errors="replace"), None, alias or name
        elif source := _FROM.match(head):
            dotted = b"".join(source[1].split()).decode(errors="replace")
            module = dotted.lstrip(".")
            for name, alias in _NAMED.findall(match[1]):
                yield len(dotted) - len(module), module, name or b"*", alias or name or b"*"


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
