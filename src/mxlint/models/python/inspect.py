"""inspect: `getmembers` asks an object for each of its names, and predicates are asked of their values."""

import types

__all__ = ["getmembers", "isclass", "isfunction", "isgenerator", "ismethod", "ismodule"]


def getmembers(object, predicate=None):
    found = []
    for name in dir(object):
        value = getattr(object, name)
        if predicate is None or predicate(value):
            found.append((name, value))
    return found


def isclass(object):
    return isinstance(object, type)


def isfunction(object):
    return isinstance(object, types.FunctionType)


def isgenerator(object):
    return isinstance(object, types.GeneratorType)


def ismethod(object):
    return isinstance(object, types.MethodType)


def ismodule(object):
    return isinstance(object, types.ModuleType)
