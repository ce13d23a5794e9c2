"""What a library answers about a container of constants: the container is read only as far as the answer goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mxlint.domain.members import Const, Ref, Tuple, Value
from mxlint.interpreter.expressions.constants import MISSING
from mxlint.interpreter.machine.core import Interpreter
from mxlint.models.evaluate import evaluate
from mxlint.models.load import model

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
    given = [*(part.value for part in asked.before), MAKERS[kind](plain), *(part.value for part in asked.after)]
    outcome = evaluate(found, given)
    if outcome is None or outcome.error or not isinstance(outcome.value, (bool, int, float, str, bytes)):
        return Tuple(items)
    return Const(outcome.value)
