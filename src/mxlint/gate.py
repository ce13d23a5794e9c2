"""Which files are worth a parse: bytes only, since most files of most trees hold nothing for us and reading them is all they may cost.

First round, each file by itself: may it compile something? Second round, the files together: does one import what another compiles or wraps?
Both let in too much rather than too little; analysis has the last word.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path

from mxlint.imports import ImportGraph

# re.compile is the one other `compile` that is everywhere.
_COMPILE = re.compile(rb"(?<!\bre\.)compile")
_WORD = re.compile(rb"[\w\x80-\xff]+")
_IMPORTED = re.compile(rb"([\w\x80-\xff]+)(?:\s+as\s+([\w\x80-\xff]+))?")
_TOP_LEVEL = re.compile(rb"^(?=[^\s#)\]}'\"])", re.MULTILINE)
_DEFINED = re.compile(rb"^[ \t]*(?:async[ \t]+def|def|class)[ \t]+([\w\x80-\xff]+)", re.MULTILINE)
_ASSIGNED = re.compile(rb"^[ \t]*((?:[\w.,* \t()\x80-\xff]+(?::[^=\n]*)?=(?!=)[ \t]*)+)", re.MULTILINE)
_GLOBAL = re.compile(rb"\bglobal[ \t]+([\w, \t\x80-\xff]+)")
_STAR = re.compile(rb"import[ \t(]*\*")
_COMPOUND = re.compile(rb"(?:if|else|elif|try|except|finally|with|for|while|match)\b")


def may_compile(data: bytes, wrappers: Collection[bytes] = ()) -> bool:
    """First round: whether a file may by itself compile something with MLX, or switch compilation on or off."""
    if b"compile" in data and (b"disable_compile" in data or (b"mlx" in data and _COMPILE.search(data) is not None)):
        return True
    return b"MLX_DISABLE_COMPILE" in data or any(name in data for name in wrappers)


def last_names(wrappers: Collection[str]) -> frozenset[bytes]:
    """What the use of a configured wrapper must hold: the last part of its dotted name."""
    return frozenset(name.rpartition(".")[2].encode() for name in wrappers)


def admitted(files: Mapping[Path, bytes], explicit: Collection[Path] = (), wrappers: Collection[bytes] = ()) -> set[Path]:
    """Both rounds: the files to analyse. What `explicit` files import is looked at even where nothing of the run has to do with MLX."""
    first = {path for path, data in files.items() if may_compile(data, wrappers)}
    has_mlx = first or any(b"mlx" in data for data in files.values())
    graph = ImportGraph(files if has_mlx else {path: files[path] for path in explicit})
    everything = {**graph.outside, **files}
    for path in [path for path, data in everything.items() if b"mlx" in data]:
        # `from common import mx`: who writes that compiles without ever saying mlx.
        first.update(user for user in graph.importers.get(path, ()) if _COMPILE.search(everything[user]))
    first.update(path for path, data in graph.outside.items() if may_compile(data, wrappers))
    return _second_round(everything, graph.importers, first, wrappers) & files.keys()


def _second_round(
    files: Mapping[Path, bytes], importers: Mapping[Path, Collection[Path]], first: Collection[Path], wrappers: Collection[bytes]
) -> set[Path]:
    """The files of the first round, and those that import from them what is compiled or compiles, over any number of files in between."""
    reached = set(first)
    fed: dict[Path, Exports] = defaultdict(dict)
    readers: dict[Path, _Reader] = {}
    waiting = dict.fromkeys(sorted(first))
    while waiting:
        path = next(iter(waiting))
        del waiting[path]
        if path not in readers:
            readers[path] = _Reader(files[path], wrappers)
        exported = readers[path].exports(fed[path])
        for user in importers.get(path, ()) if exported else ():
            if user not in readers:
                readers[user] = _Reader(files[user], wrappers)
            new = {name: makes for name, makes in exported.items() if readers[user].may_use(name) and makes > fed[user].get(name, -1)}
            if new:
                fed[user].update(new)
                reached.add(user)
                waiting[user] = None
    return reached


# Names of a module, and whether what they name may compile anew when it is called (True), or is compiled already (False).
Exports = dict[bytes, bool]


class _Reader:
    """One file, cut into its top-level statements, with who uses which word."""

    def __init__(self, data: bytes, wrappers: Collection[bytes]) -> None:
        self._blocks = _blocks(data)
        self._star = _STAR.search(data) is not None
        self._users: dict[bytes, list[int]] = defaultdict(list)
        for number, block in enumerate(self._blocks):
            for word in set(_WORD.findall(block)):
                self._users[word].append(number)
        self._wrappers = wrappers

    def may_use(self, name: bytes) -> bool:
        return self._star or name in self._users

    def exports(self, fed: Exports) -> Exports:
        """The module-level names that may be something compiled, a wrapper of compile, or a function that compiles; `fed` are imported ones."""
        names: Exports = {}
        waiting: list[tuple[int, bool]] = [(number, _makes(block)) for number, block in enumerate(self._blocks) if _COMPILE.search(block)]
        if fed and self._star:
            names.update(fed)
        for name, makes in (*fed.items(), *((name, True) for name in self._wrappers)):
            waiting.extend(self._uses(name, makes))
        while waiting:
            number, makes = waiting.pop()
            for name in _bound(self._blocks[number], fed):
                if makes > names.get(name, -1):
                    names[name] = makes
                    waiting.extend(self._uses(name, makes))
        return names

    def _uses(self, name: bytes, makes: bool) -> list[tuple[int, bool]]:
        """The statements that what `name` is goes into. To call what is compiled already makes nothing that is."""
        numbers = self._users.get(name, ())
        return [(number, makes) for number in numbers if makes or not self._blocks[number].startswith(_DEFINITION)]


_DEFINITION = (b"def", b"class", b"async def")


def _makes(block: bytes) -> bool:
    """Whether a statement that holds `compile` is a function or class that compiles, rather than something compiled."""
    return _COMPILE.search(block[block.find(b"\ndef") if block.startswith(b"@") else 0:]) is not None and not _ASSIGNED.match(block)


def _blocks(data: bytes) -> list[bytes]:
    """The top-level statements of a file, roughly: each from a line that is not indented, decorators with what they decorate."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    starts = [match.start() for match in _TOP_LEVEL.finditer(data)]
    blocks: list[bytes] = []
    decorators = b""
    for start, end in zip(starts, [*starts[1:], len(data)]):
        block = decorators + data[start:end]
        decorators = block if data.startswith(b"@", start) else b""
        if not decorators:
            blocks.append(block)
    return blocks


def _bound(block: bytes, fed: Collection[bytes]) -> set[bytes]:
    """The names that a top-level statement may bind at module level; of an import, those that may be compiled or wrap compile."""
    if block.startswith((b"from", b"import")):
        names = {alias or name for name, alias in _IMPORTED.findall(block) if name in fed or b"compile" in name}
        return names | set(fed) if _STAR.search(block) else names
    names = {name for found in _GLOBAL.findall(block) for name in _WORD.findall(found)}
    if block.startswith((b"def", b"class", b"async", b"@")):
        return names | set(_DEFINED.findall(block)[:1])
    assigned = _ASSIGNED.findall(block) if _COMPOUND.match(block) else _ASSIGNED.findall(block, 0, block.find(b"\n") + 1 or len(block))
    return names | set(_DEFINED.findall(block)) | {name for targets in assigned for name in _WORD.findall(targets)}
