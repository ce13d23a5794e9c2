"""unittest: blocks of which a test says that they raise."""

from unittest import TestCase as _TestCase

from pytest import raises

__all__ = ["TestCase"]


class TestCase(_TestCase):
    def assertRaises(self, expected_exception, *args, msg=None, **kwargs):
        found = raises(expected_exception, *args, **kwargs)
        return None if args else found

    def assertRaisesRegex(self, expected_exception, expected_regex, *args, msg=None, **kwargs):
        return self.assertRaises(expected_exception, *args, **kwargs)
