"""functools: `reduce` calls its function with what it has come to and the next item, `cmp_to_key` with two items that are compared."""

__all__ = ["cmp_to_key", "reduce"]


def reduce(function, iterable, *initial):
    items = iter(iterable)
    value = initial[0] if initial else _first(items)
    for item in items:
        value = function(value, item)
    return value


def _first(items):
    for item in items:
        return item
    raise TypeError("reduce() of empty iterable with no initial value")


def cmp_to_key(mycmp):
    def key(obj):
        return _Compared(mycmp, obj)

    return key


class _Compared:
    def __init__(self, compare, obj):
        self._compare = compare
        self.obj = obj

    def __lt__(self, other):
        return self._compare(self.obj, other.obj) < 0

    def __gt__(self, other):
        return self._compare(self.obj, other.obj) > 0

    def __eq__(self, other):
        return self._compare(self.obj, other.obj) == 0

    def __le__(self, other):
        return self._compare(self.obj, other.obj) <= 0

    def __ge__(self, other):
        return self._compare(self.obj, other.obj) >= 0
