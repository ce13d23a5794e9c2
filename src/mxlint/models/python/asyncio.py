"""asyncio: a task runs to its end where it is made, unless it never ends."""

from asyncio import AbstractEventLoop as _AbstractEventLoop
from asyncio import Future as _Future
from asyncio import Queue as _Queue
from asyncio import QueueEmpty
from asyncio import Runner as _Runner
from asyncio import Task as _Task
from asyncio import TaskGroup as _TaskGroup
from concurrent.futures import Future as _Done

from mxlint.says import aside, beside, data, effect, finish, may_raise

__all__ = [
    "Future", "Queue", "Runner", "Task", "TaskGroup", "create_task", "ensure_future", "get_event_loop", "get_running_loop", "new_event_loop",
    "run_coroutine_threadsafe", "to_thread", "wait_for",
]  # fmt: skip


class Future(_Done, _Future):
    def __init__(self, *, loop=None):
        super().__init__()

    def add_done_callback(self, fn, *, context=None):
        super().add_done_callback(fn)

    def __await__(self):
        if self is None:
            yield
        return self.result()


class Task(Future, _Task):
    def __init__(self, coro, *, loop=None, name=None, context=None, eager_start=False):
        super().__init__()
        self._run(aside, lambda: finish(coro))


def create_task(coro, **options):
    return Task(coro)


def ensure_future(coro_or_future, *, loop=None):
    return coro_or_future if hasattr(coro_or_future, "result") else create_task(coro_or_future)


def run_coroutine_threadsafe(coro, loop):
    return create_task(coro)


async def to_thread(func, /, *args, **kwargs):
    effect("asyncio.to_thread")
    future = Future()
    future._run(beside, lambda: func(*args, **kwargs))
    return future.result()


async def wait_for(fut, timeout):
    if timeout is not None:
        may_raise(TimeoutError)
    return await fut


class TaskGroup(_TaskGroup):
    def __init__(self):
        self._tasks = []

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, error, trace):
        for task in self._tasks:
            task.result()
        return False

    def create_task(self, coro, **options):
        task = create_task(coro)
        self._tasks.append(task)
        return task


class Queue(_Queue):
    def __init__(self, maxsize=0):
        self._items = []

    async def put(self, item):
        self._items.append(item)

    def put_nowait(self, item):
        self._items.append(item)

    async def get(self):
        return self._items.pop(0) if self._items else await data("asyncio.Queue.get", self)

    def get_nowait(self):
        if not self._items:
            raise QueueEmpty
        return self._items.pop(0)

    def empty(self):
        return not self._items

    def qsize(self):
        return len(self._items)


class Runner(_Runner):
    def __init__(self, *, debug=None, loop_factory=None):
        self._loop = _Loop()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return False

    def get_loop(self):
        return self._loop

    def run(self, coro, *, context=None):
        return finish(coro)


class _Loop(_AbstractEventLoop):
    def run_until_complete(self, future):
        return finish(future)

    def create_task(self, coro, **options):
        return create_task(coro)

    def create_future(self):
        return Future()

    def run_in_executor(self, executor, func, *args):
        effect("asyncio.to_thread")
        future = Future()
        future._run(beside, lambda: func(*args))
        return future

    def call_soon(self, callback, *args, context=None):
        aside(lambda: callback(*args))

    def call_soon_threadsafe(self, callback, *args, context=None):
        aside(lambda: callback(*args))

    def call_later(self, delay, callback, *args, context=None):
        aside(lambda: callback(*args))


def get_event_loop():
    return _Loop()


def get_running_loop():
    return _Loop()


def new_event_loop():
    return _Loop()
