"""Paths to files: what the user named, and the Python files and notebooks under the folders among it, less what git or the configuration leaves out."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from mxlint.config import Config, Configs
from mxlint.documents.kinds import MARKDOWN, NOTEBOOK
from mxlint.nearness import nearest

if TYPE_CHECKING:
    from mxlint.globs import Globs


@dataclass(frozen=True, slots=True)
class File:
    """A file to check, at `at`. `name` is its path as users see it, `real` the one without links; `explicit` if the user named it; `caller` if nobody
    asked for it, and it is looked at for what it calls."""

    at: str
    name: str
    config: Config
    explicit: bool
    real: str
    caller: bool = False

    @property
    def path(self) -> Path:
        """`at` as a path; made when asked for, since most files of most trees are only read."""
        return Path(self.at)


@dataclass(frozen=True, slots=True)
class Problem:
    """A path that could not be checked, and why."""

    name: str
    message: str


@dataclass(frozen=True, slots=True)
class _Ignore:
    """Patterns, and the folder that they are relative to, with a separator at its end."""

    folder: str
    globs: Globs

    def verdict(self, path: str) -> bool | None:
        """True if the path is ignored, itself or by a folder above it, False if it is expressly not, None if no pattern is about it."""
        inside = path[len(self.folder) :] if path.startswith(self.folder) else ""
        return self.globs.cover(inside.replace(os.sep, "/")) if inside else None


def discover(paths: Sequence[str], configs: Configs, cwd: Path, force_exclude: bool = False) -> tuple[list[File], list[Problem]]:
    """The files to check, each once, in a stable order: as named, and by name within a folder. Raises ConfigError.

    A file that links lead to a second time is the same file: it goes by the first name it was found under.
    """
    files: dict[str, File] = {}
    problems: list[Problem] = []
    for given in paths:
        path = Path(os.path.normpath(cwd / given))
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as error:
            problems.append(Problem(display(str(path), cwd), _missing(path, error)))
            continue
        if stat.S_ISDIR(mode):
            if not (force_exclude and is_excluded(path, configs.of(path))):
                for found, real, config in _walk(path, configs, problems, cwd):
                    if real not in files:
                        files[real] = File(found, display(found, cwd), config, explicit=False, real=real)
        elif stat.S_ISREG(mode):
            config = configs.of(path.parent)
            if not (force_exclude and is_excluded(path, config)):
                real = os.path.realpath(path)
                known = files.get(real)
                files[real] = replace(known, explicit=True) if known else File(str(path), display(str(path), cwd), config, True, real)
        else:
            problems.append(Problem(display(str(path), cwd), "not a regular file; `-` reads from stdin"))
    return list(files.values()), problems


def files_under(top: Path, configs: Configs, cwd: Path, most: int) -> Iterator[File]:
    """The files under a path that a run over it would check, one after the other, of so many folders at most. Raises ConfigError."""
    if top.is_file():
        config = configs.of(top.parent)
        found: Iterable[tuple[str, str, Config]] = [] if is_excluded(top, config) else [(str(top), os.path.realpath(top), config)]
    else:
        found = _walk(top, configs, [], cwd, most)
    for path, real, config in found:
        yield File(path, display(path, cwd), config, explicit=False, real=real)


def is_excluded(path: Path, config: Config) -> bool:
    """Whether the configuration leaves a path out, by its own name or by a folder above it."""
    return any(patterns.covers(path) for patterns in config.excludes)


def display(path: str, cwd: Path) -> str:
    """A path as users see it, with forward slashes: relative to the working directory if it lies below it."""
    return path.removeprefix(_prefix(cwd)).replace(os.sep, "/")


@lru_cache(maxsize=1)
def _prefix(folder: Path) -> str:
    return os.path.join(folder, "")


def _missing(path: Path, error: OSError | ValueError) -> str:
    """Why there is nothing to check under a name."""
    if isinstance(error, OSError) and not isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return error.strerror or str(error)
    if isinstance(error, OSError) and os.path.islink(path):
        return f"a link to `{os.readlink(path)}`, which does not exist"
    return "no such file or folder" + _similar(path)


def _similar(path: Path) -> str:
    try:
        close = nearest(path.name, os.listdir(path.parent))
    except (OSError, ValueError):
        close = None
    return f"; did you mean `{close}`?" if close else ""


def _walk(top: Path, configs: Configs, problems: list[Problem], cwd: Path, most: float = inf) -> Iterator[tuple[str, str, Config]]:
    """The files to check under a folder: path, real path, settings. As in git, links to folders are not followed, so no walk goes in circles.
    `most`: of how many folders."""
    start, real = os.path.join(top, ""), os.path.join(os.path.realpath(top), "")
    waiting = [(str(top), _ignores_above(top))]
    while waiting and most > 0:
        folder, ignores = waiting.pop()
        most -= 1
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            problems.append(Problem(display(folder, cwd), error.strerror or str(error)))
            continue
        config = configs.of(Path(folder))
        endings = (".py", NOTEBOOK, *(MARKDOWN if config.markdown else ()))
        names = frozenset(name for patterns in config.excludes for name in patterns.names)
        excludes = _excludes(config, str(top))
        if any(entry.name == ".gitignore" for entry in entries):
            ignores = [*ignores, *_ignore(folder, os.path.join(folder, ".gitignore"))]
        folders = []
        for entry in entries:
            if entry.name in names:
                continue
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
                if not (is_folder or (entry.name.endswith(endings) and entry.is_file())):
                    continue
            except OSError as error:
                if error.errno != errno.ELOOP:  # a link that leads nowhere, in a circle
                    problems.append(Problem(display(entry.path, cwd), error.strerror or str(error)))
                continue
            path = os.path.join(entry.path, "") if is_folder else entry.path
            if _ignored(ignores, path) or any(_ignored([exclude], path) for exclude in excludes):
                continue
            if is_folder:
                folders.append((entry.path, ignores))
            else:
                yield entry.path, os.path.realpath(entry.path) if entry.is_symlink() else real + entry.path[len(start) :], config
        waiting.extend(reversed(folders))


def _excludes(config: Config, top: str) -> list[_Ignore]:
    """The configuration's patterns that are more than names, less those that leave out `top` itself: who names a folder wants it checked."""
    found = []
    start = os.path.join(top, "")
    for patterns in config.excludes:
        if patterns.spec is not None:
            root = os.path.join(patterns.root, "")
            related = start.startswith(root) or root.startswith(start)
            exclude = _Ignore(root if related else start, patterns.spec)
            if not exclude.verdict(start):
                found.append(exclude)
    return found


