"""What iterating over a value gives: its items one by one where they are known, else what each element may be.

`[a, b]` gives `a`, then `b`. A list that a loop has filled gives the join of what it was filled with, any number of times.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mxlint.domain.arrays import ELEMENT, ShapeOf
from mxlint.domain.guards import Identity
from mxlint.domain.join import constant_range, hull, join, length_of, of
from mxlint.domain.members import (
    UNBOUND,
    Const,
    Given,
    Kind,
    Member,
    Option,
    Range,
    RangeObject,
    Ref,
    Symbolic,
    Tuple,
    Unbound,
    Union,
    Unknown,
    Value,
    members,
    options,
)
from mxlint.domain.place import Place
from mxlint.domain.widening import MAX_FRONT
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.generators.iterators import POSITION, parts_of
from mxlint.interpreter.libraries import dtypes, sharing
from mxlint.interpreter.loops.ends import Ends
from mxlint.interpreter.machine.core import Interpreter, guarded
from mxlint.interpreter.machine.frames import Context, Frame, is_round
from mxlint.interpreter.machine.locations import ENUM_MEMBERS, ITEMS, STORED
from mxlint.interpreter.objects.lookup import container

UNROLLED: Final = 16
"""Rounds of one loop that are run one by one."""


MAX_UNROLLED: Final = 256
"""Rounds that loops one in another, and the calls in them, may be run one by one."""


MAX_ITEMS: Final = 64
"""Items of a list that are kept one by one."""


MOST_COUNTED: Final = 1 << 20
"""Numbers of `itertools.count` that something is zipped with."""


class Elements:
    """The iterable of which something symbolic is an element."""

    __slots__ = ("iterables",)

    def __init__(self) -> None:
        self.iterables: dict[Identity, Identity] = {}


def _some_element(i: Interpreter, iterable: Symbolic, place: Place) -> Symbolic:
    """What a round is given of an iterable out of sight."""
    element = i.symbolic(place, "element", iterable.label, presumed=iterable.presumed)
    i.ledger.of(Elements).iterables[element.identity] = iterable.identity
    return element


def _unseen_element(i: Interpreter, iterable: Member, place: Place) -> Symbolic:
    """What a round is given of an object of a library: of an array it may be a row, which shares its data."""
    if not isinstance(iterable, Ref) or not sharing.rows_are_shared(i, iterable):
        return i.symbolic(place, "element")
    with i.within((place, iterable.oid)):  # of two arrays in one loop each has its own
        element = i.symbolic(place, "element", kinds=dtypes.kinds_of_item(i, iterable, None))
    sharing.relate(i, element, iterable)
    return element


def known_items(i: Interpreter, member: Member) -> tuple[Value, ...] | None:
    """The items of an iterable one by one, if they are known and iterating has no effect."""
    if isinstance(member, Tuple):
        return member.items
    if isinstance(member, Const) and isinstance(member.value, (str, bytes)):
        return tuple(map(Const, member.value)) if len(member.value) <= MAX_ITEMS else None
    if isinstance(member, RangeObject):
        numbers = constant_range(member)
        return tuple(map(Const, numbers)) if numbers is not None and length_of(numbers) <= MAX_ITEMS else None
    if isinstance(member, Ref):
        kind = container(i, member, "__iter__")
        if kind in ("list", "set"):
            content = i.live(i.heap.get(member.oid, ITEMS) or Unknown("list"))
            return content.items if isinstance(content, Tuple) else _in_columns(content) if kind == "list" else None
        if kind == "dict":
            return dict_keys(i, member.oid)
        if i.info(member.oid).kind == "iterator":
            return iterator_items(i, member)
        return enum_members(i, member)
    return None


def item_at(i: Interpreter, member: Value, number: int) -> Value | None:
    """The item at a place of what holds its items, also of one that holds too many to be known all at once; UNBOUND behind the last. None if it is not known."""
    if isinstance(member, RangeObject):
        numbers = constant_range(member)
        if numbers is not None:
            return Const(numbers[number]) if number < length_of(numbers) else UNBOUND
        match member.start, member.step:
            case Const(value=int(start)), Const(value=int(step)):
                return Const(start + number * step)
        return None
    if isinstance(member, Union) or isinstance(member, Ref) and i.info(member.oid).kind == "iterator":
        return None
    items = items_in_turn(i, member)
    return None if items is None else items[number] if number < len(items) else UNBOUND


def iterator_item(i: Interpreter, ref: Ref, number: int) -> Value | None:
    """What an iterator gives at a place, counted from its begin, if it goes over what holds its items; UNBOUND behind the last."""
    kind, parts = i.info(ref.oid).payload, parts_of(i, ref)
    if kind not in ("enumerate", "iter", "zip") or not parts:
        return None
    found = [item_at(i, i.live(part), number) for part in (parts if kind == "zip" else parts[:1])]
    known = [item for item in found if item is not None]
    if len(known) < len(found) or UNBOUND in known:
        return UNBOUND if UNBOUND in known else None
    if kind == "iter":
        return known[0]
    if kind == "zip":
        return Tuple(tuple(known))
    start = parts[1] if len(parts) > 1 else Const(0)
    return Tuple((Const(start.value + number), known[0])) if isinstance(start, Const) and isinstance(start.value, int) else None


def _in_columns(content: Value) -> tuple[Value, ...] | None:
    """The items of a list that holds one of several tuples of one length: each may be what lies at its place in one of them."""
    rows = [
        (option.member.items, option.guard)
        for option in options(content)
        if isinstance(option.member, Tuple) and option.member.items is not None
    ]
    lengths = {len(items) for items, _ in rows}
    if len(rows) < len(members(content)) or len(lengths) != 1:
        return None
    return tuple(guarded([(items[number], guard) for items, guard in rows]) for number in range(lengths.pop()))


def items_in_turn(i: Interpreter, member: Member) -> tuple[Value, ...] | None:
    """The items of an iterable by their place, if they are known: the first item of a set may be any of its items, and so may each."""
    items = known_items(i, member)
    if items is None or not isinstance(member, Ref) or container(i, member, "__iter__") != "set" or len(items) < 2:
        return items
    place = i.info(member.oid).place
    return None if place is None else tuple(choices.any_of(i, items, place, ("order", member.oid, number)) for number in range(len(items)))


def enum_members(i: Interpreter, ref: Ref) -> tuple[Value, ...] | None:
    """The members of a class that is an enum, in order, which are what an iteration over the class gives; None of anything else."""
    found = i.heap.get(ref.oid, ENUM_MEMBERS)
    return found.items if isinstance(found, Tuple) else None


def dict_keys(i: Interpreter, oid: int) -> tuple[Value, ...] | None:
    """The keys of a dict in order; None if some are not known or may be missing."""
    keys: list[Value] = []
    for key, value in i.heap.entries(oid):
        if any(isinstance(m, Unbound) for m in members(value)):
            return None
        keys.append(key)
    rest = i.heap.get(oid, ("#", "rest"))
    return tuple(keys) if rest is None or isinstance(rest, Unbound) else None


def iterator_items(i: Interpreter, ref: Ref) -> tuple[Value, ...] | None:
    """All items that an iterator has left, where they are known without running anything."""
    kind, parts = i.info(ref.oid).payload, parts_of(i, ref)
    if kind in ("enumerate", "zip", "reversed", "iter"):
        position = position_of(i, ref)
        if position is None:
            return None
        if kind == "zip" and (rows := _rows(i, parts, position)) is not None:
            parts = rows
        lists: list[tuple[Value, ...]] = []
        over = parts[:1] if kind == "enumerate" else parts
        for number, part in enumerate(over):
            items = _part_items(i, part, position)
            if items is None:
                return None
            if (times := over.count(part)) > 1 and isinstance(part, Ref) and i.info(part.oid).kind == "iterator":
                items = items[:position] + items[position:][over[:number].count(part) :: times]  # one iterator gives to all in turn
            lists.append(items)
        if kind == "enumerate":
            start = parts[1] if len(parts) > 1 else Const(0)
            if not isinstance(start, Const) or not isinstance(start.value, int):
                return None
            found: tuple[Value, ...] = tuple(Tuple((Const(start.value + n), item)) for n, item in enumerate(lists[0]))
        elif kind == "zip":
            found = tuple(Tuple(items) for items in zip(*lists))
        elif kind == "reversed":
            found = lists[0][::-1]
        else:
            found = lists[0]
        return found[position:]
    if kind in ("items", "values", "keys"):
        dicts = [member.oid for member in members(i.live(parts[0])) if isinstance(member, Ref)]
        keys = dict_keys(i, dicts[0]) if len(dicts) == len(members(i.live(parts[0]))) else None
        if keys is None or any(dict_keys(i, other) != keys for other in dicts[1:]):
            return None  # one of several dicts that have the same keys has these
        if kind == "keys":
            return keys
        values = [join([i.heap.get(oid, ("k", key)) or Unknown("dict") for oid in dicts]) for key in keys]
        return tuple(values) if kind == "values" else tuple(Tuple((key, value)) for key, value in zip(keys, values))
    return None


def _part_items(i: Interpreter, part: Value, position: int) -> tuple[Value, ...] | None:
    """The items of what an iterator at a position goes over, from the beginning; another iterator moves with it, and has only the rest of them."""
    part = i.live(part)
    if isinstance(part, Union):
        return None
    items = items_in_turn(i, part)
    moves = isinstance(part, Ref) and i.info(part.oid).kind == "iterator"
    return (UNBOUND,) * position + items if moves and items is not None else items


def _rows(i: Interpreter, parts: tuple[Value, ...], position: int) -> tuple[Value, ...] | None:
    """What `zip` goes over, where ranges of numbers end with the shortest of the rest; None if nothing else is as short."""
    ranges = [constant_range(part) if isinstance(part, RangeObject) else _counted(i, part, position) for part in parts]
    rest = [_part_items(i, part, position) for part, numbers in zip(parts, ranges) if numbers is None]
    least = min((len(items) for items in rest if items is not None), default=None)
    if least is None or all(numbers is None for numbers in ranges):
        return None
    return tuple(Tuple(tuple(map(Const, numbers[:least]))) if numbers is not None else part for part, numbers in zip(parts, ranges))


def _counted(i: Interpreter, part: Value, position: int) -> range | None:
    """The numbers of `itertools.count`, from where an iterator at a position began to go over it."""
    if not isinstance(part, Ref) or i.info(part.oid).kind != "iterator" or i.info(part.oid).payload != "count":
        return None
    given = (*parts_of(i, part), i.heap.get(part.oid, POSITION))
    numbers = [bound.value for bound in given if isinstance(bound, Const) and isinstance(bound.value, int)]
    if len(numbers) < len(given):
        return None
    start, step, own = numbers
    first = start + (own - position) * step
    return range(first, first + step * MOST_COUNTED, step) if step else None


def move_parts(i: Interpreter, ref: Ref, *, ends: bool = False) -> None:
    """An iterator gives its next item, or comes to its end, where its items are known: the iterators that it goes over do so, too."""
    kind, parts = i.info(ref.oid).payload, parts_of(i, ref)
    if kind not in ("enumerate", "zip", "iter"):
        return
    position = position_of(i, ref)
    for part in parts[:1] if kind == "enumerate" else parts:
        items = _part_items(i, part, position) if position is not None else None
        if ends and items is not None and len(items) <= (position or 0):
            return  # those behind it are not asked any more
        if isinstance(part, Ref) and i.info(part.oid).kind == "iterator":
            move_parts(i, part)
            own = position_of(i, part)
            i.heap.set(part.oid, POSITION, Range(0, None) if own is None else Const(own + 1))


def position_of(i: Interpreter, ref: Ref) -> int | None:
    position = i.heap.get(ref.oid, POSITION)
    return position.value if isinstance(position, Const) and isinstance(position.value, int) else None


def elements(i: Interpreter, member: Member, place: Place, frame: Frame) -> tuple[Value | Callable[[], Value], bool]:
    """What each element of an iterable may be, and whether there surely is one. A callable makes one for each round."""
    if isinstance(member, Tuple):
        found = member.items if member.items is not None else (member.element,) if member.element is not None else ()
        return join([item for item in found if item is not None]) if found else Unknown("empty"), bool(member.items)
    if isinstance(member, RangeObject):
        return range_element(member)
    if isinstance(member, Const) and isinstance(member.value, str):
        return Kind("str", "varying"), bool(member.value)
    if isinstance(member, Kind) and member.type == "str":
        return member, False
    if isinstance(member, ShapeOf):
        return member.axis(None) if member.origin else member.named((ELEMENT, place)), False
    if isinstance(member, Symbolic):
        return (lambda: _some_element(i, member, place)), False
    if isinstance(member, Ref):
        kind = container(i, member)
        if kind in ("list", "set"):
            content = i.heap.get(member.oid, ITEMS) or Unknown("list")
            every = options(content)
            parts = [part for part in every if not isinstance(part.member, Tuple) or part.member.items != ()] or every
            found_elements = [(*elements(i, part.member, place, frame), part.guard) for part in parts]
            values = [(value, guard) for value, _, guard in found_elements if not callable(value)]
            certain = len(parts) == len(every) and all(certain for _, certain, _ in found_elements)
            return guarded(values) if values else Unknown("list"), certain
        if kind == "dict":
            return join(_dict_parts(i, member.oid)[0] or [Unknown("dict")]), False
        held = i.heap.get(member.oid, STORED)
        kinds = frozenset(("str",)) if held == Kind("str", "open") else dtypes.kinds_of_number(i, member) if held is not None else None
        if kinds:
            return (lambda: i.symbolic(place, "item", kinds=kinds, source="item")), False
        if held is not None:
            i.operations.read(i, member.oid, STORED, held, place, frame)
            return held, False
    if isinstance(member, Unknown):
        return member, False
    return (lambda: _unseen_element(i, member, place)), False


def _dict_parts(i: Interpreter, oid: int) -> tuple[list[Value], list[Value]]:
    """All keys and all values that a dict may hold."""
    keys: list[Value] = []
    values: list[Value] = []
    for key, value in i.heap.entries(oid):
        keys.append(key)
        values.extend(m for m in members(value) if not isinstance(m, Unbound))
    rest = i.heap.get(oid, ("#", "rest"))
    if rest is not None and not isinstance(rest, Unbound):
        values.append(rest)
        keys.append(i.heap.get(oid, ("#", "restkey")) or Unknown("key"))
    return keys, values


def range_element(member: RangeObject) -> tuple[Value, bool]:
    """The numbers of a range."""
    start, stop, step = member.start, member.stop, member.step
    if not isinstance(step, Const) or not isinstance(step.value, int):
        return Kind("int", "varying"), False
    low, high = (hull(start) or (None, None))[0], (hull(stop) or (None, None))[1]
    stride = step.value
    numbers = constant_range(member)
    if numbers is not None:
        if not numbers:
            return start, False
        return Range(min(numbers[0], numbers[-1]), max(numbers[0], numbers[-1]), abs(stride)), True
    if stride > 0:
        return Range(low, None if high is None else high - 1, stride if isinstance(start, Const) else 1), False
    last, high = (hull(stop) or (None, None))[0], (hull(start) or (None, None))[1]
    low = None if last is None else last + 1
    return Range(low, high if low is None or high is None else max(low, high), 1), False


def first_and_later(member: RangeObject) -> tuple[Value, Value] | None:
    """The first number of a range, if it has one, and those behind it; None where the first is not known, or nothing may be behind it."""
    match member.start, member.step:
        case Const(value=int(start)), Const(value=int(step)) if step:
            behind = RangeObject(Const(start + step), member.stop, member.step)
        case _:
            return None
    numbers = constant_range(behind)
    if numbers is None:
        later, _ = range_element(behind)
        nothing = isinstance(later, Range) and later.low is not None and later.high is not None and later.low > later.high
        return None if nothing else (member.start, later)
    return (member.start, Range(min(numbers[0], numbers[-1]), max(numbers[0], numbers[-1]), abs(step))) if len(numbers) > 1 else None


def view_element(i: Interpreter, kind: str, target: Value, place: Place) -> Value:
    """What each element of `.items()`, `.values()`, `.keys()` of a dict may be."""
    keys: list[Value] = []
    values: list[Value] = []
    for member in members(target):
        if isinstance(member, Ref):
            found = _dict_parts(i, member.oid)
            keys.extend(found[0])
            values.extend(found[1])
        else:
            keys.append(i.symbolic(place, "key"))
            values.append(i.symbolic(place, "value"))
    key, value = (join(parts) if parts else Unknown("empty dict") for parts in (keys, values))
    return key if kind == "keys" else value if kind == "values" else Tuple((key, value))


def append(i: Interpreter, oid: int, value: Value) -> None:
    """Put a value at the end of a list's content: one more of so many as something else decides."""
    content = i.heap.get(oid, ITEMS) or Tuple(())
    i.heap.set(oid, ITEMS, extended(content, value, lambda longer: _as_rounds(i, longer)))


