"""The files together: which file an import statement means."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mxlint.documents.kinds import kind_of
from mxlint.lookups import Lookups, names_in
from mxlint.reads import Answer, Module, Reads, Word
from mxlint.source import Source, SourceError, read_source, source_from_bytes
from mxlint.syntax.once import Once

if TYPE_CHECKING:
    from mxlint.syntax import ir
    from mxlint.syntax.index import Index
    from mxlint.syntax.outline import Outline
    from mxlint.syntax.trees import Trees


MOST_TEXT = 3_000_000
"""Characters whose IR is kept; beyond them all is forgotten and made again when asked for."""


@dataclass(frozen=True, slots=True)
class Found:
    """A module of the project. `source` is None for a folder without `__init__.py`."""

    name: str
    path: Path
    source: Source | None


@dataclass(slots=True)
class _Made:
    """What was made of files, by the identity of their sources: kept from one run to the next."""

    lowered: dict[int, tuple[Source, ir.Module]] = field(default_factory=dict)
    once: dict[int, Once] = field(default_factory=dict)
    """What the nodes of that IR say by themselves."""
    symbols: dict[tuple[int, tuple[str, ...]], tuple[Source, Index]] = field(default_factory=dict)
    outlines: dict[int, Outline] = field(default_factory=dict)
    """By the identity of indexes, which `symbols` holds."""
    trees: Trees | None = None
    text: int = 0
    """The characters of what was lowered."""

    def forget(self, source: Source) -> None:
        """Let go of what was made of a file that nobody will ask for again."""
        self.lowered.pop(id(source), None)
        self.once.pop(id(source), None)
        for key in [key for key in self.symbols if key[0] == id(source)]:
            _, index = self.symbols.pop(key)
            self.outlines.pop(id(index), None)


class Project:
    """Resolves imports between files of a repository, and keeps their IR. What it is asked for can be noted, and asked of it again."""

    def __init__(
        self,
        contents: Mapping[str, bytes] | None = None,
        unsaved: Mapping[str, bytes] | None = None,
        go_on: Callable[[], None] | None = None,
    ) -> None:
        """`contents`: the files of the run, by real path: they are read from there, and asked where no import leads to them. `unsaved`: what some
        files are taken to hold, by real path, in place of what is on the disk. `go_on`: called whenever the project is asked for something; what it raises ends an analysis
        that nobody waits for any more."""
        self._contents = contents or {}
        self._go_on = go_on
        self._unsaved = unsaved or {}
        self._here = os.path.join(os.path.realpath(os.curdir), "")
        self._reads: Reads | None = None
        self._tried: frozenset[str] = frozenset()
        self._lookups = Lookups()
        self._made = _Made()
        self._meant: dict[tuple[str, str, int], Found | None] = {}
        self._found: dict[tuple[str, str], Found | None] = {}
        self._sources: dict[str, Source | None] = {}
        self._said: dict[Word, bool] = {}
        self._sayers: dict[str, tuple[str, ...]] = {}
        self._earlier: Mapping[str, Source] = {}
        self.answers: dict[Hashable, tuple[Source, Answer]] = {}
        """What analyses found out about the files as they are now, with the file that it is about: the others need not look again."""

    def noting(self, reads: Reads) -> Project:
        """The same project, and what is asked of it is noted."""
        other = copy(self)
        other._reads = reads
        return other

    def renewed(
        self,
        contents: Mapping[str, bytes],
        unsaved: Mapping[str, bytes],
        go_on: Callable[[], None],
        *,
        same_disk: bool,
    ) -> Project:
        """A project for a later run: what was made of files that are the same is kept. `same_disk`: no file has come or gone, nor changed its place. The other arguments are
        those of a new one."""
        other = Project(contents, unsaved, go_on)
        if same_disk:
            other._lookups = self._lookups
        other._made = self._made
        other._earlier = {**self._earlier, **{path: source for path, source in self._sources.items() if source is not None}}
        return other

    def emptied(self) -> Project:
        """The same project, of which nothing is made yet."""
        return Project(self._contents, self._unsaved, self._go_on)

    def tried(self, sources: Iterable[Source]) -> Project:
        """The same project with other contents of some files, to see what a fix would do; what is known of the rest is kept."""
        changed = {self._resolve(source.path): source for source in sources if source.path is not None}
        other = copy(self)
        other._meant, other._found, other.answers = {}, {}, {}
        other._sources = {**self._sources, **changed}
        other._tried = self._tried | changed.keys()
        return other

    def add(self, source: Source) -> Source:
        """Files that are read anyway need not be read again. The source to go on with: that of a file that another one imports is known already."""
        if source.path is None:
            return source
        path = self._resolve(source.path)
        known = self._sources.get(path) or self._same_as_earlier(path, source)
        self._sources.setdefault(path, known)
        return known if (known.name, known.data, known.text) == (source.name, source.data, source.text) else source

    def named(self) -> Mapping[str, Source]:
        """The files that were read so far, by the names that users see."""
        return {source.name: source for source in self._sources.values() if source is not None}

    def paths(self) -> Iterator[str]:
        """The real paths of the files that were read so far."""
        return (path for path, source in self._sources.items() if source is not None)

    def source(self, path: str) -> Source | None:
        """The file of a real path; None if it cannot be read, or is no text."""
        return self._read(path)

    # -- what is asked, and asked again ---------------------------------------------------------------------------------

    def module(self, path: str, name: str, level: int) -> Module | None:
        """What an import in the file of a real path means."""
        return self._module(self._means(path, name, level))

    def text(self, path: str) -> tuple[str, str] | None:
        """The name that users see of the file of a real path, and the digest of what it holds; None if that is no text."""
        source = self._read(path)
        return None if source is None else (source.name, source.digest)

    def module_name_of(self, path: str) -> str:
        """The dotted name by which others import the file of a real path."""
        folder, name = os.path.split(path)
        package, stem = self._lookups.package(folder)[1], os.path.splitext(name)[0]
        return ".".join(part for part in (package, stem if stem != "__init__" else "") if part)

    def said_elsewhere(self, word: Word) -> bool:
        """Whether another file of the run has these letters."""
        name, own = word
        letters = name.encode()
        if word not in self._said:
            self._said[word] = any(path != own and letters in content for path, content in self._contents.items())
        return self._said[word]

    def sayers(self, word: Word) -> tuple[str, ...]:
        """The files of the run that have these letters."""
        name, own = word
        if name not in self._sayers:
            letters = name.encode()
            self._sayers[name] = tuple(path for path, content in self._contents.items() if letters in content)
        return tuple(path for path in self._sayers[name] if path != own)

    def _module(self, found: Found | None) -> Module | None:
        return None if found is None else (found.name, str(found.path), "" if found.source is None else self._resolve(found.path))

    def note(self, reads: Reads) -> None:
        """Note what was asked of this project for an answer that is used again."""
        if self._reads is not None:
            self._reads.add(reads)

    def _note_text(self, path: str, source: Source | None) -> None:
        if self._reads is not None and path not in self._reads.texts and path not in self._tried:
            self._reads.texts[path] = None if source is None else (source.name, source.digest)

    # -- what analyses ask ----------------------------------------------------------------------------------------------

    def named_elsewhere(self, name: str, source: Source) -> bool:
        """Whether another file of the run may say `name`: it has these letters."""
        word = name, self._path(source)
        found = self.said_elsewhere(word)
        if self._reads is not None:
            self._reads.words[word] = found
        return found

    def saying(self, name: str, source: Source, beside: Collection[str] = ()) -> Iterator[Source]:
        """The other files of the run that may say `name`, and one of the words `beside` if there are any: they have these letters."""
        paths = self._paths_saying(name, source)
        both = {path for word in beside for path in self._paths_saying(word, source)} if paths and beside else paths
        for path in paths:
            found = self._read(path) if path in both else None
            if path in both:
                self._note_text(path, found)
            if found is not None:
                yield found

    def _paths_saying(self, name: str, source: Source) -> tuple[str, ...]:
        word = name, self._path(source)
        paths = self.sayers(word)
        if self._reads is not None:
            self._reads.sayers[word] = paths
        return paths

    def used_elsewhere(self, name: str, source: Source, *, attribute: bool) -> bool:
        """Whether another file of the run uses a name of `source`: imports it, or reads it off the module. `attribute`: or off anything."""
        import ast

        module = source.path.stem if source.path is not None else ""
        for other in self.saying(name, source):
            if not attribute and module != "__init__" and module not in other.text:
                continue  # who imports a module says its name
            try:
                nodes = list(ast.walk(ast.parse(other.text)))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
            reads = any(isinstance(node, ast.Attribute) and node.attr == name for node in nodes)
            if attribute and reads or any(self._imports(node, other, source, name, reads) for node in nodes):
                return True
        return False

    def _imports(self, node: object, other: Source, source: Source, name: str, reads: bool) -> bool:
        """Whether a statement of another file imports a name of `source`, or `source` itself where a name is read off something."""
        import ast

        def means(module: str, level: int) -> bool:
            found = self.find(module, level, other)
            return (
                found is not None
                and found.source is not None
                and source.path is not None
                and self._resolve(found.path) == self._resolve(source.path)
            )

        if isinstance(node, ast.Import):
            return reads and any(means(item.name, 0) for item in node.names)
        if not isinstance(node, ast.ImportFrom):
            return False
        names = {item.name for item in node.names}
        inner = (f"{node.module}.{item}" if node.module else item for item in names)
        return (
            bool(names & {name, "*"})
            and means(node.module or "", node.level)
            or reads
            and any(means(module, node.level) for module in inner)
        )

    def lowered(self, source: Source) -> ir.Module:
        """The IR of a file, made once: many files of a project import the same few. Raises what the parser raises."""
        made = self._made
        known = made.lowered.get(id(source))
        if known is None:
            from mxlint.syntax.lower import lower

            if made.text > MOST_TEXT:
                made.lowered.clear()
                made.once.clear()
                made.symbols.clear()
                made.outlines.clear()
                made.text = 0
            made.text += len(source.text)
            known = made.lowered[id(source)] = (source, lower(source.text, self._trees()))
        return known[1]

    def once(self, source: Source) -> Once:
        """What the nodes of the IR of a file say by themselves, each computed once."""
        return self._made.once.setdefault(id(source), Once())

    def symbols(self, source: Source, compilers: Collection[str]) -> Index:
        """The symbol index of a file, made once. `compilers`: the dotted names of what compiles."""
        if self._go_on is not None:
            self._go_on()
        key = id(source), tuple(compilers)
        known = self._made.symbols.get(key)
        if known is None:
            from mxlint.syntax.index import index

            known = self._made.symbols[key] = (source, index(source.text, self._trees().of(source.text).module, compilers))
        return known[1]

    def outline(self, source: Source, compilers: Collection[str]) -> Outline:
        """The outline of a file, made once."""
        found = self.symbols(source, compilers)
        known = self._made.outlines.get(id(found))
        if known is None:
            from mxlint.models.load import callers, changers
            from mxlint.syntax.code import Libraries
            from mxlint.syntax.outline import Outline

            known = self._made.outlines[id(found)] = Outline(found, Libraries(callers(), changers()))
        return known

    def _trees(self) -> Trees:
        """Python's syntax trees, parsed once for all that is made of them."""
        if self._made.trees is None:
            from mxlint.syntax.trees import Trees

            self._made.trees = Trees()
        return self._made.trees

    def find(self, name: str, level: int, source: Source) -> Found | None:
        """The module that `import name` (or `from <level dots>name import …`) means in `source`; None when it is not of the project."""
        if self._go_on is not None:
            self._go_on()
        if source.path is None:
            return None
        path = self._resolve(source.path)
        found = self._means(path, name, level)
        if self._reads is not None and (path, name, level) not in self._reads.imports:
            self._reads.imports[path, name, level] = self._module(found)
            if found is not None and found.source is not None:
                self._note_text(self._resolve(found.path), found.source)
        return found

    def _means(self, path: str, name: str, level: int) -> Found | None:
        key = (path, name, level)
        if key not in self._meant:
            self._meant[key] = self._find(path, name, level)
        return self._meant[key]

    def import_roots(self, source: Source) -> tuple[Path, ...]:
        """The folders in which `source` looks for what it imports, first that by which others import it."""
        if source.path is None:
            return ()
        folder = os.path.dirname(self._resolve(source.path))
        return tuple(map(Path, dict.fromkeys((self._lookups.package(folder)[0], *self._lookups.import_roots(folder)))))

    def module_name(self, source: Source) -> str:
        """The dotted name by which other files import `source`."""
        if source.path is None:
            return Path(source.name).stem
        path = self._resolve(source.path)
        name = self.module_name_of(path)
        if self._reads is not None:
            self._reads.names[path] = name
        return name

    def _find(self, path: str, name: str, level: int) -> Found | None:
        folder = os.path.dirname(path)
        if level:
            for _ in range(level - 1):
                folder = os.path.dirname(folder)
            return self._under(folder, name) if self._lookups.hold(folder, os.path.dirname(path)) else None
        top, package = self._lookups.package(folder)
        for root in self._lookups.import_roots(folder):
            if root == folder and root != top and _is_library(name):
                continue  # a module of a package that is named like a library: the package's own files mean the library
            found = self._under(root, name)
            if found is not None and found.source is not None and self._resolve(found.path) == path and package:
                # A module of a package that imports its own bare name means a library of that name.
                continue
            if found is not None and (found.source is not None or root != folder):
                return found
        return None if _is_library(name) else self._found_above(folder, name)

    def _found_above(self, folder: str, name: str) -> Found | None:
        """A module of the project that a program which lies deeper in it imports: where its package is, or else its folder."""
        found = (self._under(root, name) for root in self._lookups.above(folder))
        return min((module for module in found if module is not None), key=lambda module: module.source is None, default=None)

    def _under(self, root: str, name: str) -> Found | None:
        key = (root, name)
        if key not in self._found:
            self._found[key] = self._look(root, name)
        return self._found[key]

    def _look(self, root: str, name: str) -> Found | None:
        place = self._lookups.place(root, name)
        if place is None:
            return None
        path, is_file = place
        if not is_file:
            return Found(name, Path(path), None)
        source = self._read(path)
        return None if source is None else Found(self.module_name_of(self._resolve(path)), Path(path), source)

    def _resolve(self, path: str | Path) -> str:
        """The path without links."""
        return self._lookups.resolve(path)

    def _path(self, source: Source) -> str | None:
        return self._resolve(source.path) if source.path is not None else None

    def _read(self, path: str) -> Source | None:
        resolved = self._resolve(path)
        if resolved not in self._sources:
            name, known = self._display_name(path, resolved), self._unsaved.get(resolved)
            if known is None and kind_of(resolved) is None:
                known = self._contents.get(resolved)
            try:
                read = read_source(Path(path), name) if known is None else source_from_bytes(known, name, Path(path))
                self._sources[resolved] = self._same_as_earlier(resolved, read)
            except (OSError, SourceError):
                self._sources[resolved] = None
        return self._sources[resolved]

    def _same_as_earlier(self, path: str, source: Source) -> Source:
        """The source of an earlier run, if it is the same, so that what was made of it is of use; else nothing of that is kept."""
        earlier = self._earlier.get(path)
        if earlier is None:
            return source
        if (earlier.name, earlier.data, earlier.text, earlier.layout) == (source.name, source.data, source.text, source.layout):
            return earlier
        self._made.forget(earlier)
        return source

    def _display_name(self, path: str, real: str) -> str:
        """A path as shown to the user: relative to the working directory where it lies below it, with forward slashes."""
        return (real.removeprefix(self._here) if real.startswith(self._here) else path).replace(os.sep, "/")


def _is_library(name: str) -> bool:
    """Whether a module is one of Python's, of MLX, or of a library that the models know."""
    from mxlint.models.load import libraries

    first = name.partition(".")[0]
    return first == "mlx" or first in sys.stdlib_module_names or first in libraries()


def neighbours(path: Path) -> list[str]:
    """What may belong to the same program as a file of no project: the other files of its folder, or its whole package."""
    folder = top = path.parent
    while os.path.exists(top / "__init__.py") and top.parent != top:
        folder, top = top, top.parent
    packages = [str(folder)] if folder != top else []
    return [*packages, *(str(top / name) for name in sorted(names_in(top)) if name.endswith(".py"))]
