"""What an analysis rests on: every question that it asked of its project, with the answer. It holds for as long as each would be answered in the same way.

The server keeps analyses by this while it runs, and the cache on the disk between runs. That a name led nowhere is an answer like another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

Import = tuple[str, str, int]
"""The real path of the file that imports, the dotted name, and the dots before it."""
Module = tuple[str, str, str]
"""A module that an import means: its name, its path, and the real one if it is a file, else nothing."""
Word = tuple[str, str | None]
"""Letters that are looked for, and the real path of the file that is left out."""
Tests = Callable[[str], bool]
"""Whether a file belongs to tests, by the name that users see."""


class Asked(Protocol):
    """A project, as far as what was read of one is asked of another."""

    def module(self, path: str, name: str, level: int) -> Module | None:
        """What an import in the file of a real path means."""

    def text(self, path: str) -> tuple[str, str] | None:
        """The name that users see of the file of a real path, and the digest of what it holds; None if that is no text."""

    def module_name_of(self, path: str) -> str:
        """The dotted name by which others import the file of a real path."""

    def said_elsewhere(self, word: Word) -> bool:
        """Whether another file of the run has these letters."""

    def sayers(self, word: Word) -> tuple[str, ...]:
        """The files of the run that have these letters."""


@dataclass(slots=True)
class Reads:
    """Questions with their answers, each as `Asked` has it. `tests`: for files by name, whether they belong to tests."""

    imports: dict[Import, Module | None] = field(default_factory=dict)
    texts: dict[str, tuple[str, str] | None] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    words: dict[Word, bool] = field(default_factory=dict)
    sayers: dict[Word, tuple[str, ...]] = field(default_factory=dict)
    tests: dict[str, bool] = field(default_factory=dict)

    def hold(self, project: Asked, tests: Tests) -> bool:
        """Whether each question is answered in the same way by the project as it is now."""
        return (
            all(project.module(*asked) == module for asked, module in self.imports.items())
            and all(project.text(path) == text for path, text in self.texts.items())
            and all(project.module_name_of(path) == name for path, name in self.names.items())
            and all(project.said_elsewhere(word) == said for word, said in self.words.items())
            and all(project.sayers(word) == paths for word, paths in self.sayers.items())
            and all(tests(name) == test for name, test in self.tests.items())
        )

    def add(self, reads: Reads) -> None:
        """Add the questions about files that were asked for something that this rests on as well."""
        self.imports.update(reads.imports)
        self.texts.update(reads.texts)

    def noting(self, tests: Tests) -> Tests:
        """The function, with what it answers noted."""

        def noted(name: str) -> bool:
            if name not in self.tests:
                self.tests[name] = tests(name)
            return self.tests[name]

        return noted


@dataclass(slots=True, eq=False)
class Answer:
    """What one analysis found out about the files, for all that ask the same: whether it is so, the questions that it rests on, and the other answers."""

    value: bool
    reads: Reads
    others: tuple[Answer, ...]
