"""The threads of a program, by number: `Thread(target=step).start()` runs `step` in another one. MX606 asks in which threads a compiled object is called.

MLX keeps traces for each thread: what one has traced, another does not replay. Which thread of a pool does something is not known; all of it may find the traces of the others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter


class Threads:
    """The number of each thread, by where it was started."""

    __slots__ = ("numbers",)

    def __init__(self) -> None:
        self.numbers: dict[object, int] = {}


@contextmanager
def running_in(i: Interpreter, thread: object, place: Place, pool: object = None) -> Iterator[None]:
    """Run in another thread, which was started at a place, perhaps by a pool. No summary is made of what starts it, as none says which thread it is: in
    another context it is another one."""
    if i.heap.recording is not None:
        i.heap.recording.valid = False
    numbers = i.ledger.of(Threads).numbers
    number, traces = (numbers.setdefault(one, len(numbers) + 1) for one in (thread, thread if pool is None else pool))
    outer, i.modes.thread = i.modes.thread, (place, number, traces)
    try:
        yield
    finally:
        i.modes.thread = outer
