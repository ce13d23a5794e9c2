"""weakref: what refers weakly to objects gives them, as long as something else holds them."""

from weakref import WeakKeyDictionary as _WeakKeyDictionary
from weakref import WeakMethod as _WeakMethod
from weakref import WeakSet as _WeakSet
from weakref import WeakValueDictionary as _WeakValueDictionary

__all__ = ["WeakKeyDictionary", "WeakMethod", "WeakSet", "WeakValueDictionary"]


class WeakMethod(_WeakMethod):
    def __init__(self, meth, callback=None):
        self._method = meth

    def __call__(self):
        return self._method


class _Mapping:
    def __init__(self, other=(), /, **kwargs):
        self.data = dict(other, **kwargs)

    def __getitem__(self, key):
        return self.data[key]

    def __setitem__(self, key, value):
        self.data[key] = value

    def __delitem__(self, key):
        del self.data[key]

    def __contains__(self, key):
        return key in self.data

    def __iter__(self):
        return iter(self.data)

    def __len__(self):
        return len(self.data)

    def get(self, key, default=None):
        return self.data.get(key, default)

    def setdefault(self, key, default=None):
        return self.data.setdefault(key, default)

    def pop(self, key, *args):
        return self.data.pop(key, *args)

    def update(self, other=(), /, **kwargs):
        self.data.update(other, **kwargs)

    def clear(self):
        self.data.clear()

    def keys(self):
        return self.data.keys()

    def values(self):
        return self.data.values()

    def items(self):
        return self.data.items()


class WeakValueDictionary(_Mapping, _WeakValueDictionary):
    pass


class WeakKeyDictionary(_Mapping, _WeakKeyDictionary):
    pass


class WeakSet(_WeakSet):
    def __init__(self, data=None):
        self.data = set(() if data is None else data)

    def __contains__(self, item):
        return item in self.data

    def __iter__(self):
        return iter(self.data)

    def __len__(self):
        return len(self.data)

    def add(self, item):
        self.data.add(item)

    def discard(self, item):
        self.data.discard(item)

    def remove(self, item):
        self.data.remove(item)

    def pop(self):
        return self.data.pop()

    def clear(self):
        self.data.clear()

    def update(self, other):
        self.data.update(other)
