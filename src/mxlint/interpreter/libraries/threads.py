"""The threads of a program, by number: `Thread(target=step).start()` runs `step` in another one. MX606 asks in which threads a compiled object is called.

MLX keeps traces for each thread: what one has traced, another does not replay. Which thread of a pool does something is not known; all of it may find the traces of the others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mxlint.domain.place import Place
from mxlint.interpreter.compiled.lifetimes import forget
from mxlint.interpreter.machine.core import Interpreter


class Threads:
    """The number of each thread, by where it was started."""

    __slots__ = ("numbers",)

    def __init__(self) -> None:
        self.numbers: dict[object, int] = {}


@contextmanager
def running_in(
    i: Interpreter, thread: object, place: Place, pool: object = None, *, known: bool = False, ends: bool = False
) -> Iterator[None]:
    """Run in another thread, which was started at a place, perhaps by a pool. `known`: it is known which one, so what is compiled has traces of its own
    there, as it has in a pool; `ends`: they are gone with the thread. No summary is made of what starts it, as none says which thread it is: in another
    context it is another one."""
    if i.heap.recording is not None:
        i.heap.recording.valid = False
    numbers = i.ledger.of(Threads).numbers
    number, group = (numbers.setdefault(one, len(numbers) + 1) for one in (thread, thread if pool is None else pool))
    outer, i.modes.thread = i.modes.thread, (place, number, group)
    # What the client does between two calls, a thread that goes on finds.
    known = (known or pool is not None) and i.modes.client is None
    found, i.modes.cache = i.modes.cache, group if known else i.modes.cache
    try:
        yield
    finally:
        if known and ends:
            forget(i, i.modes.cache)
        i.modes.thread, i.modes.cache = outer, found
