"""Calls of memoised functions in a trace: the body under `lru_cache` or `cached_property` runs once, with `mx.compile` or without.

So what it reads and does is none of the trace's. Where a placeholder is among the arguments each trace computes the value anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mxlint.domain.arrays import Array
from mxlint.domain.members import Member, Ref, Symbolic, Value
from mxlint.domain.parts import each_part
from mxlint.interpreter.machine.behind import places_behind
from mxlint.interpreter.machine.core import Interpreter


@contextmanager
def memoised(i: Interpreter, given: Sequence[Value], *, keeps: bool = True) -> Iterator[None]:
    """Run a function whose value is kept for what it is `given`, the cache itself included. A placeholder and what a trace makes are other objects in
    each call: what is kept for one is never found. `keeps`: what is put into the cache stays there."""
    before = i.modes.memoised
    parts = (part for value in given for part in each_part(value))
    i.modes.memoised = before or keeps and i.trace is not None and all(_is_given_again(i, part) for part in parts)
    try:
        yield
    finally:
        i.modes.memoised = before


def _is_given_again(i: Interpreter, part: Member) -> bool:
    """Whether a later call without a trace is given the same."""
    trace = i.trace
    if trace is None:
        return True
    if isinstance(part, Array):
        return not trace.holds(part.trace)
    if isinstance(part, Ref):
        return i.info(part.oid).trace != trace.number
    if isinstance(part, Symbolic):
        return part.kinds is not None and trace.sources.keys().isdisjoint(places_behind(i, part.identity))
    return True
