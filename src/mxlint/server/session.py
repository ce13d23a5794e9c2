"""One run kept up to date: a folder, or a file of no folder, with what the editor holds in place of what is on the disk."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from mxlint.callers import importers
from mxlint.config import Settings
from mxlint.discover import File, display, is_excluded
from mxlint.documents.kinds import kind_of
from mxlint.engine import examine
from mxlint.result import Result
from mxlint.server.memory import Memory
from mxlint.survey import Survey, survey, table_for


class Superseded(BaseException):
    """What was asked for is not wanted any more. No failure of an analysis: nothing that contains those may catch it."""


@dataclass(frozen=True, slots=True)
class Buffer:
    """What the editor holds for a file: `at` is its path, `data` the bytes that it would save."""

    at: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run found in the files that are open. `names`: how it calls them, by their real paths; one that is left out has none.
    `whole`: every file that may have to say something of them was analysed as it is now. `wanted`: these files."""

    result: Result
    names: Mapping[str, str]
    whole: bool
    survey: Survey
    wanted: frozenset[str]


@dataclass(slots=True)
class Session:
    """A run over `paths` that is made again and again. `superseded` is asked between files whether to go on."""

    paths: tuple[str, ...]
    settings: Settings
    cwd: Path
    memory: Memory = field(init=False)
    _found: Survey | None = None
    _wanted: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.memory = Memory(self.cwd)

    def look(self, buffers: Mapping[str, Buffer], superseded: Callable[[], bool] = lambda: False) -> Outcome:
        """The whole run: the files are looked for and read, and what has changed is analysed. Raises ConfigError, Superseded."""
        found = self._survey(buffers)
        self._found = found
        shown = [file.at for file in found.files if file.real in buffers]
        self._wanted = frozenset({*shown, *importers(shown, found.contents)}) if shown else frozenset()
        self.memory.keep_only(self._wanted)
        return self._outcome(found, buffers, None, superseded, same_disk=False)

    def glance(self, buffers: Mapping[str, Buffer]) -> Outcome | None:
        """What can be said at once after edits: the files that were edited are analysed, of the others what they had to say is taken over.
        None if it takes a whole run: there was none yet, or a file came or went. Raises ConfigError."""
        if self._found is None or not buffers.keys() <= {file.real for file in self._found.files}:
            return None
        if self._found.unsaved.keys() != buffers.keys():
            return None
        by_real = {file.real: file.at for file in self._found.files}
        found = _holding(self._found, {by_real[real]: buffer.data for real, buffer in buffers.items()})
        self._found = replace(found, unsaved={real: buffer.data for real, buffer in buffers.items()})
        return self._outcome(self._found, buffers, [])

    def with_changes(self, outcome: Outcome, changed: Mapping[str, bytes]) -> Result:
        """What a run would find where some files hold other bytes, by real path; it may be one of another session, if settings have changed since."""
        by_real = {file.real: file.at for file in outcome.survey.files}
        found = _holding(outcome.survey, {by_real[real]: data for real, data in changed.items() if real in by_real})
        found = replace(found, unsaved={**outcome.survey.unsaved, **changed})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return examine(found, self.cwd, self.memory.analyser(found, lambda: None), only=outcome.wanted, fixes=False)

    def _survey(self, buffers: Mapping[str, Buffer]) -> Survey:
        """The files, with those that only the editor has."""
        unsaved = {real: buffer.data for real, buffer in buffers.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = survey(self.paths, self.settings, self.cwd, unsaved=unsaved)
        files = [replace(file, explicit=file.explicit or file.real in buffers) for file in found.files]
        known = {file.real for file in files}
        new: dict[str, bytes] = {}
        for real, buffer in buffers.items():
            config = found.configs.of(Path(buffer.at).parent)
            if real not in known and not is_excluded(Path(buffer.at), config):
                files.append(File(buffer.at, display(buffer.at, self.cwd), config, True, real))
                new[buffer.at] = buffer.data
        shown = [file for file in files if file.real in buffers]
        table = found.table or (table_for(shown[0], self.settings) if shown else None)
        relevant = found.relevant | {file.at for file in shown}
        return replace(_holding(found, new), files=tuple(files), relevant=relevant, table=table)

    def _outcome(
        self,
        found: Survey,
        buffers: Mapping[str, Buffer],
        stale: list[str] | None,
        superseded: Callable[[], bool] = lambda: False,
        *,
        same_disk: bool = True,
    ) -> Outcome:
        running = True

        def go_on() -> None:
            if running and superseded():  # a fix is made later, by the same project
                raise Superseded

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result = examine(
                    found, self.cwd, self.memory.analyser(found, go_on, stale, same_disk=same_disk), only=self._wanted, fixes=False
                )
            finally:
                running = False
        names = {file.real: file.name for file in found.files if file.real in buffers}
        return Outcome(result, names, not stale, found, self._wanted)


def _holding(found: Survey, held: Mapping[str, bytes]) -> Survey:
    """A survey in which files, by where they are, hold other bytes."""
    contents, documents = dict(found.contents), dict(found.documents)
    for at, data in held.items():
        kind = kind_of(at)
        if kind is not None:
            from mxlint.documents.reading import code_of

            documents[at] = data
        contents[at] = data if kind is None else code_of(data, kind)
    return replace(found, contents=contents, documents=documents)
