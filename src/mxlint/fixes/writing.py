"""Files written anew: each as a whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from tempfile import mkstemp

CHANGED = "has changed since it was read: left alone"


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A file, by its path, that is to hold `after` in place of `before`. `name`: what users call it."""

    name: str
    path: str
    before: bytes
    after: bytes


class WriteError(Exception):
    """Files that were left as they are, because of the one called `name`."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name
        self.message = message


def write_together(rewrites: Sequence[Rewrite]) -> None:
    """Write all of the files or, raising WriteError, none. Links stay links, and a file keeps its permissions and its owner.

    The new content is complete on the disk before it takes the old one's place, so that a file is old or new at every moment.
    """
    files: list[_File] = []
    try:
        for rewrite in rewrites:
            with _naming(rewrite):
                files.append(_prepared(rewrite))
        for file in files:
            with _naming(file.rewrite):
                file.put()
    except BaseException:  # an interruption, too
        for file in files:
            with suppress(OSError):
                file.take_back()
        raise
    finally:
        for file in files:
            with suppress(OSError):
                file.clean_up()


@dataclass(slots=True)
class _File:
    """New content, at `new`, beside the file whose place it is to take. `tried`: it may have taken it."""

    rewrite: Rewrite
    target: str
    new: str
    tried: bool = False

    def put(self) -> None:
        if _content(self.target) != self.rewrite.before:
            raise WriteError(self.rewrite.name, CHANGED)
        self.tried = True
        os.replace(self.new, self.target)

    def take_back(self) -> None:
        """Give the file its old content again, unless somebody has changed the new one."""
        if self.tried and _content(self.target) == self.rewrite.after:
            os.replace(_beside(self.target, self.rewrite.before), self.target)

    def clean_up(self) -> None:
        """Leave nothing behind that did not take its place, and have the names of what did on the disk."""
        with suppress(FileNotFoundError):
            os.unlink(self.new)
        _sync_folder(os.path.dirname(self.target))


def _prepared(rewrite: Rewrite) -> _File:
    """A file with its new content beside it. Raises WriteError where that must not take its place."""
    target = os.path.realpath(rewrite.path)
    if _content(target) != rewrite.before:
        raise WriteError(rewrite.name, CHANGED)
    if not os.access(target, os.W_OK):
        raise WriteError(rewrite.name, "cannot be written: it is read-only")
    if (names := os.stat(target).st_nlink) > 1:
        raise WriteError(rewrite.name, f"has {names} names (hard links), which would not be one file any more: left alone")
    return _File(rewrite, target, _beside(target, rewrite.after))


@contextmanager
def _naming(rewrite: Rewrite) -> Iterator[None]:
    """Turns an error of the system into one that names the file."""
    try:
        yield
    except OSError as error:
        raise WriteError(rewrite.name, f"cannot be written: {error.strerror or error}") from None


def _content(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()


def _beside(target: str, data: bytes) -> str:
    """A new file in the folder of another, with the same permissions and, where the system lets us, the same owner."""
    folder, name = os.path.split(target)
    handle, path = mkstemp(prefix=f".{name[:100]}.", suffix=".tmp", dir=folder)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            _as_before(file.fileno(), os.stat(target))
            os.fsync(file.fileno())
    except BaseException:
        with suppress(OSError):
            os.unlink(path)
        raise
    return path


def _as_before(handle: int, old: os.stat_result) -> None:
    if hasattr(os, "fchown"):
        new = os.fstat(handle)
        if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
            with suppress(PermissionError):
                os.fchown(handle, old.st_uid, old.st_gid)
    if hasattr(os, "fchmod"):  # after the owner, whose change takes bits away
        os.fchmod(handle, stat.S_IMODE(old.st_mode))


def _sync_folder(folder: str) -> None:
    """Have the names in a folder on the disk, where a system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
