"""Files that can come to nothing compiled: nothing is in them, nor in any file that they import, directly or through others.

The symbol indexes decide it before anything runs, and rather take too much for compiled. A run over such a file would note nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from mxlint.models.load import importers
from mxlint.syntax.index import ANY, Import, Index

if TYPE_CHECKING:
    from mxlint.project import Project
    from mxlint.source import Source

_SWITCHES: Final = ("disable_compile", "MLX_DISABLE_COMPILE")
"""The letters of what switches compilation: that is noted where nothing is compiled."""
_IMPORTERS: Final = frozenset(name.rpartition(".")[2] for name in importers())
"""The last names of the functions that import a module which a text names: no index says which."""


def is_idle(project: Project, main: Source, tracers: Collection[str]) -> bool:
    """Whether nothing that a file can come to compiles anything."""
    modules = frozenset(name.rpartition(".")[0] for name in tracers)
    found: list[Index] = []
    todo, seen = [main], {id(main)}
    while todo:
        source = todo.pop()
        try:
            index = project.symbols(source, tracers)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # for this Python it is no module
        if _compiles(source, index, tracers, modules):
            return False
        found.append(index)
        for item in index.imports:
            for other in imported_by(project, source, main, item):
                if item.name == ANY and other.path is not None and other.path.name == "__init__.py":
                    return False  # it may list modules below it
                if id(other) not in seen:
                    seen.add(id(other))
                    todo.append(other)
    return not _hands_on(found, modules)


def _compiles(source: Source, index: Index, tracers: Collection[str], modules: Collection[str]) -> bool:
    """Whether a file by itself may compile something, or import what does by a way that no index shows."""
    return (
        bool(index.sites)
        or index.spelled
        or any(letters in source.text for letters in _SWITCHES)
        or any(item.origin in tracers or item.name == ANY and item.module in modules for item in index.imports)
        or any(not _IMPORTERS.isdisjoint(block.reads | block.attributes) for block in index.blocks)
    )


def imported_by(project: Project, source: Source, main: Source, item: Import) -> Iterator[Source]:
    """The files that an import runs, or may run: the module, the packages around it, and a module below it."""
    parts = item.module.split(".") if item.module else []
    names = [".".join(parts[: number + 1]) for number in range(len(parts))]
    if item.level and not names:
        names.append("")
    if item.name not in (None, ANY):
        names.append(f"{item.module}.{item.name}" if item.module else str(item.name))
    for name in names:
        module = project.find(name, item.level, source)
        if module is None and not item.level and source is not main:
            module = project.find(name, 0, main)
        if module is not None and module.source is not None:
            yield module.source


def _hands_on(files: Collection[Index], modules: Collection[str]) -> bool:
    """Whether something that is asked for what compiles, under a name that no import of a library gives, may be the module that has it."""
    above = {name.rpartition(".")[0] for name in modules} - {""}
    names = {item.bound for index in files for item in index.imports if item.origin in {*modules, *above}}
    if any(item.origin in above for index in files for item in index.imports):
        names |= {name.rpartition(".")[2] for name in modules}
    before = -1
    while len(names) != before:  # `from common import mx as m`
        before = len(names)
        names |= {item.bound for index in files for item in index.imports if item.name in names}
    handed = any(not names.isdisjoint(index.alone) for index in files)
    return any(
        handed and (bool(index.perhaps) or any(ANY in block.attributes for block in index.blocks)) or not index.owners.isdisjoint(names)
        for index in files
    )
