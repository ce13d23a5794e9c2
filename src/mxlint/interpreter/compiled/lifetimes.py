"""Whether a compiled object is still alive, and which traces it shares.

Compiled objects of one function share their traces. MLX drops these as soon as one of the objects is deleted, as in a loop that does `f = mx.compile(g)` in
each round.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mxlint.domain.arrays import Traces
from mxlint.domain.heap import Location
from mxlint.domain.join import of
from mxlint.domain.members import NONE, Member, Option, Ref, options
from mxlint.domain.parts import referred
from mxlint.interpreter.compiled.state import TRACES, all_entries, count, only_filled
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import FrameInfo
from mxlint.interpreter.machine.garbage import PLAIN
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.machine.writing import Writes


class Stored:
    """Compiled objects that an attribute of an object held at some time."""

    __slots__ = ("objects",)

    def __init__(self) -> None:
        self.objects: set[int] = set()


def is_replaced(i: Interpreter, number: int) -> bool:
    """Whether an attribute held a compiled object that nothing holds now: another one has taken its place, and nobody can call it any more."""
    return number in i.ledger.of(Stored).objects and i.heap.exists(number) and not i.heap.who_holds(number)


def is_alive(i: Interpreter, number: int) -> bool:
    """Whether a module or an activation that runs leads to an object, on the path of the present state."""
    running = {frame.oid for frame in i.stack}
    todo, seen = [number], {number}
    while todo:
        held = todo.pop()
        for oid, field in sorted(i.heap.who_holds(held), key=lambda at: at[0]):
            value = i.heap.get(oid, field)
            if oid in seen or value is None or held not in referred(i.live(value)):
                continue
            if oid in running or _is_root(i, oid):
                return True
            seen.add(oid)
            todo.append(oid)
    return False


def shares_traces(i: Interpreter, ref: Ref, other: int) -> bool:
    """Whether a compiled object finds the traces that one of its function has made: itself, or another that lives still, with the same options, or with
    `outputs=` besides, which the object then does not write. When an object dies, the traces of its function die: of those that one place makes one after
    the other, each takes the place of the last, if nothing else holds that."""
    if other == ref.oid:
        return True
    outputs = i.heap.get(ref.oid, "outputs")
    return (
        all(i.heap.get(ref.oid, name) == i.heap.get(other, name) for name in ("inputs", "shapeless"))
        and (outputs in (None, NONE) or outputs == i.heap.get(other, "outputs"))
        and is_alive(i, other)
    )


class Threaded:
    """The objects that have the traces which each thread has made."""

    __slots__ = ("caches",)

    def __init__(self) -> None:
        self.caches: dict[int, set[int]] = {}


def forget(i: Interpreter, thread: int) -> None:
    """A thread ends, and its traces with it."""

    def left(member: Member) -> Member:
        if not isinstance(member, Traces):
            return member
        return Traces(member.oid, tuple(entry for entry in all_entries(member) if entry.thread != thread))

    for cache in sorted(i.ledger.of(Threaded).caches.get(thread, ())):
        held = i.heap.get(cache, TRACES)
        if held is not None:
            i.heap.set(cache, TRACES, of(Option(left(option.member), option.guard) for option in options(held)))


def kept_in(i: Interpreter, number: int) -> tuple[tuple[Location, int], ...]:
    """Where an object is stored, other than in the names of functions that run, and how often was written there."""
    places = sorted(i.heap.who_holds(number), key=repr)
    kept = ((oid, field) for oid, field in places if not isinstance(i.info(oid).payload, FrameInfo) or _is_root(i, oid))
    return tuple((place, count(i, place)) for place in kept)


def taken(i: Interpreter, places: Iterable[tuple[Location, int]], by: int) -> bool:
    """Whether an object has taken one of some places. What is stored where nothing was found takes the place of nothing."""
    held = (i.heap.get(*place) for place, written in places if not only_filled(i, place, written))
    return any(by in referred(i.live(value)) for value in held if value is not None)


def overwritten(i: Interpreter, places: Iterable[tuple[Location, int]]) -> bool:
    """Whether something was written since in each of some attributes or entries, and not only where a test has found nothing. What is added to a list takes the
    place of nothing."""
    written = i.ledger.of(Writes).overwritten
    return all(place[1] != ITEMS and written.get(place, 0) > number for place, number in places)


def overwritten_since(i: Interpreter, places: Iterable[tuple[Location, int]], since: Mapping[Location, int]) -> bool:
    """Whether something was written in one of some attributes or entries, and not only where a test has found nothing, after what `since` says of each."""
    written = i.ledger.of(Writes).overwritten
    return any(written.get(place, 0) > since.get(place, 0) for place, _ in places)


def _is_root(i: Interpreter, oid: int) -> bool:
    """Whether an object lives as long as the program, or what refers to it lies outside of the heap."""
    info = i.info(oid)
    return info.kind not in PLAIN or isinstance(info.payload, FrameInfo) and info.payload.kind == "module"
