"""unittest.mock: what is put in place of attributes and entries for a while."""

from functools import wraps
from importlib import import_module
from unittest.mock import DEFAULT, MagicMock

__all__ = ["patch"]


class _Patch:
    def __init__(self, target, attribute, new):
        self.target = target
        self.attribute = attribute
        self.new = new

    def __enter__(self):
        owner = _found(self.target) if isinstance(self.target, str) else self.target
        new = MagicMock() if self.new is DEFAULT else self.new
        own = self.attribute in vars(owner)
        self.kept = (owner, own, getattr(owner, self.attribute, None))
        setattr(owner, self.attribute, new)
        return new

    def __exit__(self, *details):
        owner, own, before = self.kept
        if own:
            setattr(owner, self.attribute, before)
        else:
            delattr(owner, self.attribute)

    def start(self):
        return self.__enter__()

    def stop(self):
        self.__exit__(None, None, None)

    def __call__(self, function):
        if isinstance(function, type):
            return function

        @wraps(function)
        def patched(*args, **keywords):
            with self as made:
                return function(*args, made, **keywords) if self.new is DEFAULT else function(*args, **keywords)

        return patched


class _PatchDict:
    def __init__(self, target, values, clear, others):
        self.target = target
        self.values = dict(values, **others)
        self.clear = clear

    def __enter__(self):
        found = _found(self.target) if isinstance(self.target, str) else self.target
        self.kept = (found, dict(found))
        if self.clear:
            found.clear()
        found.update(self.values)
        return found

    def __exit__(self, *details):
        found, before = self.kept
        found.clear()
        found.update(before)

    def start(self):
        return self.__enter__()

    def stop(self):
        self.__exit__(None, None, None)

    def __call__(self, function):
        if isinstance(function, type):
            return function

        @wraps(function)
        def patched(*args, **keywords):
            with self:
                return function(*args, **keywords)

        return patched


def _found(dotted):
    owner, _, name = dotted.rpartition(".")
    if not owner:
        return import_module(name)
    try:
        return import_module(dotted)
    except ImportError:
        return getattr(_found(owner), name)


def patch(target, new=DEFAULT, *args, **keywords):
    owner, _, name = target.rpartition(".")
    return _Patch(owner, name, new)


def _of_object(target, attribute, new=DEFAULT, *args, **keywords):
    return _Patch(target, attribute, new)


def _of_dict(in_dict, values=(), clear=False, **keywords):
    return _PatchDict(in_dict, values, clear, keywords)


patch.object = _of_object
patch.dict = _of_dict
