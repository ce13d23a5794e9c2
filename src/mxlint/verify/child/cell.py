"""The processes of one experiment: a keeper stays outside, the experiment goes on behind the layers that hold it.

The keeper answers for the system calls that are asked about (supervisor.py), writes down what was refused, ends all that the experiment has
started when mxlint is gone, and ends as the experiment did. Where there are namespaces of process numbers, a process between the two is
number 1 inside, and with it ends all that is left there. Number 1 is not the experiment: the kernel keeps signals from number 1 that it
has no handler for.
"""

from __future__ import annotations

import array
import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from . import guard, procfs

REFUSED = "refused.txt"
"""What was refused, one kind a line; beside the folder that the experiment may write to."""
WATCH_MS = 100
"""How often the keeper looks whether its own parent is still there; a closed pipe tells it at once."""
SWEEPS = 1000
_BREATH_S = 0.01
"""Between two looks at what is left to be ended."""
_STATUS = 4
_SUBREAPER = 36


@dataclass(frozen=True, slots=True)
class Cell:
    """Where an experiment is to be kept. `work`: what it may write to; `wanted`: the layers to use; `result`: a pipe to mxlint that is the
    experiment's alone."""

    folder: str
    work: str
    readable: tuple[str, ...]
    wanted: frozenset[str]
    limits: Mapping[str, int]
    result: int | None


def enter(cell: Cell) -> list[str]:
    """Go on inside; returns the layers that hold."""
    layers = guard.limit(cell.limits) if "limits" in cell.wanted else []
    parent = os.getppid()
    record = os.open(os.path.join(cell.folder, REFUSED), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    if "namespaces" in cell.wanted:
        layers += guard.separate()
    supervised = sys.platform == "linux" and "system calls" in cell.wanted
    outer, inner = _channel() if supervised else (None, None)
    status, report = os.pipe()
    started = os.fork()
    if started:
        os.close(report)
        if inner is not None:
            inner.close()
        _Keeper(cell, parent, started, record, status, outer).keep()
    for end in (record, status):
        os.close(end)
    if outer is not None:
        outer.close()
    guard.tie()
    if guard.ALONE in layers:
        _number_one(report, [] if cell.result is None else [cell.result], inner)
    os.close(report)
    layers += guard.restrict(cell.work, cell.readable, cell.wanted, inner)
    if inner is not None:
        inner.close()
    return layers


def _channel() -> tuple[Any, Any]:
    import _socket

    return _socket.socketpair()


def _number_one(report: int, private: Iterable[int], inner: Any) -> None:
    """Fork the experiment off, and stay as the first of its namespace."""
    worker = os.fork()
    if not worker:
        guard.tie()
        return
    _close(private)
    if inner is not None:
        inner.close()
    ended, status = 0, 0
    while ended != worker:
        ended, status = os.wait()  # of orphans, too
    os.write(report, status.to_bytes(_STATUS, "little"))
    os._exit(0)


class _Keeper:
    def __init__(self, cell: Cell, parent: int, started: int, record: int, status: int, channel: Any) -> None:
        self.cell, self.parent, self.started, self.record, self.status, self.channel = cell, parent, started, record, status, channel
        self.named: set[str] = set()
        self.supervisor: Any = None

    def keep(self) -> None:
        """Stay until the experiment has ended, or mxlint; never returns."""
        try:
            code = self.follow()
        except BaseException:  # noqa: BLE001 - nothing of it may outlive its keeper
            code = None
        try:
            self.end_family()
        finally:
            if code is None:
                os._exit(1)
            _end_like(code)

    def follow(self) -> int | None:
        """The status of the experiment's end; None if mxlint has ended before it."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # at a terminal the experiment gets it as well
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, _leave)
        wake, woken = os.pipe()
        os.set_blocking(woken, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
        events = select.poll()
        events.register(wake, select.POLLIN)
        if self.cell.result is not None:
            events.register(self.cell.result, 0)  # an error says that nobody reads it any more
        if self.channel is not None:
            events.register(self.channel.fileno(), select.POLLIN)
        while True:
            ended = self.reap()
            if ended is not None:
                return ended
            for descriptor, event in events.poll(WATCH_MS):
                if descriptor == wake:
                    os.read(wake, 1 << 10)
                elif descriptor == self.cell.result:
                    return None
                elif self.channel is not None and descriptor == self.channel.fileno():
                    events.unregister(descriptor)
                    self.listen(events)
                elif event & select.POLLIN:
                    self.supervisor.answer()
                else:
                    events.unregister(descriptor)
            if os.getppid() != self.parent:
                return None

    def listen(self, events: select.poll) -> None:
        """Take over the listener of the experiment's filter."""
        import _socket

        size = array.array("i").itemsize
        _, sent, _, _ = self.channel.recvmsg(1, _socket.CMSG_LEN(size))
        self.channel.close()
        self.channel = None
        for _, kind, data in sent:
            if kind == _socket.SCM_RIGHTS:
                from .supervisor import Supervisor

                (listener,) = array.array("i", data)
                self.supervisor = Supervisor(
                    listener, os.path.join(os.path.realpath(self.cell.work), ""), guard.beside(), guard.has_cuda(), self.name
                )
                events.register(listener, select.POLLIN)

    def name(self, kind: str) -> None:
        if kind not in self.named:
            self.named.add(kind)
            os.write(self.record, f"{kind}\n".encode())

    def reap(self) -> int | None:
        """The status of the experiment, if it has ended."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return 0
            if pid == 0:
                return None
            if pid == self.started:
                data = os.read(self.status, _STATUS)
                return int.from_bytes(data, "little") if data else status

    def end_family(self) -> None:
        """Kill all that the experiment has started, orphans as well."""
        if sys.platform != "linux":
            _kill(self.started)
            return
        for _ in range(SWEEPS):
            left = procfs.family(os.getpid())
            if not left:
                break
            for pid in left:
                _kill(pid)
            self.reap()  # no waiting: what was started while we looked has not been killed yet
            time.sleep(_BREATH_S)


def _leave(number: int, _: object) -> None:
    raise SystemExit(128 + number)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass


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
