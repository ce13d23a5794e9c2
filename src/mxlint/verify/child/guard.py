"""What keeps an experiment in its box: limits, namespaces, Landlock, an audit hook. Each layer that could not be had is left out of the report.

The hook is against accidents, the kernel's layers against malice. What none of them stops: a verdict forged by the code it is about.
"""

from __future__ import annotations

import ctypes
import functools
import os
import struct
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import calls

CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
CAPABILITIES = 0x20080522  # the version of the call that sets them
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, SIGKILL = 1, 38, 9
CREATE, ADD_RULE, RESTRICT = 444, 445, 446  # Landlock's system calls, the same on every architecture
READ = 0b1101  # execute, read file, read folder
FILE_ACCESS = 0b1 | 0b10 | 0b100 | 1 << 14 | 1 << 15  # execute, write and read a file, truncate it, control a device
READABLE = ("/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin", "/proc", "/sys", "/opt/rocm", "/nix/store")
SETTINGS = (
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld.so.preload", "localtime", "timezone", "locale.alias", "passwd", "group", "nsswitch.conf", "os-release", "mime.types",
    "ssl/openssl.cnf", "ssl/certs", "pki/tls/openssl.cnf", "crypto-policies", "alternatives", "nvidia",
)  # fmt: skip
"""What libraries look up in /etc, where there are secrets as well."""
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/dev/tty")
LIBRARIES = ("LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH")
"""Variables that name folders which MLX loads from."""
CUDA = ("/dev", "/proc")
"""What the driver of an NVIDIA GPU looks through and writes to; its own device files alone are not enough (measured with driver 580)."""


ALONE = "own process numbers"
"""The layer that takes a new process to have any effect (cell.py)."""


def has_cuda() -> bool:
    """Whether this machine has the driver of an NVIDIA GPU."""
    return os.path.exists("/dev/nvidiactl")


class Denied(PermissionError):
    """The experiment tried something that has no place in one."""


def limit(limits: Mapping[str, int]) -> list[str]:
    """Limits of the system on this process and what it starts."""
    try:
        import resource
    except ImportError:  # not a Unix
        return []
    wanted = {
        resource.RLIMIT_CPU: (limits["cpu_s"], limits["cpu_s"] + 2),
        resource.RLIMIT_FSIZE: (limits["file_bytes"],) * 2,
        resource.RLIMIT_NOFILE: (limits["files"],) * 2,
        resource.RLIMIT_CORE: (0, 0),
    }
    if sys.platform == "linux" and limits["address_bytes"] and not has_cuda():  # CUDA reserves more addresses than there is memory
        wanted[resource.RLIMIT_AS] = (limits["address_bytes"],) * 2
    if limits["tasks"]:
        wanted[resource.RLIMIT_NPROC] = (limits["tasks"],) * 2
    for what, (soft, hard) in wanted.items():
        try:
            most = resource.getrlimit(what)[1]
            hard = hard if most == resource.RLIM_INFINITY else min(hard, most)
            resource.setrlimit(what, (min(soft, hard), hard))
        except (ValueError, OSError):
            return []
    return ["limits"]


def enclose(writable: str, readable: Iterable[str]) -> list[str]:
    """Layers of the kernel, on Linux; call it before MLX starts a thread."""
    if sys.platform != "linux":
        return []
    libc = ctypes.CDLL(None, use_errno=True)
    layers = []
    libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
    # The driver of an NVIDIA GPU looks its own process up in /proc, by the number that it has outside (measured with driver 580).
    if not has_cuda() and libc.unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWPID) == 0:
        layers += ["no network", ALONE]
    elif libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0:
        layers.append("no network")
    if layers:  # whoever makes a namespace has every right in it
        libc.capset(struct.pack("Ii", CAPABILITIES, 0), bytes(24))
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
        if _landlock(libc, writable, readable):
            layers.append("landlock")
        if ALONE not in layers and calls.forbid():
            layers.append("system calls")
    return layers


