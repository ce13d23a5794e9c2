"""What `lru_cache` and `functools.cache` keep: the value of each call, by what it was given, until the cache is emptied."""

from __future__ import annotations

from contextlib import suppress
from typing import Final, TypeAlias

from mxlint.domain.heap import Field
from mxlint.domain.join import bound, join
from mxlint.domain.members import NONE, TRUE, UNBOUND, Const, External, Ref, Tuple, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.compiled import sinks
from mxlint.interpreter.compiled.state import older, value_kind
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Handler, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.locations import MAXSIZE, TYPED
from mxlint.interpreter.machine.memoised import memoised
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.objects.lookup import is_itself_alone
from mxlint.models.load import changers

DEFAULT_SIZE: Final = 128
"""How many values `lru_cache` keeps where it is not told."""
Key: TypeAlias = tuple[str, tuple[Value, ...], tuple[tuple[str, Value], ...]]
"""Where a cache keeps the value for what it was given."""
ORDER: Final = ("#", "order")
"""The keys that a small cache holds, the one that was asked for last at the end; None where they are not known."""
CACHE: Final = "functools._lru_cache_wrapper"


def call_cached(i: Interpreter, ref: Ref, args: Arguments, place: Place, frame: Frame) -> Value:
    """A function under lru_cache: equal arguments give the object that the first call gave."""
    function = i.heap.get(ref.oid, "__wrapped__") or Unknown("cached")
    size = i.heap.get(ref.oid, MAXSIZE)
    if size == Const(0):
        return i.call(function, args, place, frame)
    key = _key(i, ref, args)
    if isinstance(size, Const) and isinstance(size.value, int) and size.value < DEFAULT_SIZE:
        _make_room(i, ref, key, size.value, place, frame)
    found = i.heap.get(ref.oid, key)
    known = None if found is None else bound(found := i.live(found))
    if known is not None and known is found and all(isinstance(v, (Const, Ref, External, Tuple)) for v in args.values):
        return known
    keeps = _keeps(i, size, function, frame)
    with memoised(i, (ref, *args.values), keeps=keeps):
        for given in args.values:
            sinks.source_use(i, given)  # which value is found depends on it
        value = i.call(function, args, place, frame)
    if i.trace is not None and value_kind(value) == "array" and all(older(i, array.ident) for array in arrays_in(i, value)):
        i.operations.read(i, ref.oid, key, value, place, frame)  # what is in them may be changed in place
    # A key that stands for several, or for what nobody says, is not surely the one that was given before: the cache keeps both values. So it does if it
    # may have been emptied.
    kept = value if known is None else join((known, value))
    i.heap.set(ref.oid, key, kept)
    i.operations.written(i, ref.oid, key, kept, place, frame)
    if keeps:
        for oid in {member.oid for given in args.values for member in members(given) if isinstance(member, Ref)}:
            i.heap.set(ref.oid, ("#", "keeps", oid), Ref(oid))
    for member in members(value):
        if isinstance(member, Ref):
            i.info(member.oid).trace = 0  # the cache keeps it
            if keeps:
                i.heap.set(ref.oid, ("#", "keeps", member.oid), member)  # also where more lie under a key than a value has room for
    return value


def _key(i: Interpreter, ref: Ref, args: Arguments) -> Key:
    """Under what a cache keeps a value. 1, 1.0 and True are equal, unless the cache is `typed`; but an int is another key than they where it is all that is given."""
    alone = len(args.args) == 1 and not args.keywords and isinstance(args.args[0], Const) and type(args.args[0].value) is int
    exact = alone or i.heap.get(ref.oid, TYPED) == TRUE
    as_key = (lambda value: _equal(value) if isinstance(value, Tuple) else value) if exact else _equal
    return "cached", tuple(map(as_key, args.args)), tuple((name, as_key(value)) for name, value in args.keywords.items())


