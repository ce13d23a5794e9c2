"""A filter for system calls, on Linux: those that no experiment needs are refused, whoever makes them and in whatever language.

It is a list of what is allowed. A call that is known and not allowed goes to the supervisor (supervisor.py), which refuses and names it;
one that is unknown does not exist (ENOSYS), so that a libc falls back to what it did before. Where a process cannot have a supervisor, known
calls are refused without a word, and those that Landlock decides are left to it.
"""

from __future__ import annotations

import _socket
import ctypes
import errno
import os
import struct
import sys
from collections.abc import Callable, Iterable
from typing import Any

from .syscalls import ALLOWED, MACHINES, NUMBERS, REFUSED

Step = tuple[int, int, int, int]

LOAD, EQUAL, ANY_BIT, AT_LEAST, AND, GIVE = 0x20, 0x15, 0x45, 0x35, 0x54, 0x06
NUMBER, MACHINE, ARGUMENTS = 0, 4, 16
OTHER_CONVENTION = 1 << 30
"""Numbers from here on are those of x32."""
ALLOW, ASK, FAIL = 0x7FFF0000, 0x7FC00000, 0x00050000
SET_FILTER, SPECULATE, LISTEN = 1, 4, 8
"""Without the second, kernels before 5.16 slow the process down against attacks on its own memory; what is timed must not be."""

OPEN_TO_CHANGE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_TMPFILE", 0) & ~getattr(os, "O_DIRECTORY", 0)
NEW_NAMESPACE = 0x7E020000
CLONE_PARENT, CLONE_THREAD, CLONE_FILES = 0x8000, 0x10000, 0x400
MAP_SHARED, MAP_ANONYMOUS = 1, 0x20
AF_UNIX, SOCK_STREAM, SOCK_SEQPACKET, SOCK_TYPE = 1, 1, 5, 0xF
PDEATHSIG, SIGKILL = 1, 9
OWN_RIGHTS = (4, 8, 22, 24, 28, 35, 36, 47, 0x59616D61)
"""Options of prctl: dumpable, kept capabilities, seccomp, the bounding set, secure bits, the memory map, reaper of orphans, ambient
capabilities, who may trace it."""
PRCTL = (2, 3, 15, 16, 21, 23, 29, 30, 38, 39, 41, 42, 0x53564D41)
"""Those that only ask, names of threads and of mappings, slack of timers, no new privileges, huge pages."""
TERMINAL = (0x5401, 0x540F, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x5452)
"""Requests of ioctl that ask a terminal or set whether a descriptor blocks and is kept."""
ATTRIBUTES = (0x40086602, 0x40046602, 0x401C5820, 0x40087602, 0x40047602, 0x40806685, 0x800C6613, 0x5412, 0x541C)
"""Those that change the flags of a file that is open for reading, its version, its integrity or encryption, and that type into a terminal."""
SIGNALS_OF_FILES = (8, 10, 15, 1024, 1026)
"""Commands of fcntl that send signals to a process: owner, signal, owner again, lease, changes of a folder."""
UNASKED = ("open", "openat", *REFUSED["write"], "kill", "tkill", "tgkill", "sched_setaffinity")
"""Calls that are left to the other layers where there is nobody to ask: a program makes them for itself, too."""
HANDOVER = (("sendmsg", 0), ("seccomp", 2))
"""Calls that hand the listener over and close the door behind it, with the argument by which they are known."""
OF_CUDA = ("memfd_create", "listen", "accept", "accept4")
"""What the driver of an NVIDIA GPU makes as well; it also has requests of ioctl of its own, and listens at a socket of packets with a name that is
in no folder (measured with driver 580: without it there is no device)."""


def _argument(number: int, high: bool = False) -> Step:
    return (LOAD, 0, 0, ARGUMENTS + 8 * number + 4 * high)


def _one_of(number: int, values: Iterable[int], then: int, otherwise: list[Step]) -> list[Step]:
    """`then` if the argument is among the values."""
    steps: list[Step] = [_argument(number)]
    for value in values:
        steps += [(EQUAL, 0, 1, value), (GIVE, 0, 0, then)]
    return [*steps, *otherwise]


