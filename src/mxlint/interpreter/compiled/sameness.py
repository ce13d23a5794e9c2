"""Whether what lies at a location now is what a trace has read there, or would be read the same.

Another object is as good where each attribute that the trace read holds the same: `self.options = Options(2)` before each call of a trace that reads
`self.options.rate` changes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from mxlint.domain.arrays import Array, taken_at
from mxlint.domain.guards import Guard, Literal_
from mxlint.domain.heap import Field, Location
from mxlint.domain.join import of
from mxlint.domain.members import (
    UNBOUND,
    Bound,
    Const,
    External,
    Kind,
    Length,
    Member,
    Range,
    Ref,
    Unbound,
    Union,
    Unknown,
    Value,
    members,
    scalar_type,
)
from mxlint.interpreter.compiled import recipes
from mxlint.interpreter.compiled.beginnings import begins_alike
from mxlint.interpreter.compiled.by_shape import SameKey
from mxlint.interpreter.compiled.state import FROZEN, Entry, held, with_unfrozen
from mxlint.interpreter.compiled.traces import Seen
from mxlint.interpreter.compiled.trees import tree
from mxlint.interpreter.containers import unlisted
from mxlint.interpreter.containers.elements import known_items
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Context, Rounds, is_round
from mxlint.interpreter.machine.locations import CONTENTS, ITEMS
from mxlint.interpreter.machine.writing import Writes
from mxlint.interpreter.objects.lookup import CLASS
from mxlint.interpreter.open_world.presumptions import round_of


def wraps(i: Interpreter, now: Value, before: Value) -> bool:
    """Whether a function was replaced by one that is made of it: compiled, or closed over it. It may compute the same."""
    if not isinstance(now, Ref):
        return False
    kind = i.info(now.oid).kind
    if kind == "compiled":
        return i.heap.get(now.oid, "fun") == before
    env = i.heap.get(now.oid, ("#", "parent")) if kind == "function" else None
    if not isinstance(env, Ref) or i.info(env.oid).kind != "frame":
        return False
    return any(held == before or isinstance(held, Bound) and held.function == before for held in i.heap.fields(env.oid).values())


def of_an_earlier_round(i: Interpreter, value: Value, entry: Entry) -> bool:
    """Whether a value is an element of an iterable, and the trace was made in an earlier round of the loop that goes over it: there it was another one."""
    context = _loop_over_shape(i, value) if isinstance(value, Length) else round_of(value)
    while context is not None and context not in i.ledger.of(Rounds).last:
        context = context.parent
    return context is not None and entry.made < i.ledger.of(Rounds).last[context] and context.step[1] == "rest"  # type: ignore[index]


def _loop_over_shape(i: Interpreter, length: Length) -> Context | None:
    """The round that runs of a loop over a shape which takes a length: another one in each."""
    loops = taken_at(length)
    context: Context | None = i.context if loops else None
    while context is not None and not (is_round(context.step) and context.step[0] in loops):
        context = context.parent
    return context


def where_it_holds(before: Value, guard: Guard) -> Value:
    """What a trace has read where a guard holds: of which the literals name values, which were the same then."""
    others = {Literal_(literal.condition, not literal.outcome) for literal in guard}
    if not others or not isinstance(before, Union):
        return before
    held = [option for option in before.options if others.isdisjoint(option.guard)]
    return of(held) if held else before


def surely_same(i: Interpreter, before: Value, now: Member) -> bool:
    """Whether what lies somewhere now is provably the value that was there before."""
    if isinstance(before, Union):
        return all(surely_same(i, member, now) for member in members(before))
    if isinstance(before, Array) and isinstance(now, Array):
        return before.ident == now.ident and not now.several and not i.info(now.ident).summary or recipes.same_content(i, before, now)
    if isinstance(before, Ref) and isinstance(now, Ref):
        return before.oid == now.oid and not i.info(now.oid).summary
    if isinstance(before, (Range, Kind)):
        return False
    return before == now


def reads_the_same(i: Interpreter, before: Value, now: Value, entry: Entry, key: SameKey | None = None, depth: int = 4) -> bool:
    """Whether another object of the class holds, in each attribute or entry that the trace read of the first one, what it read there. What the trace has
    put where nothing was, its body puts there again. `key`: what the call has in common with the one that made the trace."""
    if isinstance(before, Union) and isinstance(now, Ref):
        return all(surely_same(i, member, now) or reads_the_same(i, member, now, entry, key, depth) for member in members(before))
    if not isinstance(before, Ref) or not isinstance(now, Ref) or before == now or not depth or i.info(now.oid).summary:
        return False
    kind, cls = i.info(before.oid).kind, i.heap.get(before.oid, CLASS)
    if i.info(now.oid).kind != kind or i.heap.get(now.oid, CLASS) != cls or kind not in ("instance", "dict", "list", "set"):
        return False
    read = {field: seen for (oid, field), seen in entry.reads.items() if oid == before.oid}
    fills = i.ledger.of(Writes).filling
    written = any(location[0] == before.oid and not fills.get(at, False) for location, at in entry.written.items())
    if CONTENTS in read:
        return not written and isinstance(cls, External) and _has_equal_fields(i, before, now)
    return (
        bool(read)
        and not written
        and all(
            _holds_the_same(i, seen, now.oid, held(i, now.oid, field) or UNBOUND, entry, depth, key=key) for field, seen in read.items()
        )
    )


def _has_equal_fields(i: Interpreter, before: Ref, now: Ref) -> bool:
    """Whether two objects of a class of a library, which the trace has only called, hold the same: layers of equal settings, without weights or with
    such as each constructor fills in the same way."""
    first, second = i.heap.fields(before.oid), i.heap.fields(now.oid)
    return first.keys() == second.keys() and all(
        isinstance(value, (Const, External, Array)) and isinstance(other, Member) and surely_same(i, value, other)
        for value, other in ((value, second[field]) for field, value in first.items())
    )


def differs_where_unknown(i: Interpreter, before: Value, now: Member, entry: Entry, captured: bool) -> bool:
    """Whether nothing that a trace read in an object is surely another thing in the object in its place: what differs there is any value at all."""
    if not isinstance(before, Ref) or not isinstance(now, Ref):
        return False
    read = [(seen, held(i, now.oid, field) or UNBOUND) for (oid, field), seen in entry.reads.items() if oid == before.oid]
    unlike = [value for seen, value in read if not _holds_the_same(i, seen, now.oid, value, entry, 1, captured)]
    return bool(unlike) and all(any(isinstance(member, Unknown) for member in members(value)) for value in unlike)


class _Part(NamedTuple):
    """What a trace read in an object in whose place another one lies, which that is, and what lies there in that one."""

    location: Location
    seen: Seen
    other: int
    now: Value


def part_that_differs(i: Interpreter, before: Value, now: Member, entry: Entry, captured: bool, depth: int = 4) -> _Part | None:
    """The first number, flag or text that a trace read in an object, or in one that this holds, and that is another in the object in its place; None if
    anything else differs before it. `captured`: that one lies in a captured container, so its arrays are found."""
    if not isinstance(before, Ref) or not isinstance(now, Ref) or not depth or i.info(now.oid).summary:
        return None
    cls = i.heap.get(before.oid, CLASS)
    if i.info(before.oid).kind != "instance" or cls is None or cls != i.heap.get(now.oid, CLASS):
        return None
    for location, seen in entry.reads.items():
        if location[0] != before.oid or not seen.used:
            continue
        value = held(i, now.oid, location[1]) or UNBOUND
        if not _holds_the_same(i, seen, now.oid, value, entry, depth, captured):
            if seen.kind == "python" and all(scalar_type(member) is not None for member in members(value)):
                return _Part(location, seen, now.oid, value)
            return part_that_differs(i, seen.value, value, entry, captured, depth - 1) if isinstance(value, Member) else None
    return None


def _holds_the_same(
    i: Interpreter, seen: Seen, oid: int, value: Value, entry: Entry, depth: int, captured: bool = False, key: SameKey | None = None
) -> bool:
    """Whether what lies somewhere in another object is what the trace has read there in the first one."""
    if captured and (seen.kind == "array" or depth and as_good(i, seen.value, value, entry, depth - 1)):
        return True  # the arrays under a capture are found anew at each call
    if ITEMS in seen.cells:
        return unlisted.same_in(i, seen.cells, oid)
    if isinstance(value, Union):
        return False
    if seen.behind and isinstance(value, Unbound):
        return True  # nothing lies there again, and the class is the same
    return (
        surely_same(i, seen.value, value)
        or key is not None
        and key.gives(seen.value, value)
        or reads_the_same(i, seen.value, value, entry, key, depth - 1)
        or begins_alike(i, seen.value, value, entry)
    )


def as_good(i: Interpreter, before: Value, now: Value | None, entry: Entry, depth: int = 4) -> bool:
    """Whether objects of one class into which MLX looks, or lists of such, lie in a captured container, and are alike in all that the trace read but arrays.

    All else that it read there is kept: `net.scale = Scale(2.0)` is not seen where the trace has read the number of the first `Scale`.
    """
    return now is not None and all(_one_as_good(i, one, other, entry, depth) for one in members(before) for other in members(now))


def _one_as_good(i: Interpreter, before: Member, now: Member, entry: Entry, depth: int) -> bool:
    if not isinstance(before, Ref) or not isinstance(now, Ref) or not (tree(i, before) or i.mlx.object_kind(i, before) is not None):
        return False
    if i.info(before.oid).kind == i.info(now.oid).kind == "list":
        first, second = known_items(i, before) or (), known_items(i, now) or ()
        return bool(first) and len(first) == len(second) and all(as_good(i, *pair, entry, depth) for pair in zip(first, second))
    cls = i.heap.get(before.oid, CLASS)
    if cls is None or cls != i.heap.get(now.oid, CLASS) or _is_set_otherwise(i, before, now):
        return False
    if before == now or isinstance(cls, External) or not depth:
        return True
    read = (
        (seen, location[1])
        for location, seen in entry.reads.items()
        if location[0] == before.oid and seen.used and location not in entry.written
    )
    return all(_holds_the_same(i, seen, now.oid, _lies_in(i, now.oid, field), entry, depth, True) for seen, field in read)


def _lies_in(i: Interpreter, oid: int, field: Field) -> Value:
    """What lies in an object, `UNBOUND` for nothing."""
    value = held(i, oid, field)
    return with_unfrozen(value) if field == FROZEN else value or UNBOUND


def _is_set_otherwise(i: Interpreter, before: Ref, now: Ref) -> bool:
    """Whether a layer of MLX was made with another setting than one of its class, such as a slope: a trace has that as a constant."""
    if i.mlx.object_kind(i, before) != "module":
        return False
    made = {field: value for field, value in i.heap.fields(before.oid).items() if isinstance(field, tuple) and field[0] == "made with"}
    return any(
        isinstance(other := i.heap.get(now.oid, field), Const) and other != value
        for field, value in made.items()
        if isinstance(value, Const)
    )
