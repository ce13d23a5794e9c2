"""Items of containers: `owner[index]`, its assignment and its deletion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from mxlint.domain.arrays import Array, ShapeOf
from mxlint.domain.guards import Guard, Identity, Literal_
from mxlint.domain.join import bound, constant_range, join, of
from mxlint.domain.members import (
    NONE,
    UNBOUND,
    Bound,
    Const,
    External,
    Kind,
    Lying,
    Member,
    Range,
    RangeObject,
    Ref,
    Slice,
    Sourced,
    Symbolic,
    Tuple,
    Unbound,
    Union,
    Unknown,
    Value,
    members,
    options,
    scalar_type,
)
from mxlint.domain.place import Place
from mxlint.interpreter.compiled.portions import cut_out, handed_out, past_end, taken_out, used
from mxlint.interpreter.compiled.portions import found as found_in
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.containers.builders import entries, entry, hashed, is_key, new_list, put
from mxlint.interpreter.containers.elements import known_items, range_element
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.libraries import sharing
from mxlint.interpreter.loops.iteration import listed
from mxlint.interpreter.loops.lengths import cut_short, resized
from mxlint.interpreter.loops.novelty import SHAPE, sliced, taken
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter, guarded
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS, REST
from mxlint.interpreter.machine.paths import Condition
from mxlint.interpreter.mlx import losses
from mxlint.interpreter.objects import views
from mxlint.interpreter.objects.lookup import CLASS, OPEN_KINDS, bind, class_attribute, container, environment, library_base, special
from mxlint.interpreter.open_world import given_dicts, given_stars, installed, opaque, shadows

WHOLE_NUMBER: Final = frozenset(("int",))


def item(i: Interpreter, owner: Value, index: Value, place: Place, frame: Frame) -> Value:
    """`owner[index]`."""
    i.place = place
    index = i.live(index)
    return i.split(owner, lambda member: _item(i, member, index, place, frame))


def content_item(i: Interpreter, content: Value, index: Value, place: Place, frame: Frame) -> Value:
    """An item or slice of the content of a list: of each length that it may have. A slice is a tuple."""

    def one(part: Member) -> Value:
        return sequence_item(i, part, index, place, frame) if isinstance(part, Tuple) else part

    return i.split(content, one)


def _range_part(owner: RangeObject, index: Value) -> RangeObject | None:
    """A slice of a range, which is one."""
    numbers, cut = constant_range(owner), as_index(index)
    if numbers is None or not isinstance(cut, slice):
        return None
    try:
        part = numbers[cut]
    except MISUSE:
        return None
    return RangeObject(Const(part.start), Const(part.stop), Const(part.step))


def _item(i: Interpreter, owner: Member, index: Value, place: Place, frame: Frame) -> Value:
    """`owner[index]` of one member."""
    of_member = _OF_MEMBERS.get(type(owner))
    if of_member is None:
        throw_named(i, "builtins.TypeError", place)
    return of_member(i, owner, index, place, frame)


def _item_of_sourced(i: Interpreter, owner: Sourced, index: Value, place: Place, frame: Frame) -> Value:
    """A trace uses the text that it takes a part of."""
    return i.split(used(i, owner, frame), lambda text: _item(i, text, index, place, frame))


def _item_of_constant(i: Interpreter, owner: Const, index: Value, place: Place, frame: Frame) -> Value:
    """A part of a text; other scalars have none."""
    if not isinstance(owner.value, (str, bytes)):
        throw_named(i, "builtins.TypeError", place)
    _needs_number(i, index, place, frame)
    return _text_item(i, owner, index, place)


def _item_of_kind(i: Interpreter, owner: Kind, index: Value, place: Place, frame: Frame) -> Value:
    """A part of a text that is not known is one as well."""
    if owner.type != "str":
        throw_named(i, "builtins.TypeError", place)
    _needs_number(i, index, place, frame)
    return owner


def _item_of_array(i: Interpreter, owner: Array, index: Value, place: Place, frame: Frame) -> Value:
    """What MLX gives; first what this is if it is no array, as something else is only presumed to be one."""
    if isinstance(index, Const):
        entry_of_dict = given_dicts.nested(i, owner, index, place)
        if entry_of_dict is not None:
            return entry_of_dict
        part = losses.item(i, owner, index.value, place) if isinstance(index.value, int) else None
        if part is not None:
            return part
    return i.operations.array(i, "mlx.core.array.__getitem__", (owner, index), place, frame)


def _item_of_shape(i: Interpreter, owner: ShapeOf, index: Value, place: Place, frame: Frame) -> Value:
    """An axis of a shape of unknown rank, or a part of it."""
    if not isinstance(index, Slice):
        return owner.axis(index.value if isinstance(index, Const) and isinstance(index.value, int) else None)
    cut = as_index(index)
    if isinstance(cut, slice) and cut.step in (None, 1) and all(bound is None or isinstance(bound, int) for bound in (cut.start, cut.stop)):
        return owner.sliced(cut.start, cut.stop)
    return ShapeOf(owner.ident, owner.origin, owner.exact, None)


def _item_of_range(i: Interpreter, owner: RangeObject, index: Value, place: Place, frame: Frame) -> Value:
    """A number of a range, or a part of it, which is a range."""
    part = _range_part(owner, index)
    if part is not None:
        return part
    _needs_number(i, index, place, frame)
    number = range_element(owner)[0]
    if isinstance(index, Slice):
        step = owner.step if index.step == NONE else Kind("int", "varying")
        return RangeObject(number, Kind("int", "varying"), step)
    items = known_items(i, owner)
    return sequence_item(i, Tuple(items), index, place, frame) if items is not None else number


def _item_of_object(i: Interpreter, owner: Ref, index: Value, place: Place, frame: Frame) -> Value:
    """What a container holds, what `__getitem__` gives, or what its kind of object has."""
    if container(i, owner, "__getitem__") in ("list", "dict"):
        return held_item(i, owner, index, place, frame)
    method = special(i, owner, "__getitem__", place, frame)
    if method is not None:
        return i.call(method, Arguments((index,), places=(place,)), place, frame)
    kind = i.info(owner.oid).kind
    if kind == "class":
        return _item_of_class(i, owner, index, place, frame)
    base = _library_base_of(i, owner)
    given = Arguments((owner, index), places=(place, place))
    if base is not None:
        return i.operations.external(i, f"{base}.__getitem__", given, place, frame)
    hook = i.operations.external(i, f"#item.{kind}", given, place, frame)
    if not isinstance(hook, Unbound):
        return hook
    if kind not in OPEN_KINDS:
        throw_named(i, "builtins.TypeError", place)
    i.may_raise()
    return i.symbolic(place, "[]")


def _item_of_class(i: Interpreter, owner: Ref, index: Value, place: Place, frame: Frame) -> Value:
    """What `__class_getitem__` gives, a member of an enum, or the class with parameters, which is the class."""
    method = class_attribute(i, owner, "__class_getitem__")
    if method is not None and not isinstance(method, External):
        return i.call(bind(i, method, owner, owner, place, frame), Arguments((index,), places=(place,)), place, frame)
    enum = i.operations.external(i, "#enum_item", Arguments((owner, index), places=(place, place)), place, frame)
    return owner if isinstance(enum, Unbound) else enum


def _library_base_of(i: Interpreter, owner: Ref) -> str | None:
    """The class of a library that the class of an instance extends."""
    cls = i.heap.get(owner.oid, CLASS) if i.info(owner.oid).kind == "instance" else None
    return library_base(i, cls) if cls is not None else None


def _item_of_library(i: Interpreter, owner: External, index: Value, place: Place, frame: Frame) -> Value:
    """What a model says, an entry of the environment, or what `__getitem__` of it gives; else it stands for its items as well."""
    if owner.name == "mlx.core.random.state" and not isinstance(index, Slice):
        return i.operations.external(i, "mlx.core.random.key", Arguments((index,), places=(place,)), place, frame)  # an array
    known = i.operations.external(i, f"#item {owner.name}", Arguments((owner, index), places=(place, place)), place, frame)
    if not isinstance(known, Unbound):
        return known
    decided = environment(i, owner)
    if decided is not None and not isinstance(index, Slice):
        return _item(i, decided, index, place, frame)
    method = i.attribute(owner, "__getitem__", place, frame)
    return i.call(method, Arguments((index,), places=(place,)), place, frame) if isinstance(method, Bound) else owner


def _item_of_symbolic(i: Interpreter, owner: Symbolic, index: Value, place: Place, frame: Frame) -> Value:
    """One thing for each index, until the program writes something else there."""
    i.may_raise()
    parts = members(index)
    kinds = WHOLE_NUMBER if owner.identity[0] == SHAPE and isinstance(index, Const) else None
    made = i.derived("[]", (owner, parts[0] if len(parts) == 1 else Unknown("index")), kinds, place)
    return shadows.read_item(i, owner, index, made, place, frame) if isinstance(index, Const) else made


def _item_of_unknown(i: Interpreter, owner: Unknown, index: Value, place: Place, frame: Frame) -> Value:
    return owner


def held_item(i: Interpreter, owner: Ref, index: Value, place: Place, frame: Frame) -> Value:
    """An item of a list or dict, as these have it themselves."""
    if container(i, owner) == "dict":
        hashed(i, index, place, frame)
        return dict_item(i, owner, index, place, frame)
    content = i.live(i.heap.get(owner.oid, ITEMS) or Unknown("list"))
    result = content_item(i, content, index, place, frame)
    if isinstance(index, Const) and isinstance(index.value, int):
        result = found_in(i, owner.oid, ("item", index.value), result, place, frame)
    elif not _first_items(i, owner, content, index, place, frame):
        i.operations.read(i, owner.oid, ITEMS, content, place, frame)
    if not isinstance(index, Slice):
        return taken(i, result, place, index)
    if _goes_to_the_end(index):
        result = cut_short(i, result, owner)
    made = new_list(i, result, place, cls=str(i.info(owner.oid).payload or "builtins.list"))
    sliced(i, made.oid, index)
    return made


def _first_items(i: Interpreter, owner: Ref, content: Value, index: Value, place: Place, frame: Frame) -> bool:
    """Whether a slice takes items of a list that are counted from its beginning; each is read by itself then."""
    real = as_index(index)
    known = isinstance(content, Tuple) and content.items is not None
    if not known or not isinstance(real, slice) or real.stop is None or min(real.start or 0, real.stop, (real.step or 1) - 1) < 0:
        return False
    step = aspects.steps(i, owner, place, frame)
    if step is None:
        return False
    count = len(content.items)  # type: ignore[union-attr]
    for number in (*range(count)[real], *((None,) if real.stop > count else ())):
        step(number)
    return True


def _needs_number(i: Interpreter, index: Value, place: Place, frame: Frame) -> None:
    """Python's own sequences ask the arrays in an index or a slice for their numbers."""
    for member in i.each(index):
        for part in (member.lower, member.upper, member.step) if isinstance(member, Slice) else (member,):
            for number in members(part):
                if isinstance(number, Array):
                    i.operations.use(i, "index", number, "[]", place, frame)


