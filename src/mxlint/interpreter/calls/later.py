"""A function that a library calls at a later moment, or beside the program: it runs where the library is given it, which is not when it is called.

What it finds then may be other than what it finds now, as a field that is filled in between. So an exception that ends it here may never be raised, and it is
not the program here that it ends: what the function has written by then stays written.
"""

from __future__ import annotations

from collections.abc import Callable

from mxlint.domain.members import UNBOUND, Value
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import answered


def run_later(i: Interpreter, run: Callable[[], Value]) -> Value:
    """Run such a function, and go on with the states in which it ends and those in which an `Exception` leaves it, where it
    gives nothing (`UNBOUND`). A trace that is given one may call it."""
    if i.trace is not None:
        return run()
    base, value = i.path, None
    with i.trying() as raised:
        value = run()
    here, path = i.heap.cut(raised.mark), i.path
    if value is not None and not raised.arrived:
        i.hand_on(raised.mark, raised.possible)
        i.heap.apply(here)
        return value
    i.path = base
    with i.leaving() as ends:
        answered(i, raised, "builtins.Exception", lambda: i.reach(ends, UNBOUND))
        if value is not None:
            i.heap.apply(here)
            i.path = path
            i.reach(ends, value)
    return i.arrive(ends)
