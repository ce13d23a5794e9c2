"""What a library function says about a container of constants: `math.prod(sizes)`, `" ".join(names)`.

A trace that asks has read the answer, not the items: other items with the same answer are no stale read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mxlint.domain.members import Const, Ref, Tuple, Value
from mxlint.interpreter.expressions.constants import MISSING
from mxlint.interpreter.machine.core import Interpreter
from mxlint.models.evaluate import evaluate
from mxlint.models.load import model
from mxlint.models.schema import Model

MAKERS: Final[Mapping[str, Any]] = {"list": list, "set": set}
"""How Python makes a container of items, by its kind."""


@dataclass(frozen=True, slots=True)
class Question:
    """A call with one container: `before` and `after` are the arguments around it."""

    name: str
    before: tuple[Const, ...]
    after: tuple[Const, ...]


def question(i: Interpreter, name: str, given: Sequence[Value]) -> tuple[int, Question] | None:
    """What a call asks about the one container that it is given, and which that is; None if it is given something else, too."""
    at = [n for n, value in enumerate(given) if not isinstance(value, Const)]
    if len(at) != 1:
        return None
    (n,) = at
    container = given[n]
    if not isinstance(container, Ref) or i.info(container.oid).kind not in MAKERS:
        return None
    before, after = (tuple(value for value in part if isinstance(value, Const)) for part in (given[:n], given[n + 1 :]))
    return container.oid, Question(name, before, after)


def answer(i: Interpreter, kind: str, asked: Question, items: tuple[Value, ...]) -> Value:
    """What the call gives for a container that holds these items; the items themselves if that is not known."""
    found = model(asked.name)
    plain = [item.value if isinstance(item, Const) else MISSING for item in items]
    if found is None or MISSING in plain:
        return Tuple(items)
    if not found.unordered:
        return _called(found, kind, asked, plain) or Tuple(items)
    # A sum of floats in one order may be another one in the next, by what is rounded: then it is no answer.
    ordered = sorted(items, key=repr)
    plain = [item.value for item in ordered if isinstance(item, Const)]
    one, other = (_called(found, kind, asked, each) for each in (plain, plain[::-1]))
    return one if one is not None and one == other else Tuple(tuple(ordered))


def _called(found: Model, kind: str, asked: Question, items: Sequence[Any]) -> Const | None:
    outcome = evaluate(found, [*(part.value for part in asked.before), MAKERS[kind](items), *(part.value for part in asked.after)])
    if outcome is None or outcome.error or not isinstance(outcome.value, (bool, int, float, str, bytes)):
        return None
    return Const(outcome.value)