MISUSE: Final = (IndexError, ValueError, TypeError)
"""What Python raises for an index: out of range, a step of 0, bounds that are no integers."""


def _text_item(i: Interpreter, owner: Const, index: Value, place: Place) -> Value:
    real = as_index(index)
    if real is None:
        return Kind("str" if isinstance(owner.value, str) else "int", "varying")
    try:
        return Const(owner.value[real])  # type: ignore[index]
    except MISUSE as error:
        throw_named(i, f"builtins.{type(error).__name__}", place)


def as_index(index: Value) -> int | slice | None:
    """A constant index or slice as Python's own, None if it is not known."""
    if isinstance(index, Const) and isinstance(index.value, int):
        return int(index.value)
    if isinstance(index, Slice) and all(isinstance(part, Const) for part in (index.lower, index.upper, index.step)):
        return slice(index.lower.value, index.upper.value, index.step.value)  # type: ignore[union-attr]
    return None


def _goes_to_the_end(index: Slice) -> bool:
    """Whether a slice leaves out the same items of any sequence: none, or those before a place that is counted from the front."""
    lower, step = (part.value if isinstance(part, Const) else -1 for part in (index.lower, index.step))
    return index.upper == NONE and step in (None, 1) and (lower is None or isinstance(lower, int) and lower >= 0)


