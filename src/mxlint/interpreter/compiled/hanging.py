"""What a guard leaves open, as a finding tells it."""

from __future__ import annotations

from mxlint.domain.guards import Guard
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.journal import where
from mxlint.interpreter.machine.paths import CLIENT
from mxlint.interpreter.open_world import defaults


def open_conditions(i: Interpreter, guard: Guard) -> list[events.Condition]:
    """The open conditions of a guard. That the client leaves a method out is none: whoever calls one method need not call another."""
    conditions: list[events.Condition] = []
    for literal in guard:
        cause, at = i.why(literal.condition)
        if cause != "open" or at is None:
            continue
        client = literal.condition[0] == CLIENT
        if client and not literal.outcome:
            continue
        if client and isinstance(literal.condition[1], Place):
            at = literal.condition[1]  # it may have been tested since
        way, outcome = i.way(literal)
        default = defaults.holds(i, literal)
        conditions.append(events.Condition(where(at), "client" if client else "open", outcome, default=default, way=way))
    return conditions
