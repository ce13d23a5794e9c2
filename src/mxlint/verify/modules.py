"""The files of a project as modules of a program, linked by their imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from mxlint.project import Project
from mxlint.source import Source
from mxlint.verify.units import Unit, units_of

Name = tuple[str, str]  # file, name


@dataclass(slots=True)
class Module:
    """A file as units. `imports`: name → (file of the project, name there or None for the module itself); `outside`: name → module elsewhere."""

    source: Source
    path: str
    units: list[Unit]
    imports: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    outside: dict[str, str] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)


class Modules:
    """The files of a project, parsed when first asked for."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.by_path: dict[str, Module] = {}
        self.by_file: dict[str, Module | None] = {}

    def of(self, source: Source) -> Module | None:
        key = str(source.path.resolve()) if source.path is not None else source.name
        if key not in self.by_file:
            self.by_file[key] = None
            try:
                tree = ast.parse(source.text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None
            module = Module(source, self.place(source), list(units_of(source, tree)))
            self.by_file[key] = module
            self.by_path[module.path] = module
            self._link(module)
        return self.by_file[key]

    def place(self, source: Source) -> str:
        """Where a file goes in the program: by the dotted name that others import it by."""
        dotted = self.project.module_name(source).replace(".", "/")
        if source.path is None:
            return "main.py"
        return f"{dotted}/__init__.py" if source.path.name == "__init__.py" else f"{dotted}.py"

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
            module.imports[bound] = (found.path, None)
        elif bound not in module.imports:
            module.outside[bound] = alias.name

    def _import_from(self, module: Module, node: ast.ImportFrom) -> None:
        base = self._find(node.module or "", node.level, module)
        for alias in node.names:
            if alias.name == "*":
                if base is not None:
                    module.stars.append(base.path)
                continue
            name = f"{node.module}.{alias.name}" if node.module else alias.name
            submodule = self._find(name, node.level, module)
            bound = alias.asname or alias.name
            if submodule is not None:
                module.imports[bound] = (submodule.path, None)
            elif base is not None:
                module.imports[bound] = (base.path, alias.name)
            elif bound not in module.imports:
                module.outside[bound] = node.module or ""

    def _find(self, name: str, level: int, module: Module) -> Module | None:
        found = self.project.find(name, level, module.source)
        return self.of(found.source) if found is not None and found.source is not None else None


def _prefixes(name: str) -> Iterator[str]:
    parts = name.split(".")
    return (".".join(parts[:count]) for count in range(1, len(parts) + 1))