def sequence_item(i: Interpreter, content: Tuple, index: Value, place: Place, frame: Frame) -> Value:
    """An item or slice of a tuple."""
    _needs_number(i, index, place, frame)
    if isinstance(index, Union):
        return i.split(index, lambda member: sequence_item(i, content, member, place, frame))
    real = as_index(index)
    items = content.items
    if items is None:
        if isinstance(index, Slice):
            if content.given:
                return Tuple(None, content.element, content.cls, 0, given="part")
            return content if content.least is None else Tuple(None, content.element, content.cls)
        i.may_raise("builtins.IndexError")
        held = content.element or Unknown("item")
        return given_stars.item(i, held, real, place) if isinstance(held, Array) and isinstance(real, int) else held
    if real is None:
        if isinstance(index, Slice):
            return Tuple(None, join(items)) if items else content
        if isinstance(index, (Tuple, Ref)) or scalar_type(index) not in (None, "int", "bool", "number"):
            throw_named(i, "builtins.TypeError", place)
        i.may_raise("builtins.IndexError")
        chosen = items
        if isinstance(index, Range) and index.low is not None and index.low >= 0:
            high = len(items) if index.high is None else index.high + 1
            chosen = items[index.low : high : index.stride] or items
        if not items:
            throw_named(i, "builtins.IndexError", place)
        return choices.chosen(i, [(Const(number), part) for number, part in enumerate(chosen)], index, place)
    if isinstance(real, slice):
        try:
            return Tuple(items[real])
        except MISUSE as error:
            throw_named(i, f"builtins.{type(error).__name__}", place)
    if -len(items) <= real < len(items):
        return items[real]
    throw_named(i, "builtins.IndexError", place)


