"""Generators that cannot be run from yield to yield: the body is run at once, and what it yields is kept as a list.

Where the program asks for more elements, the effects of that run are undone and it is run again.
"""

from __future__ import annotations

from mxlint.domain.heap import ALIVE, Delta
from mxlint.domain.join import join
from mxlint.domain.members import NONE, TRUE, UNBOUND, Member, Ref, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.containers.builders import new_list
from mxlint.interpreter.containers.elements import append
from mxlint.interpreter.generators.iterators import CLOSING, EFFECTS, ITERATED, new_iterator
from mxlint.interpreter.generators.stepping import Generator
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS


def as_iterator(i: Interpreter, ref: Ref, place: Place, frame: Frame) -> Ref:
    """A generator of which single elements are asked for: its body is run at once, and the elements kept."""
    done = i.heap.get(ref.oid, ITERATED)
    if isinstance(done, Ref):
        return done
    made = new_iterator(i, "iter", (yielded(i, ref, place, frame),), place)
    i.heap.set(ref.oid, ITERATED, made)
    return made


def yielded(i: Interpreter, ref: Ref, place: Place, frame: Frame) -> Value:
    """The elements that a generator gives to one who asks for one at a time, and may stop: the state is one of those at its yields."""
    i.heap.set(ref.oid, CLOSING, TRUE)
    content, effects = _until_abandoned(i, ref, place, frame)
    i.heap.set(ref.oid, EFFECTS, effects)
    payload = i.info(ref.oid).payload
    own = {ref.oid, payload.about[1].oid} if isinstance(payload, Generator) else {ref.oid}
    _note_others(i, own, effects, "a generator that is asked for single elements, and was run as a whole", place)
    return content


def asked_at_once(i: Interpreter, ref: Ref, place: Place, frame: Frame) -> Ref:
    """An object with a `__next__` of which elements are taken: it is asked for all of them at once, and they are kept. Whoever takes them may stop, so the
    state is one of those after an element."""
    content, effects = _until_abandoned(i, ref, place, frame)
    _note_others(i, {ref.oid}, effects, "a `__next__` that was called for all elements at once", place)
    return new_iterator(i, "iter", (content,), place)


def _until_abandoned(i: Interpreter, ref: Ref, place: Place, frame: Frame) -> tuple[Value, Effects]:
    """The elements that something gives to one who may stop after any of them, and what it changes for that."""
    box = new_list(i, Tuple(()), place, "yielded")
    content: Value | None = None
    with i.leaving() as abandoned:

        def keep(element: Value) -> Value:
            append(i, box.oid, element)
            i.reach(abandoned, NONE)
            return NONE

        i.iterate(ref, keep, place, frame)
        content = i.heap.get(box.oid, ITEMS)
        i.reach(abandoned, NONE)
    i.arrive(abandoned)
    after = i.heap.changes(abandoned.mark)
    before = {location: UNBOUND if value is None else value for location, value in reversed(i.heap.trail[abandoned.mark :])}
    if content is None:
        parts = [p for m in members(i.heap.get(box.oid, ITEMS) or Tuple(())) for p in _tuple_parts(m)]
        content = Tuple(None, join(parts)) if parts else Tuple(())
    return content, Effects(before, after)


def _note_others(i: Interpreter, own: set[int], effects: Effects, reason: str, place: Place) -> None:
    """Note that the order is lost in which something has changed others than itself and whoever takes its elements has run."""
    before = effects.before
    if any(oid not in own and (oid, ALIVE) not in before and not isinstance(field, tuple) for oid, field in before):
        i.unsure(reason, place)


class Effects(Member):
    """What a run of a generator's body changed: each location with what it held before and holds since."""

    __slots__ = ("after", "before")

    def __init__(self, before: Delta, after: Delta) -> None:
        self.before = before
        self.after = after

    def key(self) -> tuple[object, ...]:
        return (id(self),)


def take_back(i: Interpreter, ref: Ref) -> None:
    """Take back what the last run of a generator's body changed, where nobody else has changed it since: it is run anew."""
    effects = i.heap.get(ref.oid, EFFECTS)
    if isinstance(effects, Effects):
        same = {place: value for place, value in effects.before.items() if (i.heap.get(*place) or UNBOUND) == effects.after[place]}
        i.heap.apply(same)
    i.heap.drop(ref.oid, ITERATED)


def _tuple_parts(member: Member) -> list[Value]:
    if not isinstance(member, Tuple):
        return []
    return list(member.items) if member.items is not None else [member.element] if member.element is not None else []
