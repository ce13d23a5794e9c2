"""The files of a run before anything is analysed: which there are, what they hold, which may have to do with something compiled, and for which MLX."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from mxlint.config import Configs, Settings
from mxlint.discover import File, Problem, discover, display, is_excluded
from mxlint.documents.kinds import kind_of
from mxlint.gate import admitted, last_names

if TYPE_CHECKING:
    from mxlint.models.mlx.table import Table


@dataclass(frozen=True, slots=True)
class Stdin:
    """What `mxlint check -` reads: the bytes, and the file that they are said to be."""

    data: bytes
    filename: str | None = None


@dataclass(frozen=True, slots=True)
class Survey:
    """The files of a run. `contents`: the Python that each holds, by where it is; `documents`: the bytes of notebooks and Markdown; `relevant`: those that may have to do with something compiled; `table`: what is
    known of the MLX that they are judged for, None if none is relevant. `unsaved`: as in `check`."""

    files: tuple[File, ...]
    problems: tuple[Problem, ...]
    contents: Mapping[str, bytes]
    documents: Mapping[str, bytes]
    relevant: frozenset[str]
    table: Table | None
    configs: Configs
    settings: Settings
    unsaved: Mapping[str, bytes]
    timings: Mapping[str, float]

    @property
    def by_real(self) -> Mapping[str, bytes]:
        """The Python that each file holds, by its real path."""
        return {file.real: self.contents[file.at] for file in self.files if file.at in self.contents}

    def is_unsaved(self, at: str) -> bool:
        """Whether a file is taken to hold something else than the disk has."""
        return next((file.real for file in self.files if file.at == at), at) in self.unsaved


def survey(
    paths: Sequence[str],
    settings: Settings | None,
    cwd: Path,
    *,
    stdin: Stdin | None = None,
    force_exclude: bool = False,
    gate: bool = True,
    unsaved: Mapping[str, bytes] | None = None,
    with_callers: bool = False,
) -> Survey:
    """What `check` looks into, with the same arguments, before anything is analysed. Raises ConfigError."""
    unsaved, settings = unsaved or {}, settings or Settings()
    timings: dict[str, float] = {}
    with timed("discover", timings):
        configs = Configs(settings, cwd)
        if stdin is None:
            files, problems = discover(paths, configs, cwd, force_exclude)
        else:
            files, problems = _stdin_file(stdin, configs, cwd, force_exclude), []
    with timed("read", timings):
        contents = _read(files, stdin, unsaved, problems)
        documents = _documents(files, contents, problems)
        files = [file for file in files if file.at in contents]
    with timed("callers", timings):
        if with_callers and (stdin is None or stdin.filename) and any(file.explicit for file in files):
            from mxlint.callers import callers

            for caller, data in callers(files, contents, unsaved, configs, cwd):
                files.append(caller)
                contents[caller.at] = data
    with timed("gate", timings):
        wrappers = last_names({name for file in files for name in file.config.compile_wrappers})
        relevant = admitted(contents, {file.at for file in files if file.explicit}, wrappers) if gate else set(contents)
    table = None
    with timed("table", timings):
        if relevant:
            table = table_for(next(file for file in files if file.at in relevant), settings)
    return Survey(tuple(files), tuple(problems), contents, documents, frozenset(relevant), table, configs, settings, unsaved, timings)


def _stdin_file(stdin: Stdin, configs: Configs, cwd: Path, force_exclude: bool) -> list[File]:
    path = Path(os.path.normpath(cwd / (stdin.filename or "-")))
    config = configs.of(path.parent)
    if force_exclude and stdin.filename and is_excluded(path, config):
        return []
    return [File(str(path), display(str(path), cwd), config, explicit=True, real=os.path.realpath(path))]


def _read(files: Iterable[File], stdin: Stdin | None, unsaved: Mapping[str, bytes], problems: list[Problem]) -> dict[str, bytes]:
    """The bytes of every file that can be read."""
    contents: dict[str, bytes] = {}
    for file in files:
        try:
            known = unsaved.get(file.real, stdin.data if stdin is not None else None)
            contents[file.at] = _bytes(file.at) if known is None else known
        except OSError as error:
            problems.append(Problem(file.name, f"cannot be read: {error.strerror or error}"))
    return contents


def _documents(files: Iterable[File], contents: dict[str, bytes], problems: list[Problem]) -> dict[str, bytes]:
    """The bytes of notebooks and Markdown; `contents` has of them from here on the Python that they hold, and nothing of what cannot be read."""
    found: dict[str, bytes] = {}
    for file in files:
        kind = kind_of(file.at)
        if kind is None or file.at not in contents:
            continue
        from mxlint.documents.errors import DocumentError
        from mxlint.documents.reading import code_of

        data = found[file.at] = contents.pop(file.at)
        try:
            contents[file.at] = code_of(data, kind)
        except DocumentError as error:
            problems.append(Problem(file.name, str(error)))
    return found


def _bytes(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()


def table_for(first: File, settings: Settings) -> Table:
    """What is known of the MLX versions that the first file, and with it the whole run, is judged for. --isolated sets requirements aside."""
    from mxlint.models.mlx.table import load_table
    from mxlint.versions import resolve_mlx_versions

    configured = first.config.mlx_version
    newest = load_table()
    if configured is None and settings.isolated:
        return newest
    return load_table(*resolve_mlx_versions(first.path.parent, configured, newest.versions))


@contextmanager
def timed(stage: str, timings: dict[str, float]) -> Iterator[None]:
    """Note in `timings` how many seconds a stage takes."""
    start = perf_counter()
    yield
    timings[stage] = perf_counter() - start
