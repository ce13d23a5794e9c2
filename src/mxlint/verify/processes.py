"""Child processes side by side: each in a session of its own, and ended with all that it started.

On Linux the orphans of our children become our own children, so that none gets away. Whose child one was cannot be told any more, and need
not be: no experiment has a use for orphans, so they are ended wherever they are found.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol

from mxlint.verify.child import procfs

_SET_SUBREAPER, _GET_SUBREAPER = 36, 37
_SWEEPS = 100
_BREATH_S = 0.05


class Child(Protocol):
    """A child process, whoever started it, as subprocess.Popen has it."""

    @property
    def pid(self) -> int: ...
    @property
    def stdout(self) -> IO[bytes] | None: ...
    @property
    def stderr(self) -> IO[bytes] | None: ...
    @property
    def returncode(self) -> int | None: ...
    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...


@dataclass(slots=True)
class ProcessGroup:
    """The children that we have started, and `strangers`: those that we had before. The lock keeps a newborn from being taken for an orphan.

    There is one at a time in a process, however many runs start children: an orphan is what none of them knows.
    """

    strangers: frozenset[int] = frozenset()
    running: set[int] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)
    was_subreaper: int = 0
    users: int = 0

    def start(
        self,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        pass_fds: tuple[int, ...],
        stdin: int = subprocess.DEVNULL,
    ) -> subprocess.Popen[bytes]:
        """A child with pipes for what it prints, and nothing to read but `stdin`."""
        with self.lock:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=pass_fds,
                start_new_session=True,
            )
            self.running.add(process.pid)
        return process

    def end(self, process: Child) -> None:
        """Kill a child with all that it started."""
        for _ in range(_SWEEPS):
            alive = [process.pid, *family(process.pid)] if process.poll() is None else []
            if alive and sys.platform != "linux":
                _signal_group(process.pid)
            for pid in alive:
                _kill(pid)
            if not self.sweep() and not alive:
                break
            try:
                process.wait(_BREATH_S)
            except subprocess.TimeoutExpired:
                continue
            if not alive:
                time.sleep(_BREATH_S)
        process.wait()
        with self.lock:
            self.running.discard(process.pid)

    def sweep(self) -> int:
        """Kill the orphans, and say how many there were. What is in our own session was not started by an experiment: they have others."""
        if sys.platform != "linux":
            return 0
        with self.lock:
            orphans = [
                pid for pid in procfs.children(os.getpid()) if pid not in self.strangers and pid not in self.running and _left_us(pid)
            ]
            for orphan in orphans:
                for pid in (orphan, *family(orphan)):
                    _kill(pid)
                try:
                    os.waitpid(orphan, os.WNOHANG)
                except OSError:
                    continue
        return len(orphans)


_GROUPS: list[ProcessGroup] = []
_GROUPS_LOCK = threading.Lock()


@contextmanager
def process_group() -> Iterator[ProcessGroup]:
    """Where children are started; no orphan is left afterwards. Who comes while another is at work shares the group with him."""
    with _GROUPS_LOCK:
        if not _GROUPS:
            _GROUPS.append(ProcessGroup(frozenset(procfs.children(os.getpid())), was_subreaper=_become_subreaper(1)))
        ours = _GROUPS[0]
        ours.users += 1
    try:
        yield ours
    finally:
        for _ in range(_SWEEPS):
            if not ours.sweep():
                break
            time.sleep(_BREATH_S)  # one that is killed takes a while to end where there is much to be given back
        with _GROUPS_LOCK:
            ours.users -= 1
            if not ours.users:
                _GROUPS.remove(ours)
                _become_subreaper(ours.was_subreaper)


def _become_subreaper(value: int) -> int:
    """Have orphans become our children, or no longer; what held before."""
    before = ctypes.c_int(0)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        libc.prctl(_GET_SUBREAPER, ctypes.byref(before), 0, 0, 0)
        libc.prctl(_SET_SUBREAPER, value, 0, 0, 0)
    return before.value


def _left_us(pid: int) -> bool:
    try:
        return os.getsid(pid) != os.getsid(0)
    except OSError:
        return False


def _signal_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        pass


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass


def family(pid: int) -> list[int]:
    """All descendants of a process."""
    if sys.platform == "linux":
        return procfs.family(pid)
    import psutil

    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    except psutil.Error:
        return []


def used(pid: int) -> tuple[int, int]:
    """How many processes a process and its descendants are, and the bytes of memory that they use."""
    everyone = [pid, *family(pid)]
    return len(everyone), sum(_memory(one) for one in everyone)


def _memory(pid: int) -> int:
    if sys.platform == "linux":
        return procfs.memory(pid)
    import psutil

    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0


def unnamed(pid: int, most: int) -> int:
    """The bytes of files that a process and its descendants hold without a name in any folder, in memory or on a disk.

    One that is only mapped counts as `most`, the largest that a file can be: how large it is cannot be told.
    """
    if sys.platform != "linux":
        return 0
    files: dict[tuple[int, int], int] = {}
    mapped: set[tuple[int, int]] = set()
    for one in (pid, *procfs.family(pid)):
        files |= procfs.unnamed_open(one)
        mapped |= procfs.unnamed_mapped(one)
    return sum(files.values()) + most * len(mapped - files.keys())


def computed(pid: int) -> float | None:
    """Seconds that a process, its descendants and those of them that were waited for have spent on a core; None where that is not told."""
    ticks = 0
    for one in (pid, *family(pid)):
        try:
            with open(f"/proc/{one}/stat", "rb") as file:
                ticks += sum(map(int, file.read().rpartition(b")")[2].split()[11:15]))
        except (OSError, ValueError):
            continue
    return ticks / os.sysconf("SC_CLK_TCK") if sys.platform == "linux" else None


def tasks_of_user() -> int:
    """How many threads the user's processes have, which is what a limit on processes counts."""
    count = 0
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == os.getuid():
                count += len(os.listdir(f"/proc/{name}/task"))
        except OSError:
            continue
    return count
