"""Outcomes of operators on a scalar with a source: each is a location of its own, whose value is computed from the scalar.

A trace that has asked only whether a number is greater than two has read the outcome, not the number: another one that is greater than two is no stale read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mxlint.domain.members import (
    FALSE,
    NONE,
    TRUE,
    TRUTH,
    UNBOUND,
    Applied,
    Const,
    External,
    Kind,
    Member,
    Range,
    Ref,
    Tuple,
    as_constant,
    scalar_type,
)
from mxlint.interpreter.expressions.arithmetic import FOLD, is_too_large, on_ranges
from mxlint.models.evaluate import evaluate
from mxlint.models.load import model

IDENTITIES: Final = ("is", "is not")
MEMBERSHIPS: Final = ("in", "not in")
ISINSTANCE: Final = "builtins.isinstance"
_CLASSES: Final = {
    f"builtins.{cls.__name__}": cls for cls in (object, bool, int, float, complex, str, bytes, tuple, list, dict, set, frozenset, type)
}


def outcome(step: Applied, member: Member, other: Member | None) -> Member:
    """What a step makes of a member. One of which too little is known stays what it is: no outcome of another is the same."""
    member = as_constant(member)
    if step == TRUTH:
        return _truth(member)
    if other is None:
        return _called(step.op, (member,))
    a, b = (other, member) if step.turned else (member, other)
    if step.op == ISINSTANCE:
        return _is_instance(a, b) or member
    if step.op in MEMBERSHIPS and isinstance(b, Tuple) and not all(isinstance(item, Const) and item != NONE for item in b.items or ()):
        return _is_one_of(step.op == "in", a, b) or member
    if step.op in IDENTITIES:
        return _identity(step.op == "is", a, b) or member
    if step.op not in FOLD:
        return _called(step.op, (a, b))
    if isinstance(a, Const) and (isinstance(b, Const) or isinstance(b, Tuple) and step.op in MEMBERSHIPS):
        return _folded(step.op, a.value, constants(b))
    if isinstance(a, (Const, Range)) and isinstance(b, (Const, Range)):
        found = on_ranges(step.op, a, b)
        return found if isinstance(found, Member) else member
    return member


def constants(member: Const | Tuple) -> object:
    """A constant, or a tuple of constants, as Python's own."""
    if isinstance(member, Const):
        return member.value
    return tuple(item.value for item in member.items or () if isinstance(item, Const))


def _truth(member: Member) -> Member:
    if isinstance(member, Const):
        return TRUE if member.value else FALSE
    if isinstance(member, Range) and (member.low is not None and member.low > 0 or member.high is not None and member.high < 0):
        return TRUE
    return member


def _identity(positive: bool, a: Member, b: Member) -> Member | None:
    if isinstance(a, Const) and isinstance(b, Const):
        same = a == b
        if not same and a.value == b.value:  # 1, 1.0 and True are equal: which was asked for, `==` or `is`, is not known here
            return None
    elif isinstance(a, Ref) and isinstance(b, Ref):
        same = a.oid == b.oid
    elif (
        NONE in (a, b)
        and isinstance(a, (Const, Range, Kind, Ref))
        and isinstance(b, (Const, Range, Kind, Ref))
        or isinstance(a, (Const, Ref))
        and isinstance(b, (Const, Ref))
    ):
        same = False
    else:
        return None
    return TRUE if same is positive else FALSE


def _is_instance(member: Member, classes: Member) -> Member | None:
    """Whether a scalar or tuple is of one of some classes of Python or MLX; None where that is not known."""
    wanted = classes.items or () if isinstance(classes, Tuple) else (classes,)
    own = _CLASSES.get(f"builtins.{'tuple' if isinstance(member, Tuple) and member.cls is None else scalar_type(member)}")
    if own is None:
        return None
    found: list[bool | None] = []
    for cls in wanted:
        name = cls.name if isinstance(cls, External) else ""
        found.append(issubclass(own, _CLASSES[name]) if name in _CLASSES else False if name.startswith("mlx.") else None)
    return TRUE if True in found else FALSE if None not in found else None


def _is_one_of(positive: bool, member: Member, others: Tuple) -> Member | None:
    """Whether an object is among some objects."""
    found = [_is_equal(member, item) if isinstance(item, Member) else None for item in others.items or ()]
    if TRUE in found or all(part == FALSE for part in found):
        return TRUE if (TRUE in found) is positive else FALSE
    return None


def _is_equal(a: Member, b: Member) -> Member | None:
    """Whether Python finds one of two objects, or constants, in the place of the other."""
    if isinstance(a, Const) and isinstance(b, Const):
        return TRUE if a.value == b.value else FALSE
    return _identity(True, a, b)


def _called(name: str, given: Sequence[Member]) -> Member:
    """What a function of a library gives, if its model says that it may be called on constants."""
    found, values = model(name), [value.value for value in given if isinstance(value, Const)]
    outcome = evaluate(found, values) if found is not None and len(values) == len(given) else None
    if outcome is None:
        return next(value for value in given)
    return UNBOUND if outcome.error else Const(outcome.value)


def _folded(op: str, x: object, y: object) -> Member:
    if is_too_large(op, x, y):
        return Kind("number", "varying")
    try:
        return Const(FOLD[op](x, y))
    except (ArithmeticError, TypeError, ValueError, LookupError, AttributeError, MemoryError):
        return UNBOUND
