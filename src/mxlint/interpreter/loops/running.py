"""The rounds of loops that run now, and which of them an object is older than."""

from __future__ import annotations

import itertools
from typing import Final

from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Context, is_round, within

NO_LOOPS: Final[frozenset[Context]] = frozenset()


def rounds(i: Interpreter, older: Context) -> tuple[Context, ...]:
    """The rounds of loops that run and in which `older` is not made, innermost first."""
    return tuple(itertools.takewhile(lambda around: not within(older, around), i.context.rounds))


def rounds_around(i: Interpreter) -> tuple[Context, ...]:
    """The rounds of loops that run, innermost first."""
    return i.context.rounds


def one_by_one(what: object) -> tuple[Place, int] | None:
    """The loop and the number of a round that is run by itself."""
    if isinstance(what, tuple) and len(what) == 2 and isinstance(what[0], Place) and isinstance(what[1], int):
        return what[0], what[1]
    return None


def is_first(step: object) -> bool:
    """Whether a round is the first one of its loop."""
    return is_round(step) and step[1] in ("first", 0)
