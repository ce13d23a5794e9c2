"""concurrent.futures: what is submitted runs beside the thread that submits it."""

from concurrent.futures import Future as _Future
from concurrent.futures import ThreadPoolExecutor as _ThreadPoolExecutor

from mxlint.says import beside, effect, may_raise

__all__ = ["Future", "ThreadPoolExecutor", "as_completed"]


class Future(_Future):
    def __init__(self):
        self._result = None
        self._error = None
        self._done = False
        self._callbacks = []

    def result(self, timeout=None):
        if timeout is not None:
            may_raise(TimeoutError)
        if self._error is not None:
            raise self._error
        return self._result

    def exception(self, timeout=None):
        if timeout is not None:
            may_raise(TimeoutError)
        return self._error

    def add_done_callback(self, fn):
        if self._done:
            fn(self)
        else:
            self._callbacks.append(fn)

    def set_result(self, result):
        self._result = result
        self._finish()

    def set_exception(self, exception):
        self._error = exception
        self._finish()

    def _finish(self):
        self._done = True
        for callback in self._callbacks:
            callback(self)

    def _run(self, run, function):
        def work():
            try:
                result = function()
            except BaseException as error:
                self.set_exception(error)
            else:
                self.set_result(result)

        run(work)


class ThreadPoolExecutor(_ThreadPoolExecutor):
    def __init__(self, max_workers=None, thread_name_prefix="", initializer=None, initargs=()):
        self._worker = self if max_workers == 1 else None  # one thread does all that is submitted
        if initializer is not None:
            beside(lambda: initializer(*initargs), self._worker, self)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return False

    def shutdown(self, wait=True, *, cancel_futures=False):
        return None

    def submit(self, fn, /, *args, **kwargs):
        effect("concurrent.futures.ThreadPoolExecutor.submit")
        future = Future()
        future._run(lambda work: beside(work, self._worker, self), lambda: fn(*args, **kwargs))
        return future

    def map(self, fn, *iterables, timeout=None, chunksize=1, buffersize=None):
        futures = [self.submit(fn, *args) for args in zip(*iterables)]
        return (future.result(timeout) for future in futures)


def as_completed(fs, timeout=None):
    return iter(list(fs))
