"""Call a function of Python's on constants, where its model says that it may be."""

from __future__ import annotations

import builtins
import importlib
from collections.abc import Mapping, Sequence
from functools import cache
from types import CodeType
from typing import Any, NamedTuple

from mxlint.models.load import bases
from mxlint.models.schema import Model

MAX_NUMBER = 4096
"""The largest integer that a function is given whose result grows with it."""
MAX_LENGTH = 100_000
"""The longest text or sequence that any function is given."""


def number(expression: str, given: Mapping[str, Any]) -> float | None:
    """What an expression of a model over its parameters gives; None if one that it needs is not known."""
    try:
        found = eval(_compiled(expression), {"__builtins__": {}}, dict(given))
    except (NameError, TypeError, ArithmeticError):
        return None
    return float(found)


@cache
def _compiled(expression: str) -> CodeType:
    return compile(expression, "spread", "eval")


class Outcome(NamedTuple):
    """`error` is the canonical name of the class that was raised, or empty: then `value` is the result."""

    value: Any
    error: str = ""


def evaluate(model: Model, arguments: Sequence[Any], keywords: Mapping[str, Any] | None = None) -> Outcome | None:
    """What the call gives. A method's receiver is the first argument. None: it may not be called, or not with these arguments."""
    given = [*arguments, *(keywords or {}).values()]
    if model.fold == "no" or not all(_may_be_given(value, model.fold == "small") for value in given):
        return None
    function = _real(model.name)
    if function is None:
        return None
    try:
        value = function(*arguments, **(keywords or {}))
        return None if value is NotImplemented else Outcome(value)
    except (MemoryError, RecursionError):
        return None
    except Exception as error:  # noqa: BLE001 - whatever it raises is the answer
        name = f"{type(error).__module__}.{type(error).__qualname__}"
        return Outcome(None, name if bases(name) else "builtins.Exception")


def evaluate_on_list(model: Model, arguments: Sequence[Any]) -> Outcome | None:
    """What the call gives that changes a list among its arguments, which is changed as well. None: it may not be called, or not with these arguments, or
    it raises."""
    if model.draws or model.source or model.effect or not all(_may_be_given(value, small=False) for value in arguments):
        return None
    function = _real(model.name)
    try:
        return Outcome(function(*arguments)) if function is not None else None
    except Exception:  # noqa: BLE001 - what it raises ends the call, as the model says
        return None


def _may_be_given(value: Any, small: bool) -> bool:
    if isinstance(value, (list, tuple, set, frozenset, dict)):
        parts = [*value, *value.values()] if isinstance(value, dict) else list(value)
        return len(parts) <= MAX_LENGTH and all(_may_be_given(part, small) for part in parts)
    if isinstance(value, (str, bytes)):
        # A format may ask for a width as long as a number in it.
        digits = "".join(map(str, value)) if isinstance(value, bytes) else value
        return len(value) <= (MAX_NUMBER if small else MAX_LENGTH) and not (small and _long_number(digits))
    if isinstance(value, int) and not isinstance(value, bool):
        return abs(value) <= MAX_NUMBER if small else value.bit_length() <= MAX_NUMBER
    return True


def _long_number(text: str) -> bool:
    """Whether a string holds a number of five digits or more, in digits one after another."""
    run = 0
    for char in text:
        run = run + 1 if char.isdigit() else 0
        if run > 4:
            return True
    return False


def _real(name: str) -> Any:
    """The function of a canonical name, in the running Python."""
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        try:
            found: Any = builtins if parts[:end] == ["builtins"] else importlib.import_module(".".join(parts[:end]))
        except ImportError:
            continue
        for part in parts[end:]:
            found = getattr(found, part, None)
        return found
    return None
