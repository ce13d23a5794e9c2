"""What the kernel keeps an experiment from: limits, namespaces, Landlock, a filter of system calls. Layers that could not be had are not reported.

What none of them stops: a verdict forged by the code it is about. docs/security.md says what each does.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from . import calls

CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x08000000, 0x10000000, 0x20000000, 0x40000000
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
DEVICES = ("/dev/null", "/dev/tty")
SOURCES = ("/dev/zero", "/dev/urandom", "/dev/random")
"""Devices that are only read: what is written to a mapping of the first is memory that nobody counts."""
LIBRARIES = ("LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH")
"""Variables that name folders which MLX loads from."""
CUDA = ("/dev", "/proc")
"""What the driver of an NVIDIA GPU looks through and writes to; its own device files alone are not enough (measured with driver 580)."""


LAYERS = ("limits", "namespaces", "landlock", "system calls")
"""What an experiment can be told to do without, to see what the rest does; the audit hook is always there."""
ALONE = "own process numbers"
"""The layer that takes a new process to have any effect (cell.py)."""


def has_cuda() -> bool:
    """Whether this machine has the driver of an NVIDIA GPU."""
    return os.path.exists("/dev/nvidiactl")


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


def separate() -> list[str]:
    """Namespaces of the kernel's, on Linux: no network, no shared memory, and for what is forked from here no processes but its own."""
    if sys.platform != "linux":
        return []
    libc = ctypes.CDLL(None, use_errno=True)
    # The driver of an NVIDIA GPU looks its own process up in /proc, by the number that it has outside (measured with driver 580).
    if not has_cuda() and libc.unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWPID) == 0:
        layers = ["no network", ALONE]
    elif libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0:
        layers = ["no network"]
    else:
        return []
    libc.capset(struct.pack("Ii", CAPABILITIES, 0), bytes(24))  # whoever makes a namespace has every right in it
    return layers


def restrict(writable: str, readable: Iterable[str], wanted: Collection[str], channel: Any) -> list[str]:
    """What the kernel refuses this process and all that it starts, on Linux; call it before MLX starts a thread. `channel`: to who names it."""
    if sys.platform != "linux":
        return []
    layers = []
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
        if "landlock" in wanted and _landlock(libc, writable, readable):
            layers.append("landlock")
        if "system calls" in wanted:
            layers += calls.close_in(has_cuda(), channel)
    return layers


def beside() -> tuple[str, ...]:
    """What may be written to apart from the experiment's own folder."""
    return tuple(os.path.join(path, "") for path in CUDA) if has_cuda() else ()


def readable_anyway() -> list[str]:
    """What every experiment may read: system folders, settings of libraries, and what the environment names as libraries."""
    libraries = [path for name in LIBRARIES for path in os.environ.get(name, "").split(os.pathsep) if path]
    return [*READABLE, *SOURCES, *(os.path.join("/etc", name) for name in SETTINGS), *libraries]


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
    rules = [(path, READ) for path in (*readable_anyway(), *readable)]
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
