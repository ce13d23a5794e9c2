"""Children that have begun before there is anything for them to run: on a GPU no process can be forked that has loaded MLX, and a new one takes
most of a second until it computes.

Such a child is in its sandbox from the start, in a folder of its own, which is filled once there is a job for it. It runs one job and ends, like any
other. It is a convenience: where none is ready, a new one is started, and nothing but the time it takes changes.
"""

from __future__ import annotations

import json
import os
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from subprocess import Popen
from typing import Any

from mxlint.verify.processes import ProcessGroup

MODE = "waiting"
"""What such a child is told to do, until it is told what to run."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What has to be known of a child before it begins: `settings` are those that its sandbox needs, as JSON."""

    python: str
    settings: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """A child that has begun. `orders`: where it is told what to run; `result`: where it hands in its answer."""

    process: Popen[bytes]
    folder: Path
    orders: int
    result: int

    def tell(self, mode: str) -> bool:
        """Have it run the job in its folder; whether it is there to do so. Asked afterwards, a child that is fast has come to its end."""
        try:
            if self.process.poll() is not None:
                return False
            os.write(self.orders, mode.encode())
        except OSError:
            return False
        finally:
            os.close(self.orders)
        return True

    def close(self) -> None:
        """Nobody tells it anything any more."""
        for end in (self.orders, self.result):
            with suppress(OSError):
                os.close(end)


Start = Callable[[Kind, Path, int, int], "Popen[bytes]"]
"""Starts a child of a kind in a folder, with descriptors for what it is told and for its answer."""


@dataclass
class WaitingChildren:
    """Those of one run: of each kind that was asked for, `most` are kept ready."""

    folder: Path
    children: ProcessGroup
    most: int
    ready: dict[Kind, deque[Waiting]] = field(default_factory=lambda: defaultdict(deque))
    numbers: count[int] = field(default_factory=count)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, kind: Kind, start: Start) -> Waiting | None:
        """A child that has begun, the first that did, or None where none has. Others begin for those who come next."""
        with self.lock:
            ready = self.ready[kind]
            taken = ready.popleft() if ready else None
            while len(ready) < self.most:
                ready.append(self._started(kind, start))
        return taken

    def _started(self, kind: Kind, start: Start) -> Waiting:
        folder = self.folder / f"{MODE}-{next(self.numbers)}"
        (folder / "work" / "tmp").mkdir(parents=True)
        (folder / "job.json").write_text(kind.settings, encoding="utf-8")
        read, orders = os.pipe()
        result, write = os.pipe()
        try:
            return Waiting(start(kind, folder, read, write), folder, orders, result)
        finally:
            os.close(read)
            os.close(write)

    def close(self) -> None:
        """End those that nothing came for."""
        with self.lock:
            left = [one for ready in self.ready.values() for one in ready]
            for waiting in left:
                waiting.close()  # it ends by itself, all of them at a time
            for waiting in left:
                self.children.end(waiting.process)
                for stream in (waiting.process.stdout, waiting.process.stderr):
                    if stream is not None:
                        stream.close()
            self.ready.clear()
            self.most = 0


def kind_of(python: str, settings: Mapping[str, Any], layers: Sequence[str], limits: Mapping[str, int]) -> Kind:
    """The kind of child that can run a job with these settings."""
    return Kind(python, json.dumps({"readable": settings["readable"], "layers": list(layers), "limits": limits}, sort_keys=True))
