"""unittest: blocks of which a test says that they raise."""

from unittest import TestCase as _TestCase

from mxlint.says import expecting, no_longer_expecting

__all__ = ["TestCase"]


class _Raises:
    def __init__(self, expected):
        self._expected = expected

    def __enter__(self):
        expecting(self, self._expected)
        return self

    def __exit__(self, kind, error, trace):
        no_longer_expecting(self)
        self.exception = error
        return kind is not None and issubclass(kind, self._expected)


class TestCase(_TestCase):
    def assertRaises(self, expected_exception, *args, msg=None, **kwargs):
        found = _Raises(expected_exception)
        if not args:
            return found
        with found:
            args[0](*args[1:], **kwargs)

    def assertRaisesRegex(self, expected_exception, expected_regex, *args, msg=None, **kwargs):
        return self.assertRaises(expected_exception, *args, **kwargs)
