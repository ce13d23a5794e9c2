"""What a program under verify may try in vain, in words, and how Python announces it: by an audit event, or not at all.

The supervisor names what the kernel refused (supervisor.py), the hook what Python was about to do (guard.py); both use these kinds.
"""

from __future__ import annotations

PHRASES = {
    "write": "tried to change a file outside of its folder",
    "read": "tried to read a file outside of the project",
    "metadata": "tried to change the permissions, owner, times or attributes of a file",
    "special file": "tried to make a device or a pipe in a folder",
    "memory file": "tried to make a file in memory",
    "database": "tried to open a database",
    "socket": "tried to open a socket",
    "connection": "tried to connect to a socket",
    "process": "tried to start a process",
    "signal": "tried to signal another process",
    "other process": "tried to look into another process",
    "scheduling": "tried to change how another process runs",
    "shared memory": "tried to use shared memory, semaphores or queues",
    "keys": "tried to use the kernel's keys",
    "kernel": "tried to use a kernel interface that no experiment needs",
    "mounts": "tried to change mounts or namespaces",
    "rights": "tried to change its own rights",
    "machine": "tried to administer the machine",
    "library": "tried to call into a C library",
    "interpreter": "tried to look into the interpreter",
}
"""What is said of each kind, before ": refused"."""

DENIED = {
    "os.system": "process",
    "os.exec": "process",
    "os.fork": "process",
    "os.posix_spawn": "process",
    "os.spawn": "process",
    "os.startfile": "process",
    "subprocess.": "process",
    "pty.spawn": "process",
    "webbrowser.": "process",
    "os.kill": "signal",
    "signal.pthread_kill": "signal",
    "socket.": "socket",
    "syslog.": "socket",
    "ftplib.": "socket",
    "smtplib.": "socket",
    "poplib.": "socket",
    "imaplib.": "socket",
    "nntplib.": "socket",
    "telnetlib.": "socket",
    "urllib.Request": "socket",
    "http.client.": "socket",
    "sqlite3.": "database",
    "ctypes.": "library",
    "gc.get_": "interpreter",
    "sys.addaudithook": "interpreter",
    "sys._current_": "interpreter",
    "sys.remote_exec": "interpreter",
}
"""Audit events that have no place in an experiment, by how they begin, with the kind of deed."""
ALLOWED = frozenset({"socket.gethostname", "socket.__new__"})

CHANGES: dict[str, tuple[str, tuple[tuple[int, int | None], ...]]] = {
    "os.chmod": ("metadata", ((0, 2),)),
    "os.chown": ("metadata", ((0, 3),)),
    "os.chflags": ("metadata", ((0, None),)),
    "os.lchflags": ("metadata", ((0, None),)),
    "os.utime": ("metadata", ((0, 3),)),
    "os.setxattr": ("metadata", ((0, None),)),
    "os.removexattr": ("metadata", ((0, None),)),
    "shutil.copymode": ("metadata", ((1, None),)),
    "shutil.copystat": ("metadata", ((1, None),)),
    "shutil.chown": ("metadata", ((0, None),)),
    "os.remove": ("write", ((0, 1),)),
    "os.rename": ("write", ((0, 2), (1, 3))),
    "os.mkdir": ("write", ((0, 2),)),
    "os.rmdir": ("write", ((0, 1),)),
    "os.link": ("write", ((0, 2), (1, 3))),
    "os.symlink": ("write", ((1, 2),)),
    "os.truncate": ("write", ((0, None),)),
    "shutil.rmtree": ("write", ((0, 1),)),
    "shutil.move": ("write", ((0, None), (1, None))),
    "shutil.copyfile": ("write", ((1, None),)),
    "shutil.copytree": ("write", ((1, None),)),
    "shutil.make_archive": ("write", ((0, None),)),
    "shutil.unpack_archive": ("write", ((1, None),)),
}
"""Audit events of what may be done in the experiment's own folder: the kind, which arguments are paths, and which the folders that these
start from."""

UNHEARD: dict[str, tuple[str, int | None]] = {
    "mkfifo": ("special file", 0),
    "mknod": ("special file", 0),
    "memfd_create": ("memory file", None),
    "chroot": ("mounts", None),
    "unshare": ("mounts", None),
    "setns": ("mounts", None),
}
"""Functions of os that no audit event tells of: the kind, and the path if it is allowed in the experiment's own folder."""

OF_MLX = {
    **dict.fromkeys(("save", "savez", "savez_compressed", "save_gguf", "save_safetensors"), "write"),
    **dict.fromkeys(("export_function", "exporter", "export_to_dot"), "write"),
    "load": "read",
}
"""Functions of mlx.core that open the file they are given first in C++, where no audit event tells of it."""

MODULES = {"_gdbm": "database", "_dbm": "database", "_posixshmem": "shared memory"}
"""Modules of C whose deeds no event tells of: they cannot be imported."""

OF_PROCESSES = {
    "setpriority": (0, 0),
    "sched_setaffinity": (0,),
    "sched_setscheduler": (0,),
    "sched_setparam": (0,),
    "pidfd_open": (0,),
}
"""Functions of os that no audit event tells of, with the arguments by which a process means itself; its number does as well."""


def said(kind: str) -> str:
    """One refusal in words."""
    return f"{PHRASES.get(kind, kind)}: refused"
