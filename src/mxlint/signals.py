"""What asks a run to end. Before anything is verified it ends at once, with the exit code that shells give; a verifying run reports what it has."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

ENDING = tuple(number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None)
"""Ctrl-C, being asked to end, and a terminal that goes away; not every system has all."""
Handlers = dict[signal.Signals, Any]


def exit_code(number: int) -> int:
    """Of a run that a signal ended."""
    return 128 + number


def end_at_once() -> None:
    """From now on, end when asked to, without a traceback. `SystemExit` is nothing that the handling of a broken file catches."""
    replace_handlers(_end)


def exit_at_once() -> None:
    """From now on, exit when asked to, whatever the threads do. Python handles a signal between two steps of the main thread: one that comes just
    before that thread waits for the system is handled when the wait is over, which may be never. The number of each signal comes through a pipe as well."""
    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told)
    threading.Thread(target=_exit_when_told, args=(heard,), name="mxlint-signals", daemon=True).start()
    replace_handlers(lambda number, frame: os._exit(exit_code(number)))


def replace_handlers(handler: Callable[[int, object], object]) -> Handlers:
    """Handle all of them in one way; returns how they were handled before."""
    return {number: signal.signal(number, handler) for number in ENDING}


@contextmanager
def held_back() -> Iterator[None]:
    """What asks a run to end is heard when the block is over. Python calls functions where a process is copied, and drops what they raise: the
    `SystemExit` of a signal that comes just then would be lost."""
    if threading.current_thread() is not threading.main_thread():  # which alone handles signals
        yield
        return
    heard: list[int] = []
    before = replace_handlers(lambda number, frame: heard.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        for heard_number in heard:
            signal.raise_signal(heard_number)


def _exit_when_told(heard: int) -> None:
    while numbers := os.read(heard, 1):
        if numbers[0] in ENDING:
            os._exit(exit_code(numbers[0]))


def _end(number: int, frame: object) -> None:
    os.write(2, b"Interrupted\n")  # a stream may be at work
    raise SystemExit(exit_code(number))
