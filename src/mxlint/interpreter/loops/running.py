"""The rounds of loops that run now, and which of them an object is older than."""

from __future__ import annotations

from typing import Final

from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Context, is_round, within

NO_LOOPS: Final[frozenset[Context]] = frozenset()


def rounds(i: Interpreter, older: Context) -> tuple[Context, ...]:
    """The rounds of loops that run and in which `older` is not made, innermost first."""
    found: list[Context] = []
    step: Context | None = i.context
    while step is not None and not within(older, step):
        if is_round(step.step):
            found.append(step)
        step = step.parent
    return tuple(found)


def rounds_around(i: Interpreter) -> list[Context]:
    """The rounds of loops that run, innermost first."""
    step: Context | None = i.context
    running: list[Context] = []
    while step is not None:
        if is_round(step.step):
            running.append(step)
        step = step.parent
    return running


def one_by_one(what: object) -> tuple[Place, int] | None:
    """The loop and the number of a round that is run by itself."""
    if isinstance(what, tuple) and len(what) == 2 and isinstance(what[0], Place) and isinstance(what[1], int):
        return what[0], what[1]
    return None


def is_first(step: object) -> bool:
    """Whether a round is the first one of its loop."""
    return is_round(step) and step[1] in ("first", 0)
