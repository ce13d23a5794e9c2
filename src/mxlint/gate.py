"""Which files are worth a parse: bytes only, since most files of most trees hold nothing for us and reading them is all they may cost.

First round, each file by itself: may it compile something? Second round, the files together: does one import what another compiles or wraps?
Third round: programs. A function or class that merely uses something compiled does nothing by itself; a file that calls it when it is run does. So does one that
changes what it imports: the compiled function may have read that.
All rather let in too much; analysis has the last word.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from itertools import chain, pairwise

from mxlint.imports import ImportGraph

_RE_COMPILE = re.compile(rb"(?:^|[^\w\x80-\xff])re\.$")
_LINE_END = re.compile(rb"[\r\n]")
_WORD = re.compile(rb"[\w\x80-\xff]+")
# A pattern that begins with a literal skips through the bytes; one that begins with ^ or \b is tried at every one of them.
_TOP_LEVEL = re.compile(rb"\n(?=[^\s#)\]}'\"])")
_IMPORTED = re.compile(rb"([\w\x80-\xff]+)(?:\s+as\s+([\w\x80-\xff]+))?")
_DEFINED = re.compile(rb"^[ \t]*(?:async[ \t]+def|def|class)[ \t]+([\w\x80-\xff]+)", re.MULTILINE)
_ASSIGNED = re.compile(rb"^[ \t]*((?:[\w.,*()\x80-\xff][\w.,* \t()\x80-\xff]*(?::[^=\n]*)?=(?!=)[ \t]*)+)", re.MULTILINE)
_GLOBAL = re.compile(rb"\bglobal[ \t]+([\w, \t\x80-\xff]+)")
_RETURNED = re.compile(rb"\breturn[ \t(]+([\w.\x80-\xff]+)")
_DEFINES = re.compile(rb"def\b|class\b|async[ \t]+def\b|@|from\b|import\b|__all__\b|['\"]")
_LONG_STRING = re.compile(rb"\"\"\".*?\"\"\"|'''.*?'''", re.DOTALL)
_BLOCK = rb"[ \t]*(?:if|elif|else|for|while|with|try|except|finally|case)\b[^\n]*:|[ \t]*(?:async[ \t]+)?def\b[^\n]*\)[^\n:]*:|[^\n]*;"
"""What begins a line in which a statement follows."""
_BEFORE_CHANGE = re.compile(rb"(?:" + _BLOCK + rb")?[^\n:]*")
"""What may stand in a line before a target: others, but no annotation, as of `x: mx.array = None`."""
_BEFORE_ONE_OF_SEVERAL = re.compile(rb"(?:" + _BLOCK + rb")?(?:[\w.,*\[\] \t='\"\x80-\xff]|(?<![\w)\]\x80-\xff])\()*")
"""The same of one of several targets with commas: no call is open, whose argument it would be."""
_IN_BRACKETS = re.compile(rb"[,(\[{\\][ \t\r]*\n?\Z")
"""How a line ends whose brackets the next one is in."""
_TARGET = re.compile(
    rb"(?<![\w.\x80-\xff])([^\W\d][\w\x80-\xff]*|[\x80-\xff][\w\x80-\xff]*)(?:\.[\w\x80-\xff]+|\[[^\]\n]*\])+[ \t]*"
    rb"(?:(?=([,)\]]))|(?:\*\*|//|<<|>>|[-+*/%@&|^])?=(?!=))"
)
"""An attribute or item that a statement sets, by its first name. The second group is there if others or a bracket follow: then it may be."""
_LONGEST = 200
"""Bytes of a line in which targets with commas are looked for."""
_OTHER_TARGETS = re.compile(rb"[,)\]](?:[^=\n(]|(?<![\w)\]\x80-\xff])\(){0,200}(?<![<>!])=(?!=)")
_IMPORT = re.compile(rb"^[ \t]*(?:from|import)\b(?:[^\n(]|\([^)]*\))*", re.MULTILINE)
_COMPOUND = re.compile(rb"(?:if|else|elif|try|except|finally|with|for|while|match)\b")

_AFTER = frozenset(bytes([code]) for code in range(256) if _WORD.match(bytes([code])))
_BEFORE = _AFTER | {b"."}
_DEEPEST = 3  # dots in a name: modules of a package that import each other know no end


def may_compile(data: bytes, wrappers: Collection[bytes] = ()) -> bool:
    """First round: whether a file may by itself compile something with MLX, or switch compilation on or off."""
    return (b"mlx" in data and (_compiles(data) or _exports(data))) or _switches(data, wrappers)


def _switches(data: bytes, wrappers: Collection[bytes]) -> bool:
    """Whether a file that need not name MLX compiles nevertheless, by a configured wrapper, or switches compilation on or off."""
    return b"disable_compile" in data or b"MLX_DISABLE_COMPILE" in data or any(name in data for name in wrappers)


def _compiles(data: bytes) -> bool:
    """Whether there is a `compile` other than re.compile, the one that is everywhere, and outside of comments."""
    found = data.find(b"compile")
    line = 0  # where the line begins
    while found >= 0:
        line = data.rfind(b"\n", line, found) + 1 or line
        if _RE_COMPILE.search(data[max(found - 4, 0) : found]):
            found = data.find(b"compile", found + 1)
        elif _in_comment(data[line:found]):
            end = _LINE_END.search(data, found)
            found = data.find(b"compile", end.start()) if end is not None else -1
        else:
            return True
    return False


def _exports(data: bytes) -> bool:
    """Whether a file may export functions, which traces them as well."""
    return b"export_function" in data or b"exporter" in data


def _in_comment(before: bytes) -> bool:
    """Whether there is a # in the line before something, and no string that this may stand in."""
    return b"#" in before and not any(mark in before for mark in (b'"', b"'", b"\r"))


