"""Which names of modules that are not loaded lead to a place where something is compiled, by the outlines of their files alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

from mxlint.project import Project
from mxlint.syntax.index import ANY, Import

if TYPE_CHECKING:
    from mxlint.source import Source

Name: TypeAlias = tuple["Source", str]
"""A name at the top of a file."""


class Unloaded:
    """What names lead to. It is found once for each name: files do not change while a run looks at them."""

    def __init__(self, project: Project, tracers: tuple[str, ...]) -> None:
        self._project = project
        self._tracers = tracers
        self._known: dict[tuple[int, str], bool] = {}

    def compiles(self, source: Source, names: Iterable[str]) -> bool:
        """Whether some names of a file lead to where something is compiled."""
        return any(self._leads(source, name) for name in sorted(names))

    def _leads(self, source: Source, name: str) -> bool:
        if name == ANY:
            return True
        start = id(source), name
        if start not in self._known:
            came_from: dict[tuple[int, str], tuple[int, str]] = {}
            found = self._search((source, name), came_from)
            if found is None:
                self._known.update(dict.fromkeys((start, *came_from), False))
            else:
                while found != start:
                    self._known[found] = True
                    found = came_from[found]
                self._known[start] = True
        return self._known[start]

    def _search(self, start: Name, came_from: dict[tuple[int, str], tuple[int, str]]) -> tuple[int, str] | None:
        """The first name found that compiles something or is known to lead there; None if there is none. `came_from`: by what each was reached."""
        todo = [start]
        while todo:
            source, name = todo.pop()
            here = id(source), name
            if self._known.get(here):
                return here
            if here in self._known:
                continue
            try:
                definition = self._project.outline(source, self._tracers).definition(name)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue  # for this Python it is no module
            if definition.compiles:
                return here
            following = [(source, other) for other in definition.names]
            for item in definition.imports:
                meant = self.meant(source, item, definition.attributes)
                if meant is None:
                    continue
                if item.name == ANY:
                    following.append((meant[0], name))
                elif ANY in meant[1]:
                    return here
                else:
                    following += ((meant[0], other) for other in meant[1])
            for following_source, other in following:
                reached = id(following_source), other
                if reached not in came_from and reached != (id(start[0]), start[1]):
                    came_from[reached] = here
                    todo.append((following_source, other))
        return None

    def meant(self, source: Source, item: Import, attributes: frozenset[str]) -> tuple[Source, frozenset[str]] | None:
        """The module of the project that an import leads to, and the names of it that are used; None for what is no module of the project."""
        if item.name is not None:
            inner = self._project.find(f"{item.module}.{item.name}" if item.module else item.name, item.level, source)
            if inner is not None and inner.source is not None:
                return inner.source, attributes
        found = self._project.find(item.module, item.level, source)
        if found is None or found.source is None:
            return None
        return found.source, attributes if item.name is None else frozenset((item.name,))
