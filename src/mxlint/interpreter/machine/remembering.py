"""Functions whose values are kept, in a trace: what `lru_cache` and `cached_property` keep is computed once, with a trace or without one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mxlint.domain.arrays import Array
from mxlint.domain.members import Symbolic, Value
from mxlint.domain.parts import each_part
from mxlint.interpreter.machine.core import Interpreter


@contextmanager
def remembered(i: Interpreter, given: Sequence[Value]) -> Iterator[None]:
    """Run a function whose value is kept for what it is `given`. A placeholder is another object in each call: what is kept for one is never found."""
    before = i.modes.remembered
    i.modes.remembered = before or i.trace is not None and all(_is_given_again(i, value) for value in given)
    try:
        yield
    finally:
        i.modes.remembered = before


def _is_given_again(i: Interpreter, value: Value) -> bool:
    """Whether a later call can be given the same: no placeholder, nor what may have been computed from one."""
    return not any(
        isinstance(part, Array) and i.trace is not None and i.trace.holds(part.trace) or isinstance(part, Symbolic) and part.kinds is None
        for part in each_part(value)
    )
