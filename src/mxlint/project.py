"""The files together: which file an import statement means."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mxlint.repository import Repositories
from mxlint.source import Source, SourceError, read_source, source_from_bytes

if TYPE_CHECKING:
    from mxlint.syntax import ir
    from mxlint.syntax.index import Index
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
class Reads:
    """What somebody asked a project for. `files`: what they hold, by real path, None for one that is no text; `words`: whether other files than one,
    by real path, have these letters."""

    files: dict[str, Source | None] = field(default_factory=dict)
    words: dict[tuple[str, str | None], bool] = field(default_factory=dict)


class Project:
    """Resolves imports between files of a repository (and keeps their IR): the folder of the importing file, the folder above its top package, and a `src`
    folder there."""

    def __init__(
        self,
        contents: Mapping[str, bytes] | None = None,
        unsaved: Mapping[str, bytes] | None = None,
        reads: Reads | None = None,
        go_on: Callable[[], None] | None = None,
    ) -> None:
        """`contents`: the files of the run, by real path, for the few questions about files that no import leads to. `unsaved`: what some
        files are taken to hold, by real path, in place of what is on the disk. `reads`: where to note what the project is asked for.
        `go_on`: called whenever it is asked for something; what it raises ends an analysis that nobody waits for any more."""
        self._contents = contents or {}
        self._reads = reads
        self._go_on = go_on
        self._unsaved = unsaved or {}
        self._here = os.path.join(os.path.realpath(os.curdir), "")
        self._resolved: dict[Path, str] = {}
        self._packages: dict[str, tuple[str, str]] = {}
        self._roots: dict[str, tuple[str, ...]] = {}
        self._repositories = Repositories()
        self._meant: dict[tuple[Path, str, int], Found | None] = {}
        self._found: dict[tuple[str, str], Found | None] = {}
        self._sources: dict[str, Source | None] = {}
        self._lowered: dict[int, tuple[Source, ir.Module]] = {}
        self._symbols: dict[tuple[int, tuple[str, ...]], tuple[Source, Index]] = {}
        self._kept: Trees | None = None
        self._text = 0

    def add(self, source: Source) -> Source:
        """Files that are read anyway need not be read again. The source to go on with: that of a file that another one imports is known already."""
        if source.path is None:
            return source
        known = self._sources.setdefault(self._resolve(source.path), source)
        return known if known is not None and (known.name, known.data) == (source.name, source.data) else source

    def named(self) -> Mapping[str, Source]:
        """The files that were read so far, by the names that users see."""
        return {source.name: source for source in self._sources.values() if source is not None}

    def paths(self) -> Iterator[str]:
        """The real paths of the files that were read so far."""
        return (path for path, source in self._sources.items() if source is not None)

    def named_elsewhere(self, name: str, source: Source) -> bool:
        """Whether another file of the run may say `name`: it has these letters."""
        own = self._resolve(source.path) if source.path is not None else None
        found = has_elsewhere(self._contents, name, own)
        if self._reads is not None:
            self._reads.words[name, own] = found
        return found

    def saying(self, name: str, source: Source) -> Iterator[Source]:
        """The other files of the run that may say `name`: they have these letters."""
        own = self._resolve(source.path) if source.path is not None else None
        for path, content in self._contents.items() if self.named_elsewhere(name, source) else ():
            if path != own and name.encode() in content and (found := self._read(Path(path))) is not None:
                yield found

    def used_elsewhere(self, name: str, source: Source, *, attribute: bool) -> bool:
        """Whether another file of the run uses a name of `source`: imports it, or reads it off the module. `attribute`: or off anything."""
        import ast

        for other in self.saying(name, source):
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

    def changed(
        self,
        sources: Iterable[Source],
        *,
        contents: Mapping[str, bytes] | None = None,
        unsaved: Mapping[str, bytes] | None = None,
        reads: Reads | None = None,
        go_on: Callable[[], None] | None = None,
    ) -> Project:
        """The same project with other contents of some files; what is known of the rest is kept. The other arguments stand in for what the project
        was made with."""
        other = Project(
            self._contents if contents is None else contents,
            self._unsaved if unsaved is None else unsaved,
            self._reads if reads is None else reads,
            self._go_on if go_on is None else go_on,
        )
        other._resolved, other._packages, other._roots = self._resolved, self._packages, self._roots
        other._sources = {**self._sources, **{self._resolve(source.path): source for source in sources if source.path is not None}}
        other._lowered, other._symbols, other._kept = self._lowered, self._symbols, self._trees()
        return other

    def forget(self, source: Source) -> None:
        """Let go of what was made of a file that nobody will ask for again."""
        self._lowered.pop(id(source), None)
        for key in [key for key in self._symbols if key[0] == id(source)]:
            del self._symbols[key]

    def lowered(self, source: Source) -> ir.Module:
        """The IR of a file, made once: many files of a project import the same few. Raises what the parser raises."""
        known = self._lowered.get(id(source))
        if known is None:
            from mxlint.syntax.lower import lower

            if self._text > MOST_TEXT:
                self._lowered.clear()
                self._symbols.clear()
                self._text = 0
            self._text += len(source.text)
            known = self._lowered[id(source)] = (source, lower(source.text, self._trees()))
        return known[1]

    def symbols(self, source: Source, compilers: Collection[str]) -> Index:
        """The symbol index of a file, made once. `compilers`: the dotted names of what compiles."""
        if self._go_on is not None:
            self._go_on()
        key = id(source), tuple(compilers)
        known = self._symbols.get(key)
        if known is None:
            from mxlint.syntax.index import index

            known = self._symbols[key] = (source, index(source.text, self._trees().of(source.text).module, compilers))
        return known[1]

    def _trees(self) -> Trees:
        """Python's syntax trees, parsed once for all that is made of them."""
        if self._kept is None:
            from mxlint.syntax.trees import Trees

            self._kept = Trees()
        return self._kept

    def find(self, name: str, level: int, source: Source) -> Found | None:
        """The module that `import name` (or `from <level dots>name import …`) means in `source`; None when it is not of the project."""
        if self._go_on is not None:
            self._go_on()
        if source.path is None:
            return None
        key = (source.path, name, level)
        if key not in self._meant:
            self._meant[key] = self._find(self._resolve(source.path), name, level)
        return self._meant[key]

    def import_roots(self, source: Source) -> tuple[Path, ...]:
        """The folders in which `source` looks for what it imports, first that by which others import it."""
        if source.path is None:
            return ()
        folder = os.path.dirname(self._resolve(source.path))
        return tuple(map(Path, dict.fromkeys((self._package(folder)[0], *self._import_roots(folder)))))

    def module_name(self, source: Source) -> str:
        """The dotted name by which other files import `source`."""
        if source.path is None:
            return Path(source.name).stem
        folder, name = os.path.split(self._resolve(source.path))
        package, stem = self._package(folder)[1], os.path.splitext(name)[0]
        return ".".join(part for part in (package, stem if stem != "__init__" else "") if part)

    def _package(self, folder: str) -> tuple[str, str]:
        """The folder above the top package that a folder belongs to, and the dotted name of the folder in it."""
        if folder not in self._packages:
            above, name = os.path.split(folder)
            if above != folder and os.path.exists(os.path.join(folder, "__init__.py")):
                top, outer = self._package(above)
                self._packages[folder] = top, f"{outer}.{name}" if outer else name
            else:
                self._packages[folder] = folder, ""
        return self._packages[folder]

    def _import_roots(self, folder: str) -> tuple[str, ...]:
        if folder not in self._roots:
            top = self._package(folder)[0]
            candidates = [folder, top, os.path.join(top, "src"), os.path.join(os.path.dirname(top), "src")]
            self._roots[folder] = tuple(
                root for root in dict.fromkeys(candidates) if os.path.isdir(root) and self._repositories.hold(root, folder)
            )
        return self._roots[folder]

    def _find(self, path: str, name: str, level: int) -> Found | None:
        folder = os.path.dirname(path)
        if level:
            for _ in range(level - 1):
                folder = os.path.dirname(folder)
            return self._under(folder, name) if self._repositories.hold(folder, os.path.dirname(path)) else None
        for root in self._import_roots(folder):
            found = self._under(root, name)
            if found is not None and found.source is not None and self._resolve(found.path) == path and self._package(folder)[1]:
                # A module of a package that imports its own bare name means a library of that name.
                continue
            if found is not None and (found.source is not None or root != folder):
                return found
        return None

    def _under(self, root: str, name: str) -> Found | None:
        key = (root, name)
        if key not in self._found:
            self._found[key] = self._look(root, name)
        return self._found[key]

    def _look(self, root: str, name: str) -> Found | None:
        base = os.path.join(root, *name.split(".")) if name else root
        for path in (os.path.join(base, "__init__.py"), *([base + ".py"] if name else [])):
            if os.path.isfile(path) and self._repositories.hold(path, root):
                source = self._read(Path(path))
                return None if source is None else Found(self.module_name(source), Path(path), source)
        if os.path.isdir(base) and any(name.endswith(".py") for name in _names_in(base)):
            return Found(name, Path(base), None)
        return None

    def _resolve(self, path: Path) -> str:
        """The path without links; asked of the system once."""
        if path not in self._resolved:
            self._resolved[path] = os.path.realpath(path)
        return self._resolved[path]

    def _read(self, path: Path) -> Source | None:
        resolved = self._resolve(path)
        if resolved not in self._sources:
            try:
                name, known = self._display_name(path), self._unsaved.get(resolved)
                self._sources[resolved] = read_source(path, name) if known is None else source_from_bytes(known, name, path)
            except (OSError, SourceError):
                self._sources[resolved] = None
        if self._reads is not None:
            self._reads.files.setdefault(resolved, self._sources[resolved])
        return self._sources[resolved]

    def _display_name(self, path: Path) -> str:
        """A path as shown to the user: relative to the working directory where it lies below it, with forward slashes."""
        resolved = self._resolve(path)
        return (resolved.removeprefix(self._here) if resolved.startswith(self._here) else str(path)).replace(os.sep, "/")


def has_elsewhere(contents: Mapping[str, bytes], name: str, own: str | None) -> bool:
    """Whether another file than `own` has the letters of a name."""
    return any(path != own and name.encode() in content for path, content in contents.items())


def neighbours(path: Path) -> list[str]:
    """What may belong to the same program as a file of no project: the other files of its folder, or its whole package."""
    folder = top = path.parent
    while os.path.exists(top / "__init__.py") and top.parent != top:
        folder, top = top, top.parent
    packages = [str(folder)] if folder != top else []
    return [*packages, *(str(top / name) for name in sorted(_names_in(top)) if name.endswith(".py"))]


def _names_in(folder: str | Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:  # somebody else's folder
        return []
