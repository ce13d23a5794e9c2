"""Compiled objects that are stored where others were: what was written before one was made is nothing old for it.

In `for rate in rates: self.rate = rate; self.step = mx.compile(self.run); self.step(x)` each round calls the object that was made last, which has seen the new
rate. A join forgets which object goes with which rate. So each place where a compiled object is stored keeps, as a part of the state, what was written since an
object was put there that had no trace yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from mxlint.domain.heap import Delta, Field, Location
from mxlint.domain.join import of
from mxlint.domain.members import FALSE, TRUE, Const, Ref, Union, Value, members
from mxlint.interpreter.compiled.lifetimes import shares_traces
from mxlint.interpreter.compiled.state import FROZEN, TRACES, all_entries, cache_of
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS, whole

SINCE: Final = "written since"
"""A field of whoever holds a compiled object, by the name under which it does. With a location besides: whether that was written since the object was put
there. Without: whether the object may have had traces then."""


BESIDE: Final = "beside"
"""A field of a compiled object, by a location of whoever holds it: the objects that lay there when it was put there, or was first called."""


class Stores:
    """Where compiled objects were put, and what was written afterwards. `beside`: where objects lay beside them."""

    __slots__ = ("beside", "read", "traced", "written")

    def __init__(self) -> None:
        self.beside: dict[Location, None] = {}
        self.written: dict[Location, set[Location]] = {}
        self.read: frozenset[int] = frozenset()
        """The objects of which traces have read something, as far as the reads have been gone through: `traced` of them."""
        self.traced = 0


def stored(i: Interpreter, oid: int, field: Field, value: Value) -> None:
    """Note that a value is put in a place. If it is compiled, and was never traced, nothing that it reads was written since."""
    found = [member for member in members(value) if isinstance(member, Ref) and i.info(member.oid).kind == "compiled"]
    if found:
        _begin(i, oid, field, known=i.info(oid).summary or not all(_is_new(i, ref) for ref in found))
        if value == found[0]:
            _keep_beside(i, found[0], oid)


def called_first(i: Interpreter, ref: Ref) -> None:
    """Note that a compiled object without traces is called. Its first trace sees whatever was written since the object was put where it lies."""
    for oid, field in i.heap.who_holds(ref.oid):
        if (oid, field) in i.ledger.of(Stores).written and i.heap.get(oid, field) == ref and not i.info(oid).summary:
            _begin(i, oid, field, known=False)
            _keep_beside(i, ref, oid)


@contextmanager
def beside(i: Interpreter, ref: Ref) -> Iterator[None]:
    """Run a trace of a compiled object where what lies beside it is what lay there when it was put there, if nothing else was put there since: a join forgets
    which optimizer goes with what was compiled for it."""
    found: list[tuple[Location, Value, Value]] = []
    for location in i.ledger.of(Stores).beside:
        held, now = i.heap.get(ref.oid, ("#", BESIDE, *location)), i.heap.get(*location)
        if held is None or not isinstance(now, Union):
            continue
        kept = [option for option in now.options if option.member in members(held)]
        if kept and len(kept) < len(now.options) and unwritten(i, ref, location):
            i.heap.set(*location, of(kept), each=True)
            found.append((location, now, of(kept)))
    yield
    for location, before, narrowed in found:
        if i.heap.get(*location) == narrowed:
            i.heap.set(*location, before, each=True)


def _keep_beside(i: Interpreter, ref: Ref, oid: int) -> None:
    """Keep which objects lie beside a compiled object."""
    if i.info(oid).kind not in ("instance", "frame"):
        return
    for name, value in list(i.heap.fields(oid).items()):
        if isinstance(name, str) and any(isinstance(member, Ref) and i.info(member.oid).kind in HELD for member in members(value)):
            i.ledger.of(Stores).beside[oid, name] = None
            i.heap.set(ref.oid, ("#", BESIDE, oid, name), value)


def changed(i: Interpreter, oid: int, field: Field) -> None:
    """Note that a location is written, for each place that holds a compiled object, if a trace has read it."""
    stores = i.ledger.of(Stores)
    location = _followed(i, oid, field) if stores.written else None
    if location is None or location not in stores.beside and not _is_read(i, stores, location):
        return
    for (holder, name), since in stores.written.items():
        if i.heap.has(holder, ("#", SINCE, name)):
            since.add(location)
            i.heap.set(holder, ("#", SINCE, name, location), TRUE, each=True)


def rewritten(i: Interpreter, oid: int, field: Field) -> None:
    """Note both of what a call has written that is done again from its summary."""
    changed(i, oid, field)
    if (oid, field) in i.ledger.of(Stores).written:
        stored(i, oid, field, i.heap.get(oid, field) or FALSE)


def stores_compiled(i: Interpreter, delta: Delta) -> bool:
    """Whether something compiled was put in a place on the way to a state."""
    return any(place in delta for place in i.ledger.of(Stores).written)


def unwritten(i: Interpreter, ref: Ref, location: Location) -> bool:
    """Whether a location was surely not written since a compiled object, which had no trace then, was put into each place that holds it."""
    followed = _followed(i, *whole(location))
    if followed is None:
        return False
    places = [at for at in i.heap.who_holds(ref.oid) if not _is_own(at)]
    return bool(places) and all(_was_new(i, at) and not _may_be_written(i, at, followed) for at in places)


def _followed(i: Interpreter, oid: int, field: Field) -> Location | None:
    """What it is noted of that it is written, where a location is: an attribute, what is frozen of a module, a list or dict as a whole."""
    if isinstance(field, str) or field == FROZEN:
        return oid, field
    return (oid, CONTENT) if i.info(oid).kind in ("list", "dict") else None


HELD: Final = frozenset(("instance", "list", "dict", "symbolic"))
"""Objects of which it matters which one lies beside something compiled."""
CONTENT: Final = ("#", "content")
"""All that a list or dict holds."""


def _is_read(i: Interpreter, stores: Stores, location: Location) -> bool:
    """Whether a trace has read a location."""
    if location[1] != CONTENT:
        return location in i.traced
    if len(i.traced) != stores.traced:
        stores.read, stores.traced = frozenset(oid for oid, _ in i.traced), len(i.traced)
    return location[0] in stores.read


def _begin(i: Interpreter, oid: int, field: Field, *, known: bool) -> None:
    """Note that nothing was written yet since a compiled object was put in a place. `known`: it may have had traces."""
    since = i.ledger.of(Stores).written.setdefault((oid, field), set())
    i.heap.set(oid, ("#", SINCE, field), Const(known))
    for location in () if i.info(oid).summary else since:
        if i.heap.has(oid, ("#", SINCE, field, location)):
            i.heap.set(oid, ("#", SINCE, field, location), FALSE)


def _is_new(i: Interpreter, ref: Ref) -> bool:
    """Whether no call of a compiled object finds a trace: neither one of its own, nor one of another object of its function."""
    function = i.heap.get(ref.oid, "fun")
    if function is None or i.info(ref.oid).summary:
        return False
    return not any(shares_traces(i, ref, entry.by) for entry in all_entries(i.heap.get(cache_of(ref, function), TRACES)))


def _is_own(place: Location) -> bool:
    """Whether a place is one of the interpreter's own notes."""
    _, field = place
    return isinstance(field, tuple) and field[0] == "#" and field != ITEMS


def _was_new(i: Interpreter, place: Location) -> bool:
    """Whether what lies in a place surely had no trace when it was put there."""
    oid, field = place
    return i.heap.get(oid, ("#", SINCE, field)) == FALSE


def _may_be_written(i: Interpreter, place: Location, location: Location) -> bool:
    """Whether a location may have been written since."""
    oid, field = place
    value = i.heap.get(oid, ("#", SINCE, field, location))
    return value is not None and TRUE in members(value)
