"""The thread that analyses: it takes the newest state of what the editor holds, answers at once with what it can, and in full when nobody types."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import TypeVar

from mxlint.server.documents import Document
from mxlint.server.session import Buffer, Outcome, Session, Superseded

T = TypeVar("T")

PAUSE_S = 0.15
"""How long nobody must have typed before a whole run is begun whose result is still missing."""
REST_S = 0.5
"""The same where it can only show what edits have changed for other files."""
STACK = 64 * 1024 * 1024
"""The stack of the thread in bytes, as far as it is used: the interpreter nests as the code does."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of a state of the documents. `number`, `documents`: that state; `settled`: a whole run has seen it."""

    key: str
    number: int
    documents: tuple[Document, ...]
    outcome: Outcome
    settled: bool


@dataclass(slots=True)
class _Task:
    """The newest state that a session is to look at. `at_once`: it is to be answered right away as far as that goes; `edited_only`: nothing but
    texts has changed since the last whole run; `due`: when the next is."""

    number: int
    session: Session
    buffers: Mapping[str, Buffer]
    documents: tuple[Document, ...]
    at_once: bool
    edited_only: bool
    due: float


@dataclass(slots=True)
class Analyst:
    """Runs sessions one after the other. `answered` and `failed` are called in its thread."""

    answered: Callable[[Answer], None]
    failed: Callable[[str, int, Exception], None]
    _tasks: dict[str, _Task] = field(default_factory=dict)
    _calls: list[Callable[[], None]] = field(default_factory=list)
    _stopped: bool = False
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def start(self) -> None:
        """Begin to work."""
        size = threading.stack_size(STACK)
        try:
            threading.Thread(target=self._run, name="mxlint-analyst", daemon=True).start()
        finally:
            threading.stack_size(size)

    def stop(self) -> None:
        """End after what is at hand."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def put(
        self, key: str, number: int, session: Session, buffers: Mapping[str, Buffer], documents: tuple[Document, ...], edited: bool
    ) -> None:
        """The state of a session's documents has changed: it has this number. `edited`: only their texts; then there is an answer at once."""
        with self._changed:
            before = self._tasks.get(key)
            edited_only = edited and (before is None or before.edited_only)
            due = monotonic() + (PAUSE_S if edited_only else 0)
            self._tasks[key] = _Task(number, session, buffers, documents, edited, edited_only, due)
            self._changed.notify_all()

    def hurry(self) -> None:
        """Nobody types any more: what there is to do is due."""
        with self._changed:
            for task in self._tasks.values():
                task.due = 0.0
            self._changed.notify_all()

    def drop(self, key: str) -> None:
        """Nobody asks for a session any more."""
        with self._changed:
            self._tasks.pop(key, None)

    def call(self, function: Callable[[], T]) -> Future[T]:
        """Run something in the thread of the analyses, before what else there is to do."""
        future: Future[T] = Future()

        def run() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function())
                except BaseException as error:  # noqa: BLE001 handed to who waits
                    future.set_exception(error)

        with self._changed:
            self._calls.append(run)
            self._changed.notify_all()
        return future

    def _run(self) -> None:
        while (work := self._next()) is not None:
            work()

    def _next(self) -> Callable[[], None] | None:
        """What to do next: a call, an answer at once, or a whole run that is due."""
        with self._changed:
            while not self._stopped:
                if self._calls:
                    return self._calls.pop(0)
                for key, task in self._tasks.items():
                    if task.at_once:
                        return partial(self._glance, key, task)
                first = min(self._tasks, key=lambda key: self._tasks[key].due, default=None)
                wait = self._tasks[first].due - monotonic() if first is not None else None
                if first is not None and wait is not None and wait <= 0:
                    return partial(self._look, first, self._tasks[first])
                self._changed.wait(wait)
            return None

    def _glance(self, key: str, task: _Task) -> None:
        task.at_once = False
        try:
            outcome = task.session.glance(task.buffers)
        except Exception as error:  # noqa: BLE001 the thread goes on, whatever happens
            self.failed(key, task.number, error)
            return
        if outcome is None:
            task.due = monotonic()
            return
        if outcome.whole and task.edited_only:
            task.due += REST_S - PAUSE_S
        self.answered(Answer(key, task.number, task.documents, outcome, settled=False))

    def _look(self, key: str, task: _Task) -> None:
        def superseded() -> bool:
            return (
                self._stopped
                or bool(self._calls)
                or self._tasks.get(key) is not task
                or any(other.at_once for other in list(self._tasks.values()))
            )

        try:
            outcome = task.session.look(task.buffers, superseded)
        except Superseded:
            return
        except Exception as error:  # noqa: BLE001
            self._done(key, task)
            self.failed(key, task.number, error)
            return
        self._done(key, task)
        self.answered(Answer(key, task.number, task.documents, outcome, settled=True))

    def _done(self, key: str, task: _Task) -> None:
        with self._changed:
            if self._tasks.get(key) is task:
                del self._tasks[key]
