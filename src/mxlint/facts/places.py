"""The places in facts, changed all together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from mxlint.finding import Span
from mxlint.record import is_record

T = TypeVar("T")


def with_places(facts: T, change: Callable[[Span], Span]) -> T:
    """Return facts, or any record among them, with each place replaced by what `change` makes of it."""
    changed: T = _changed(facts, change)
    return changed


def _changed(value: Any, change: Callable[[Span], Span]) -> Any:
    if isinstance(value, Span):
        return change(value)
    if isinstance(value, tuple):
        return tuple(_changed(item, change) for item in value)
    if is_record(type(value)):
        return type(value)(*(_changed(getattr(value, field), change) for field in type(value).__match_args__))
    return value
