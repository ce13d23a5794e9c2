"""Whether a call of `logging` formats its arguments: whether its level is enabled.

`logging.debug(x)` prints nothing and asks `x` for nothing, unless `basicConfig(level=logging.DEBUG)` has run.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from typing import Final

from mxlint.domain.join import join
from mxlint.domain.members import (
    UNBOUND,
    Const,
    Member,
    Value,
    members,
)
from mxlint.interpreter.machine.core import Interpreter
from mxlint.models.schema import Model

LOG_LEVEL: Final = ("#", "log level")
"""Of object 0: the levels that the program has configured, in whatever order."""
SILENCED: Final = ("#", "log silenced")
"""Of object 0: the level of which, and of lower ones, no record is written, by `logging.disable`."""


def is_logged(i: Interpreter, level: Value) -> bool:
    """Whether the program surely lets records of a level through, as Python does with those of warnings and above unless it is told otherwise."""
    least = min(_number(member, logging.NOTSET) for member in members(level))
    if least <= max(_number(member, logging.CRITICAL) for member in members(_silenced(i))):
        return False
    return least >= max(_number(member, logging.WARNING) for member in members(i.heap.get(0, LOG_LEVEL) or UNBOUND))


def is_disabled(i: Interpreter, level: Value) -> bool:
    """Whether the program surely lets no records of a level through: the level that it has configured or silenced is above."""
    most = max(_number(member, sys.maxsize) for member in members(level))
    if most <= min(_number(member, logging.NOTSET) for member in members(_silenced(i))):
        return True
    configured = i.heap.get(0, LOG_LEVEL)
    return isinstance(configured, Const) and not is_logged(i, level) and _number(configured, logging.NOTSET) != logging.NOTSET


def silence(i: Interpreter, detail: str, bound: Mapping[str, Value]) -> None:
    """`logging.disable(level)`: the last call of it holds. Without a level it silences all that Python has."""
    i.heap.set(0, SILENCED, bound.get(detail, Const(logging.CRITICAL)))


def _silenced(i: Interpreter) -> Value:
    return i.heap.get(0, SILENCED) or Const(logging.NOTSET)


def _number(level: Member, unknown: int) -> int:
    """A level as a number; `unknown` where none is known."""
    given = level.value if isinstance(level, Const) else None
    number = logging.getLevelName(given) if isinstance(given, str) else given
    return number if isinstance(number, int) else unknown


def configure(i: Interpreter, found: Model, detail: str, bound: Mapping[str, Value]) -> None:
    """Note that a level is configured. Which of several holds depends on loggers, handlers and their order: the highest does; a first one for the process is
    alone."""
    if detail != "other" and detail not in bound:
        return
    before = i.heap.get(0, LOG_LEVEL)
    level = bound.get(detail, UNBOUND)
    alone = before is None and found.kind == "function" and detail in bound
    i.heap.set(0, LOG_LEVEL, level if alone else join((UNBOUND if before is None else before, level)))
