"""Processes that answer questions beside this one: each has its own state, which it makes once and keeps.

What they send is believed, as they are made of this process. One that ends before it answers gives `Ended` in the place of the answer, and
another one goes on with what is left. All end when this process does, in whatever way.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

from mxlint.signals import held_back

Answer = Callable[[Any], Any]
"""What a worker does with a question. An exception that it raises ends the worker."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A worker ended instead of answering; with a signal if `code` is negative."""

    code: int | None

    def __str__(self) -> str:
        if self.code is not None and self.code < 0:
            with suppress(ValueError):
                return f"a worker process was ended by {signal.Signals(-self.code).name}"
        return f"a worker process ended with {self.code}"


class Worker:
    """One process. `make` makes what answers, in it."""

    def __init__(self, make: Callable[[], Answer], others: Sequence[Worker]) -> None:
        # Where a process can be copied, it has at once all that was imported and read. macOS's own libraries do not bear that.
        context: Any = get_context("fork" if sys.platform == "linux" else "spawn")
        self.connection, theirs = context.Pipe()
        ours = [worker.connection for worker in (*others, self)] if sys.platform == "linux" else []
        self._process = context.Process(target=_serve, args=(theirs, ours, make), daemon=True)
        with held_back():
            self._process.start()
        theirs.close()

    def ask(self, question: Any) -> Any:
        """Ask, and wait for the answer."""
        self.send(question)
        return self.answer()

    def send(self, question: Any) -> None:
        """Ask."""
        with suppress(OSError):  # it has ended, which the answer will say
            self.connection.send(question)

    def answer(self) -> Any:
        """The answer to what was asked first, or Ended."""
        try:
            return self.connection.recv()
        except (EOFError, OSError):
            self._process.join()
            return Ended(self._process.exitcode)

    def end(self) -> None:
        """End it, whatever it is at."""
        self.connection.close()
        self._process.kill()
        self._process.join()


class Workers:
    """So many processes, made when they are needed."""

    def __init__(self, count: int, make: Callable[[], Answer]) -> None:
        self._count = count
        self._make = make
        self._all: list[Worker] = []

    def ask_all(self, questions: Sequence[Any]) -> Iterator[tuple[int, Any, Worker]]:
        """Ask each question once; the number of each that was answered, with the answer and who gave it, in the order in which they come."""
        waiting = list(enumerate(questions))[::-1]
        asked: dict[Any, tuple[int, Worker]] = {}

        def give(worker: Worker) -> None:
            if waiting:
                number, question = waiting.pop()
                asked[worker.connection] = number, worker
                worker.send(question)

        for _ in range(min(self._count, len(questions))):
            give(self._new())
        while asked:
            for connection in wait(list(asked)):
                number, worker = asked.pop(connection)
                answer = worker.answer()
                give(self._new() if isinstance(answer, Ended) and waiting else worker)
                yield number, answer, worker

    def end(self) -> None:
        """End all of them."""
        for worker in self._all:
            worker.end()
        self._all.clear()

    def _new(self) -> Worker:
        worker = Worker(self._make, self._all)
        self._all.append(worker)
        return worker


def _end_with(parent: int) -> None:
    """End this process, whatever it is at, soon after the one that began it was killed."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _serve(connection: Connection, ours: Sequence[Connection], make: Callable[[], Answer]) -> None:
    """Answer until nobody can ask any more. `ours`: the ends of the process that asks, which must be open nowhere else."""
    code = 1
    try:
        for other in ours:
            other.close()
        for number in (name for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)):
            signal.signal(getattr(signal, number), signal.SIG_IGN)  # who asks is told as well, and decides
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
        answer = make()
        while True:
            connection.send(answer(connection.recv()))
    except (EOFError, OSError):
        code = 0
    finally:
        os._exit(code)  # nothing of the other process's streams is written twice