def _at_front(content: Tuple, index: Value) -> bool:
    """Whether an index is that of an item that is known to lie at the front of a tuple of unknown length."""
    return content.items is None and isinstance(index, Const) and type(index.value) is int and 0 <= index.value < len(content.front)


def _asks_for_end(index: int | slice, length: int) -> bool:
    """Whether what a tuple gives for an index depends on where it ends."""
    if isinstance(index, int):
        return not -length <= index < length
    if not all(bound is None or isinstance(bound, int) for bound in (index.start, index.stop, index.step)):
        return False  # Python refuses it
    return index.stop is None or not 0 <= index.stop <= length or min(index.start or 0, (index.step or 1) - 1) < 0


def _part(i: Interpreter, owner: Tuple, index: Value, place: Place, frame: Frame) -> Value:
    """An item or slice of a tuple, which a trace may read where the tuple lies."""
    real = as_index(index) if _at_front(owner, index) or owner.sources and owner.items is not None else None
    if real is not None and owner.items is not None and _asks_for_end(real, len(owner.items)):
        past_end(i, owner, real, place, frame)
    if owner.items is None and isinstance(real, int):
        return taken_out(i, owner, real, owner.front[real], place, frame)
    result = sequence_item(i, owner if real is not None else used(i, owner, frame), index, place, frame)  # type: ignore[arg-type]
    if real is None:
        return handed_out(i, result, place, frame)
    return cut_out(i, owner, real, place, frame) if isinstance(real, slice) else taken_out(i, owner, real, result, place, frame)


ItemOf: TypeAlias = Callable[[Interpreter, Any, Value, Place, Frame], Value]
"""Gives `owner[index]` of one member of a type."""

_OF_MEMBERS: Final[Mapping[type[Member], ItemOf]] = {
    Sourced: _item_of_sourced,
    Array: _item_of_array,
    ShapeOf: _item_of_shape,
    Tuple: _part,
    Const: _item_of_constant,
    RangeObject: _item_of_range,
    Ref: _item_of_object,
    Lying: _item_of_object,
    External: _item_of_library,
    Unknown: _item_of_unknown,
    Symbolic: _item_of_symbolic,
    Kind: _item_of_kind,
}
"""What has items. Of any other member Python raises TypeError."""


def dict_item(i: Interpreter, owner: Ref, index: Value, place: Place, frame: Frame, default: Value | None = None) -> Value:
    """`dict[key]`, or `dict.get(key, default)`."""
    i.place = place
    views.look(i, owner.oid)
    return i.split(index, lambda key: _dict_item(i, owner, key, place, frame, default))


