"""What code may ask of a container as a whole: how long it is, whether anything is in it, whether one thing is, which keys it has, what comes first.

Each is a location of its own, whose value is computed from the contents. So a trace that has asked only whether a list is empty has not read its items.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import product
from math import isnan
from typing import Final, NamedTuple

from mxlint.domain.arrays import Array
from mxlint.domain.guards import Guard, Literal_
from mxlint.domain.heap import Field, Location
from mxlint.domain.join import join
from mxlint.domain.members import (
    COUNT,
    FALSE,
    NONE,
    TRUE,
    TRUTH,
    UNBOUND,
    Applied,
    Const,
    Kind,
    Member,
    Range,
    RangeObject,
    Ref,
    Spot,
    Step,
    Tuple,
    Unbound,
    Union,
    Unknown,
    Value,
    members,
    options,
    scalar_type,
)
from mxlint.domain.parts import each_part
from mxlint.domain.place import Place
from mxlint.interpreter.containers import answers, membership, open_entries, orders, unlisted
from mxlint.interpreter.containers.deques import bounded
from mxlint.interpreter.containers.elements import known_items, position_of
from mxlint.interpreter.expressions.arithmetic import COMPARISONS
from mxlint.interpreter.expressions.outcomes import outcome
from mxlint.interpreter.generators.iterators import POSITION, parts_of
from mxlint.interpreter.machine.core import Interpreter, guarded
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import (
    ANY,
    BY_CLASS,
    CONTENTS,
    COPIED,
    DISTINCT,
    INSTEAD,
    ITEMS,
    KEYS,
    OF,
    PART,
    REST,
    SAME,
    UNORDERED,
    unapplied,
)
from mxlint.interpreter.machine.locations import part as location_of
from mxlint.interpreter.machine.writing import Writes
from mxlint.interpreter.objects.lookup import by_class, container, fields_of, is_of_library
from mxlint.interpreter.open_world import given_contents
from mxlint.models.load import model

LENGTH: Final = unlisted.LENGTH
FILLED: Final = unlisted.FILLED
_IN: Final = unlisted.IN
ANSWER: Final = "answer"
_NTH: Final = "nth"
_THERE: Final = "there"
VIEWS: Final = ("keys", "values", "items")
"""Views of a dict, as kinds of iterators."""
CLASS: Final = "class"
"""Begins the location of whether an entry or attribute is of a class."""
_ASKED: Final = Kind("int", "open")
"""What a trace reads that asks a container of unknown length how many items it has, or whether one is there: what stands for that says if it changes."""
MAX_OPTIONAL: Final = 3
"""Keys of a dict that may be there or not, of which each combination is distinguished."""


def has(item: Member) -> Field:
    """The location of whether an item is in a list or set."""
    return (_IN, item)


def is_aspect(field: object) -> bool:
    """Whether a location is one of these."""
    return (
        field in (LENGTH, FILLED, KEYS, UNORDERED, DISTINCT)
        or isinstance(field, tuple)
        and field[0] in (_IN, ANSWER, _NTH, _THERE, CLASS, BY_CLASS)
    )


def is_asked_for(field: object) -> bool:
    """Whether a location is one of whether anything is in a container, or one thing is, or so many are."""
    return field == FILLED or isinstance(field, tuple) and (field[0] == _IN or is_test(field) and field[1] == LENGTH)


def is_test(field: object) -> bool:
    """Whether a location is what a comparison of a scalar gives, or its truth."""
    last = field[2][-1] if isinstance(field, tuple) and field[0] == PART else None
    return isinstance(last, Applied) and (last == TRUTH or last.op in COMPARISONS)


def known_length(i: Interpreter, oid: int) -> Value | None:
    """How many items a trace finds in a container that is older than itself and that it has not changed, if it reads that there and nowhere else; None
    where more is to be asked."""
    trace = i.trace
    if trace is None or i.info(oid).trace == trace.number or any(i.heap.get(oid, field) is not None for field in (OF, COPIED)):
        return None
    if _contents(i, oid) is None or any(written == oid for written, _ in trace.written):
        return None
    length = aspect(i, oid, LENGTH)
    return length if all(type(member) is Const for member in members(length)) else None


def is_of_all(field: object) -> bool:
    """Whether a location is one of what depends on each of the items of a list: how many they are, and what is made of all of them."""
    return field in (LENGTH, UNORDERED, DISTINCT) or isinstance(field, tuple) and field[0] == ANSWER


def aspect(i: Interpreter, oid: int, field: Field) -> Value:
    """What an aspect of a container is now."""
    if isinstance(field, tuple) and field[0] == CLASS:
        entry, cls = field[1]
        return i.operations.is_of_class(i, at(i, oid, entry) or UNBOUND, cls)
    if isinstance(field, tuple) and field[0] == BY_CLASS:
        return by_class(i, oid, field[1])
    contents = _contents(i, oid, ordered=_is_ordered(field))
    if contents is None and field in (UNORDERED, DISTINCT):
        return i.heap.get(oid, ITEMS) or Unknown("contents")
    if contents is None and _is_membership(field):
        return _is_in(i, oid, field[1])  # type: ignore[index]
    if contents is None and field == KEYS and (keys := open_entries.open_keys(i, oid)) is not None:
        return keys
    if contents is None:
        return _length(i, oid) if field == LENGTH else (_filled(i, oid) if field == FILLED else None) or Unknown("contents")
    if isinstance(field, tuple) and isinstance(field[1], answers.Question):
        asked, kind = field[1], container(i, Ref(oid))
        return guarded([(answers.answer(i, kind, asked, items), guard) for items, guard in contents])
    return guarded([(_of(i, oid, field)(items), guard) for items, guard in contents])


def _length(i: Interpreter, oid: int) -> Value:
    """How many items are in a list of unknown length: from the least number on, all of them."""
    content = i.heap.get(oid, ITEMS)
    found = [(_count(option.member), option.guard) for option in (options(content) if content is not None else ())]
    return bounded(i, oid, guarded(found) if found else Range(0, None))


def _count(member: Member) -> Value:
    """How many items the content of a list has, or a tuple."""
    if not isinstance(member, Tuple):
        return Range(0, None)
    return Range(member.least or 0, None) if member.items is None else Const(len(member.items))


def _filled(i: Interpreter, oid: int) -> Value | None:
    """Whether anything is in a list of unknown length: in one that has at least so many items there is; if it may have none, the program in sight brings
    about both. None if nobody says."""
    content = i.heap.get(oid, ITEMS)
    found: list[tuple[Value, Guard]] = []
    for option in options(content) if content is not None else ():
        member = option.member
        if not isinstance(member, Tuple) or member.items is None and (member.least is None or member.least == 0 and bool(member.given)):
            return None
        least = len(member.items) if member.items is not None else member.least
        found.append((TRUE if least else FALSE, option.guard))
        if member.items is None and not least:
            found.append((TRUE, option.guard))
    return guarded(found) if found else None


def _is_membership(field: Field) -> bool:
    """Whether an aspect is whether one thing is in a container."""
    return isinstance(field, tuple) and field[0] == _IN


def _is_in(i: Interpreter, oid: int, item: Member) -> Value:
    """Whether something is in a list or set whose items are not known one by one."""
    content = i.heap.get(oid, ITEMS)
    found = [(membership.among(i, item, o.member, _put_last(i, oid)), o.guard) for o in (options(content) if content is not None else ())]
    return guarded(found) if found else membership.UNDECIDED


def _is_ordered(field: Field) -> bool:
    """Whether an aspect depends on the order of items."""
    if not isinstance(field, tuple) or field in (LENGTH, FILLED, UNORDERED, DISTINCT) or field[0] == _IN:
        return False
    found = model(field[1].name) if isinstance(field[1], answers.Question) else None
    return found is None or not found.unordered


def given(i: Interpreter, ref: Ref) -> bool:
    """Whether what is in a container is up to what nobody in sight gives, as far as it is not known."""
    if container(i, ref) == "dict":
        held = [members(i.heap.get(ref.oid, field) or UNBOUND) for field in (("#", "restkey"), ("#", "rest"))]
        return all(found != (UNBOUND,) and not any(isinstance(member, Unknown) for member in found) for found in held)
    content = i.heap.get(ref.oid, ITEMS)
    return content is not None and any(isinstance(member, Tuple) and member.given for member in members(content))


def ask(i: Interpreter, oid: int, field: Field, place: Place, frame: Frame) -> None:
    """Note that an aspect of a container is asked for."""
    if i.trace is None:
        return
    owner, sources = i.heap.get(oid, OF), i.heap.get(oid, COPIED)
    for part in (*(() if owner is None else members(owner)), *(sources.parts if isinstance(sources, Tuple) else ())):
        if isinstance(part, Ref):
            ask(i, part.oid, field, place, frame)
    if owner is None and i.info(oid).trace != i.trace.number:
        content = i.heap.get(oid, ITEMS)
        if content is not None and _contents(i, oid) is None and not _is_answered(i, oid, field):
            if unlisted.is_unlisted(content) and (field in unlisted.READS or _is_membership(field)):
                i.operations.read(i, oid, field, content if field in (UNORDERED, DISTINCT) else _ASKED, place, frame)
            else:
                i.operations.read(i, oid, ITEMS, content, place, frame)
        else:
            i.operations.read(i, oid, field, aspect(i, oid, field), place, frame)
    elif owner is None and (field == LENGTH or is_asked_for(field)):
        i.trace.asked.setdefault((oid, field), aspect(i, oid, field))


def _is_answered(i: Interpreter, oid: int, field: Field) -> bool:
    """Whether an aspect of a list or set is known, though its items are not, one by one."""
    if field == FILLED:
        return isinstance(_filled(i, oid), Const)
    return _is_membership(field) and isinstance(aspect(i, oid, field), Const)


def ask_for_entries(i: Interpreter, oid: int, place: Place, frame: Frame) -> None:
    """Note that all entries of a dict are read."""
    sources = i.heap.get(oid, COPIED)
    for part in sources.parts if isinstance(sources, Tuple) else ():
        if isinstance(part, Ref):
            ask_for_entries(i, part.oid, place, frame)
    if i.trace is not None and (i.info(oid).trace != i.trace.number or i.heap.get(oid, OF) is not None):
        ask(i, oid, KEYS, place, frame)
        for field, value in list(i.heap.fields(oid).items()):
            if _is_entry(field):
                i.operations.read(i, oid, field, value, place, frame)
        rest = open_entries.any_value(i, oid)
        if rest is not None:
            i.operations.read(i, oid, REST, rest, place, frame)


def copied(i: Interpreter, oid: int, source: int) -> None:
    """Note that what a trace makes holds what another object holds: what is read of it is read there."""
    if i.trace is None or i.info(oid).trace != i.trace.number or oid == source:
        return
    known = i.heap.get(oid, COPIED)
    made_here = i.info(source).trace == i.trace.number and i.heap.get(source, OF) is None
    more = i.heap.get(source, COPIED) or Tuple(()) if made_here else Tuple((Ref(source),))
    parts = (*(known.parts if isinstance(known, Tuple) else ()), *(more.parts if isinstance(more, Tuple) else ()))
    i.heap.set(oid, COPIED, Tuple(tuple(dict.fromkeys(parts))))


def original(i: Interpreter, oid: int, field: Field) -> Iterator[tuple[int, Field, Value | None]]:
    """Where a trace reads what it reads of a copy that it made, and of a dict that is the attributes of an object: in the objects that were copied, up
    to the one that what lies in the copy comes from."""
    owner = i.heap.get(oid, OF)
    for part in members(owner) if owner is not None else ():
        name = field[1] if isinstance(field, tuple) and field[0] == "k" else None
        if isinstance(part, Ref) and (name is None or isinstance(name, Const) and isinstance(name.value, str)):
            where = field if name is None else str(name.value)
            yield part.oid, where, at(i, part.oid, where)
    sources = i.heap.get(oid, COPIED)
    for source in reversed(sources.parts) if isinstance(sources, Tuple) else ():
        if isinstance(source, Ref):
            held = at(i, source.oid, field)
            if held is None or isinstance(held, Unbound):
                yield source.oid, field, None
                continue
            if _comes_from(i, at(i, oid, field), held):
                yield source.oid, field, held
            return


def at(i: Interpreter, oid: int, field: Field) -> Value | None:
    """What lies at a location now; ("item", n) is an item of a list."""
    if is_aspect(field):
        return aspect(i, oid, field)
    if isinstance(field, tuple) and field[0] == PART:
        held = at(i, oid, field[1])
        return None if held is None else _along(i, oid, held, field[2])
    if isinstance(field, str) and (table := i.heap.get(oid, INSTEAD)) is not None:
        return join([_entry_of(i, member.oid, field) for member in members(table) if isinstance(member, Ref)])
    if not (isinstance(field, tuple) and field[0] == "item"):
        return open_entries.any_value(i, oid) if field == REST else open_entries.lies(i, oid, field)
    content = i.heap.get(oid, ITEMS)
    found: list[Value] = []
    for part in members(content) if content is not None else ():
        if not isinstance(part, Tuple):
            return Unknown("list")
        if part.items is None:
            found.append(part.element or UNBOUND)
        else:
            found.append(part.items[field[1]] if -len(part.items) <= field[1] < len(part.items) else UNBOUND)
    return join(found)


def _entry_of(i: Interpreter, table: int, name: str) -> Value:
    """What lies in a dict under a name; UNBOUND if nothing does."""
    owner = i.heap.get(table, OF)
    held = (
        at(i, owner.oid, name)
        if isinstance(owner, Ref) and i.heap.get(owner.oid, INSTEAD) is None
        else i.heap.get(table, ("k", Const(name)))
    )
    rest = i.heap.get(table, REST)
    return held if held is not None else UNBOUND if rest is None else join((UNBOUND, rest))


def value_at(i: Interpreter, spot: Spot) -> Value:
    """What the program found at a spot."""
    return _along(i, spot.oid, spot.found, spot.path)


def made(i: Interpreter, location: Location, scalar: Value) -> Value:
    """What operators make at a location of another scalar than the one that lies there."""
    oid, field = location
    return _along(i, oid, scalar, field[2][len(unapplied(field[2])) :]) if isinstance(field, tuple) and field[0] == PART else scalar


def _along(i: Interpreter, oid: int, value: Value, path: tuple[Step, ...]) -> Value:
    """What lies at the end of a way through a tuple, and through operators. Of each step all that it may come to is joined before the next one: so many
    values of one operand would otherwise meet each of the next."""
    for number, step in enumerate(path):
        value = guarded([
            (o.member if number and isinstance(o.member, Unbound) else _step(i, oid, o.member, step), o.guard) for o in options(value)
        ])  # fmt: skip
    return value


def _step(i: Interpreter, oid: int, member: Member, step: Step) -> Value:
    if isinstance(member, Unknown):
        return member
    if isinstance(step, Applied):
        other = step.other
        if isinstance(other, Spot):
            lies = at(i, oid if other.oid == SAME else other.oid, location_of(other.field, other.path)) or UNBOUND
            return guarded([(outcome(step, member, one.member), one.guard) for one in options(lies)])
        return outcome(step, member, other)
    if step is None:
        return TRUE if member == NONE else FALSE
    if not isinstance(member, Tuple):
        return UNBOUND
    if step == COUNT:
        return _count(member)
    names = [name for name, _, _ in fields_of(i, Ref(member.cls))] if member.cls is not None else []
    number = step if isinstance(step, int) else names.index(step) if step in names else None
    if member.items is None and (number is None or not 0 <= number < len(member.front)):
        return UNBOUND if number is None else member.element or Unknown("item")
    held = member.beginning
    return UNBOUND if number is None or not -len(held) <= number < len(held) else held[number]


def _comes_from(i: Interpreter, copied: Value | None, source: Value) -> bool:
    """Whether a value is another one, or a copy of it."""
    if copied == source:
        return True
    if isinstance(copied, Tuple) and isinstance(source, Tuple) and copied.items is not None and source.items is not None:
        return len(copied.items) == len(source.items) and all(_comes_from(i, a, b) for a, b in zip(copied.items, source.items))
    made_of = i.heap.get(copied.oid, COPIED) if isinstance(copied, Ref) else None
    return isinstance(made_of, Tuple) and source in made_of.parts


def iterated(i: Interpreter, member: Member, place: Place, frame: Frame) -> None:
    """Note what an iteration over a container, or a view of a dict, reads of it."""
    given_contents.read(i, member, place, frame)
    if not isinstance(member, Ref):
        return
    if i.trace is None:
        if i.info(member.oid).kind in ("iterator", "generator"):
            i.operations.read(i, member.oid, POSITION, NONE, place, frame)
        return
    info, kind = i.info(member.oid), container(i, member)
    if kind in ("list", "set"):
        i.operations.read(i, member.oid, ITEMS, i.heap.get(member.oid, ITEMS) or Unknown("list"), place, frame)
    elif kind == "dict":
        ask(i, member.oid, KEYS, place, frame)
    elif info.kind == "iterator":
        for part in (inner for parts in parts_of(i, member) for inner in members(parts)):
            if info.payload in ("values", "items") and isinstance(part, Ref) and container(i, part) == "dict":
                ask_for_entries(i, part.oid, place, frame)
            else:
                iterated(i, part, place, frame)


class Walk(NamedTuple):
    """The containers that one iteration goes over, each with how, and those of which one is at its end when it ends."""

    over: tuple[tuple[Ref, str], ...] = ()
    ends: tuple[Ref, ...] = ()


def walk(i: Interpreter, value: Value) -> Walk | None:
    """What an iteration goes over; None if it reads something in another way than step by step."""
    if isinstance(value, (Tuple, Const, RangeObject)):
        return Walk()
    if not isinstance(value, Ref):
        return None
    if container(i, value, "__iter__") in ("list", "dict"):
        return Walk(((value, "iter"),), (value,))
    if i.info(value.oid).kind != "iterator":
        return None
    kind, parts = str(i.info(value.oid).payload), parts_of(i, value)
    if kind in VIEWS and isinstance(parts[0], Ref) and container(i, parts[0]) == "dict":
        return Walk(((parts[0], kind),), (parts[0],))
    if kind in ("iter", "enumerate"):
        return walk(i, parts[0])
    if kind != "zip":
        return None
    walks, items = [walk(i, part) for part in parts], [known_items(i, part) for part in parts if not isinstance(part, Union)]
    found = [(inner, len(row)) for inner, row in zip(walks, items) if inner is not None and row is not None]
    if len(found) < len(parts) or not parts:
        return None
    last = [inner.ends for inner, length in found if length == min(length for _, length in found)]
    over = tuple(pair for inner, _ in found for pair in inner.over)
    return Walk(over, tuple(ref for ends in last for ref in ends) if all(last) else ())


def steps(i: Interpreter, member: Value, place: Place, frame: Frame, later: Collection[int] = ()) -> Callable[[int | None], None] | None:
    """What notes what each step of an iteration reads, by its number, and (None) its end; None if it does not read step by step. `later`: containers
    whose items or entries are read later."""
    found = walk(i, member) if i.trace is not None else None
    start = position_of(i, member) if isinstance(member, Ref) and i.info(member.oid).kind == "iterator" else 0
    if found is None or not found.over or start is None:
        return None

    def step(number: int | None) -> None:
        if number is None:
            for ref in found.ends:
                ask(i, ref.oid, LENGTH, place, frame)
            return
        for ref, kind in found.over:
            _step_reads(i, ref, kind, start + number, place, frame, later=ref.oid in later)

    return step


def _step_reads(i: Interpreter, held: Ref, kind: str, number: int, place: Place, frame: Frame, *, later: bool) -> None:
    """Note what the step to an item of a list, or to an entry of a dict, reads. `later`: but for what it holds."""
    if container(i, held) == "list":
        if later:
            ask(i, held.oid, (_THERE, number), place, frame)
            return
        item = ("item", number)
        i.operations.read(i, held.oid, item, at(i, held.oid, item) or UNBOUND, place, frame)
        return
    key = (_NTH, number)
    ask(i, held.oid, key, place, frame)
    for entry in [("k", part) for part in members(aspect(i, held.oid, key))] if kind in ("values", "items") and not later else ():
        value = i.heap.get(held.oid, entry)
        if value is not None:
            i.operations.read(i, held.oid, entry, value, place, frame)


def advanced(i: Interpreter, iterator: Ref, position: int | None, place: Place, frame: Frame) -> None:
    """Note what a step of an iterator reads of the container that it goes over: the item or entry at a position, if that is known."""
    if i.trace is None:
        return
    step = steps(i, iterator, place, frame) if position is not None else None
    if step is not None:
        step(0)
    else:
        iterated(i, iterator, place, frame)


def answered(i: Interpreter, name: str, given: Sequence[Value], result: Value, place: Place, frame: Frame) -> None:
    """Note what a library reads of what it is given, and answers at once with `result`."""
    if i.trace is None:
        return
    asked = answers.question(i, name, given) if isinstance(result, Const) else None
    if asked is None or aspect(i, asked[0], (ANSWER, asked[1])) != result:
        whole(i, Tuple(tuple(given)), place, frame)
    else:
        ask(i, asked[0], (ANSWER, asked[1]), place, frame)


def whole(i: Interpreter, value: Tuple, place: Place, frame: Frame, *, ordered: bool = True) -> None:
    """Note that all that some values hold is read: the items and entries of containers, at any depth. `ordered`: False, if there is one container and its
    order does not count."""
    if i.trace is None:
        return
    seen: set[int] = set()
    todo: list[Value] = [value]
    held = [part for part in value.parts if not isinstance(part, Const)]
    if not ordered and len(held) == 1 and (items := unordered(i, held[0], place, frame)) is not None:
        todo = list(items.parts)
    while todo:
        for member in members(todo.pop()):
            if isinstance(member, Tuple):
                todo.extend(member.parts)
            elif isinstance(member, Ref) and member.oid not in seen and container(i, member):
                seen.add(member.oid)
                contents(i, member, place, frame)
                todo.extend(held for field, held in i.heap.fields(member.oid).items() if field == ITEMS or _is_entry(field))
            elif isinstance(member, Ref) and is_of_library(i, member):
                i.operations.read(i, member.oid, CONTENTS, i.heap.get(member.oid, CONTENTS) or NONE, place, frame)


def contents(i: Interpreter, member: Member, place: Place, frame: Frame) -> None:
    """Note that the items or entries of a container are read, and not what they hold themselves."""
    if isinstance(member, Ref) and container(i, member) == "dict":
        ask_for_entries(i, member.oid, place, frame)
    elif isinstance(member, Ref):
        iterated(i, member, place, frame)


def _are_alike_in_any_order(items: Sequence[Value], *, ranked: bool) -> bool:
    """Whether sums, extremes and sets of some items are the same in any order: numbers, texts and arrays. Objects have operators of their own, sums of
    lists are joined in order, of 1 and 1.0 the first is kept, and NaN is neither less nor greater."""
    found = [member for item in items for member in members(item)]
    if ranked:  # tuples are, part by part
        found = [part for member in found for part in each_part(member, Tuple) if not isinstance(part, Tuple) or part.items is None]
    if not all(scalar_type(member) is not None or isinstance(member, Array) for member in found):
        return False
    plain = [member.value for member in found if isinstance(member, Const)]
    return not any(isinstance(value, float) and isnan(value) for value in plain) and len(set(plain)) == len(
        {(type(value), repr(value)) for value in plain}
    )


def unordered(i: Interpreter, value: Value, place: Place, frame: Frame, field: Field = UNORDERED, *, ranked: bool = False) -> Tuple | None:
    """The elements of a container, or of a view of a dict, for who does not ask for their order, if they are known; that is noted. `field`: what is asked
    for of the items of a list or set; `ranked`: which is less than which."""
    if i.trace is None or not isinstance(value, Ref):
        return None
    items = known_items(i, value)
    held = Tuple(items) if items is not None else _unlisted(i, value)
    if held is not None and not _are_alike_in_any_order(held.parts, ranked=ranked):
        return None
    if held is not None and container(i, value, "__iter__") in ("list", "set"):
        if i.info(value.oid).trace == i.trace.number:
            return None
        ask(i, value.oid, field, place, frame)
        return held
    found = walk(i, value)
    if found is None or items is None or len(found.over) != 1:
        return None
    ((inside, kind),) = found.over
    if container(i, inside) != "dict":
        return None
    ask(i, inside.oid, UNORDERED, place, frame)
    for entry, lies in list(i.heap.fields(inside.oid).items()) if kind in ("values", "items") else ():
        if _is_entry(entry):
            i.operations.read(i, inside.oid, entry, lies, place, frame)
    return Tuple(items)


def _unlisted(i: Interpreter, value: Ref) -> Tuple | None:
    """What a list or set holds whose items are not known one by one; None of anything else."""
    content = i.live(i.heap.get(value.oid, ITEMS) or UNBOUND)
    if not unlisted.is_unlisted(content) or container(i, value, "__iter__") not in ("list", "set"):
        return None
    if isinstance(content, Tuple):
        return content
    found = [member for member in members(content) if isinstance(member, Tuple)]
    shortest = [member.shortest for member in found]
    least = None if None in shortest else min(number for number in shortest if number is not None)
    loops = frozenset[int]().union(*(member.loops for member in found if member.loops))
    return Tuple(
        None,
        join([part for member in found for part in member.parts]),
        least=least,
        given="part" if any(member.given for member in found) else "",
        loops=loops,
    )


def _is_entry(field: object) -> bool:
    return isinstance(field, tuple) and field[0] == "k"


def _contents(i: Interpreter, oid: int, *, ordered: bool = True) -> list[tuple[tuple[Value, ...], Guard]] | None:
    """The items or keys that a container may hold, or the names of the attributes of an object, each with its guard; None if they are not known."""
    if container(i, Ref(oid)) not in ("list", "set"):
        return _keys(i, oid)
    found: list[tuple[tuple[Value, ...], Guard]] = []
    content = i.heap.get(oid, ITEMS)
    for option in options(content) if content is not None else ():
        held = option.member if ordered else orders.before_all(i, oid, option.member)
        if not isinstance(held, Tuple) or held.items is None:
            return None
        found.append((held.items, option.guard))
    return found or None


def _keys(i: Interpreter, oid: int) -> list[tuple[tuple[Value, ...], Guard]] | None:
    rest = i.heap.get(oid, ("#", "rest"))
    if rest is not None and not isinstance(rest, Unbound):
        return None
    sure: list[Value] = []
    perhaps: list[tuple[tuple[tuple[Value, ...], Guard], tuple[tuple[Value, ...], Guard]]] = []
    attributes = container(i, Ref(oid)) != "dict"
    for field, value in i.heap.fields(oid).items():
        key = field[1] if _is_entry(field) else Const(field) if attributes and isinstance(field, str) else None  # type: ignore[index]
        if key is not None:
            there = [option for option in options(value) if not isinstance(option.member, Unbound)]
            absent = [option for option in options(value) if isinstance(option.member, Unbound)]
            if not absent:
                sure.append(key)
            elif there:
                perhaps.append(((((key,), there[0].guard)), ((), absent[0].guard)))
    if len(perhaps) > MAX_OPTIONAL:
        return None
    found = [
        ((*sure, *(key for keys, _ in chosen for key in keys)), tuple(dict.fromkeys(literal for _, guard in chosen for literal in guard)))
        for chosen in product(*perhaps)
    ]
    return [(keys, guard) for keys, guard in found if not any(Literal_(part.condition, not part.outcome) in guard for part in guard)]


def _of(i: Interpreter, oid: int, field: Field) -> Callable[[tuple[Value, ...]], Value]:
    if field == LENGTH:
        return lambda items: Const(len(items))
    if field == FILLED:
        return lambda items: TRUE if items else FALSE
    if field == KEYS:
        return Tuple
    if field == UNORDERED:
        return lambda items: Tuple(tuple(sorted(items, key=repr)))
    if field == DISTINCT:
        return lambda items: Tuple(tuple(sorted(set(items), key=repr)))
    asked = field[1]  # type: ignore[index]
    if field[0] == _THERE:  # type: ignore[index]
        return lambda items: TRUE if asked < len(items) else FALSE
    if field[0] == _NTH:  # type: ignore[index]
        return lambda items: items[asked] if asked < len(items) else UNBOUND
    return lambda items: membership.among(i, asked, Tuple(items), _put_last(i, oid))


def _put_last(i: Interpreter, oid: int) -> Place:
    """Where something was put last into a container."""
    last = i.ledger.of(Writes).last
    found = last.get((oid, ANY)) or last.get((oid, KEYS)) or i.info(oid).place or i.place
    assert found is not None
    return found
