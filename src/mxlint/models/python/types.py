"""types: an object with the attributes that it is given."""

from types import SimpleNamespace as _SimpleNamespace

__all__ = ["SimpleNamespace"]


class SimpleNamespace(_SimpleNamespace):
    def __init__(self, mapping_or_iterable=(), /, **kwargs):
        self.__dict__.update(mapping_or_iterable)
        self.__dict__.update(kwargs)

    def __eq__(self, other):
        return vars(self) == vars(other) if isinstance(other, SimpleNamespace) else NotImplemented
