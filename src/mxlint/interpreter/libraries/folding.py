"""What Python's own function gives of constants: `math.sqrt(4)` is 2.0, `'a,b'.split(',')` a new list of two strings.

Of one of several constants the function is asked for each. Only functions that a model says may be folded are called.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mxlint.domain.enumerated import computed
from mxlint.domain.members import (
    Const,
    External,
    Kind,
    Range,
    RangeObject,
    Ref,
    Tuple,
    Value,
    from_lengths,
)
from mxlint.domain.place import Place
from mxlint.domain.varying import loops_of, united
from mxlint.interpreter.containers.builders import new_list, new_set, put
from mxlint.interpreter.expressions.constants import MISSING, python_value
from mxlint.interpreter.libraries.measures import axes_in
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.models.evaluate import evaluate
from mxlint.models.schema import Model


def abstract(i: Interpreter, value: Any, place: Place, tag: object = None, axes: frozenset[tuple[int, Any]] = frozenset()) -> Value:
    """A value of Python's own as an abstract one. `axes`: of which placeholders the lengths are that its numbers are computed from."""

    def part(item: Any, number: object) -> Value:
        return abstract(i, item, place, (tag, number), axes)

    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)) or value is ...:
        return from_lengths(value, axes)
    if isinstance(value, tuple) and type(value) is tuple:
        return Tuple(tuple(part(item, n) for n, item in enumerate(value)))
    if isinstance(value, list):
        return new_list(i, Tuple(tuple(part(item, n) for n, item in enumerate(value))), place, ("folded", tag))
    if isinstance(value, (set, frozenset)):
        return new_set(i, Tuple(tuple(part(item, n) for n, item in enumerate(sorted(value, key=repr)))), place, ("folded", tag))
    if isinstance(value, dict):
        oid = i.allocate("dict", None, place, ("folded", tag))
        for key, item in value.items():
            put(i, oid, abstract(i, key, place, None, axes), part(item, key))
        return Ref(oid)
    if isinstance(value, range):
        start, stop, step = (from_lengths(bound, axes) for bound in (value.start, value.stop, value.step))
        return RangeObject(start, stop, step)
    if isinstance(value, type):
        return External(f"{value.__module__}.{value.__qualname__}")
    return i.symbolic(place, "folded", kinds=frozenset((f"{type(value).__module__}.{type(value).__qualname__}",)))


def fold(i: Interpreter, found: Model, owner: Value | None, args: Arguments, place: Place) -> Value | None:
    """What Python's own function gives of these arguments; None where they are not constants, or the model does not let it be called."""
    if found.fold == "no" or args.star is not None or args.kwstar is not None:
        return None
    bound = found.kind == "classmethod" and isinstance(owner, External) and owner.name == found.name.rpartition(".")[0]
    given = [*([owner] if owner is not None and not bound else []), *args.args]
    plain = [python_value(i, value) for value in given]
    named = {key: python_value(i, value) for key, value in args.keywords.items()}
    if any(value is MISSING for value in (*plain, *named.values())):
        return _fold_each(found, given) if not named else None
    outcome = evaluate(found, plain, named)
    if outcome is None:
        return None
    if outcome.error:
        throw_named(i, outcome.error, place)
    if hasattr(outcome.value, "__next__"):
        return None
    return abstract(i, outcome.value, place, axes=frozenset().union(*(axes_in(i, value) for value in (*given, *args.keywords.values()))))


def _fold_each(found: Model, given: Sequence[Value]) -> Value | None:
    """What Python's own function gives of numbers of which all values are known, and of constants: one of so many numbers."""
    operands = [value for value in given if isinstance(value, (Const, Range, Kind))]
    if len(operands) < len(given):
        return None

    def one(*values: object) -> object:
        outcome = evaluate(found, values)
        return None if outcome is None or outcome.error or not isinstance(outcome.value, (int, float)) else outcome.value

    return computed(one, operands, united(map(loops_of, operands)))
