"""Whether an array that took the place of another one has another shape, rank or dtype, where a trace has asked for that and not for what is in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.heap import Location
from mxlint.domain.members import Ref, members
from mxlint.domain.place import Place
from mxlint.domain.shape import shape_of
from mxlint.domain.size import provably_different
from mxlint.interpreter.compiled.rehearsals import Rehearsal
from mxlint.interpreter.compiled.staleness import note_stale, unfollowed
from mxlint.interpreter.compiled.state import Entry, count, held
from mxlint.interpreter.compiled.traces import Seen
from mxlint.interpreter.machine.core import Interpreter


def compare_asked(i: Interpreter, ref: Ref, location: Location, found: Seen, place: Place, entry: Entry, again: Rehearsal) -> None:
    """Compare what a trace has asked of an array with what would be answered now, and note that it is old if the body would compute something else."""
    before, now = found.value, held(i, *location)
    if now is None or not isinstance(before, Array) or count(i, location) == found.count:
        return
    present = members(i.live(now))
    others = tuple(
        member for member in present if isinstance(member, Array) and any(_DIFFERS[what](before, member) for what in found.asked)
    )
    if len(others) < len(present):
        return
    same = again.computes_the_same
    if same is None:
        unfollowed(i, ref, place, "whether another shape or dtype of an array makes a difference")
    elif not same:
        read = copy(found)
        read.kind = "python"
        note_stale(i, ref, location, read, now, others, (), place, entry)


def _has_other_rank(before: Array, now: Array) -> bool:
    return before.shape is not None and now.shape is not None and len(before.shape) != len(now.shape)


def _has_other_shape(before: Array, now: Array) -> bool:
    if before.shape is None or now.shape is None:
        return False
    sizes = zip(shape_of(before.shape), shape_of(now.shape))  # type: ignore[arg-type]
    return _has_other_rank(before, now) or any(provably_different(a, b) for a, b in sizes)


def _has_other_dtype(before: Array, now: Array) -> bool:
    return None not in (before.dtype, now.dtype) and before.dtype != now.dtype


_DIFFERS: Final[Mapping[str, Callable[[Array, Array], bool]]] = {
    "rank": _has_other_rank,
    "shape": _has_other_shape,
    "dtype": _has_other_dtype,
}
