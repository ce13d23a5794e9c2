"""contextvars: what a variable holds is what was set last in the same context."""

from contextvars import ContextVar as _ContextVar
from contextvars import Token as _Token

from mxlint.says import own

__all__ = ["ContextVar", "Token"]


class _Missing:
    pass


_MISSING = _Missing()


class Token(_Token):
    def __init__(self, var, old_value, was_set):
        self.var = var
        self.old_value = old_value
        self._was_set = was_set


class ContextVar(_ContextVar):
    def __init__(self, name, *, default=_MISSING):
        self.name = name
        self._value = default
        self._is_set = False
        own(self, "context")

    def get(self, default=_MISSING, /):
        if default is not _MISSING and not self._is_set:
            return default
        if self._value is _MISSING:
            raise LookupError(self)
        return self._value

    def set(self, value, /):
        token = Token(self, self._value, self._is_set)
        self._value = value
        self._is_set = True
        return token

    def reset(self, token, /):
        self._value = token.old_value
        self._is_set = token._was_set
