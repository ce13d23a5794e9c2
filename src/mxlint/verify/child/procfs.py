"""What Linux tells of processes in /proc."""

from __future__ import annotations

import os
import stat


def children(pid: int) -> list[int]:
    """The processes that one has started and that still are its children."""
    found = []
    for task in threads(pid):
        try:
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                found += [int(child) for child in file.read().split()]
        except OSError:
            continue
    return found


def threads(pid: int) -> list[int]:
    """The threads of a process, by their numbers outside of it."""
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def family(pid: int) -> list[int]:
    """All descendants."""
    found: list[int] = []
    waiting = children(pid)
    while waiting:
        child = waiting.pop()
        found.append(child)
        waiting += children(child)
    return found


def status(pid: int) -> dict[str, str]:
    """The fields of /proc/PID/status; empty if the process is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
            return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    except OSError:
        return {}


def inner_number(fields: dict[str, str], name: str = "NSpid") -> int:
    """The number that a process or a thread has for itself, in the innermost namespace; 0 if unknown."""
    return int(fields.get(name, "0").split()[-1])


def memory(pid: int) -> int:
    """The bytes of memory that a process uses; its first thread may have ended before the others."""
    for one in (pid, *threads(pid)):
        try:
            with open(f"/proc/{pid}/task/{one}/statm", encoding="ascii") as file:
                pages = int(file.read().split()[1])
        except (OSError, ValueError, IndexError):
            continue
        if pages:
            return pages * os.sysconf("SC_PAGE_SIZE")
    return 0


def unnamed_open(pid: int) -> dict[tuple[int, int], int]:
    """The open files of a process that no folder names, with the bytes that they take."""
    found = {}
    for one in (pid, *threads(pid)):
        try:
            names = os.listdir(f"/proc/{pid}/task/{one}/fd")
        except OSError:
            continue
        for name in names:
            try:
                seen = os.stat(f"/proc/{pid}/task/{one}/fd/{name}")
            except OSError:
                continue
            if seen.st_nlink == 0 and stat.S_ISREG(seen.st_mode):
                found[seen.st_dev, seen.st_ino] = seen.st_blocks * 512
        if names:  # its threads share them
            break
    return found


def unnamed_mapped(pid: int) -> set[tuple[int, int]]:
    """The files that a process has mapped and that no folder names."""
    found = set()
    for one in (pid, *threads(pid)):
        try:
            with open(f"/proc/{pid}/task/{one}/maps", "rb") as file:
                rows = [line.split(None, 5) for line in file if line.endswith(b" (deleted)\n")]
        except OSError:
            continue
        for row in rows:
            major, minor = (int(part, 16) for part in row[3].split(b":"))
            if row[5] != SHARED_MEMORY:
                found.add((os.makedev(major, minor), int(row[4])))
        break
    return found


SHARED_MEMORY = b"/dev/zero (deleted)\n"
"""A mapping that processes share and no file; it counts among their memory."""
