"""contextlib: what enters other context managers, and what says nothing or swallows."""

from contextlib import AsyncExitStack as _AsyncExitStack
from contextlib import ExitStack as _ExitStack
from contextlib import aclosing as _aclosing
from contextlib import closing as _closing
from contextlib import nullcontext as _nullcontext
from contextlib import suppress as _suppress
from functools import wraps

from mxlint.says import aenter, aleave, enter, finish, leave

__all__ = ["AsyncContextDecorator", "AsyncExitStack", "ContextDecorator", "ExitStack", "aclosing", "closing", "nullcontext", "suppress"]


class ContextDecorator:
    def _recreate_cm(self):
        return self

    def __call__(self, func):
        @wraps(func)
        def inner(*args, **kwds):
            with self._recreate_cm():
                return func(*args, **kwds)

        return inner


class AsyncContextDecorator:
    def _recreate_cm(self):
        return self

    def __call__(self, func):
        @wraps(func)
        async def inner(*args, **kwds):
            async with self._recreate_cm():
                return await func(*args, **kwds)

        return inner


class nullcontext(_nullcontext):
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result

    def __exit__(self, *excinfo):
        return None

    async def __aenter__(self):
        return self.enter_result

    async def __aexit__(self, *excinfo):
        return None


class closing(_closing):
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *excinfo):
        self.thing.close()


class aclosing(_aclosing):
    def __init__(self, thing):
        self.thing = thing

    async def __aenter__(self):
        return self.thing

    async def __aexit__(self, *excinfo):
        await self.thing.aclose()


class suppress(_suppress):
    def __init__(self, *exceptions):
        self._exceptions = exceptions

    def __enter__(self):
        return None

    def __exit__(self, kind, error, trace):
        return kind is not None and issubclass(kind, self._exceptions)


class ExitStack(_ExitStack):
    def __init__(self):
        self._exits = []

    def __enter__(self):
        return self

    def enter_context(self, cm):
        value = enter(cm)
        self._exits.append(lambda kind, error, trace: leave(cm, kind, error, trace))
        return value

    def push(self, exit):
        if hasattr(exit, "__exit__"):
            self._exits.append(lambda kind, error, trace: leave(exit, kind, error, trace))
        else:
            self._exits.append(exit)
        return exit

    def callback(self, callback, /, *args, **kwds):
        def call(kind, error, trace):
            callback(*args, **kwds)

        self._exits.append(call)
        return callback

    def pop_all(self):
        other = type(self)()
        other._exits = self._exits
        self._exits = []
        return other

    def close(self):
        self.__exit__(None, None, None)

    def __exit__(self, kind, error, trace):
        return _unwound(self._exits, kind, error, trace, lambda answer: answer)


class AsyncExitStack(_AsyncExitStack):
    def __init__(self):
        self._exits = []

    async def __aenter__(self):
        return self

    def enter_context(self, cm):
        value = enter(cm)

        async def exit(kind, error, trace):
            return leave(cm, kind, error, trace)

        self._exits.append(exit)
        return value

    async def enter_async_context(self, cm):
        value = await aenter(cm)

        async def exit(kind, error, trace):
            return await aleave(cm, kind, error, trace)

        self._exits.append(exit)
        return value

    def push(self, exit):
        async def call(kind, error, trace):
            return leave(exit, kind, error, trace) if hasattr(exit, "__exit__") else exit(kind, error, trace)

        self._exits.append(call)
        return exit

    def push_async_exit(self, exit):
        async def call(kind, error, trace):
            return await aleave(exit, kind, error, trace) if hasattr(exit, "__aexit__") else await exit(kind, error, trace)

        self._exits.append(call)
        return exit

    def callback(self, callback, /, *args, **kwds):
        async def call(kind, error, trace):
            callback(*args, **kwds)

        self._exits.append(call)
        return callback

    def push_async_callback(self, callback, /, *args, **kwds):
        async def call(kind, error, trace):
            await callback(*args, **kwds)

        self._exits.append(call)
        return callback

    def pop_all(self):
        other = type(self)()
        other._exits = self._exits
        self._exits = []
        return other

    async def aclose(self):
        await self.__aexit__(None, None, None)

    async def __aexit__(self, kind, error, trace):
        return _unwound(self._exits, kind, error, trace, finish)


def _unwound(exits, kind, error, trace, answered):
    raised = changed = error is not None
    for exit in _taken(exits):
        try:
            if answered(exit(kind, error, trace)):
                kind = error = trace = None
                changed = True
        except BaseException as other:
            kind, error, trace = type(other), other, None
            changed = True
    if error is None:
        return raised
    if changed:
        raise error
    return False


def _taken(exits):
    taken = exits[::-1]
    exits.clear()
    return taken
