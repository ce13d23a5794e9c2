"""collections.abc.Mapping: what it makes of the three methods that a class has to define."""

from collections.abc import Mapping as _Mapping

__all__ = ["__contains__", "__eq__", "get", "items", "keys", "values"]


def get(self, key, default=None):
    try:
        return self[key]
    except KeyError:
        return default


def __contains__(self, key):
    try:
        self[key]
    except KeyError:
        return False
    return True


def keys(self):
    return [key for key in self]


def items(self):
    return [(key, self[key]) for key in self]


def values(self):
    return [self[key] for key in self]


def __eq__(self, other):
    if not isinstance(other, _Mapping):
        return NotImplemented
    return dict(self.items()) == dict(other.items())
