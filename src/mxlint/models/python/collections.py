"""collections: maps that are looked up one after the other, and containers that hold another one."""

from collections import ChainMap as _ChainMap
from collections.abc import MutableMapping, MutableSequence

__all__ = ["ChainMap", "UserDict", "UserList"]


class ChainMap(_ChainMap):
    def __init__(self, *maps):
        self.maps = list(maps) or [{}]

    def __getitem__(self, key):
        for mapping in self.maps:
            if key in mapping:
                return mapping[key]
        return self.__missing__(key)

    def __missing__(self, key):
        raise KeyError(key)

    def get(self, key, default=None):
        return self[key] if key in self else default

    def __contains__(self, key):
        return any([key in mapping for mapping in self.maps])

    def _merged(self):
        found = {}
        for mapping in reversed(self.maps):
            found.update(mapping)
        return found

    def __iter__(self):
        return iter(self._merged())

    def __len__(self):
        return len(self._merged())

    def __bool__(self):
        return any(self.maps)

    def keys(self):
        return self._merged().keys()

    def values(self):
        return self._merged().values()

    def items(self):
        return self._merged().items()

    def new_child(self, m=None, **kwargs):
        return self.__class__({**(m or {}), **kwargs} if m is None or kwargs else m, *self.maps)

    @property
    def parents(self):
        return self.__class__(*self.maps[1:])

    def __setitem__(self, key, value):
        self.maps[0][key] = value

    def __delitem__(self, key):
        del self.maps[0][key]

    def pop(self, key, *args):
        return self.maps[0].pop(key, *args)

    def update(self, *args, **kwargs):
        self.maps[0].update(*args, **kwargs)

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]


class UserDict(MutableMapping):
    def __init__(self, dict=None, /, **kwargs):
        self.data = {}
        if dict is not None:
            self.update(dict)
        if kwargs:
            self.update(kwargs)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, key):
        if key in self.data:
            return self.data[key]
        if hasattr(self.__class__, "__missing__"):
            return self.__class__.__missing__(self, key)
        raise KeyError(key)

    def __setitem__(self, key, item):
        self.data[key] = item

    def __delitem__(self, key):
        del self.data[key]

    def __iter__(self):
        return iter(self.data)

    def __contains__(self, key):
        return key in self.data

    def get(self, key, default=None):
        if key in self:
            return self[key]
        return default

    def __repr__(self):
        return repr(self.data)

    def __or__(self, other):
        return self.__class__({**self.data, **(other.data if isinstance(other, UserDict) else other)})

    def __ior__(self, other):
        self.data.update(other.data if isinstance(other, UserDict) else other)
        return self

    def copy(self):
        return self.__class__(self.data)


class UserList(MutableSequence):
    def __init__(self, initlist=None):
        self.data = [] if initlist is None else list(_list(initlist))

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return self.__class__(self.data[i])
        return self.data[i]

    def __setitem__(self, i, item):
        self.data[i] = item

    def __delitem__(self, i):
        del self.data[i]

    def __contains__(self, item):
        return item in self.data

    def __iter__(self):
        return iter(self.data)

    def __eq__(self, other):
        return self.data == _list(other)

    def __repr__(self):
        return repr(self.data)

    def __add__(self, other):
        return self.__class__(self.data + list(_list(other)))

    def __mul__(self, n):
        return self.__class__(self.data * n)

    def append(self, item):
        self.data.append(item)

    def insert(self, i, item):
        self.data.insert(i, item)

    def pop(self, i=-1):
        return self.data.pop(i)

    def remove(self, item):
        self.data.remove(item)

    def clear(self):
        self.data.clear()

    def copy(self):
        return self.__class__(self)

    def sort(self, /, *args, **kwds):
        self.data.sort(*args, **kwds)

    def reverse(self):
        self.data.reverse()

    def extend(self, other):
        self.data.extend(_list(other))


def _list(other):
    return other.data if isinstance(other, UserList) else other
