"""Unpacking: the parts of `a, *b, c = value`. One of too few or too many parts raises ValueError."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mxlint.domain.arrays import Array, ShapeOf
from mxlint.domain.guards import MAX_GUARD
from mxlint.domain.join import of
from mxlint.domain.members import NONE, Const, Member, Option, Ref, Symbolic, Tuple, Unknown, Value, members, options
from mxlint.domain.place import Place
from mxlint.interpreter.compiled.portions import counted, taken_out, used
from mxlint.interpreter.containers.builders import new_list
from mxlint.interpreter.containers.elements import known_items
from mxlint.interpreter.loops.iteration import listed
from mxlint.interpreter.loops.lengths import remade
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.mlx import losses
from mxlint.interpreter.open_world import given_dicts, given_stars, ranks


def unpack(
    i: Interpreter, value: Value, count: int, star: int | None, place: Place, frame: Frame, unread: frozenset[int] = frozenset()
) -> list[Value]:
    """The parts of `a, *b, c = value`: `count` targets, of which number `star` takes a list. `unread`: those that nothing reads."""
    i.place = place

    def one(member: Member) -> Value:
        if isinstance(member, ShapeOf):
            ranks.may_lack(i, member, "builtins.ValueError", place, frame)
            if star is None:
                return Tuple(ranks.unpacked(i, member, count))
            rest = member.sliced(star, star + 1 - count or None)
            return Tuple((*map(member.axis, range(star)), rest, *map(member.axis, range(star + 1 - count, 0))))
        content: Value = (
            _content(i, member, count, star, unread, place, frame) if not isinstance(member, (Symbolic, Unknown, Array)) else NONE
        )
        return i.split(
            content, lambda part: Tuple(tuple(_unpacked(i, member, part if isinstance(part, Tuple) else None, count, star, place, frame)))
        )

    parts = i.split(value, one)
    rows = [(option.guard, _row(option.member, count)) for option in options(parts)]
    return [
        of(Option(o.member, (*o.guard, *guard)[-MAX_GUARD:]) for guard, items in rows for o in options(items[number]))
        for number in range(count)
    ]


def _content(i: Interpreter, member: Member, count: int, star: int | None, unread: frozenset[int], place: Place, frame: Frame) -> Tuple:
    """The elements of what is unpacked. Of a list and a tuple each item is read by itself: one that is not used decides nothing."""
    if isinstance(member, Tuple):
        if member.items is None and star == count - 1 and star in unread and len(member.front) >= star:
            return Tuple(tuple(_taken(i, Tuple(member.front[:star], sources=member.sources), count, star, unread, place, frame)))
        if member.items is None:
            return listed(i, next(iter(members(used(i, member, frame)))), place, frame)
        number = len(member.items)
        least = count if star is None else count - 1
        if star is None or number < least or star not in unread:
            counted(i, member, place, frame)
        if number < least or star is None and number > count:
            return Tuple(member.items)
        return Tuple(tuple(_taken(i, member, count, star, unread, place, frame)))
    items = known_items(i, member) if isinstance(member, Ref) and i.info(member.oid).kind == "list" else None
    if items is None:
        return listed(i, member, place, frame)
    assert isinstance(member, Ref)
    for number, item in enumerate(items):
        if _target(number, len(items), count, star) in unread:
            continue
        i.operations.read(i, member.oid, ("item", number), item, place, frame)
    return Tuple(items)


def _taken(
    i: Interpreter, owner: Tuple, count: int, star: int | None, unread: frozenset[int], place: Place, frame: Frame
) -> Iterator[Value]:
    """The items of a tuple; those are read which the targets take that are read themselves."""
    items = owner.items or ()
    for number, item in enumerate(items):
        target = _target(number, len(items), count, star)
        from_end = star is not None and target > star
        yield (
            item
            if target in unread
            else taken_out(i, owner, number - len(items) if from_end else number, item, place, frame, unpacked=True)
        )


def _target(number: int, length: int, count: int, star: int | None) -> int:
    """Which of `count` targets takes an item of so many."""
    if star is None or number < star:
        return number
    return max(star, number - length + count)


def _row(member: Member, count: int) -> Sequence[Value]:
    """The parts that were unpacked of one member; where several were widened, each may be any."""
    if isinstance(member, Tuple):
        return member.items if member.items is not None else (member.element or Unknown("unpacking"),) * count
    return (member,) * count


def _unpacked(
    i: Interpreter, member: Member, content: Tuple | None, count: int, star: int | None, place: Place, frame: Frame
) -> list[Value]:
    if content is not None and content.items is not None:
        items = content.items
        if star is None:
            if len(items) == count:
                return list(items)
        elif len(items) >= count - 1:
            after = count - 1 - star
            middle = items[star : len(items) - after]
            return [*items[:star], _rest(i, member, Tuple(middle), count, place), *items[len(items) - after :]]
        throw_named(i, "builtins.ValueError", place)
    if content is not None:
        i.may_raise("builtins.ValueError")
        element = content.element or Unknown("unpacking")
        each = [given_stars.item(i, element, number, place) if isinstance(element, Array) else element for number in range(count)]
        return [_rest(i, member, Tuple(None, element), count, place) if number == star else item for number, item in enumerate(each)]
    if isinstance(member, Array):
        if losses.may_be_tuple(i, member):
            return [losses.item(i, member, number, place) or member for number in range(count)]
        parts = [given_dicts.part(i, member, number, place) for number in range(count)]
        return [part or i.operations.array(i, "mlx.core.array.__iter__", (member,), place, frame) for part in parts]
    i.may_raise()
    if isinstance(member, Unknown):
        return [member] * count
    return [i.derived("unpacked", (member, Const(number)), None, place) for number in range(count)]


def _rest(i: Interpreter, member: Member, content: Tuple, count: int, place: Place) -> Ref:
    """The list that a star takes: all items but those of the other targets."""
    made = new_list(i, content, place, "star")
    if count > 1:
        remade(i, made.oid, (member,), shorter=True)
    return made
