"""collections.abc.Sequence: what it makes of an item and a length."""

__all__ = ["__contains__", "__iter__", "__reversed__", "count", "index"]


def __iter__(self):
    for number in range(len(self)):
        yield self[number]


def __contains__(self, value):
    for item in self:
        if item is value or item == value:
            return True
    return False


def __reversed__(self):
    for number in reversed(range(len(self))):
        yield self[number]


def index(self, value, start=0, stop=None):
    for number in range(start, len(self) if stop is None else stop):
        item = self[number]
        if item is value or item == value:
            return number
    raise ValueError


def count(self, value):
    return sum([1 for item in self if item is value or item == value])
