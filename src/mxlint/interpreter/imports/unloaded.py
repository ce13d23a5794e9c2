"""Which names of modules that no run has loaded lead to a compile site, by the outlines of their files alone.

A call of `from losses import step` is entered if the file `losses.py` compiles what it calls `step`, and left alone otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from mxlint.project import Project
from mxlint.reads import Answer, Reads
from mxlint.syntax.index import ANY, Import

if TYPE_CHECKING:
    from mxlint.source import Source

Name: TypeAlias = tuple["Source", str]
"""A name at the top of a file."""
Key: TypeAlias = tuple[int, str]
"""The same, by the identity of the source."""
Meant: TypeAlias = tuple["Source", frozenset[str]]
"""A module of the project that an import leads to, and the names of it that are used."""


class Unloaded:
    """What names lead to. It is found once for each name of a project: files do not change while a run looks at them. Each analysis that asks rests on
    the files that were read to find it."""

    def __init__(self, project: Project, tracers: tuple[str, ...]) -> None:
        self._project = project
        self._tracers = tracers
        self._rests_on: set[Answer] = set()

    def compiles(self, source: Source, names: Iterable[str]) -> bool:
        """Whether some names of a file lead to where something is compiled."""
        return any(self._leads(source, name) for name in sorted(names))

    def meant(self, source: Source, item: Import, attributes: frozenset[str]) -> Meant | None:
        """The module of the project that an import leads to, and the names of it that are used; None for what is no module of the project."""
        return _meant(self._project, source, item, attributes)

    def _leads(self, source: Source, name: str) -> bool:
        if name == ANY:
            return True
        kept = self._project.answers.get((self._tracers, id(source), name))
        answer = kept[1] if kept is not None else self._search(source, name)
        self._rest_on(answer)
        return answer.value

    def _search(self, source: Source, name: str) -> Answer:
        """Search from a name, and keep for other analyses what that says of the names on the way."""
        search = _Search(self._project, self._tracers)
        answer = search.run((source, name))
        for file, other in search.way() if answer.value else search.reached():
            self._project.answers[self._tracers, id(file), other] = file, answer
        return answer

    def _rest_on(self, answer: Answer) -> None:
        """Note what an answer rests on, each once."""
        todo = [answer]
        while todo:
            part = todo.pop()
            if part not in self._rests_on:
                self._rests_on.add(part)
                self._project.note(part.reads)
                todo += part.others


class _Search:
    """A search from one name through what names lead to."""

    def __init__(self, project: Project, tracers: tuple[str, ...]) -> None:
        self._reads = Reads()
        self._project = project.noting(self._reads)
        self._tracers = tracers
        self._others: dict[Answer, None] = {}
        """The answers that are used, in order."""
        self._came_from: dict[Key, tuple[Name, Name | None]] = {}
        """Each name that was reached, and by which one."""
        self._end: Name | None = None

    def run(self, start: Name) -> Answer:
        """Whether a name is reached that compiles something, or is known to lead there."""
        self._came_from[id(start[0]), start[1]] = start, None
        todo = [start]
        while todo and self._end is None:
            here = todo.pop()
            following = self._following(here)
            if following is None:
                self._end = here
            for name in following or ():
                if (key := (id(name[0]), name[1])) not in self._came_from:
                    self._came_from[key] = name, here
                    todo.append(name)
        return Answer(self._end is not None, self._reads, tuple(self._others))

    def reached(self) -> Iterator[Name]:
        """The names that were reached."""
        return (name for name, _ in self._came_from.values())

    def way(self) -> Iterator[Name]:
        """The names on the way to what compiles something, from there back to the first."""
        name = self._end
        while name is not None:
            yield name
            name = self._came_from[id(name[0]), name[1]][1]

    def _following(self, here: Name) -> Iterable[Name] | None:
        """What a name leads to; None if that compiles something, nothing if it is known that it does not."""
        source, name = here
        kept = self._project.answers.get((self._tracers, id(source), name))
        if kept is not None:
            self._others[kept[1]] = None
            return None if kept[1].value else ()
        try:
            definition = self._project.outline(source, self._tracers).definition(name)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ()  # for this Python it is no module
        if definition.compiles:
            return None
        following = [(source, other) for other in definition.names]
        for item in definition.imports:
            meant = _meant(self._project, source, item, definition.attributes)
            if meant is None:
                continue
            module, names = meant
            if item.name == ANY:
                following.append((module, name))
            elif ANY in names:
                return None
            else:
                following += ((module, other) for other in names)
        return following


def _meant(project: Project, source: Source, item: Import, attributes: frozenset[str]) -> Meant | None:
    if item.name is not None:
        inner = project.find(f"{item.module}.{item.name}" if item.module else item.name, item.level, source)
        if inner is not None and inner.source is not None:
            return inner.source, attributes
    found = project.find(item.module, item.level, source)
    if found is None or found.source is None:
        return None
    return found.source, attributes if item.name is None else frozenset((item.name,))
