"""The files that import others: what these have to say may be about the files, since they call what is in them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path

from mxlint.config import ConfigError, Configs
from mxlint.discover import File, files_under, is_excluded
from mxlint.documents.kinds import kind_of
from mxlint.imports import ImportGraph

MOST_FILES = 2_000
"""Files of a project that are read to find those that import a named one; the nearest folders come first."""
MOST_TEXT = 200_000
"""Bytes of importers that are analysed for the named files: the nearest importers, by steps, then by name."""


def importers(files: Iterable[str], contents: Mapping[str, bytes]) -> Iterator[str]:
    """The files that import some files, directly or through others, those first that do so in fewer steps, and by name where these are as many."""
    graph, level = ImportGraph(contents), set(files)
    reached = set(level)
    while level:
        level = {user for file in level for user in graph.importers.get(file, ())} - reached
        reached |= level
        yield from sorted(level & contents.keys())


def callers(
    files: Sequence[File], contents: Mapping[str, bytes], unsaved: Mapping[str, bytes], configs: Configs, cwd: Path
) -> list[tuple[File, bytes]]:
    """The files that are not of a run, but import one that was named in it, with their bytes. They are looked for in the project of each, less what is
    left out there. `unsaved`: what some files are taken to hold, by real path."""
    named = [file for file in files if file.explicit and file.at in contents and kind_of(file.at) is None and _is_importable(file.path)]
    others: dict[str, tuple[File, bytes]] = {}
    known = {file.real for file in files}
    for file in _nearby(named, configs, cwd) if named else ():
        if file.real not in known and kind_of(file.at) is None and (data := unsaved.get(file.real, _bytes(file.at))) is not None:
            known.add(file.real)
            others[file.at] = file, data
    saying = _saying([file.path for file in named], {at: data for at, (_, data) in others.items()})
    found: list[tuple[File, bytes]] = []
    text = 0
    for at in importers([file.at for file in named], {**contents, **saying}) if saying else ():
        if at in saying:
            text += len(saying[at])
            if text > MOST_TEXT:
                break
            found.append((replace(others[at][0], caller=True), saying[at]))
    return found


def _nearby(named: Collection[File], configs: Configs, cwd: Path) -> Iterator[File]:
    """The files of the projects of some files: first those below the folder of one, then those of its whole project, as many as are read."""
    for folder in dict.fromkeys(file.path.parent for file in named):
        with suppress(ConfigError):  # of folders that nobody asked for
            yield from islice(_around(folder, configs, cwd), MOST_FILES)


def _around(folder: Path, configs: Configs, cwd: Path) -> Iterator[File]:
    from mxlint.project import neighbours
    from mxlint.versions import project_root

    root = project_root(folder)
    if root is None:  # what lies beside it need not belong to it
        for name in neighbours(folder / "any.py"):
            yield from files_under(Path(name), configs, cwd, MOST_FILES)
        return
    for top in dict.fromkeys((folder, root)):
        if top == root or not is_excluded(top, configs.of(top)):
            yield from files_under(top, configs, cwd, MOST_FILES)


def _saying(named: Iterable[Path], others: Mapping[str, bytes]) -> dict[str, bytes]:
    """Those of the other files that may import a named one, or one that does: they have the letters of its name."""
    found: dict[str, bytes] = {}
    waiting = list(named)
    looked: set[tuple[bytes, str]] = set()
    while waiting:
        word, package = question = _letters(waiting.pop())
        if question in looked:
            continue
        looked.add(question)
        for at, data in others.items():
            if at not in found and b"import" in data and (word in data or bool(package) and at.startswith(package)):
                found[at] = data
                waiting.append(Path(at))
    return found


def _letters(path: Path) -> tuple[bytes, str]:
    """What whoever imports a file has to say; of a package, the folder inside of which nobody has to."""
    if path.name == "__init__.py":
        return os.fsencode(path.parent.name), os.path.join(path.parent, "")
    return os.fsencode(path.stem), ""


def _is_importable(path: Path) -> bool:
    return path.suffix == ".py" and path.stem.isidentifier()


def _bytes(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None
