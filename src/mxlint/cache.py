"""What a run found out, kept on the disk for the next one: plain JSON, an entry for each key, which is the digest of all that is known beforehand.

A cache may come with a repository that nobody knows. So an entry is data and nothing else; one that is damaged, or that something else wrote, is
none; what is no regular file is not opened; and nothing is removed that has not the name of an entry. Writing is atomic, so that runs may share
a cache, and a cache that cannot be written is no reason to fail.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LASTS_S = 30 * 24 * 3600
"""An entry that nobody read for so long goes."""
MOST_BYTES = 256 * 1024 * 1024
"""What all entries of one kind may take; beyond it those go that nobody read for the longest time."""
MOST_ENTRY = 64 * 1024 * 1024
"""What one entry may take: more is not read."""
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by mxlint; see https://bford.info/cachedir/\n"
_DAY_S = 24 * 3600
_TEMPORARY = "new-"
_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Cache:
    """The entries of one kind that were made in one environment: what was found in another is not found here. `top`: the folder that all caches are
    in, which is made with the first entry."""

    top: Path
    kind: str
    environment: str

    @property
    def folder(self) -> Path:
        """Where the entries are."""
        return self.top / self.kind / self.environment

    def read(self, key: str) -> dict[str, Any] | None:
        """The entry of a key; None if there is none that can be trusted to be whole."""
        path = self._path(key)
        try:
            data = _regular(path)
            digest, _, text = data.partition(b"\n")
            if digest != _digest(key, text):
                return None
            found = json.loads(text)
        except (OSError, ValueError, RecursionError):
            return None
        with suppress(OSError):
            if time.time() - os.stat(path).st_mtime > _DAY_S:
                os.utime(path)
        return found if isinstance(found, dict) else None

    def write(self, key: str, entry: Mapping[str, Any]) -> None:
        """Keep an entry if that is possible."""
        path = self._path(key)
        text = json.dumps(entry, separators=(",", ":")).encode()
        with suppress(OSError):
            if not os.path.isdir(path.parent):
                prepare(self.top)
                path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=_TEMPORARY, dir=path.parent)
            try:
                with open(handle, "wb") as file:
                    file.write(_digest(key, text) + b"\n" + text)
                os.replace(name, path)
            except BaseException:
                with suppress(OSError):
                    os.unlink(name)
                raise

    def prune(self) -> None:
        """Remove entries that nobody reads any more, and what is too much; not more often than once a day."""
        folder = self.top / self.kind
        stamp = folder / "pruned"
        with suppress(OSError):
            if os.path.isdir(folder) and not (os.path.lexists(stamp) and time.time() - os.lstat(stamp).st_mtime < _DAY_S):
                with suppress(FileNotFoundError):
                    os.unlink(stamp)
                os.close(os.open(stamp, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
                _prune(folder)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key[2:]


def key_of(parts: object) -> str:
    """The key of what is known beforehand: data as JSON has it."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def prepare(folder: Path) -> None:
    """Make a folder that backups and git overlook; in one that holds something, that is for others to say. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    if os.listdir(folder):
        return
    for name, text in {".gitignore": "*\n", "CACHEDIR.TAG": _TAG}.items():
        with suppress(FileExistsError), open(folder / name, "x", encoding="utf-8") as file:
            file.write(text)


def _regular(path: Path) -> bytes:
    """What a file holds. Raises OSError for what is none, without waiting for whoever may write to it, and for one that is too large."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as file:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or about.st_size > MOST_ENTRY:
            raise OSError(f"{path} is no entry")
        return file.read()


def _prune(folder: Path) -> None:
    """Remove old entries, then the oldest as long as there are too many, then folders without any."""
    entries = sorted(_entries(folder), key=lambda entry: entry[0], reverse=True)
    size, old = 0, time.time() - LASTS_S
    for used, length, path in entries:
        size += length
        if used < old or size > MOST_BYTES:
            with suppress(OSError):
                os.unlink(path)
    for environment in _folders(folder):
        for part in _folders(environment.path):
            with suppress(OSError):
                os.rmdir(part.path)  # refuses where something is in it
        with suppress(OSError):
            os.rmdir(environment.path)


def _entries(folder: Path) -> Iterator[tuple[float, int, str]]:
    """When each entry was used last, its size and its path. What has another name, or is behind a link, is not ours."""
    for environment in _folders(folder):
        for part in _folders(environment.path):
            with suppress(OSError), os.scandir(part.path) as found:
                for entry in found:
                    if _is_ours(entry.name) and entry.is_file(follow_symlinks=False):
                        about = entry.stat(follow_symlinks=False)
                        yield about.st_mtime, about.st_size, entry.path


def _is_ours(name: str) -> bool:
    return (len(name) == 62 and _HEX.issuperset(name)) or name.startswith(_TEMPORARY)


def _folders(folder: str | Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return [entry for entry in found if _HEX.issuperset(entry.name) and entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _digest(key: str, text: bytes) -> bytes:
    return hashlib.sha256(key.encode() + b"\n" + text).hexdigest().encode()
