"""Room for more nesting than Python usually allows: some on any stack, far more on a stack of its own."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_ANYWHERE = 6_000  # what the stack of a process holds, 8 MiB, if each call passes through C
_DEPTH = 40_000
_STACK = 512 * 1024 * 1024  # address space: only what is used is ever taken


_here = threading.local()


_WORDS = 2**18
"""Words of the frame of `_wide`."""


def some_room(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function nest as deep as the present stack surely allows. What nests deeper raises RecursionError."""

    @wraps(function)
    def inner(*args: P.args, **kwargs: P.kwargs) -> T:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _ANYWHERE))
        try:
            return _wide(lambda: function(*args, **kwargs))
        finally:
            sys.setrecursionlimit(limit)

    return inner


def _wide(call: Callable[[], T]) -> T:
    """What `call` returns, its frames and all in them side by side in one piece of memory.

    Python takes the memory for frames from the system in pieces of 16 KiB, and gives each back as soon as its first frame ends. Calls that nest
    to and fro across such a border took a third of a run. A piece is at least as large as its first frame asks for, to the next power of two;
    what of it is never touched costs nothing.
    """
    return call()


_wide.__code__ = _wide.__code__.replace(co_stacksize=_WORDS)


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
