"""operator: the operators of Python as functions, and what reads and writes by names and keys, and calls by a name."""

import builtins
from operator import attrgetter as _attrgetter
from operator import itemgetter as _itemgetter
from operator import methodcaller as _methodcaller

__all__ = [
    "abs", "add", "and_", "attrgetter", "concat", "contains", "delitem", "eq", "floordiv", "ge", "getitem", "gt", "iadd", "iand", "iconcat",
    "ifloordiv", "ilshift", "imatmul", "imod", "imul", "inv", "invert", "ior", "ipow", "irshift", "is_", "is_not", "isub", "itemgetter", "itruediv",
    "ixor", "le", "lshift", "lt", "matmul", "methodcaller", "mod", "mul", "ne", "neg", "not_", "or_", "pos", "pow", "rshift", "setitem", "sub",
    "truediv", "truth", "xor",
]  # fmt: skip


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


def add(a, b, /):
    return a + b


def sub(a, b, /):
    return a - b


def mul(a, b, /):
    return a * b


def matmul(a, b, /):
    return a @ b


def truediv(a, b, /):
    return a / b


def floordiv(a, b, /):
    return a // b


def mod(a, b, /):
    return a % b


def pow(a, b, /):
    return a**b


def lshift(a, b, /):
    return a << b


def rshift(a, b, /):
    return a >> b


def and_(a, b, /):
    return a & b


def or_(a, b, /):
    return a | b


def xor(a, b, /):
    return a ^ b


def concat(a, b, /):
    return a + b


def lt(a, b, /):
    return a < b


def le(a, b, /):
    return a <= b


def eq(a, b, /):
    return a == b


def ne(a, b, /):
    return a != b


def ge(a, b, /):
    return a >= b


def gt(a, b, /):
    return a > b


def is_(a, b, /):
    return a is b


def is_not(a, b, /):
    return a is not b


def iadd(a, b, /):
    a += b
    return a


def isub(a, b, /):
    a -= b
    return a


def imul(a, b, /):
    a *= b
    return a


def imatmul(a, b, /):
    a @= b
    return a


def itruediv(a, b, /):
    a /= b
    return a


def ifloordiv(a, b, /):
    a //= b
    return a


def imod(a, b, /):
    a %= b
    return a


def ipow(a, b, /):
    a **= b
    return a


def ilshift(a, b, /):
    a <<= b
    return a


def irshift(a, b, /):
    a >>= b
    return a


def iand(a, b, /):
    a &= b
    return a


def ior(a, b, /):
    a |= b
    return a


def ixor(a, b, /):
    a ^= b
    return a


def iconcat(a, b, /):
    a += b
    return a


def neg(a, /):
    return -a


def pos(a, /):
    return +a


def inv(a, /):
    return ~a


def invert(a, /):
    return ~a


def abs(a, /):
    return builtins.abs(a)


def not_(a, /):
    return not a


def truth(a, /):
    return bool(a)


def contains(a, b, /):
    return b in a
