"""operator: what reads and writes by names and keys, and calls by a name."""

from operator import attrgetter as _attrgetter
from operator import itemgetter as _itemgetter
from operator import methodcaller as _methodcaller

__all__ = ["attrgetter", "delitem", "getitem", "itemgetter", "methodcaller", "setitem"]


class attrgetter(_attrgetter):
    def __init__(self, attr, *attrs):
        self._names = (attr, *attrs)

    def __call__(self, obj):
        if len(self._names) == 1:
            return _attribute(obj, self._names[0])
        return tuple([_attribute(obj, name) for name in self._names])


def _attribute(obj, dotted):
    for name in dotted.split("."):
        obj = getattr(obj, name)
    return obj


class itemgetter(_itemgetter):
    def __init__(self, item, *items):
        self._keys = (item, *items)

    def __call__(self, obj):
        if len(self._keys) == 1:
            return obj[self._keys[0]]
        return tuple([obj[key] for key in self._keys])


class methodcaller(_methodcaller):
    def __init__(self, name, /, *args, **kwargs):
        self._name = name
        self._args = args
        self._kwargs = kwargs

    def __call__(self, obj):
        return getattr(obj, self._name)(*self._args, **self._kwargs)


def getitem(a, b, /):
    return a[b]


def setitem(a, b, c, /):
    a[b] = c


def delitem(a, b, /):
    del a[b]
