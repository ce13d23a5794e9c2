"""Arrays that are older than the loops that run: their shapes do not differ from round to round, whatever the rounds do."""

from __future__ import annotations

from collections.abc import Iterable

from mxlint.domain.arrays import GOING_ON, Array
from mxlint.domain.members import Loops, Ref
from mxlint.domain.varying import united
from mxlint.interpreter.loops.novelty import Novelty
from mxlint.interpreter.loops.stretching import Lengthening
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.mlx.kinds import kind


def reasons(i: Interpreter, arrays: Iterable[Array], new: Novelty) -> dict[str, Loops]:
    """Why the shapes of arrays differ from round to round, and of which loops, leaving out those that none of the rounds that `new` is asked about
    makes anew, and those that may come to rest."""
    found: dict[str, Loops] = {}
    bounded = i.ledger.of(Lengthening).bounded
    for array in arrays:
        if array.ident in bounded:
            continue
        if array.grows not in GOING_ON or new.over(array.loops) and not _settled(i, array, new):
            found[array.grows] = united((found.get(array.grows, frozenset()), array.loops))
    return found


def _settled(i: Interpreter, array: Array, new: Novelty) -> bool:
    """Whether no round of a loop that runs makes an array: it is one array made before, or a weight of one of some modules."""
    if i.trace is not None:
        return False
    if i.heap.recording is not None:
        i.heap.recording.around = True
    info = i.info(array.ident)
    if new.here(info.payload):
        return False
    return not (info.summary or array.several) or _is_weight(i, array.ident)


def _is_weight(i: Interpreter, number: int) -> bool:
    """Whether what holds an array is a module, or several."""
    holders = [oid for oid, _ in i.heap.who_holds(number) if i.info(oid).kind != "frame"]
    return bool(holders) and all(i.info(oid).kind == "instance" and kind(i, Ref(oid)) == "module" for oid in holders)
