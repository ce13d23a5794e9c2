"""The threads of a program, by number: `Thread(target=step).start()` runs `step` in another one. MX606 asks in which threads a compiled object is called."""

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
def running_in(i: Interpreter, thread: object, place: Place) -> Iterator[None]:
    """Run in another thread, which was started at a place. No summary is made of what starts it, as none says which thread it is: in another context
    it is another one."""
    if i.heap.recording is not None:
        i.heap.recording.valid = False
    numbers = i.ledger.of(Threads).numbers
    outer, i.modes.thread = i.modes.thread, (place, numbers.setdefault(thread, len(numbers) + 1))
    try:
        yield
    finally:
        i.modes.thread = outer
