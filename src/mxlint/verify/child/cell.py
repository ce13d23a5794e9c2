"""A process among processes that it cannot name: in a namespace of process numbers, nobody outside has one.

Three take part. The first stays outside and ends as the last does; the second is number 1 inside, and with it ends all that is left there;
the third is the experiment. Number 1 is not it: the kernel keeps signals from number 1 that it has no handler for.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable

from . import guard

_STATUS = 4


def enter(private: Iterable[int]) -> None:
    """Go on as the third. `private`: file descriptors that are the experiment's alone."""
    private = list(private)
    read, write = os.pipe()
    first = os.fork()
    if first:
        _close([write, *private])
        _, status = os.waitpid(first, 0)
        told = os.read(read, _STATUS)
        _end_like(int.from_bytes(told, "little") if told else status)
    os.close(read)
    guard.tie()
    worker = os.fork()
    if worker:
        _close(private)
        ended, status = 0, 0
        while ended != worker:
            ended, status = os.wait()  # of orphans, too
        os.write(write, status.to_bytes(_STATUS, "little"))
        os._exit(0)
    os.close(write)
    guard.tie()


def _close(ends: Iterable[int]) -> None:
    for end in ends:
        os.close(end)


def _end_like(status: int) -> None:
    """End the way that another process did."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status))
