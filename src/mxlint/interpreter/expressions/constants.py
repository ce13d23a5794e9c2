"""Which values are constant, and what they are as Python's own: `(1, "a")` is; `(1, [])` is not, as a list has an identity."""

from __future__ import annotations

from typing import Any, Final

from mxlint.domain.members import Const, Length, Measure, RangeObject, Ref, Tuple, Value, as_constant
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS

MISSING: Final[Any] = object()
"""There is no constant."""


def python_value(i: Interpreter, value: Value, depth: int = 3) -> Any:
    """A value as Python's own, `MISSING` if it is not constant."""
    if isinstance(value, (Const, Length, Measure)):
        known = as_constant(value)
        return known.value if isinstance(known, Const) else MISSING
    if isinstance(value, Tuple) and value.items is not None and value.cls is None and depth:
        items = [python_value(i, item, depth - 1) for item in value.items]
        return MISSING if any(item is MISSING for item in items) else tuple(items)
    if isinstance(value, RangeObject):
        parts = [python_value(i, part) for part in value.parts]
        return range(*parts) if parts[2] and all(isinstance(part, int) for part in parts) else MISSING
    if isinstance(value, Ref) and depth:
        kind = i.info(value.oid).kind
        if kind in ("list", "set"):
            content = i.heap.get(value.oid, ITEMS)
            items = (
                [python_value(i, item, depth - 1) for item in content.items]
                if isinstance(content, Tuple) and content.items is not None
                else [MISSING]
            )
            if not any(item is MISSING for item in items):
                try:
                    return items if kind == "list" else set(items)
                except TypeError:
                    return MISSING
    return MISSING