def _dict_item(i: Interpreter, owner: Ref, key: Member, place: Place, frame: Frame, default: Value | None) -> Value:
    found: list[tuple[Member | None, Value]] = []
    absent: Guard | None = ()
    rest = bound(i.heap.get(owner.oid, ("#", "rest")) or UNBOUND)
    field = entry(i, owner.oid, key)
    value = i.heap.get(owner.oid, field) if is_key(key) else None
    by: Value = Kind("str", "varying")
    if value is not None:
        value = i.live(found_in(i, owner.oid, field, value, place, frame))
        absent = next((option.guard for option in options(value) if isinstance(option.member, Unbound)), None)
        there = bound(value)
        found = [] if there is None else [(key, there)]
        if rest is not None and absent is not None and not given_dicts.is_given(i, owner.oid):
            found.append((None, rest))
        if isinstance(key, Symbolic) and absent is not None:
            # It may be equal to another key, under which something lies already.
            found += [(other, guarded([(held, absent)])) for other, held in _entries(i, owner, lambda k: k != key)]
    elif isinstance(key, Const) or isinstance(key, Tuple) and is_key(key):
        i.operations.read_through(i, owner.oid, field, UNBOUND if rest is None else rest, place, frame)
        entries = [] if rest is not None else _entries(i, owner, lambda k: not isinstance(k, (Const, Tuple, Ref, External)))
        if rest is not None and isinstance(key, Const):
            rest = given_dicts.named_entry(i, owner.oid, key, rest)
        found = entries if rest is None else [(None, rest)]
        by = i.heap.get(owner.oid, ("#", "restkey")) or UNBOUND if rest is not None else entries[0][0] if entries else by  # type: ignore[assignment]
    else:
        if is_key(key):  # what is put there later is found
            i.operations.read_through(i, owner.oid, field, UNBOUND if rest is None else rest, place, frame)
        found = _entries(i, owner, lambda k: True)
        if rest is not None:
            found.append((None, rest))
        by = key
    if not found and i.heap.get(owner.oid, ("k", Const(opaque.WEIGHTS))) is not None:
        if i.trace is not None:
            i.imprecise("a model whose layers are not in sight", place)
        found = [(None, i.derived("[]", (owner, key), None, place))]
    if absent is not None and default is None and found and i.heap.get(owner.oid, ("#", "factory")) is None:
        i.may_raise("builtins.KeyError")
    if absent is not None and default is None:
        maker = i.heap.get(owner.oid, ("#", "factory"))
        if maker is not None and not isinstance(maker, Const):
            with i.within((place, "factory")):
                made = i.call(maker, Arguments(), place, frame)
            puts_default(i, key, made)
            both = _together(i, found, made, absent, by, place)
            _put_entry(i, owner, key, both, place, frame)
            return both
        method = special(i, owner, "__missing__", place, frame)
        if method is not None:
            default = i.call(method, Arguments((key,), places=(place,)), place, frame)
    if absent is None or default is None:
        if not found:
            throw_named(i, "builtins.KeyError", place)
        return choices.chosen(i, found, by, place)
    return _together(i, found, default, absent, by, place)


def puts_default(i: Interpreter, key: Value, made: Value) -> None:
    """A trace puts what it has made where it found nothing under a key of which no location says that: its next run finds it there."""
    if i.trace is not None and not is_key(key):
        i.trace.defaults.update(member.oid for member in members(made) if isinstance(member, Ref))


def _entries(i: Interpreter, owner: Ref, wanted: Callable[[Member], bool]) -> list[tuple[Member | None, Value]]:
    """The entries of a dict under some keys."""
    found: list[tuple[Member | None, Value]] = []
    for key, value in i.heap.entries(owner.oid):
        there = bound(value) if wanted(key) else None
        if there is not None:
            found.append((key, there))
    return found


def _together(i: Interpreter, found: list[tuple[Member | None, Value]], default: Value, absent: Guard, by: Value, place: Place) -> Value:
    """What lies under a key, or the default where nothing does."""
    if absent:
        # The entry is there on some paths.
        return join([*(value for _, value in found), guarded([(default, absent)])])
    return choices.chosen(i, found, by, place, default) if found else default


