"""Who answers for the system calls that a filter asks about: it names what is refused, and sees what stays inside.

The supervisor is outside of what it supervises and has the only descriptor of the filter's listener. It lets a call go on only if its numbers
alone show that it is harmless, or if Landlock judges it again: a path can be changed by another thread after it was read. Without Landlock
such a thread gets past it; docs/security.md says so.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from . import procfs
from .calls import AF_UNIX, NUMBERS_HERE
from .syscalls import REFUSED

RECEIVE, SEND = 0xC0502100, 0xC0182101
NOTIFICATION, ANSWER = struct.Struct("=QIIiIQ6Q"), struct.Struct("=QqiI")
CONTINUE = 1
AT_FDCWD, AT_SYMLINK_FOLLOW, AT_SYMLINK_NOFOLLOW = -100, 0x400, 0x100
PATH_MAX, PAGE = 4096, 4096
FILE_TYPE, DEVICES_TYPES = 0o170000, (0o020000, 0o060000)

PATHS: dict[str, tuple[tuple[int | None, int, bool], ...]] = {
    "open": ((None, 0, True),),
    "openat": ((0, 1, True),),
    "creat": ((None, 0, True),),
    "truncate": ((None, 0, True),),
    "rename": ((None, 0, False), (None, 1, False)),
    "renameat": ((0, 1, False), (2, 3, False)),
    "renameat2": ((0, 1, False), (2, 3, False)),
    "link": ((None, 0, False), (None, 1, False)),
    "linkat": ((0, 1, True), (2, 3, False)),
    "symlink": ((None, 1, False),),
    "symlinkat": ((1, 2, False),),
    "unlink": ((None, 0, False),),
    "unlinkat": ((0, 1, False),),
    "mkdir": ((None, 0, False),),
    "mkdirat": ((0, 1, False),),
    "rmdir": ((None, 0, False),),
    "mknod": ((None, 0, False),),
    "mknodat": ((0, 1, False),),
}
"""The paths that a call changes: which argument is the folder that it starts from, which the path, whether a link at its end is followed."""
MAKE_FOLDER = ("mkdir", "mkdirat")
MODES = {"mknod": 1, "mknodat": 2}
METADATA: dict[str, tuple[int | None, int | None]] = {
    **dict.fromkeys(("chmod", "chown", "lchown", "utime", "utimes", "setxattr", "lsetxattr", "removexattr", "lremovexattr"), (None, 0)),
    **dict.fromkeys(("fchmod", "fchown", "fsetxattr", "fremovexattr"), (0, None)),
    **dict.fromkeys(
        ("fchmodat", "fchmodat2", "fchownat", "futimesat", "utimensat", "setxattrat", "removexattrat", "file_setattr", "ioctl"), (0, 1)
    ),
}
"""Whose metadata a call changes: an open file or folder, a path, or both."""
TO_A_PROCESS = ("kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open")
"""Calls that name a process first; a process may so do to itself and to what it has started."""
TO_A_THREAD = ("tkill", "prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr")
"""Calls that name a thread first; a process may so do to its own."""
OF_LIBRARIES = (b"/var/run/nscd/", b"/run/nscd/", b"/run/systemd/userdb/", b"/var/lib/sss/pipes/", b"/tmp/nvidia-mps/")
"""Libraries knock here by themselves, a libc for the name of a user, the driver of an NVIDIA GPU for a service, and go on if nobody is there."""
LOCAL, MOST_ADDRESS = AF_UNIX.to_bytes(2, "little"), 110
ANSWERS = {"memory file": errno.ENOSYS, "write": errno.EACCES, "read": errno.EACCES}
"""What a refused call returns, where it is not EPERM."""
FREE = ("/dev/null", "/dev/tty")
"""Devices that may be written to: what is mapped from others is memory that nobody counts."""


@dataclass(slots=True)
class Supervisor:
    """Answers for the calls of one experiment. `work`: the folder that is its own; `beside`: further ones that it may write to;
    `names`: whether it may bind sockets to names that are in no folder; `name`: is told the kind of each refusal."""

    listener: int
    work: str
    beside: tuple[str, ...]
    names: bool
    name: Callable[[str], None]
    rules: dict[int, tuple[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kinds = {name: kind for kind, names in REFUSED.items() for name in names}
        kinds |= {"open": "write", "openat": "write", "ioctl": "metadata", "fcntl": "signal", "clone": "mounts"}
        kinds |= {"mmap": "memory file", "socketpair": "socket", "sendto": "connection", "prctl": "rights"}
        self.rules = {NUMBERS_HERE[name]: (name, kind) for name, kind in kinds.items() if name in NUMBERS_HERE}

    def answer(self) -> None:
        """Hear one call and answer it."""
        buffer = bytearray(NOTIFICATION.size)
        try:
            fcntl.ioctl(self.listener, RECEIVE, buffer)
        except OSError:  # the caller was killed before it was heard
            return
        number, thread, _, call, _, _, *arguments = NOTIFICATION.unpack(buffer)
        name, kind = self.rules.get(call, ("", "kernel"))
        try:
            error = self.judge(name, thread, arguments)
        except (OSError, ValueError, LookupError):
            error = errno.EPERM
        if error is None:
            answer = ANSWER.pack(number, 0, 0, CONTINUE)
        else:
            answer = ANSWER.pack(number, 0, -error, 0)
        if error not in (None, 0, errno.ENOENT):
            if error == errno.EPERM:
                answer = ANSWER.pack(number, 0, -ANSWERS.get(kind, errno.EPERM), 0)
            self.name(kind)
        try:
            fcntl.ioctl(self.listener, SEND, answer)
        except OSError:
            pass

    def judge(self, name: str, thread: int, arguments: list[int]) -> int | None:
        """None lets the call go on; else its error, EPERM if it is refused, 0 if it is said to be done and is not."""
        if name in PATHS:
            if name in MODES and arguments[MODES[name]] & FILE_TYPE in DEVICES_TYPES:
                return errno.EPERM
            places = [self.place(thread, start, path, follow, arguments) for start, path, follow in PATHS[name]]
            if name in MAKE_FOLDER and places[0] is not None and os.path.lexists(places[0]):
                return None  # the kernel says that it exists
            return None if all(place is None or self.inside(place) for place in places) else errno.EPERM
        if name in METADATA and name != "ioctl":
            # A linker makes its output executable. Nobody executes it here, so that nothing need be done, and nothing can go wrong.
            start, path = METADATA[name]
            place = self.place(thread, start, path, True, arguments)
            return 0 if place is None or self.inside(place) else errno.EPERM
        if name in TO_A_PROCESS:
            return None if signed(arguments[0]) in self.own(thread) else errno.EPERM
        if name in TO_A_THREAD:
            return None if signed(arguments[0]) in own_threads(thread) else errno.EPERM
        if name == "setpriority":
            return None if arguments[0] == 0 and signed(arguments[1]) in own_threads(thread) else errno.EPERM
        if name == "bind":
            address = self.address(thread, arguments)
            return None if self.names and address[:2] == LOCAL and address[2:3] == b"\0" else errno.EPERM
        if name == "connect":
            return errno.ENOENT if self.by_a_library(thread, arguments) else errno.EPERM
        return errno.EPERM

    def inside(self, place: str) -> bool:
        """Whether a file may be changed: it lies in the experiment's folder, or is none at all (a pipe)."""
        return (place + "/").startswith((self.work, *self.beside)) or place in FREE or _is_pipe(place)

    def place(self, thread: int, start: int | None, path: int | None, follow: bool, arguments: list[int]) -> str | None:
        """What a path of a call means; None if it cannot be read, which the kernel will see as well."""
        if path is None or arguments[path] == 0:
            assert start is not None
            return os.readlink(f"/proc/{thread}/fd/{signed(arguments[start])}")
        text = text_at(thread, arguments[path])
        if text is None:
            return None
        where = os.fsdecode(text)
        if where.startswith("/"):
            return resolved(as_seen_by(thread, where), follow)
        if not where and start is None:
            return None  # no path at all
        folder = AT_FDCWD if start is None else signed(arguments[start])
        top = f"/proc/{thread}/cwd" if folder == AT_FDCWD else f"/proc/{thread}/fd/{folder}"
        return resolved(f"{top}/{where}" if where else top, follow or not where)

    def own(self, thread: int) -> set[int]:
        """The numbers by which a process knows itself and what it has started."""
        leader = int(procfs.status(thread).get("Tgid", "0"))
        return {procfs.inner_number(procfs.status(pid)) for pid in (leader, *procfs.family(leader))} - {0}

    def by_a_library(self, thread: int, arguments: list[int]) -> bool:
        address = self.address(thread, arguments)
        return address[:2] == LOCAL and address[2:].startswith(OF_LIBRARIES)

    def address(self, thread: int, arguments: list[int]) -> bytes:
        """The address that a call gives a socket."""
        return memory(thread, arguments[1], min(arguments[2], MOST_ADDRESS))


