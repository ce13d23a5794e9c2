"""Whether the program puts other arrays in the place of the placeholders that an exception has left in captured containers, before it calls again or ends."""

from __future__ import annotations

from mxlint.domain.arrays import Array
from mxlint.domain.members import NONE, Ref, Unbound, members
from mxlint.domain.parts import each_part
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.interpreter.compiled.captures import captured
from mxlint.interpreter.compiled.state import Capturing
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.journal import note, where
from mxlint.interpreter.machine.locations import BROKEN


def called_again(i: Interpreter, ref: Ref, place: Place) -> None:
    """Note what a call finds that may come after an exception: placeholders, or other arrays."""
    broken = i.heap.get(ref.oid, BROKEN)
    if broken is None or all(isinstance(member, Unbound) for member in members(broken)):
        return
    containers, random, symbolic = captured(i, i.heap.get(ref.oid, "inputs") or NONE)
    arrays = (part for oid in containers for value in i.heap.fields(oid).values() for part in each_part(value) if isinstance(part, Array))
    # What lies in the random state, and in what nobody in sight gives, is not seen.
    # An array that is a placeholder on some way alone is one that may be left.
    left = random or bool(symbolic) or any(array.trace == -1 or array.trace in i.ledger.of(Capturing).traces for array in arrays)
    note(i, events.Note(events.STILL_BROKEN if left else events.RESTORED, where(place), "", ref.oid, events.Modality()))
    if not left:
        i.heap.drop(ref.oid, BROKEN)


def ended(i: Interpreter) -> None:
    """Note the same where a run ends, of each call that an exception has left."""
    called = {trace.oid: place for trace, _, place in i.ledger.of(Capturing).traces.values()}
    for oid, place in sorted(called.items()):
        called_again(i, Ref(oid), place)
