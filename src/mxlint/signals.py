"""What asks a run to end. Before anything is verified it ends at once, with the exit code that shells give; a verifying run reports what it has."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
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


def replace_handlers(handler: Callable[[int, object], object]) -> Handlers:
    """Handle all of them in one way; returns how they were handled before."""
    return {number: signal.signal(number, handler) for number in ENDING}


def _end(number: int, frame: object) -> None:
    os.write(2, b"Interrupted\n")  # a stream may be at work
    raise SystemExit(exit_code(number))
