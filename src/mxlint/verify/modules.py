"""The files of a project as modules of a program, linked by their imports."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from mxlint.project import Project
from mxlint.source import Source
from mxlint.verify.units import Unit, units_of

Name = tuple[str, str]  # file, name


@dataclass(slots=True)
class Module:
    """A file as units. `path`: where it is in the program; `roots`: the folders where it looks for what it imports, first that by which others
    import it. `imports`: name → (file of the project, name there or None for the module itself); `outside`: name → module elsewhere. `mentions`:
    name → units that bind, use or change it; `defined`: names of functions, classes and modules; `star_rows`: units that are `from x import *`.
    `needs`: by unit, the modules outside of the project that it imports, as far as that was asked.
    """

    source: Source
    path: str
    roots: tuple[str, ...]
    units: list[Unit]
    imports: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    outside: dict[str, str] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    mentions: dict[str, list[int]] = field(default_factory=dict)
    defined: set[str] = field(default_factory=set)
    star_rows: list[int] = field(default_factory=list)
    needs: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for number, unit in enumerate(self.units):
            for name in unit.binds | unit.uses | unit.changes:
                self.mentions.setdefault(name, []).append(number)
            if not unit.drives:
                self.defined |= unit.binds
            if isinstance(unit.node, ast.ImportFrom) and unit.node.names[0].name == "*":
                self.star_rows.append(number)

    @property
    def packages(self) -> tuple[str, ...]:
        """The folders between the one from which it is imported and itself: each is a package."""
        top = PurePosixPath(self.roots[0] if self.roots else "")
        inside = PurePosixPath(self.path).relative_to(top).parent
        return tuple((top / folder).as_posix() for folder in (inside, *inside.parents) if folder.name)

    @property
    def package(self) -> str:
        """The dotted name of the package that it is in, empty for none."""
        top = PurePosixPath(self.roots[0] if self.roots else "")
        return ".".join(PurePosixPath(self.path).relative_to(top).parent.parts)


class _ByPath(dict[str, Module]):
    """Modules by their place. One that is only imported so far is parsed when it is asked for: a project may import a thousand."""

    def __init__(self, parsed: Callable[[Source], Module | None]) -> None:
        super().__init__()
        self.parsed = parsed
        self.waiting: dict[str, Source] = {}

    def __missing__(self, path: str) -> Module:
        source = self.waiting.pop(path, None)
        module = self.parsed(source) if source is not None else None
        if module is None:
            raise KeyError(path)
        return module

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self.get(path) is not None

    def get(self, path: str, default: Any = None) -> Any:
        try:
            return self[path]
        except KeyError:
            return default


class Modules:
    """The files of a project, laid out in the program as they are on disk, below the folder that holds all that was given."""

    def __init__(self, project: Project, sources: Iterable[Source] = ()) -> None:
        self.project = project
        self.by_path = _ByPath(self.of)
        self.by_file: dict[str, Module | None] = {}
        self.users: dict[Name, list[tuple[Module, int]]] = {}
        """The statements that use a name, as of the first `counted` files."""
        self.counted = 0
        given = list(sources)
        for source in given:
            project.add(source)
        tops = [str(top) for source in given for top in project.import_roots(source)[:1]]
        self.base = Path(os.path.commonpath(tops)) if tops else Path()
        for source in given:
            self.of(source)

    def of(self, source: Source) -> Module | None:
        """A file as a module of the program, parsed when first asked for; None if it is not Python."""
        key = str(source.path.resolve()) if source.path is not None else source.name
        if key not in self.by_file:
            self.by_file[key] = None
            try:
                tree = ast.parse(source.text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None
            path = self._path_of(source)
            roots = tuple(dict.fromkeys(map(self._place, self.project.import_roots(source))))
            module = Module(source, path, roots, list(units_of(source, tree)))
            self.by_file[key] = module
            self.by_path[module.path] = module
            self._link(module)
        return self.by_file[key]

    def _path_of(self, source: Source) -> str:
        return self._place(source.path.resolve()) if source.path is not None else "main.py"

    def _place(self, path: Path) -> str:
        """Where a file or folder is in the program."""
        try:
            return "" if path == self.base else path.relative_to(self.base).as_posix()
        except ValueError:
            return f"elsewhere{path.as_posix()}"

    def _link(self, module: Module) -> None:
        """What the imports of a module mean. Those inside functions count as well: they may be run."""
        for unit in module.units:
            for node in ast.walk(unit.node):
                if isinstance(node, ast.Import):
                    for alias in node.names:
                        self._import(module, alias)
                elif isinstance(node, ast.ImportFrom):
                    self._import_from(module, node)

    def _import(self, module: Module, alias: ast.alias) -> None:
        found = self._find(alias.name if alias.asname else alias.name.partition(".")[0], 0, module)
        for part in _prefixes(alias.name):
            self._find(part, 0, module)
        bound = alias.asname or alias.name.partition(".")[0]
        if found is not None:
            module.imports[bound] = (found, None)
        elif bound not in module.imports:
            module.outside[bound] = alias.name

    def _import_from(self, module: Module, node: ast.ImportFrom) -> None:
        base = self._find(node.module or "", node.level, module)
        for alias in node.names:
            if alias.name == "*":
                if base is not None:
                    module.stars.append(base)
                continue
            name = f"{node.module}.{alias.name}" if node.module else alias.name
            submodule = self._find(name, node.level, module)
            bound = alias.asname or alias.name
            if submodule is not None:
                module.imports[bound] = (submodule, None)
            elif base is not None:
                module.imports[bound] = (base, alias.name)
            elif bound not in module.imports:
                module.outside[bound] = node.module or ""

    def _find(self, name: str, level: int, module: Module) -> str | None:
        """The place of the module that an import means; None for one that is not of the project."""
        found = self.project.find(name, level, module.source)
        if found is None or found.source is None:
            return None
        path = self._path_of(found.source)
        if not dict.__contains__(self.by_path, path):
            self.by_path.waiting.setdefault(path, found.source)
        return path


def _prefixes(name: str) -> Iterator[str]:
    parts = name.split(".")
    return (".".join(parts[:count]) for count in range(1, len(parts) + 1))
