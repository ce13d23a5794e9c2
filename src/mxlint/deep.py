"""Room for more nesting than Python usually allows: some on any stack, far more on a stack of its own."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

_ANYWHERE = 6_000  # what the stack of a process holds, 8 MiB, if each call passes through C
_DEPTH = 40_000
_STACK = 512 * 1024 * 1024  # address space: only what is used is ever taken


_here = threading.local()


@contextmanager
def some_room() -> Iterator[None]:
    """Allow the nesting that the present stack surely holds. What nests deeper raises RecursionError."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _ANYWHERE))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def is_deep() -> bool:
    """Whether this is the deep stack: nobody has more room for what nests too deep here."""
    return getattr(_here, "deep", False)


def on_a_deep_stack(call: Callable[[], T]) -> T:
    """What `call` returns or raises, run in a thread of its own with a deep stack and a recursion limit to match."""
    returned: list[T] = []
    raised: list[Exception] = []

    def run() -> None:
        _here.deep = True
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
