"""functools: `reduce` calls its function with what it has come to and the next item."""

__all__ = ["reduce"]


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