def last_names(wrappers: Collection[str]) -> frozenset[bytes]:
    """What the use of a configured wrapper must hold: the last part of its dotted name."""
    return frozenset(name.rpartition(".")[2].encode() for name in wrappers)


def admitted(files: Mapping[str, bytes], explicit: Collection[str] = (), wrappers: Collection[bytes] = ()) -> set[str]:
    """Both rounds: the files to analyse. What `explicit` files import is looked at even where nothing in the run has to do with MLX."""
    with_mlx = [path for path, data in files.items() if b"mlx" in data]  # asked once: it is what a tree without MLX costs
    first = {path for path in with_mlx if _compiles(files[path]) or _exports(files[path])} | {
        path for path, data in files.items() if _switches(data, wrappers)
    }
    graph = ImportGraph(files if with_mlx or first else {path: files[path] for path in explicit})
    known = {**graph.outside, **files}
    first.update(path for path, data in graph.outside.items() if may_compile(data, wrappers))
    # `from common import mx`: who does that compiles without ever saying mlx, and so does who imports it from there.
    waiting = [path for path in graph.importers if b"mlx" in known[path]]
    passed = set(waiting)
    while waiting:
        users = graph.importers.get(waiting.pop(), set()) - passed
        passed |= users
        waiting += users
    first.update(path for path in passed if _compiles(known[path]))
    return _Rounds(known, graph, wrappers).reached(first) & files.keys()


