"""Files written anew: each as a whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from mxlint.files import sync_folder, written_beside

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
            os.replace(written_beside(self.target, self.rewrite.before), self.target)

    def clean_up(self) -> None:
        """Leave nothing behind that did not take its place, and have the names of what did on the disk."""
        with suppress(FileNotFoundError):
            os.unlink(self.new)
        sync_folder(os.path.dirname(self.target))


def _prepared(rewrite: Rewrite) -> _File:
    """A file with its new content beside it. Raises WriteError where that must not take its place."""
    target = os.path.realpath(rewrite.path)
    if _content(target) != rewrite.before:
        raise WriteError(rewrite.name, CHANGED)
    if not os.access(target, os.W_OK):
        raise WriteError(rewrite.name, "cannot be written: it is read-only")
    if (names := os.stat(target).st_nlink) > 1:
        raise WriteError(rewrite.name, f"has {names} names (hard links), which would not be one file any more: left alone")
    return _File(rewrite, target, written_beside(target, rewrite.after))


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
