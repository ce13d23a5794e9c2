"""nn.Module: a dict of those of its attributes that are arrays, modules, lists, tuples and dicts."""

import mlx.core as mx
import mlx.nn as nn

__all__ = [
    "__contains__", "__delitem__", "__getitem__", "__iter__", "__len__", "__setitem__", "get", "is_module", "items", "keys", "pop", "values",
]  # fmt: skip


# "#weights" stands for all weights of a module whose layers are not in sight: it may have any entry.
_ENTRIES = (mx.array, nn.Module, dict, list, tuple)


def __contains__(self, key):
    held = vars(self)
    if key in held:
        return isinstance(held[key], _ENTRIES)
    return "#weights" in held and isinstance(getattr(self, key), _ENTRIES)


def __getitem__(self, key):
    held = vars(self)
    return getattr(self, key) if "#weights" in held and key not in held else held[key]


def __setitem__(self, key, value):
    setattr(self, key, value)


def __delitem__(self, key):
    delattr(self, key)


def __iter__(self):
    return iter(keys(self))


def __len__(self):
    return len(keys(self))


def _entries(self):
    held = {key: value for key, value in vars(self).items() if isinstance(value, _ENTRIES) and key != "#weights"}
    return {**self.children(), **held} if "#weights" in vars(self) else held


def items(self):
    return _entries(self).items()


def keys(self):
    return _entries(self).keys()


def values(self):
    return _entries(self).values()


def get(self, key, default=None, /):
    return __getitem__(self, key) if __contains__(self, key) else default


def pop(self, key, *default):
    if default and not __contains__(self, key):
        return default[0]
    value = vars(self)[key]
    delattr(self, key)
    return value


def is_module(value):
    return isinstance(value, nn.Module)