def set_item(i: Interpreter, owner: Value, index: Value, value: Value, place: Place, frame: Frame) -> None:
    """`owner[index] = value`."""

    def one(member: Member) -> Value:
        if isinstance(member, Array):
            i.operations.array(i, "mlx.core.array.__setitem__", (member, index, value), place, frame)
        elif isinstance(member, Ref):
            _set_item(i, member, i.live(index), value, place, frame)
        elif isinstance(member, External):
            i.operations.external(i, "#set_item", Arguments((member, index, value), places=(place,) * 3), place, frame)
            i.mlx.handed(i, (value,), place, frame)
            decided = environment(i, member)
            if decided is not None and isinstance(index, Const):
                shadows.write_item(i, decided, index, value, place, frame)
        else:
            i.mlx.handed(i, (value,), place, frame)
            if isinstance(member, Symbolic) and isinstance(index, Const):
                shadows.write_item(i, member, index, value, place, frame)
            if isinstance(member, Symbolic):
                installed.put(i, member.identity, value, place)
                sharing.changed(i, member, index, place, frame)
        return NONE

    i.place = place
    i.split(owner, one)


def _set_item(i: Interpreter, owner: Ref, index: Value, value: Value, place: Place, frame: Frame) -> None:
    method = special(i, owner, "__setitem__", place, frame)
    if method is not None:
        i.call(method, Arguments((index, value), places=(place, place)), place, frame)
        return
    if container(i, owner):
        put_item(i, owner, index, value, place, frame)
        return
    base = _library_base_of(i, owner)
    if base is not None:
        i.operations.external(i, f"{base}.__setitem__", Arguments((owner, index, value), places=(place,) * 3), place, frame)


def put_item(i: Interpreter, owner: Ref, index: Value, value: Value, place: Place, frame: Frame) -> None:
    """`owner[index] = value` of a list or dict, as these do it themselves."""
    if i.heap.get(owner.oid, ITEMS) is not None:
        _needs_number(i, index, place, frame)
        content = i.heap.get(owner.oid, ITEMS) or Unknown("list")
        given = listed(i, value, place, frame) if isinstance(index, Slice) else None
        if given is not None:
            resized(i, owner.oid, False)
        changed = i.split(content, lambda part: _replaced(i, part, index, value, given, place))
        i.heap.set(owner.oid, ITEMS, changed)
        single = isinstance(index, Const) and isinstance(index.value, int) and index.value >= 0
        i.operations.written(i, owner.oid, ("item", index.value) if single else ITEMS, value, place, frame)  # type: ignore[union-attr]
    else:
        hashed(i, index, place, frame)
        views.look(i, owner.oid)
        _put_entry(i, owner, index, value, place, frame)


def _put_entry(i: Interpreter, owner: Ref, key: Value, value: Value, place: Place, frame: Frame) -> None:
    """Put something under a key of a dict, and say so."""
    put(i, owner.oid, key, value)
    for field in entries(i, owner.oid, key):
        i.operations.written(i, owner.oid, field, value, place, frame)
    if isinstance(key, Symbolic) and key.identity[0] in GIVEN and i.trace is None:
        _put_if_equal(i, owner, key, value, place, frame)
    views.changed(i, owner.oid, place, frame)


GIVEN: Final = frozenset(("parameter", "element", "unpacked"))
"""What begins the name of a key that somebody gives as it is: one that the program makes of that, as by an f-string, has a form of its own."""


def _speaks_of(condition: Identity, thing: Identity) -> bool:
    """Whether a condition is made of something."""
    todo: list[object] = [condition]
    while todo:
        part = todo.pop()
        part = part.identity if isinstance(part, Symbolic) else part
        if part == thing:
            return True
        if isinstance(part, tuple):
            todo.extend(part)
    return False