class _Rounds:
    """The second and the third round: what the files of the first lead to, over any number of imports."""

    def __init__(self, files: Mapping[str, bytes], graph: ImportGraph, wrappers: Collection[bytes]) -> None:
        self._files = files
        self._graph = graph
        self._wrappers = wrappers
        self._modules: dict[str, _Module] = {}

    def reached(self, first: Collection[str]) -> set[str]:
        compiled = self._follow({path: {*self._wrappers} for path in sorted(first)}, _Module.exports)
        used = self._follow({path: self._module(path).exports(fed) for path, fed in compiled.items()}, _Module.leads)
        others = ((self._module(path), path, fed) for path, fed in used.items() if path not in compiled)
        return compiled.keys() | {path for module, path, fed in others if module.runs(fed) or module.changes_imported and module.uses(fed)}

    def _follow(self, fed: dict[str, set[bytes]], exports: Callable[[_Module, set[bytes]], set[bytes]]) -> dict[str, set[bytes]]:
        """The files that import such names, with those names, by what a file makes of the names that it is given."""
        waiting = {path: set(names) for path, names in fed.items()}  # names that are yet to be followed
        while waiting:
            path = next(iter(waiting))
            names, users = waiting.pop(path), self._graph.importers.get(path, ())
            exported: dict[bytes, list[bytes]] = defaultdict(list)
            for name in exports(self._module(path), names) if users else ():
                exported[name.partition(b".")[0]].append(name)
            for user in users:
                new = self._imported(path, user, exported) - fed.get(user, set())
                if new:
                    waiting.setdefault(user, set()).update(new if user in fed else new.union(self._wrappers))
                    fed.setdefault(user, {*self._wrappers}).update(new)
        return fed

    def _imported(self, path: str, user: str, exported: Mapping[bytes, Collection[bytes]]) -> set[bytes]:
        """The names of a file, given by their first part, as one that imports it says them: `step`, `jit.step`, the name that it was given."""
        found: set[bytes] = set()
        is_package = user.endswith("__init__.py")
        for name, here in self._graph.names[path, user]:
            for there in exported.get(name, ()) if name and name != b"*" else chain.from_iterable(exported.values()):
                if name == b"*":
                    found.add(there)
                elif name == there:
                    found.add(here)
                elif there.count(b".") < _DEEPEST and (is_package or self._module(user).says(there)):
                    found.add(here + b"." + (there.partition(b".")[2] if name else there))
        return found

    def _module(self, path: str) -> _Module:
        if path not in self._modules:
            self._modules[path] = _Module(self._files[path])
        return self._modules[path]


class _Module:
    """One file, cut into its top-level statements, each with the words that may carry something compiled into what it binds.

    For most statements that is every word. A function hands on what it returns; what it or a class merely calls does not make it compiled.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._says: dict[bytes, bool] = {}
        self._bound: dict[bytes, set[bytes]] = {}
        self._mentioning: dict[bytes, list[bytes]] = {}

    @cached_property
    def _blocks(self) -> list[bytes]:
        return _blocks(self._data)

    @cached_property
    def _compiling(self) -> list[bytes]:
        return [block for block in self._blocks if _compiles(block)]

    @cached_property
    def _said(self) -> list[bytes]:
        """What is said other than in a docstring or the like."""
        return _blocks(_without_long_strings(self._data))

    @cached_property
    def _carriers(self) -> dict[bytes, list[bytes]]:
        """By word, the top-level statements that it decides for what they bind."""
        carriers = defaultdict(list)
        for block in self._blocks:
            for word in set(_carrying(block)):
                carriers[word].append(block)
        return carriers

    def says(self, name: bytes) -> bool:
        """Whether the file may use an attribute of a module."""
        word = name.rpartition(b".")[2]
        if word not in self._says:
            self._says[word] = word in self._data
        return self._says[word]

    def exports(self, fed: Collection[bytes]) -> set[bytes]:
        """The names that may be something compiled, a wrapper of compile, or a function or class that compiles. `fed` are imported ones."""
        names = set(fed)
        waiting = [
            *self._compiling,
            *(block for name in fed for block in self._carriers.get(name.rpartition(b".")[2], ()) if name in block),
        ]
        while waiting:
            for name in self._binds(waiting.pop()) - names:
                names.add(name)
                waiting.extend(self._carriers.get(name, ()))
        return names

    def leads(self, fed: Collection[bytes]) -> set[bytes]:
        """The names that may come to one of `fed` when they are used: whatever mentions it, or what mentions it."""
        names = set(fed)
        waiting = list(fed)
        while waiting:
            for block in self._mention(waiting.pop()):
                new = self._binds(block) - names
                names |= new
                waiting.extend(new)
        return names

    def runs(self, fed: Collection[bytes]) -> bool:
        """Whether the file comes to one of `fed` when it is run."""
        return any(b"(" in block and not _DEFINES.match(block) for name in self.leads(fed) for block in self._mention(name))

    def uses(self, fed: Collection[bytes]) -> bool:
        """Whether something in the file comes to one of `fed`, whoever calls it."""
        return any(not block.startswith((b"from", b"import")) for name in fed for block in self._mention(name))

    @cached_property
    def changes_imported(self) -> bool:
        """Whether the file sets an attribute or item of something that it imports."""
        imported = {alias or name for statement in _IMPORT.findall(self._data) for name, alias in _IMPORTED.findall(statement)}
        return any(match[1] in imported and _is_set(self._data, match) for match in _TARGET.finditer(self._data))

    def _mention(self, name: bytes) -> list[bytes]:
        """The top-level statements that say a name."""
        if name not in self._mentioning:
            self._mentioning[name] = [block for block in self._said if name in block and _mentions(block, name)]
        return self._mentioning[name]

    def _binds(self, block: bytes) -> set[bytes]:
        if block not in self._bound:
            self._bound[block] = _bound(block)
        return self._bound[block]


def _mentions(block: bytes, name: bytes) -> bool:
    """Whether a name stands there by itself, and is no attribute of something."""
    at = block.find(name)
    while at >= 0:
        end = at + len(name)
        if block[at - 1 : at] not in _BEFORE and block[end : end + 1] not in _AFTER:
            return True
        at = block.find(name, end)
    return False


def _is_set(data: bytes, target: re.Match[bytes]) -> bool:
    """Whether a statement sets something that looks like a target, by what stands in its line before."""
    if target[2] is None:
        return _BEFORE_CHANGE.fullmatch(data, data.rfind(b"\n", 0, target.start()) + 1, target.start()) is not None
    line = data.rfind(b"\n", max(target.start() - _LONGEST, 0), target.start()) + 1
    return (
        (line > 0 or target.start() < _LONGEST)
        and _OTHER_TARGETS.match(data, target.end()) is not None
        and _BEFORE_ONE_OF_SEVERAL.fullmatch(data, line, target.start()) is not None
        and _IN_BRACKETS.search(data, max(line - _LONGEST, 0), line) is None
    )


def exports(data: bytes, fed: Collection[bytes] = ()) -> set[bytes]:
    """The module-level names of a file that may be compiled, or compile when called; `fed` are such names that it imports."""
    return _Module(data).exports(fed)


def _without_long_strings(data: bytes) -> bytes:
    parts = data.split(b'"""')
    if len(parts) % 2 and b"'''" not in data:  # nearly always, and several times as fast
        return b'""'.join(parts[::2])
    return _LONG_STRING.sub(b'""', data)