def _any_bit(number: int, mask: int, then: int, otherwise: list[Step]) -> list[Step]:
    return [_argument(number), (ANY_BIT, 0, 1, mask), (GIVE, 0, 0, then), *otherwise]


def _rules(ask: Callable[[str], int], cuda: bool) -> dict[str, list[Step]]:
    """The calls that are judged by their arguments. They stand first: the kernel remembers which of the others are always allowed."""
    allow: list[Step] = [(GIVE, 0, 0, ALLOW)]

    def asked(kind: str) -> list[Step]:
        return [(GIVE, 0, 0, ask(kind))]

    def on_itself(*first: int) -> list[Step]:
        """Made with these first arguments, it is about the process that makes it."""
        steps: list[Step] = []
        for number, value in reversed(list(enumerate(first))):
            inner = steps or allow
            steps = [_argument(number), (EQUAL, 0, len(inner), value), *inner]
        return [*steps, *asked("scheduling")]

    def local(*types: int) -> list[Step]:
        """A socket between processes of one machine, of one of these types."""
        kinds: list[Step] = [step for one in types for step in ((EQUAL, 0, 1, one), *allow)]
        return [_argument(0), (EQUAL, 0, 2 + len(kinds), AF_UNIX), _argument(1), (AND, 0, 0, SOCK_TYPE), *kinds, *asked("socket")]

    requests = allow if cuda else [(GIVE, 0, 0, FAIL | errno.ENOTTY)]
    return {
        "openat": _any_bit(2, OPEN_TO_CHANGE, ask("write"), allow),
        "open": _any_bit(1, OPEN_TO_CHANGE, ask("write"), allow),
        # What such a mapping has taken is in no account of the process, once it has given most of it back.
        "mmap": [_argument(3), (ANY_BIT, 0, 2, MAP_ANONYMOUS), (ANY_BIT, 0, 1, MAP_SHARED), *asked("memory file"), *allow],
        "ioctl": _one_of(1, TERMINAL, ALLOW, _one_of(1, ATTRIBUTES, ask("metadata"), requests)),
        "fcntl": _one_of(1, SIGNALS_OF_FILES, ask("signal"), allow),
        "prlimit64": on_itself(0),
        "clone": _any_bit(
            0,
            NEW_NAMESPACE | CLONE_PARENT,
            ask("mounts"),
            # A thread whose descriptors are its own would have files that nobody counts.
            [(ANY_BIT, 0, 2, CLONE_THREAD), (ANY_BIT, 1, 0, CLONE_FILES), *asked("mounts"), *allow],
        ),
        "prctl": _one_of(
            0,
            PRCTL,
            ALLOW,
            [
                *_one_of(0, OWN_RIGHTS, ask("rights"), []),
                (EQUAL, 0, 4, PDEATHSIG),
                *_one_of(1, (SIGKILL,), ALLOW, []),
                *asked("rights"),
                (GIVE, 0, 0, FAIL | errno.EINVAL),
            ],
        ),
        "personality": _one_of(0, (0xFFFFFFFF,), ALLOW, asked("rights")),
        "setpriority": on_itself(0, 0),
        "ioprio_set": on_itself(1, 0),
        **{name: on_itself(0) for name in ("sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr")},
        "socket": local(SOCK_STREAM, *([SOCK_SEQPACKET] if cuda else [])),
        "socketpair": local(SOCK_STREAM),
        "sendto": [_argument(4), (EQUAL, 0, 3, 0), _argument(4, high=True), (EQUAL, 0, 1, 0), *allow, *asked("connection")],
    }


