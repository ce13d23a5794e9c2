"""collections.abc.MutableSequence: what it makes of the five methods that a class has to define."""

__all__ = ["__iadd__", "append", "clear", "extend", "pop", "remove", "reverse"]


def append(self, value):
    self.insert(len(self), value)


def clear(self):
    for _ in range(len(self)):
        self.pop()


def reverse(self):
    count = len(self)
    for number in range(count // 2):
        self[number], self[count - number - 1] = self[count - number - 1], self[number]


def extend(self, values):
    for value in list(values):
        self.append(value)


def pop(self, index=-1):
    value = self[index]
    del self[index]
    return value


def remove(self, value):
    del self[self.index(value)]


def __iadd__(self, values):
    self.extend(values)
    return self