def collect(i: Interpreter, oid: int, value: Value) -> None:
    """Put a value at the end of a list that nobody sees before it is complete: in a fixpoint it is at once what the rounds lead to, of any length."""
    content = i.heap.get(oid, ITEMS)
    step = i.context.step
    if isinstance(content, Tuple) and isinstance(step, tuple) and step[-1] == "rest":
        i.heap.set(oid, ITEMS, _as_rounds(i, Tuple(None, join([*content.parts, value]), least=content.shortest)))
    else:
        append(i, oid, value)


def _as_rounds(i: Interpreter, longer: Tuple) -> Tuple:
    """A list that is as long as a loop has rounds. If that is up to what nobody in sight gives, so is its length; else nothing is known of it, but over
    which loops it varies."""
    step: Context | None = i.context
    while step is not None and not is_round(step.step):
        step = step.parent
    given = step is not None and step.step[0] in i.ledger.of(Ends).given  # type: ignore[index]
    loops = i.ledger.of(Ends).rounds.get(step.loop) if step is not None else None
    return Tuple(
        None,
        longer.element,
        least=longer.least if given else None,
        given="part" if given and longer.least is not None else "",
        loops=loops or frozenset(),
    )


def extended(content: Value, value: Value, uncounted: Callable[[Tuple], Tuple] | None = None) -> Value:
    """A list's content with one more at its end. `uncounted`: what is known of it where it is not the program that makes it longer, but what it
    iterates over."""
    found: list[Option] = []
    for option in content.options if isinstance(content, Union) else (Option(content),):
        member = option.member
        if isinstance(member, Tuple) and member.items is not None and len(member.items) < MAX_ITEMS:
            member = Tuple((*member.items, value))
        elif isinstance(member, Tuple):
            least = None if member.shortest is None else member.shortest + 1
            given: Given = "part" if member.given else ""
            member = Tuple(
                None, join([*member.parts, value]), None, least, given=given, loops=member.loops, front=member.beginning[:MAX_FRONT]
            )
            member = member if uncounted is None else uncounted(member)
        found.append(Option(member, option.guard))
    return of(found)
