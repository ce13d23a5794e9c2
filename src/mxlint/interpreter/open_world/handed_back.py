"""State that a function is given and gives back, as in `state = step(state, x)`: its caller hands back what it was given.

Numbers in such state go on from call to call, as attributes of an object do. It is recognised by its class: an argument is an object of a class of the program, and
so is the result or an item of it, with other contents. Or the function changes the numbers of the argument itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from mxlint.domain.arrays import Array
from mxlint.domain.heap import Location
from mxlint.domain.join import join
from mxlint.domain.members import Const, Ref, Tuple, Value, members, scalar_type
from mxlint.domain.place import Place
from mxlint.interpreter.loops.fixpoint import repeat
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.objects.lookup import CLASS


class Way(NamedTuple):
    """From a call to the next one: the number of an argument, and where its next value lies: in an item of the result, in the result itself (None), or in
    the argument, which the function has changed (ITSELF)."""

    argument: int
    item: int | None


ITSELF: Final = -1


def ways(i: Interpreter, given: Sequence[Value], first: int, result: Value, mark: int) -> tuple[Way, ...]:
    """What a call gives back of what it was given, from its argument number `first` on. `mark`: of the state in which it began."""
    found: list[Way] = []
    for number, value in enumerate(given[first:], first):
        cls = _class(i, value)
        if cls is not None:
            of_class = [(item, part) for item, part in (*_parts(result), (ITSELF, value)) if _class(i, part) == cls]
            found += [
                Way(number, item) for item, part in of_class if _goes_on(i, value, part, mark) and (item == ITSELF or _has_array(i, part))
            ][:1]
    return tuple(found)


def go_on(i: Interpreter, found: Sequence[Way], args: Arguments, call: Callable[[Arguments], Value], place: Place) -> None:
    """Call again and again, each time with what the last call gave back."""
    box = i.allocate("dict", None, place, "handed back")
    for way in found:
        i.heap.set(box, ("k", Const(way.argument)), args.args[way.argument])

    def once() -> None:
        held = {way.argument: i.heap.get(box, ("k", Const(way.argument))) or args.args[way.argument] for way in found}
        given = tuple(held.get(number, value) for number, value in enumerate(args.args))
        again = Arguments(given, args.keywords, args.star, args.kwstar, args.places, args.keyword_places)
        again.is_given = args.is_given
        result = call(again)
        for way in found:
            cls = _class(i, args.args[way.argument])
            back = [part for item, part in _parts(result) if item == way.item and _class(i, part) == cls]
            if back:
                i.heap.set(box, ("k", Const(way.argument)), join(back))

    repeat(i, place, once, certain=True, turns=())


def _parts(result: Value) -> Iterator[tuple[int | None, Value]]:
    """A result, and its items, each with its number."""
    yield None, result
    for member in members(result):
        if isinstance(member, Tuple) and member.cls is None:
            yield from enumerate(member.items or ())


def _class(i: Interpreter, value: Value) -> int | None:
    """The class of the program whose object a value is, whichever of several it is."""
    found = {_class_of(i, member) for member in members(value)}
    return found.pop() if len(found) == 1 else None


def _class_of(i: Interpreter, member: Value) -> int | None:
    if isinstance(member, Tuple):
        return member.cls
    cls = i.heap.get(member.oid, CLASS) if isinstance(member, Ref) and i.info(member.oid).kind == "instance" else None
    return cls.oid if isinstance(cls, Ref) else None


def _has_array(i: Interpreter, value: Value) -> bool:
    """Whether an object holds an array: else it may be settings, of which others are made for other purposes."""
    return any(isinstance(member, Array) for held in _fields(i, value, None).values() for member in members(held))


def _goes_on(i: Interpreter, given: Value, back: Value, mark: int) -> bool:
    """Whether a number or array in what is given back is another one than in what was given."""
    before, after = _fields(i, given, mark), _fields(i, back, None)
    return any(_differs(before.get(field), value) for field, value in after.items())


def _fields(i: Interpreter, value: Value, mark: int | None) -> dict[object, Value]:
    """What the fields of an object, or the items of a named tuple, hold; where a mark is given, what they held there."""
    found: dict[object, Value] = {}
    for member in members(value):
        if isinstance(member, Tuple):
            found.update(enumerate(member.items or ()))
        elif isinstance(member, Ref):
            held = {field: value for field, value in i.heap.fields(member.oid).items() if isinstance(field, str)}
            earlier: Mapping[Location, Any] = i.heap.held_before(mark, [(member.oid, field) for field in held]) if mark is not None else {}
            found.update({field: earlier.get((member.oid, field)) or value for field, value in held.items()})
    return found


def _differs(before: Value | None, after: Value) -> bool:
    """Whether there is another number, or an array whose shape is not surely the same."""
    if before is None or before == after:
        return False
    if any(scalar_type(member) in ("int", "float") for member in members(after)):
        return True
    arrays = [member for value in (before, after) for member in members(value) if isinstance(member, Array)]
    return any(array.shape is None or array.shape != arrays[0].shape for array in arrays)
