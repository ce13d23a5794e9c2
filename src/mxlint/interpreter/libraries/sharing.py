"""Objects of libraries that look at the data of another one, as views of a numpy array do: a write of either changes the other.

What a library says to share data has the array that it is a part of, and which part: in the heap if it is an object, in the ledger if it is something
symbolic, such as a row that may be a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Final, NamedTuple

from mxlint.domain import cells
from mxlint.domain.guards import Identity
from mxlint.domain.heap import Field
from mxlint.domain.join import join
from mxlint.domain.members import (
    NONE,
    UNBOUND,
    Const,
    External,
    Kind,
    Member,
    Range,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Unbound,
    Value,
    members,
    options,
)
from mxlint.domain.place import Place
from mxlint.domain.portions import ALL, SHUFFLED, SOME, Portion, rows
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import CELL, CONTENTS, ITEMS, PART_OF
from mxlint.interpreter.machine.paths import SHARED, Condition
from mxlint.interpreter.objects.lookup import CLASS, is_of_library
from mxlint.models.load import model
from mxlint.models.schema import Share

_SCALARS: Final = frozenset(("NoneType", "bool", "int", "float", "complex", "str", "bytes", "number"))


class Parts:
    """The arrays of libraries of which something symbolic is a part, as a row that may be a number."""

    __slots__ = ("arrays",)

    def __init__(self) -> None:
        self.arrays: dict[Identity, Value] = {}


class Part(NamedTuple):
    """A portion of an array. `perhaps`: it may be a copy as well."""

    array: int
    portion: Portion
    perhaps: bool = False


def parts(i: Interpreter, value: Value) -> Iterator[Part]:
    """The arrays that a value is part of; an object that is part of no other, or not on all paths, is all of itself."""
    for member in members(value):
        known = tuple(options(i.live(_held(i, member) or UNBOUND)))
        held = [option for option in known if not isinstance(option.member, Unbound)]
        found = [part for option in held for part in _read(option.member, on_some_paths=bool(option.guard))]
        if isinstance(member, Ref) and is_of_library(i, member) and (len(held) < len(known) or any(part.perhaps for part in found)):
            yield Part(member.oid, ALL)
        yield from found


def _held(i: Interpreter, member: Member) -> Value | None:
    if isinstance(member, Symbolic):
        return i.ledger.of(Parts).arrays.get(member.identity)
    return i.heap.get(member.oid, PART_OF) if isinstance(member, Ref) else None


def _read(value: Member, *, on_some_paths: bool = False) -> Iterator[Part]:
    """The portions that were written as a tuple. One that stands for the tuples of many arrays holds a union of them."""
    assert isinstance(value, Tuple)
    arrays, *given = value.parts
    start, stop, whole, aligned, perhaps = (part.value if isinstance(part, Const) else ... for part in given)
    known = isinstance(start, int) and (stop is None or isinstance(stop, int))
    portion = Portion(start, stop, whole is True, aligned is True) if known else SOME  # type: ignore[arg-type]
    for array in members(arrays):
        if isinstance(array, Ref):
            yield Part(array.oid, portion, on_some_paths or perhaps is not False or arrays is not array)


def _written(part: Part) -> Tuple:
    return Tuple((Ref(part.array), *map(Const, (*part.portion, part.perhaps))))


def relate(i: Interpreter, made: Value, source: Value, portion: Portion = SOME, *, perhaps: bool = False) -> None:
    """What was made shares the data of a portion of its source, or perhaps does."""
    for member in members(made):
        if isinstance(member, Tuple):
            for inner in member.parts:
                relate(i, inner, source, SOME, perhaps=perhaps)
            continue
        if member in members(source) or isinstance(member, Symbolic) and (member.kinds or frozenset()) & _SCALARS:
            continue
        found = [Part(part.array, part.portion.within(portion), part.perhaps or perhaps) for part in parts(i, source)]
        held = join([_written(part) for part in found if not isinstance(member, Ref) or member.oid != part.array]) if found else None
        if held is None:
            continue
        if isinstance(member, Symbolic):
            i.ledger.of(Parts).arrays[member.identity] = held
        elif isinstance(member, Ref) and is_of_library(i, member):
            i.heap.set(member.oid, PART_OF, held)
        elif isinstance(member, Ref) and (items := i.heap.get(member.oid, ITEMS)) is not None:
            relate(i, items, source, SOME, perhaps=perhaps)


def share(i: Interpreter, shares: tuple[Share, ...], bound: Mapping[str, Value], owner: Value | None, made: Value, key: str = "") -> None:
    """Relate what a call has made to its arguments, as the model says. `key`: the parameter that chooses what of it, if one does."""
    for each in shares:
        source = owner if each.target == "self" else bound.get(each.target)
        if source is None or source == NONE:
            continue
        if key in bound:
            chosen = selected(bound[key])
            if chosen is not None:
                relate(i, made, source, chosen[0], perhaps=chosen[1])
        else:
            relate(i, made, source, ALL if each.rows else SOME if each.part else SHUFFLED, perhaps=each.perhaps)


def selected(index: Value) -> tuple[Portion, bool] | None:
    """The portion that an index chooses, and whether what it gives may be a copy; None if it surely is one, as with arrays and lists of indices."""
    if isinstance(index, Const):
        return None if isinstance(index.value, bool) else (_at(index.value), False)
    if isinstance(index, Slice):
        return _between(*(bound.value if isinstance(bound, Const) else ... for bound in (index.lower, index.upper, index.step))), False
    if isinstance(index, Tuple) and index.items:
        found = [selected(item) for item in index.items]
        known = [each for each in found if each is not None]
        first = known[0][0] if len(known) == len(found) and index.items[0] not in (NONE, Const(...)) else SOME
        return None if len(known) < len(found) else (first._replace(whole=False, aligned=False), any(perhaps for _, perhaps in known))
    return None if isinstance(index, Ref) else (SOME, not isinstance(index, (Kind, Range)))


def _at(index: object) -> Portion:
    """What a constant index chooses: a row, a new axis around all, a field."""
    if isinstance(index, int):
        return rows(index, index + 1, aligned=False) if index >= 0 else SOME
    return SHUFFLED if index in (None, ...) else SOME


def _between(lower: object, upper: object, step: object) -> Portion:
    """What a slice chooses; `...` is a bound that is not known."""
    lower = 0 if lower is None else lower
    counted = isinstance(lower, int) and lower >= 0 and (upper is None or isinstance(upper, int) and upper >= 0)
    return rows(lower, upper) if counted and step in (None, 1) else SOME  # type: ignore[arg-type]


def changed(i: Interpreter, value: Value, index: Value | None, place: Place, frame: Frame, *, perhaps: bool = False) -> None:
    """What lies at an index of something is changed, or anything in it (None): so is what shares it and a trace has read."""
    now = i.symbolic(place, "contents")
    own = {member.oid for member in members(value) if isinstance(member, Ref)}
    for oid in own:
        _write(i, oid, CONTENTS, now, place, frame)
    looked_at = [(oid, field) for oid, field in i.traced if _location(field) is not None]
    for write in parts(i, value):
        for oid, field in sorted({*looked_at, (write.array, CONTENTS)}, key=str):
            for read in parts(i, Ref(oid)) if oid not in own or field != CONTENTS else ():
                overlaps = _meets(i, field, read, oid, write, index)
                if overlaps is not False:
                    _change(i, oid, field, now, place, frame, sure=bool(overlaps) and not (perhaps or write.perhaps or read.perhaps))


def _meets(i: Interpreter, field: Field, read: Part, oid: int, write: Part, index: Value | None) -> bool | None:
    """Whether a write at an index of a part of an array comes to what lies at a location of an object that has another part of it."""
    where = _location(field)
    if where is None or read.array != write.array:
        return False
    at = field[1] if isinstance(field, tuple) and field[0] == CELL else None
    if at is not None and index is not None and read == (oid, ALL, False):
        of_array = index if write.portion == ALL else _in_row(write.portion, index)
        if of_array is not None:
            return cells.meets(at if isinstance(at, tuple) else (at,), of_array, shape(i, oid))
    chosen = selected(index) if index is not None else (ALL, False)
    return write.portion.within(SOME if chosen is None else chosen[0]).meets(read.portion.within(where))


def _in_row(portion: Portion, index: Value) -> Value | None:
    """An index of one row of an array, as one of the array; None if the portion is more than a row."""
    if portion.aligned or not portion.whole or portion.stop != portion.start + 1:
        return None
    inner = index.items if isinstance(index, Tuple) else (index,)
    return None if inner is None else Tuple((Const(portion.start), *inner))


def shape(i: Interpreter, oid: int) -> tuple[int, ...]:
    """The lengths of the first axes of an array, as far as what made it says them."""
    given = i.heap.get(oid, ("made with", "shape"))
    if given is not None:
        items = given.items if isinstance(given, Tuple) else (given,)
        return tuple(takewhile(lambda length: length >= 0, map(_number, items or ())))
    found: list[int] = []
    content = i.heap.get(oid, ("made with", "object"))
    while content is not None:
        content = i.heap.get(content.oid, ITEMS) if isinstance(content, Ref) and i.info(content.oid).kind == "list" else content
        items = content.items if isinstance(content, Tuple) else None
        if not items:
            break
        found.append(len(items))
        content = items[0]
    return tuple(found)


def _number(value: Value) -> int:
    return value.value if isinstance(value, Const) and type(value.value) is int else -1


def method_called(i: Interpreter, function: Symbolic, place: Place, frame: Frame) -> None:
    """Something symbolic is called: a method of a row of an array may change it, as it does an array."""
    name, owner = function.identity[0], function.identity[-1]
    held = i.ledger.of(Parts).arrays.get(owner) if isinstance(owner, tuple) and len(function.identity) == 2 else None
    if held is None or not isinstance(owner, tuple) or not isinstance(name, str) or not name.startswith("."):
        return
    classes = {i.heap.get(part.array, CLASS) for member in members(held) if not isinstance(member, Unbound) for part in _read(member)}
    for found in (model(f"{cls.name}{name}") for cls in classes if isinstance(cls, External)):
        if found is not None and any(mutation.target.kind == "self" for mutation in found.mutates):
            changed(i, Symbolic(owner, None), None, place, frame)
            return


def rows_are_shared(i: Interpreter, ref: Ref) -> bool:
    """Whether what an object gives at an index looks at its data."""
    cls = i.heap.get(ref.oid, CLASS) if is_of_library(i, ref) else None
    found = model(f"{cls.name}.__getitem__") if isinstance(cls, External) else None
    return found is not None and bool(found.shares)


def _location(field: Field) -> Portion | None:
    """The portion of an object that a location stands for."""
    if field == CONTENTS:
        return ALL
    if not isinstance(field, tuple) or field[0] != CELL:
        return None
    at = field[1]
    if isinstance(at, int):
        return rows(at, at + 1)
    return rows(at[0], at[0] + 1)._replace(whole=len(at) == 1, aligned=False) if at[0] >= 0 else SOME


def _change(i: Interpreter, oid: int, field: Field, now: Value, place: Place, frame: Frame, *, sure: bool) -> None:
    """A write of one object changes what lies at a location of another, or perhaps does."""
    if sure:
        _write(i, oid, field, now, place, frame)
        return

    def run() -> Value:
        _write(i, oid, field, now, place, frame)
        return NONE

    if i.heap.get(oid, field) is None:
        i.heap.set(oid, field, NONE)  # what a read finds that comes before all writes
    happens = i.undecided("open", place, tag=SHARED)
    i.fork([((happens,), run), ((Condition("open", place, happens.opposite),), lambda: NONE)])


def _write(i: Interpreter, oid: int, field: Field, now: Value, place: Place, frame: Frame) -> None:
    i.heap.set(oid, field, now)
    i.operations.written(i, oid, field, now, place, frame)