def _ignored(ignores: list[_Ignore], path: str) -> bool:
    """What git says: the innermost file that has a pattern about the path decides."""
    for ignore in reversed(ignores):
        verdict = ignore.verdict(path)
        if verdict is not None:
            return verdict
    return False


def _ignores_above(top: Path) -> list[_Ignore]:
    """What git ignores by the files above a folder, up to the root of its repository; nothing if git ignores that folder itself."""
    repository = next((folder for folder in (top, *top.parents) if os.path.exists(folder / ".git")), None)
    if repository is None:
        return []
    above = [folder for folder in reversed(top.parents) if folder.is_relative_to(repository)]
    ignores = _ignore(str(repository), str(repository / ".git" / "info" / "exclude"))
    for folder in above:
        ignores += _ignore(str(folder), str(folder / ".gitignore"))
    return [] if _ignored(ignores, os.path.join(top, "")) else ignores


def _ignore(folder: str, file: str) -> list[_Ignore]:
    """The patterns of one file in the syntax of .gitignore; none if it is not there, has none, or is no regular file: git follows no link there either."""
    try:
        if not stat.S_ISREG(os.lstat(file).st_mode):
            return []
        from mxlint.globs import Globs

        with open(file, encoding="utf-8-sig", errors="replace") as lines:
            globs = Globs(lines.read().splitlines())
    except OSError:
        return []
    return [_Ignore(os.path.join(folder, ""), globs)] if globs else []
