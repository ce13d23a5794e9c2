"""How far a run is, at a terminal: one line on stderr, which is gone at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

PATIENCE = 1.0
"""Seconds before a run at a terminal shows how far it is."""
_BEAT_S = 0.25
_STAGES = {"check": ("Checking", "file"), "verify": ("Verifying", "finding"), "measure": ("Measuring", "finding")}
_ERASE = "\r\x1b[2K"

Show = Callable[..., None]
"""Takes how many are done, of how many, and if it is not the check of files: of which stage, and what is under way."""


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Show | None]:
    """A line on stderr, written anew from time to time: only at a terminal, and only on runs that last."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from threading import Event, Thread

    line, over = _Line(), Event()

    def beat() -> None:
        while not over.wait(_BEAT_S):  # a file may take long, and nothing is done meanwhile
            line.write()

    ticking = Thread(target=beat, name="mxlint-progress", daemon=True)
    ticking.start()
    try:
        yield line.show
    finally:
        over.set()
        ticking.join()
        line.erase()


class _Line:
    """The line of one run."""

    def __init__(self) -> None:
        from threading import Lock
        from time import monotonic

        self._now = monotonic
        self._start = self._stage_start = monotonic()
        self._at = (0, 0, "check", "")
        self._written = float("-inf")
        self._shown = False
        self._lock = Lock()

    def show(self, done: int, total: int, stage: str = "check", running: str = "") -> None:
        """Note how far the run is, and write that if it is time to."""
        if stage != self._at[2]:
            self._stage_start, self._written = self._now(), float("-inf")
        self._at = (done, total, stage, running)
        if self._now() - self._written >= _BEAT_S:
            self.write()

    def write(self) -> None:
        """Write the line, in the width of the terminal."""
        if self._now() - self._start < PATIENCE or not self._at[1]:
            return
        from shutil import get_terminal_size

        from mxlint.report.style import one_line

        text = one_line(progress_text(*self._at, self._now() - self._stage_start))
        self._put(_ERASE + text[: get_terminal_size().columns - 1])
        self._written, self._shown = self._now(), True

    def erase(self) -> None:
        """Leave nothing behind."""
        if self._shown:
            self._put(_ERASE)

    def _put(self, text: str) -> None:
        with self._lock, suppress(OSError, ValueError):  # a terminal that goes away ends no run
            sys.stderr.write(text)
            sys.stderr.flush()


def progress_text(done: int, total: int, stage: str, running: str, elapsed: float) -> str:
    """How many are done of how many, how long the rest takes if it goes on as it did, and what is under way."""
    doing, noun = _STAGES[stage]
    text = f"{doing}: {done} of {total} {noun}{'' if total == 1 else 's'}"
    if 0 < done < total:
        left = elapsed / done * (total - done)
        text += f", about {f'{left:.0f} s' if left < 90 else f'{left / 60:.0f} min'} left"
    return text + (f" ({running})" if running else "")
