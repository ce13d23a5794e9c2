"""Reads of items: `owner[index]`, by the kind of the owner.

`shape[0]` is an axis, `names[1:]` a new list, `rows[i]` one of several items where `i` is not known. What has no items, as `3[0]`, raises TypeError. Dicts are in
`dict_items.py`, what an index means in `indices.py`, assignment and deletion in `item_assignment.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias, TypeGuard

from mxlint.domain.arrays import Array, ShapeOf
from mxlint.domain.guards import Literal_
from mxlint.domain.join import constant_range, join, of
from mxlint.domain.members import (
    NONE,
    Bound,
    Const,
    External,
    Kind,
    Member,
    Range,
    RangeObject,
    Ref,
    Slice,
    Sourced,
    SourcedRef,
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
from mxlint.facts.rows import FEW
from mxlint.interpreter.compiled.portions import cut_out, handed_out, past_end, taken_out, used
from mxlint.interpreter.compiled.portions import found as found_in
from mxlint.interpreter.containers import aspects, unlisted
from mxlint.interpreter.containers.builders import hashed, new_list
from mxlint.interpreter.containers.dict_items import dict_item
from mxlint.interpreter.containers.elements import known_items, range_element
from mxlint.interpreter.containers.indices import (
    MISUSE,
    as_index,
    as_long,
    asks_for_end,
    at_front,
    goes_to_the_end,
    leaves_out,
    most_in,
    needs_number,
)
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.loops import windows
from mxlint.interpreter.loops.lengths import cut_short, growing, remade
from mxlint.interpreter.loops.novelty import SHAPE
from mxlint.interpreter.loops.slices import sliced
from mxlint.interpreter.loops.taking import taken
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.machine.paths import LACKS
from mxlint.interpreter.mlx import losses
from mxlint.interpreter.objects.lookup import OPEN_KINDS, bind, class_attribute, container, environment, library_base_of, special
from mxlint.interpreter.open_world import given_dicts, given_stars, ranks, shadows
from mxlint.interpreter.open_world.failing import may_fail

WHOLE_NUMBER: Final = frozenset(("int",))


def item(i: Interpreter, owner: Value, index: Value, place: Place, frame: Frame) -> Value:
    """`owner[index]`."""
    i.place = place
    index = i.live(index)
    found = i.split(owner, lambda member: _item(i, member, index, place, frame))
    if i.trace is not None and not isinstance(index, Const) and not _is_one(i, found) and any(_holds(i, m) for m in members(owner)):
        i.operations.derived(i, choices.CHOICE, members(index), place)
    return found


def _is_one(i: Interpreter, found: Value) -> bool:
    """Whether an item is one thing, whichever index it lies at."""
    if isinstance(found, (Array, Ref)):
        return not i.info(found.ident if isinstance(found, Array) else found.oid).summary
    return isinstance(found, Const)


def _holds(i: Interpreter, owner: Member) -> bool:
    """Whether something of Python gives its items by an index or key."""
    if isinstance(owner, Ref):
        return container(i, owner, "__getitem__") in ("list", "dict")
    return isinstance(owner, (Tuple, Const, RangeObject, Sourced))


def content_item(i: Interpreter, content: Value, index: Value, place: Place, frame: Frame) -> Value:
    """An item or slice of the content of a list: of each length that it may have. A slice is a tuple. One that is too short, as a list is after the first rounds of
    a loop, where no test tells which it is, may raise: it is not said to."""
    found, real = options(i.live(content)), as_index(index)
    if len(found) > 1 and isinstance(real, int):
        short = [option for option in found if not option.guard and _lacks(option.member, real)]
        if short and len(short) < len(found):
            i.may_raise("builtins.IndexError")
            content = of(option for option in found if option not in short)

    def one(part: Member) -> Value:
        return sequence_item(i, part, index, place, frame) if isinstance(part, Tuple) else part

    return i.split(content, one)


def _lacks(content: Member, index: int) -> bool:
    """Whether a tuple has no item at an index."""
    length = len(content.items) if isinstance(content, Tuple) and content.items is not None else None
    return length is not None and not -length <= index < length


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
    needs_number(i, index, place, frame)
    return _text_item(i, owner, index, place)


def _item_of_kind(i: Interpreter, owner: Kind, index: Value, place: Place, frame: Frame) -> Value:
    """A part of a text that is not known is one as well."""
    if owner.type != "str":
        throw_named(i, "builtins.TypeError", place)
    needs_number(i, index, place, frame)
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
        ranks.may_lack(i, owner, "builtins.IndexError", place, frame)
        return ranks.axis(i, owner, index)
    cut = as_index(index)
    if isinstance(cut, slice) and cut.step in (None, 1) and all(bound is None or isinstance(bound, int) for bound in (cut.start, cut.stop)):
        return owner.sliced(cut.start, cut.stop)
    if not owner.origin:
        return i.derived("[]", (owner, index), frozenset(("tuple",)), place)
    return ShapeOf(owner.ident, owner.origin, owner.exact, None)


def _item_of_range(i: Interpreter, owner: RangeObject, index: Value, place: Place, frame: Frame) -> Value:
    """A number of a range, or a part of it, which is a range."""
    part = _range_part(owner, index)
    if part is not None:
        return part
    needs_number(i, index, place, frame)
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
    base = library_base_of(i, owner)
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
    """One thing for each index, until the program writes something else there. Only a dict has something under a text."""
    if all(scalar_type(member) == "str" for member in members(index)):
        may_fail(i, "builtins.KeyError", owner, place, frame, LACKS)
    i.may_raise()
    parts = members(index)
    kinds = WHOLE_NUMBER if owner.identity[0] == SHAPE and isinstance(index, Const) else None
    made = i.derived("[]", (owner, parts[0] if len(parts) == 1 else Unknown("index")), kinds, place)
    if not isinstance(index, Const):
        return made
    there = Literal_(i.derived("in", (index, owner), frozenset(("bool",)), place).identity, True)
    return shadows.read_item(i, owner, index, made, place, frame, there)


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
    if as_long(index):
        result = cut_short(i, result, owner)
    made = new_list(i, result, place, cls=str(i.info(owner.oid).payload or "builtins.list"))
    few = isinstance(content, Tuple) and content.items is not None and len(content.items) <= FEW
    if not few and (index.lower == NONE or not growing(i, owner)):  # a start that moves as the end does leaves as many
        sliced(i, made.oid, index)
    windows.keep(i, made.oid, most_in(index))
    if index == Slice(NONE, NONE, Const(-1)):
        unlisted.keep_items(i, made.oid, owner)
    if leaves_out(index):
        remade(i, made.oid, (owner,), shorter=True)
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


def _text_item(i: Interpreter, owner: Const, index: Value, place: Place) -> Value:
    real = as_index(index)
    if real is None:
        return Kind("str" if isinstance(owner.value, str) else "int", "varying")
    try:
        return Const(owner.value[real])  # type: ignore[index]
    except MISUSE as error:
        throw_named(i, f"builtins.{type(error).__name__}", place)


def _takes_at_most(index: Slice) -> bool:
    """Whether a slice takes no more than so many items, however long a sequence is: those between two places that are counted from the same end."""
    lower, upper = (part.value if isinstance(part, Const) else part for part in (index.lower, index.upper))
    if isinstance(lower, int) and lower < 0:
        return upper is None or isinstance(upper, int) and upper < 0
    return (lower is None or isinstance(lower, int)) and isinstance(upper, int) and upper >= 0


def _takes_one_at_most(index: object) -> TypeGuard[slice]:
    """Whether a slice is that of one place that is counted from the front."""
    return isinstance(index, slice) and index.step in (None, 1) and index.stop == (index.start or 0) + 1 > 0


def _part_of_open(content: Tuple, index: Slice) -> Tuple:
    """A slice of a tuple of unknown length. One that takes all items from a fixed place on, and no others, is as much shorter."""
    if content.least is None:
        return Tuple(None, content.element, content.cls) if _takes_at_most(index) else content
    begin = as_index(index)
    if not goes_to_the_end(index) or not isinstance(begin, slice):
        return Tuple(None, content.element, content.cls)
    return Tuple(None, content.element, content.cls, max(content.least - (begin.start or 0), 0))


def sequence_item(i: Interpreter, content: Tuple, index: Value, place: Place, frame: Frame) -> Value:
    """An item or slice of a tuple."""
    needs_number(i, index, place, frame)
    if isinstance(index, Union):
        return i.split(index, lambda member: sequence_item(i, content, member, place, frame))
    real = as_index(index)
    items = content.items
    if items is None:
        if isinstance(index, Slice):
            if content.given and _takes_one_at_most(real):
                at = real.start or 0
                one = content.front[at] if at < len(content.front) else content.element or Unknown("item")
                return choices.any_of(i, [Tuple(()), Tuple((one,))], place, "slice")
            if content.given:
                return Tuple(None, content.element, content.cls, 0, given="part")
            return _part_of_open(content, index)
        if at_front(content, index) and isinstance(real, int):
            return content.front[real]
        if not isinstance(real, int) or not -(content.least or 0) <= real < (content.least or 0):
            may_fail(i, "builtins.IndexError", Tuple((index,)), place, frame, LACKS)
        held = content.element or Unknown("item")
        return given_stars.item(i, held, real, place) if isinstance(held, Array) and isinstance(real, int) else held
    if real is None:
        if isinstance(index, Slice):
            return Tuple(None, join(items)) if items else content
        if isinstance(index, (Tuple, Ref)) or scalar_type(index) not in (None, "int", "bool", "number"):
            throw_named(i, "builtins.TypeError", place)
        may_fail(i, "builtins.IndexError", Tuple((index,)), place, frame, LACKS)
        chosen = items
        if i.tries and isinstance(index, Range) and index.high is not None and index.high >= len(items):
            i.tries[-1].overrun += 1
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


def _part(i: Interpreter, owner: Tuple, index: Value, place: Place, frame: Frame) -> Value:
    """An item or slice of a tuple, which a trace may read where the tuple lies."""
    real = as_index(index) if at_front(owner, index) or owner.sources and owner.items is not None else None
    if real is not None and owner.items is not None and asks_for_end(real, len(owner.items)):
        past_end(i, owner, real, place, frame)
    if owner.items is None and isinstance(real, int):
        return taken_out(i, owner, real, owner.front[real], place, frame)
    result = sequence_item(i, owner if real is not None else used(i, owner, frame), index, place, frame)  # type: ignore[arg-type]
    if real is None:
        item = handed_out(i, result, place, frame)
        return item if isinstance(index, Slice) else taken(i, item, place, index)
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
    SourcedRef: _item_of_object,
    External: _item_of_library,
    Unknown: _item_of_unknown,
    Symbolic: _item_of_symbolic,
    Kind: _item_of_kind,
}
"""What has items. Of any other member Python raises TypeError."""
