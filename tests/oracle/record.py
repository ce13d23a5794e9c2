"""Run programs under CPython and get what they did: the parent's side of `child`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from .model import Recording, read_recording

TESTS = Path(__file__).parents[1]
MLX = ("mlx.core", "mlx.nn", "mlx.optimizers", "mlx.utils")
"""Modules that the process may import once, before any program."""


class ProgramFailed(Exception):
    """A program was killed, by its time limit or a signal, so nothing is known of it."""


class Record(Protocol):
    def __call__(self, folder: Path, main: str = "main.py", *, instrument: bool = True, seconds: int = 20) -> Recording:
        """Run `main` in its folder for at most so many seconds and return what it did: only its output and its end without `instrument`.

        Raises ProgramFailed.
        """


@contextmanager
def recording(preload: Sequence[str] = ()) -> Iterator[Record]:
    """Start the process that runs programs, each in a fork. `preload` are modules that it imports first, if they are there."""
    child = subprocess.Popen(
        [sys.executable, "-B", "-m", "oracle.child", *preload],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS), "PYTHONHASHSEED": "0"},
    )
    assert child.stdin is not None and child.stdout is not None
    jobs, answers = child.stdin, child.stdout

    def record(folder: Path, main: str = "main.py", *, instrument: bool = True, seconds: int = 20) -> Recording:
        jobs.write(json.dumps({"folder": str(folder.absolute()), "main": main, "instrument": instrument, "seconds": seconds}) + "\n")
        jobs.flush()
        answer = json.loads(answers.readline())
        if "failed" in answer:
            raise ProgramFailed(answer["failed"])
        return read_recording(answer)

    try:
        yield record
    finally:
        jobs.close()
        answers.close()
        child.wait()
