"""Writing a file whole: whoever reads it, and whatever ends this process, finds the old one or the new one."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from pathlib import Path


def replace_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Put `data` in the place of what a file holds, or make the file. Raises OSError, with the file as it was.

    The permissions of the file stay, and so does a link to it. What is no regular file, or what the system opens under another name, such as a pipe
    or /dev/stdout, is written to as it is.
    """
    target = Path(os.path.realpath(path))
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and (not stat.S_ISREG(mode) or os.path.abspath(path).startswith(("/dev/", "/proc/"))):
        with open(path, "wb") as file:
            file.write(data)
        return
    if mode is not None and not os.access(target, os.W_OK):
        raise PermissionError(
            errno.EACCES, os.strerror(errno.EACCES), os.fspath(path)
        )  # a file that is protected is not replaced by one that is not
    temporary = target.parent / f".mxlint-{secrets.token_hex(8)}.tmp"  # in the same folder: only there is the renaming one step
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