def program(machine: str, supervised: bool, cuda: bool, handover: tuple[int, int] = (-1, -1)) -> bytes | None:
    """The filter in the kernel's form; None for a machine whose numbers are not known. `handover`: the descriptor by which its listener may
    be handed over, and the address (its low half) of the one filter that may follow."""
    if machine not in MACHINES:
        return None
    column, audit = MACHINES[machine]

    def ask(kind: str) -> int:
        return ASK if supervised else FAIL | errno.EPERM

    rules = _rules(ask, cuda)
    free = (*ALLOWED, *(OF_CUDA if cuda else ()))
    if cuda:
        del rules["mmap"]
    rules |= {name: [(GIVE, 0, 0, ALLOW)] for name in free if name not in rules}
    if not supervised:
        rules |= {name: [(GIVE, 0, 0, ALLOW)] for name in (*UNASKED, *(["bind"] if cuda else []))}
    kinds = {name: kind for kind, names in REFUSED.items() for name in names}
    for (name, argument), value in zip(HANDOVER, handover):
        if value >= 0:
            rules[name] = _one_of(argument, (value,), ALLOW, [(GIVE, 0, 0, ask(kinds[name]))])
    rules |= {name: [(GIVE, 0, 0, ask(kind))] for name, kind in kinds.items() if name not in rules}
    steps: list[Step] = [
        (LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, audit), (GIVE, 0, 0, FAIL | errno.ENOSYS),
        (LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, OTHER_CONVENTION), (GIVE, 0, 0, FAIL | errno.ENOSYS),
    ]  # fmt: skip
    for name, body in rules.items():
        number = NUMBERS[name][column]
        if number is not None:
            steps += [(EQUAL, 0, len(body), number), *body]
    return assemble([*steps, (GIVE, 0, 0, FAIL | errno.ENOSYS)])


def closing(machine: str, handover: tuple[int, int]) -> bytes:
    """The filter that follows: what the first one let through for the handover is refused, too."""
    steps: list[Step] = [(LOAD, 0, 0, NUMBER)]
    for (name, argument), value in zip(HANDOVER, handover):
        number = NUMBERS[name][MACHINES[machine][0]]
        assert number is not None
        body = _one_of(argument, (value,), FAIL | errno.EPERM, [(GIVE, 0, 0, ALLOW)])
        steps += [(EQUAL, 0, len(body), number), *body]
    return assemble([*steps, (GIVE, 0, 0, ALLOW)])


def assemble(steps: Iterable[Step]) -> bytes:
    """The instructions of a filter as bytes, each in the form of the kernel's `struct sock_filter`."""
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def close_in(cuda: bool, channel: Any = None) -> list[str]:
    """Put the filter on this process and all that it starts, and hand its listener over; the layers that this is.

    The process must not be able to get new rights, and have one thread. `channel`: a socket to the supervisor, of which it needs no answer.
    """
    machine = os.uname().machine
    head = ctypes.create_string_buffer(16)
    if channel is not None:
        handover = (channel.fileno(), ctypes.addressof(head) & 0xFFFFFFFF)
        code = program(machine, True, cuda, handover)
        listener = -1 if code is None else _install(code, ctypes.create_string_buffer(16), LISTEN)
        if listener >= 0:
            channel.sendmsg([b"\0"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("i", listener))])
            os.close(listener)
            if _install(closing(machine, handover), head) < 0:
                raise OSError("the filter of system calls cannot be closed")
            return ["system calls"]
    code = program(machine, False, cuda)
    return ["system calls, unnamed"] if code is not None and _install(code, head) >= 0 else []


def _install(code: bytes, head: Any, flags: int = 0) -> int:
    """-1 if the kernel does not; else 0, or the listener if there is to be one."""
    buffer = ctypes.create_string_buffer(code, len(code))
    head[:] = struct.pack("HP", len(code) // 8, ctypes.addressof(buffer))
    return int(ctypes.CDLL(None).syscall(NUMBERS_HERE["seccomp"], SET_FILTER, SPECULATE | flags, head))


def _numbers_here() -> dict[str, int]:
    if sys.platform != "linux" or os.uname().machine not in MACHINES:
        return {}
    column = MACHINES[os.uname().machine][0]
    return {name: number for name, numbers in NUMBERS.items() if (number := numbers[column]) is not None}


NUMBERS_HERE = _numbers_here()
"""The numbers of this machine's calls by their names; empty where there is no table for it."""
