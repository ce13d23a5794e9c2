"""pytest: blocks of which a test says that they raise."""

from mxlint.says import expecting, no_longer_expecting

__all__ = ["raises"]


class _Raises:
    def __init__(self, expected):
        self._expected = expected

    def __enter__(self):
        expecting(self, self._expected)
        return self

    def __exit__(self, kind, error, trace):
        no_longer_expecting(self)
        self.type = kind
        self.value = self.exception = error  # unittest's blocks call it so
        self.tb = trace
        return kind is not None and issubclass(kind, self._expected)


def raises(expected_exception=BaseException, *args, match=None, check=None, **kwargs):
    found = _Raises(expected_exception)
    if not args:
        return found
    with found:
        args[0](*args[1:], **kwargs)
    return found
