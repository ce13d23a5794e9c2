"""A call with room for far more nesting than Python usually allows."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_DEPTH = 40_000
_STACK = 512 * 1024 * 1024  # address space: only what is used is ever taken


def on_a_deep_stack(call: Callable[[], T]) -> T:
    """What `call` returns or raises, run in a thread of its own with a deep stack and a recursion limit to match."""
    returned: list[T] = []
    raised: list[Exception] = []

    def run() -> None:
        try:
            returned.append(call())
        except Exception as error:  # noqa: BLE001 raised again by who waits
            raised.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size(_STACK)
    sys.setrecursionlimit(max(_DEPTH, limit))
    try:
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
    if raised:
        raise raised[0]
    return returned[0]
