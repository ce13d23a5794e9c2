"""Which files are worth a parse: bytes only, since most files of most trees hold nothing for us and reading them is all they may cost.

First round, each file by itself: may it compile something? Second round, the files together: does one import what another compiles or wraps?
Both rather let in too much; analysis has the last word.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping

from mxlint.imports import ImportGraph

_RE_COMPILE = re.compile(rb"(?:^|[^\w\x80-\xff])re\.$")
_WORD = re.compile(rb"[\w\x80-\xff]+")
_TOP_LEVEL = re.compile(rb"^(?=[^\s#)\]}'\"])", re.MULTILINE)
_IMPORTED = re.compile(rb"([\w\x80-\xff]+)(?:\s+as\s+([\w\x80-\xff]+))?")
_STAR = re.compile(rb"import[ \t(]*\*")
_DEFINED = re.compile(rb"^[ \t]*(?:async[ \t]+def|def|class)[ \t]+([\w\x80-\xff]+)", re.MULTILINE)
_ASSIGNED = re.compile(rb"^[ \t]*((?:[\w.,* \t()\x80-\xff]+(?::[^=\n]*)?=(?!=)[ \t]*)+)", re.MULTILINE)
_GLOBAL = re.compile(rb"\bglobal[ \t]+([\w, \t\x80-\xff]+)")
_RETURNED = re.compile(rb"\breturn[ \t(]+([\w.\x80-\xff]+)")
_COMPOUND = re.compile(rb"(?:if|else|elif|try|except|finally|with|for|while|match)\b")


def may_compile(data: bytes, wrappers: Collection[bytes] = ()) -> bool:
    """First round: whether a file may by itself compile something with MLX, or switch compilation on or off."""
    return (b"mlx" in data and _compiles(data)) or _switches(data, wrappers)


def _switches(data: bytes, wrappers: Collection[bytes]) -> bool:
    """Whether a file that need not name MLX compiles nevertheless, by a configured wrapper, or switches compilation on or off."""
    return b"disable_compile" in data or b"MLX_DISABLE_COMPILE" in data or any(name in data for name in wrappers)


def _compiles(data: bytes) -> bool:
    """Whether there is a `compile` other than re.compile, the one that is everywhere."""
    found = data.find(b"compile")
    while found >= 0:
        if not _RE_COMPILE.search(data[max(found - 4, 0) : found]):
            return True
        found = data.find(b"compile", found + 1)
    return False


def last_names(wrappers: Collection[str]) -> frozenset[bytes]:
    """What the use of a configured wrapper must hold: the last part of its dotted name."""
    return frozenset(name.rpartition(".")[2].encode() for name in wrappers)


def admitted(files: Mapping[str, bytes], explicit: Collection[str] = (), wrappers: Collection[bytes] = ()) -> set[str]:
    """Both rounds: the files to analyse. What `explicit` files import is looked at even where nothing in the run has to do with MLX."""
    with_mlx = [path for path, data in files.items() if b"mlx" in data]  # asked once: it is what a tree without MLX costs
    first = {path for path in with_mlx if _compiles(files[path])} | {path for path, data in files.items() if _switches(data, wrappers)}
    graph = ImportGraph(files if with_mlx or first else {path: files[path] for path in explicit})
    known = {**graph.outside, **files}
    first.update(path for path, data in graph.outside.items() if may_compile(data, wrappers))
    for path, users in graph.importers.items():
        # `from common import mx`: who does that compiles without ever saying mlx.
        if b"mlx" in known[path]:
            first.update(user for user in users if _compiles(known[user]))
    return _second_round(known, graph.importers, first, wrappers) & files.keys()


def _second_round(
    files: Mapping[str, bytes], importers: Mapping[str, Collection[str]], first: Collection[str], wrappers: Collection[bytes]
) -> set[str]:
    """The files of the first round, and those that import something compiled from them, over any number of files in between."""
    reached = set(first)
    fed: dict[str, set[bytes]] = defaultdict(set)
    modules: dict[str, _Module] = {}
    waiting = dict.fromkeys(sorted(first))
    while waiting:
        path = next(iter(waiting))
        del waiting[path]
        users = importers.get(path, ())
        for file in (path, *users) if users else ():
            if file not in modules:
                modules[file] = _Module(files[file])
        exported = modules[path].exports({*fed[path], *wrappers}) if users else set()
        for user in users:
            new = {name for name in exported if modules[user].may_use(name)} - fed[user]
            if new:
                fed[user] |= new
                reached.add(user)
                waiting[user] = None
    return reached


class _Module:
    """One file, cut into its top-level statements, each with the words that may carry something compiled into what it binds.

    For most statements that is every word. A function hands on what it returns; what it or a class merely calls does not make it compiled.
    """

    def __init__(self, data: bytes) -> None:
        self._blocks = _blocks(data)
        self._words = set(_WORD.findall(data))
        self._has_star = _STAR.search(data) is not None
        self._carriers: dict[bytes, list[bytes]] = defaultdict(list)
        for block in self._blocks:
            for word in set(_carrying(block)):
                self._carriers[word].append(block)

    def may_use(self, name: bytes) -> bool:
        return self._has_star or name in self._words

    def exports(self, fed: Collection[bytes]) -> set[bytes]:
        """The names that may be something compiled, a wrapper of compile, or a function or class that compiles. `fed` are imported ones."""
        names = set(fed) if self._has_star else set()
        waiting = [block for block in self._blocks if _compiles(block)]
        waiting += [block for name in fed for block in self._carriers.get(name, ())]
        while waiting:
            for name in _bound(waiting.pop(), fed) - names:
                names.add(name)
                waiting.extend(self._carriers.get(name, ()))
        return names


def exports(data: bytes, fed: Collection[bytes] = ()) -> set[bytes]:
    """The module-level names of a file that may be compiled, or compile when called; `fed` are such names that it imports."""
    return _Module(data).exports(fed)


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


def _carrying(block: bytes) -> list[bytes]:
    """The words of a top-level statement that decide what it binds."""
    if block.startswith(b"class"):
        return []
    if block.startswith((b"def", b"async")):
        return [word for returned in _RETURNED.findall(block) for word in returned.split(b".")]
    if block.startswith(b"@") and (definition := _DEFINED.search(block)):
        return _WORD.findall(block, 0, definition.start()) + _carrying(block[definition.start() :])
    return _WORD.findall(block)


def _bound(block: bytes, fed: Collection[bytes]) -> set[bytes]:
    """The names that a top-level statement may bind at module level; of an import, those that may be compiled or wrap compile."""
    if block.startswith((b"from", b"import")):
        return {alias or name for name, alias in _IMPORTED.findall(block) if name in fed or b"compile" in name}
    names = {name for found in _GLOBAL.findall(block) for name in _WORD.findall(found)}
    if block.startswith((b"def", b"class", b"async", b"@")):
        return names | set(_DEFINED.findall(block)[:1])
    assigned = _ASSIGNED.findall(block) if _COMPOUND.match(block) else _ASSIGNED.findall(block, 0, block.find(b"\n") + 1 or len(block))
    return names | set(_DEFINED.findall(block)) | {name for targets in assigned for name in _WORD.findall(targets)}
