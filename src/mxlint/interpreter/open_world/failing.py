"""What an operation of a trace asks for and may not find: axes, keys, items. Python raises then, under a condition that nobody in sight decides.

A trace that this ends is told of where a handler around it is there for that exception: then somebody gives such arguments.
"""

from __future__ import annotations

from mxlint.domain.place import Place
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame


def may_fail(i: Interpreter, error: str, grounds: object, place: Place, frame: Frame, tag: object) -> None:
    """Something may not be there, which raises. `grounds`: what it depends on; `tag`: the first part of the condition that it lacks."""
    i.may_raise(error, of=(grounds,))
    if i.trace is None or not i.tries or len(i.tries) > i.trace.tries or not i.tries[-1].expects(error):
        return
    path, lacks = i.path, i.undecided("open", place, tag=tag)
    if lacks.literal is not None:
        i.grounds.setdefault(lacks.literal.condition, set()).add(grounds)
    i.path = (*path, lacks)
    i.operations.fails(i, place, error, frame)
    i.path = path
