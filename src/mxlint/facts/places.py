"""The places in facts, changed all together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from mxlint.finding import Span

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
    if is_dataclass(value) and not isinstance(value, type):
        return type(value)(**{field.name: _changed(getattr(value, field.name), change) for field in fields(value)})
    return value