def own_threads(thread: int) -> set[int]:
    """The numbers by which a process knows its threads."""
    leader = procfs.status(thread).get("Tgid", "0")
    return {procfs.inner_number(procfs.status(int(f"{one}"))) for one in procfs.threads(int(leader))} - {0}


def signed(value: int) -> int:
    """An argument that is an int."""
    low = value & 0xFFFFFFFF
    return low - (1 << 32) if low >> 31 else low


def memory(thread: int, address: int, size: int) -> bytes:
    """Bytes of a process's memory."""
    opened = os.open(f"/proc/{thread}/mem", os.O_RDONLY)
    try:
        return os.pread(opened, size, address)
    finally:
        os.close(opened)


def text_at(thread: int, address: int) -> bytes | None:
    """A string of C; None if there is none."""
    text = b""
    while len(text) < PATH_MAX:
        try:
            part = memory(thread, address + len(text), PAGE - (address + len(text)) % PAGE)
        except (OSError, OverflowError):
            return None
        head, end, _ = part.partition(b"\0")
        text += head
        if end or not part:
            return text
    return None


def as_seen_by(thread: int, path: str) -> str:
    """A path by which we come to what the thread means."""
    for number, name in enumerate(("/dev/stdin", "/dev/stdout", "/dev/stderr")):
        if path == name:
            return f"/proc/{thread}/fd/{number}"
    for own, real in (("/dev/fd/", "fd/"), ("/proc/self/", ""), ("/proc/thread-self/", "")):
        if path.startswith(own):
            return f"/proc/{thread}/{real}{path[len(own) :]}"
    return path


def resolved(path: str, follow: bool) -> str:
    """Where a path leads, as the kernel says; the last part may be missing, and is a link itself unless it is followed."""
    if follow:
        try:
            return _leads_to(path)
        except (FileNotFoundError, NotADirectoryError):
            if os.path.islink(path):
                return os.path.realpath(path)
    folder, name = os.path.split(path.rstrip("/") or "/")
    try:
        return _leads_to(path) if name in ("", ".", "..") else os.path.join(_leads_to(folder), name)
    except (FileNotFoundError, NotADirectoryError):
        return os.path.realpath(path)


def _leads_to(path: str) -> str:
    opened = os.open(path, getattr(os, "O_PATH", 0))
    try:
        return os.readlink(f"/proc/self/fd/{opened}")
    finally:
        os.close(opened)


def _is_pipe(place: str) -> bool:
    return place.rpartition("/")[2].startswith(("pipe:[", "anon_inode:")) and place.startswith(("/proc/", "pipe:", "anon_inode:"))