def tie() -> None:
    """A process that was forked dies with the one it was forked from."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)


def _landlock(libc: Any, writable: str, readable: Iterable[str]) -> bool:
    abi = libc.syscall(CREATE, None, 0, 1)
    if abi < 1:
        return False
    files = (1 << 13) - 1 | (1 << 13 if abi >= 2 else 0) | (1 << 14 if abi >= 3 else 0) | (1 << 15 if abi >= 5 else 0)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    attribute = struct.pack("QQQ", files, 3 if abi >= 4 else 0, 3 if abi >= 6 else 0)[:size]
    ruleset = libc.syscall(CREATE, attribute, size, 0)
    if ruleset < 0:
        return False
    libraries = [path for name in LIBRARIES for path in os.environ.get(name, "").split(os.pathsep)]
    rules = [(path, READ) for path in (*READABLE, *(os.path.join("/etc", name) for name in SETTINGS), *libraries, *readable)]
    rules += [(path, files) for path in (writable, *DEVICES, *(CUDA if has_cuda() else ()))]
    for path, access in rules:
        try:
            opened = os.open(path, os.O_PATH)
        except OSError:
            continue
        access = access & files if os.path.isdir(path) else access & files & FILE_ACCESS
        libc.syscall(ADD_RULE, ruleset, 1, struct.pack("=Qi", access, opened), 0)
        os.close(opened)
    done = libc.syscall(RESTRICT, ruleset, 0) == 0
    os.close(ruleset)
    return bool(done)


DENIED = (
    "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "os.kill", "os.killpg", "subprocess.",
    "pty.spawn", "socket.", "ctypes.", "gc.get_", "sys.addaudithook", "sys._current_frames",
    "signal.pthread_kill", "webbrowser.", "ftplib.", "smtplib.", "urllib.Request", "http.client.", "sqlite3.enable_load",
)  # fmt: skip
CHANGING = {
    "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "os.utime", "os.setxattr",
    "shutil.rmtree", "shutil.move", "shutil.copyfile", "shutil.copytree",
}  # fmt: skip
ALLOWED = ("socket.gethostname", "socket.__new__")
OF_PROCESSES = {"setpriority": (0, 0), "sched_setaffinity": (0,), "sched_setscheduler": (0,), "sched_setparam": (0,), "pidfd_open": (0,)}
"""What no hook hears of, with the arguments by which a process means itself; its number does as well."""


def arm(writable: str, refused: list[str]) -> list[str]:
    """Refuse, from now on, what no experiment needs. `refused` lists what was."""
    root = os.path.join(os.path.realpath(writable), "")
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    fspath, abspath, is_text, is_number = os.fspath, os.path.realpath, (str, bytes), int
    denied, changing, allowed, error = DENIED, frozenset(CHANGING), ALLOWED, Denied
    null = os.devnull
    own = (0, os.getpid())

    def outside(path: Any) -> bool:
        if isinstance(path, is_number):
            return False
        text = fspath(path)
        text = text.decode(errors="replace") if isinstance(text, bytes) else text
        return text != null and not (abspath(text) + "/").startswith(root)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if not (isinstance(flags, is_number) and flags & writing and isinstance(path, is_text) and outside(path)):
                return
        elif event in changing:
            if not any(isinstance(argument, is_text) and outside(argument) for argument in arguments[:2]):
                return
        elif event == "object.__setattr__":
            if arguments[1] != "__code__":
                return
        elif event == "resource.prlimit":
            if arguments[0] in own:
                return
        elif not event.startswith(denied) or event in allowed:
            return
        refused.append(event)
        raise error(f"mxlint's experiment does not allow {event}")

    def of_itself(name: str, real: Callable[..., Any], allowed: tuple[int, ...]) -> Callable[..., Any]:
        @functools.wraps(real)
        def call(*args: Any) -> Any:
            if args[: len(allowed)] != allowed and args[: len(allowed)] != (*allowed[:-1], own[1]):
                refused.append(name)
                raise error(f"mxlint's experiment does not allow {name}")
            return real(*args)

        return call

    for name, arguments in OF_PROCESSES.items():
        if (real := getattr(os, name, None)) is not None:
            setattr(os, name, of_itself(f"os.{name}", real, arguments))
    sys.addaudithook(hook)
    return ["audit hook"]