def _equal(value: Value) -> Value:
    """One value for all constants that are equal to one, also in a tuple."""
    if isinstance(value, Tuple) and value.items is not None:
        return value.holding(tuple(map(_equal, value.items)))
    number = value.value if type(value) is Const and isinstance(value.value, (int, float)) else None
    with suppress(OverflowError):
        if number is not None and float(number) == number:
            return Const(float(number) + 0.0)  # which is 0.0 of -0.0
    return value


def memoising(i: Interpreter, ref: Ref) -> Ref | None:
    """The object that keeps the values of a function, if one does: whoever calls the function by its name calls that."""
    around = (oid for oid, field in i.heap.who_holds(ref.oid) if field == "__wrapped__" and i.info(oid).kind == "cached")
    return next((Ref(oid) for oid in sorted(around)), None)


def _make_room(i: Interpreter, ref: Ref, key: Key, size: int, place: Place, frame: Frame) -> None:
    """A key is asked for in a cache that holds few: the one that was asked for longest ago goes if it is one too many, where all keys are known."""
    order = i.heap.get(ref.oid, ORDER)
    order = Tuple(()) if order is None else i.live(order)
    asked = Tuple((Tuple(key[1]), *(Tuple((Const(name), value)) for name, value in key[2])))
    if not isinstance(order, Tuple) or order.items is None or i.info(ref.oid).summary or not _is_one(i, asked):
        i.heap.set(ref.oid, ORDER, NONE)
        return
    keys = [known for known in order.items if known != asked]
    for gone in keys[: max(0, len(keys) + 1 - size)]:
        assert isinstance(gone, Tuple) and gone.items is not None
        given, *named = (part.items or () for part in gone.items if isinstance(part, Tuple))
        names = tuple((str(name.value), value) for name, value in named if isinstance(name, Const))
        _drop(i, ref, ("cached", given, names), place, frame)
        keys.remove(gone)
    i.heap.set(ref.oid, ORDER, Tuple((*keys, asked)))


def _is_one(i: Interpreter, key: Value) -> bool:
    """Whether a key is equal to itself alone."""
    if isinstance(key, Tuple):
        return key.items is not None and all(_is_one(i, item) for item in key.items)
    if isinstance(key, Ref):
        return is_itself_alone(i, key)
    return isinstance(key, External) or isinstance(key, Const) and key.value == key.value and not isinstance(key.value, complex)


def _emptied(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`f.cache_clear()`: of what the first calls gave nothing is found any more."""
    ref = args.args[0]
    assert isinstance(ref, Ref)
    for field, kept in list(i.heap.fields(ref.oid).items()):
        if isinstance(field, tuple) and field[0] == "cached":
            _drop(i, ref, field, place, frame)
        elif field == ("#", "keeps", kept.oid if isinstance(kept, Ref) else None) and not i.info(ref.oid).summary:
            i.heap.drop(ref.oid, field)
    i.heap.drop(ref.oid, ORDER)
    return NONE


def _drop(i: Interpreter, ref: Ref, field: Field, place: Place, frame: Frame) -> None:
    """What a cache keeps for one key is not found any more."""
    if i.info(ref.oid).summary:
        i.heap.set(ref.oid, field, UNBOUND)
    else:
        i.heap.drop(ref.oid, field)
    i.operations.written(i, ref.oid, field, UNBOUND, place, frame)


def _keeps(i: Interpreter, size: Value | None, function: Value, frame: Frame) -> bool:
    """Whether a cache finds again whatever was put into it: it is not made to hold few values, and no file in sight of it empties one."""
    if size is not None and size != NONE and not (isinstance(size, Const) and isinstance(size.value, int) and size.value >= DEFAULT_SIZE):
        return False
    infos = [i.info(member.oid).payload for member in members(function) if isinstance(member, Ref)]
    sources = dict.fromkeys((frame.source, *(info.source for info in infos if isinstance(info, FunctionInfo))))
    empties = {name for name, how in changers().items() if (CACHE, "removes") in how}
    return all(empties.isdisjoint(block.attributes) for source in sources for block in i.project.symbols(source, i.tracers).blocks)


HANDLERS: Final[dict[str, Handler]] = {"#cached.cache_clear": _emptied}
"""By canonical name; the interpreter itself calls these."""
