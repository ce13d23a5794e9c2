"""collections.abc.MutableMapping: what it makes of the five methods that a class has to define."""

from collections.abc import Mapping as _Mapping

__all__ = ["clear", "pop", "popitem", "setdefault", "update"]


def pop(self, key, *default):
    try:
        value = self[key]
    except KeyError:
        if not default:
            raise
        return default[0]
    del self[key]
    return value


def popitem(self):
    for key in self:
        value = self[key]
        del self[key]
        return key, value
    raise KeyError


def clear(self):
    for key in list(self):
        del self[key]


def update(self, other=(), /, **kwds):
    if isinstance(other, _Mapping):
        for key in other:
            self[key] = other[key]
    elif hasattr(other, "keys"):
        for key in other.keys():
            self[key] = other[key]
    else:
        for key, value in other:
            self[key] = value
    for key, value in kwds.items():
        self[key] = value


def setdefault(self, key, default=None):
    try:
        return self[key]
    except KeyError:
        self[key] = default
    return default
