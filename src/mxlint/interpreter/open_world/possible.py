"""What tests answer of something that may be one of a few values.

Every Python answers some tests of the environment alike: `sys.version_info >= (3,)` is decided, though nobody in sight says the version. `name in ("a", "b")` is
decided where a name that nobody in sight gives is taken to be one of them.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, Final

from mxlint.domain.guards import Identity
from mxlint.domain.members import Const, Slice, Tuple
from mxlint.interpreter.expressions.arithmetic import FOLD

OLDEST, NEWEST = 10, 40
"""Minor versions of Python 3: the oldest that is read, and one that is beyond all others."""

POSSIBLE: Final[dict[Identity, tuple[Any, ...]]] = {
    ("constant", "sys.version_info"): tuple(
        (3, minor, micro, "final", 0) for minor in range(OLDEST, NEWEST) for micro in (0, NEWEST)
    ),
}  # fmt: skip
"""What a constant of the environment may be: enough of it that what holds of these holds of all."""
_FIELDS: Final = ("major", "minor", "micro", "releaselevel", "serial")


def decided(identity: Identity) -> bool | None:
    """Whether what has an identity is true in any case, or in none; None if that is not known."""
    return _one(_values(identity, POSSIBLE))


def decided_where(identity: Identity, thing: Identity, value: Const) -> bool | None:
    """Whether what has an identity is true where something is equal to a constant; None if that does not say it."""
    return _one(_values(identity, {thing: (value.value,)}))


def _one(values: tuple[Any, ...] | None) -> bool | None:
    """The truth that all values have; None if there is no such one."""
    outcomes = {bool(value) for value in values} if values is not None else set()
    return outcomes.pop() if len(outcomes) == 1 else None


def _values(identity: object, possible: Mapping[Identity, tuple[Any, ...]]) -> tuple[Any, ...] | None:
    """What something may be that is computed from one thing, for each value that this may be."""
    if not isinstance(identity, tuple):
        return None
    if identity in possible:
        return possible[identity]
    operation, *parts = identity
    try:
        if operation == "[]" and len(parts) == 2 and (found := _values(parts[0], possible)) is not None:
            index = _plain(parts[1])
            return None if index is None else tuple(value[index] for value in found)
        if isinstance(operation, str) and operation[1:] in _FIELDS and parts[0] in POSSIBLE:
            return tuple(value[_FIELDS.index(operation[1:])] for value in POSSIBLE[parts[0]])
        if operation == "not" and (found := _values(parts[0], possible)) is not None:
            return tuple(map(operator.not_, found))
        if operation in FOLD and len(parts) == 2:
            return _folded(FOLD[operation], parts[0], parts[1], possible)
    except (TypeError, IndexError):
        return None
    return None


def _folded(fold: Any, left: object, right: object, possible: Mapping[Identity, tuple[Any, ...]]) -> tuple[Any, ...] | None:
    """An operation of what may be one of some values and a constant."""
    for first, second, swapped in ((left, right, False), (right, left, True)):
        values, constant = _values(first, possible), _plain(second)
        if values is not None and constant is not None:
            return tuple(fold(constant, value) if swapped else fold(value, constant) for value in values)
    return None


def _plain(part: object) -> Any:
    """A constant, or a tuple or slice of constants, as Python's own."""
    if isinstance(part, Const):
        return part.value
    if isinstance(part, Slice):
        bounds = (part.lower, part.upper, part.step)
        return (
            slice(*(bound.value for bound in bounds if isinstance(bound, Const)))
            if all(isinstance(bound, Const) for bound in bounds)
            else None
        )
    if isinstance(part, Tuple) and part.items is not None and all(isinstance(item, Const) for item in part.items):
        return tuple(item.value for item in part.items if isinstance(item, Const))
    return None