def _blocks(data: bytes) -> list[bytes]:
    """The top-level statements of a file, roughly: each from a line that is not indented, decorators with what they decorate."""
    data = b"\n" + data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines = [match.end() for match in _TOP_LEVEL.finditer(data)]
    starts = [line for before, line in pairwise([0, *lines]) if not data.startswith(b"@", before)]
    return [data[start:end] for start, end in pairwise([*starts, len(data)])]


def _carrying(block: bytes) -> list[bytes]:
    """The words of a top-level statement that decide what it binds."""
    if block.startswith(b"class"):
        return []
    if block.startswith((b"def", b"async")):
        return [word for returned in _RETURNED.findall(block) for word in returned.split(b".")]
    if block.startswith(b"@") and (definition := _DEFINED.search(block)):
        return _WORD.findall(block, 0, definition.start()) + _carrying(block[definition.start() :])
    return _WORD.findall(block)


def _bound(block: bytes) -> set[bytes]:
    """The names that a top-level statement may bind at module level; of an import, those that may be compile."""
    if block.startswith((b"from", b"import")):
        return {alias or name for name, alias in _IMPORTED.findall(block) if b"compile" in name} if b"compile" in block else set()
    names = {name for found in _GLOBAL.findall(block) for name in _WORD.findall(found)} if b"global" in block else set()
    if block.startswith((b"def", b"class", b"async", b"@")):
        return names | {match[1] for match in (_DEFINED.search(block),) if match}
    if _COMPOUND.match(block):
        assigned = _ASSIGNED.findall(block)
        names.update(_DEFINED.findall(block))
    else:
        assigned = _ASSIGNED.findall(block, 0, block.find(b"\n") + 1 or len(block))
    return names | {name for targets in assigned for name in _WORD.findall(targets)}
