"""threading: a thread runs beside the one that starts it; what is local to each is that of the one that reads it. What an event says is asked of it
each time, as another thread may have set it."""

from threading import Event as _Event
from threading import Thread as _Thread

from mxlint.says import alone, data, own

__all__ = ["Event", "Thread", "Timer", "local"]


class Thread(_Thread):
    def __init__(self, group=None, target=None, name=None, args=(), kwargs=None, *, daemon=None):
        self._target = target
        self._args = args
        self._kwargs = {} if kwargs is None else kwargs
        self.name = name
        self.daemon = daemon

    def run(self):
        if self._target is not None:
            self._target(*self._args, **self._kwargs)

    def start(self):
        data("threading.Thread.start", self)
        alone(self.run)


class Timer(Thread):
    def __init__(self, interval, function, args=None, kwargs=None):
        super().__init__()
        self.interval = interval
        self.function = function
        self.args = () if args is None else args
        self.kwargs = {} if kwargs is None else kwargs

    def run(self):
        self.function(*self.args, **self.kwargs)


class local:
    def __new__(cls, /, *args, **kwargs):
        made = super().__new__(cls)
        own(made, "thread")
        return made

    def __init__(self, /, *args, **kwargs):
        pass


class Event(_Event):
    def __init__(self):
        self._flag = False

    def is_set(self):
        if self._flag:
            return data("threading.Event.is_set", self)
        return data("threading.Event.is_set", self)

    def set(self):
        self._flag = True

    def clear(self):
        self._flag = False

    def wait(self, timeout=None):
        if self._flag:
            return data("threading.Event.wait", self)
        return data("threading.Event.wait", self)
