"""Writing a file whole: whoever reads it, and whatever ends this process, finds the old one or the new one."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import time
from contextlib import suppress
from typing import Final

_ENDING: Final = ".tmp"
_TOKEN: Final = re.compile("[0-9a-f]{16}")
_LEFT_S: Final = 3600
"""So old is a new file that nobody will put in place any more: writing one takes seconds."""


def replace_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Put `data` in the place of what a file holds, or make the file. Raises OSError, with the file as it was.

    The permissions and the owner of the file stay, and so does a link to it. What is no regular file, or what the system opens under another name,
    such as a pipe or /dev/stdout, is written to as it is.
    """
    target = os.path.realpath(path)
    try:
        old = os.stat(path)
    except FileNotFoundError:
        old = None
    if old is not None and (not stat.S_ISREG(old.st_mode) or os.path.abspath(path).startswith(("/dev/", "/proc/"))):
        with open(path, "wb") as file:
            file.write(data)
        return
    if old is not None and not os.access(target, os.W_OK):
        # A file that is protected is not replaced by one that is not.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    new = written_beside(target, data)
    try:
        os.replace(new, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(new)
        raise
    sync_folder(os.path.dirname(target))


def written_beside(target: str, data: bytes) -> str:
    """A new file, whole on the disk, in the folder of another, where alone renaming is one step. With the same permissions as that one and, where
    the system lets us, the same owner."""
    folder, name = os.path.split(target)
    beginning = f".{name[:100]}."
    _sweep(folder, beginning)
    path = os.path.join(folder, f"{beginning}{secrets.token_hex(8)}{_ENDING}")
    try:
        with open(path, "xb") as file:
            file.write(data)
            file.flush()
            with suppress(FileNotFoundError):
                _as_before(file.fileno(), os.stat(target))
            os.fsync(file.fileno())
    except BaseException:
        with suppress(OSError):
            os.unlink(path)
        raise
    return path


def _sweep(folder: str, beginning: str) -> None:
    """Delete what writers of a file have left beside it that were killed. One that lives and has been stopped for so long cannot put its file in
    place then: it fails, with the old one as it was."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            token = entry.name.removeprefix(beginning).removesuffix(_ENDING)
            if entry.name == f"{beginning}{token}{_ENDING}" and _TOKEN.fullmatch(token):
                with suppress(OSError):
                    if entry.is_file(follow_symlinks=False) and time.time() - entry.stat(follow_symlinks=False).st_mtime > _LEFT_S:
                        os.unlink(entry.path)


def sync_folder(folder: str) -> None:
    """Have the names in a folder on the disk, where a system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _as_before(handle: int, old: os.stat_result) -> None:
    if hasattr(os, "fchown"):
        new = os.fstat(handle)
        if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
            with suppress(PermissionError):
                os.fchown(handle, old.st_uid, old.st_gid)
    if hasattr(os, "fchmod"):  # after the owner, whose change takes bits away
        os.fchmod(handle, stat.S_IMODE(old.st_mode))