def _put_if_equal(i: Interpreter, owner: Ref, key: Symbolic, value: Value, place: Place, frame: Frame) -> None:
    """A key that nobody in sight gives may be equal to one under which something lies: then that is replaced."""
    if _entries(i, owner, lambda k: not isinstance(k, Const) and k != key) or i.heap.get(owner.oid, REST) is not None:
        return  # no test says which of such keys it is, so it may be a new one
    if any(condition.literal is not None and _speaks_of(condition.literal.condition, key.identity) for condition in i.path):
        return  # a test of the key, whatever it asks, may leave out those that are there
    base = i.path
    for other, present in _entries(i, owner, lambda k: isinstance(k, Const)):
        if isinstance(other, Const) and (key.kinds is None or scalar_type(other) in key.kinds):
            equal = Literal_(("==", key.identity, other), True)
            i.path = (*base, Condition(None, place, equal))
            there, here = i.live(value), i.live(present)
            i.path = base
            exact = [option for option in options(there) if equal in option.guard] or options(there)  # it may come from this very entry
            if {option.member for option in exact} == set(members(here)):
                continue
            new = i.live(choices.chosen(i, [(other, of(exact))], key, place, present))
            if new != present:
                field = entry(i, owner.oid, other)
                i.heap.set(owner.oid, field, new)
                i.operations.written(i, owner.oid, field, new, place, frame)


def _replaced(i: Interpreter, part: Member, index: Value, value: Value, given: Tuple | None, place: Place) -> Value:
    """The content of a list after `list[index] = value`; `given`: the items that are put into a slice."""
    real = as_index(index)
    if not isinstance(part, Tuple) or part.items is None:
        held = part.element if isinstance(part, Tuple) else part
        i.may_raise("builtins.IndexError")
        added = (value,) if given is None else given.items if given.items is not None else (given.element,)
        return Tuple(None, join([p for p in (held, *added) if p is not None]))
    if given is not None:
        if isinstance(real, slice) and given.items is not None:
            items = list(part.items)
            try:
                items[real] = given.items
            except MISUSE as error:
                throw_named(i, f"builtins.{type(error).__name__}", place)
            return Tuple(tuple(items))
        parts = [*part.items, *(given.items if given.items is not None else (given.element,))]
        return Tuple(None, join([p for p in parts if p is not None]))
    if isinstance(real, int):
        if not -len(part.items) <= real < len(part.items):
            throw_named(i, "builtins.IndexError", place)
        items = list(part.items)
        items[real] = value
        return Tuple(tuple(items))
    i.may_raise("builtins.IndexError")
    return Tuple(tuple(join((p, value)) for p in part.items))


def delete_item(i: Interpreter, owner: Value, index: Value, place: Place, frame: Frame) -> None:
    """`del owner[index]`."""
    for member in members(owner):
        if not isinstance(member, Ref):
            continue
        method = special(i, member, "__delitem__", place, frame)
        if method is not None:
            i.call(method, Arguments((index,), places=(place,)), place, frame)
            continue
        drop_item(i, member, index, place, frame)


def drop_item(i: Interpreter, owner: Ref, index: Value, place: Place, frame: Frame) -> None:
    """`del owner[index]` of a list or dict, as these do it themselves."""
    content = i.heap.get(owner.oid, ITEMS)
    if content is not None:
        _needs_number(i, index, place, frame)
        resized(i, owner.oid, False)
        i.heap.set(owner.oid, ITEMS, i.split(content, lambda part: _without(i, part, index, place)))
        i.operations.written(i, owner.oid, ITEMS, NONE, place, frame)
    else:
        views.look(i, owner.oid)
        for key in members(index):
            field = entry(i, owner.oid, key)
            if i.heap.get(owner.oid, field) is None:
                rest = i.heap.get(owner.oid, ("#", "rest"))
                if isinstance(key, Const) and (rest is None or isinstance(rest, Unbound)):
                    if not _entries(i, owner, lambda other: isinstance(other, Symbolic)):
                        throw_named(i, "builtins.KeyError", place)
                    i.may_raise("builtins.KeyError")
            i.heap.drop(owner.oid, field)
            i.operations.written(i, owner.oid, field, UNBOUND, place, frame)
        views.changed(i, owner.oid, place, frame)


def _without(i: Interpreter, part: Member, index: Value, place: Place) -> Value:
    """The content of a list after `del list[index]`."""
    real = as_index(index)
    if isinstance(part, Tuple) and part.items is not None and real is not None:
        items = list(part.items)
        try:
            del items[real]
        except MISUSE as error:
            throw_named(i, f"builtins.{type(error).__name__}", place)
        return Tuple(tuple(items))
    i.may_raise("builtins.IndexError")
    return Tuple(None, join(part.items)) if isinstance(part, Tuple) and part.items else part
