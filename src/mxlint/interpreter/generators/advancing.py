"""`next()`: the next element of an iterator, and one element of any value.

The state in which there is none arrives at a target: a default, or the handler of StopIteration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.join import bound, filtered, hull, join
from mxlint.domain.members import NONE, TRUE, UNBOUND, Const, Member, Range, RangeObject, Ref, Symbolic, Tuple, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.containers.counting import whole_number
from mxlint.interpreter.containers.elements import (
    elements,
    iterator_item,
    iterator_items,
    known_items,
    move_parts,
    position_of,
    view_element,
)
from mxlint.interpreter.expressions.operators import binary
from mxlint.interpreter.generators.iterators import ENDLESS, POSITION, RETURNED, parts_of
from mxlint.interpreter.generators.stepping import can_step, step
from mxlint.interpreter.generators.yielding import as_iterator
from mxlint.interpreter.loops.ends import Ends
from mxlint.interpreter.loops.taking import taken
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.exceptions import answered, throw_named
from mxlint.interpreter.machine.frames import Context, Frame, Given, is_round
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.machine.paths import Condition, Path
from mxlint.interpreter.machine.targets import Target
from mxlint.interpreter.objects.lookup import container, special


def element_of(i: Interpreter, value: Value, place: Place, frame: Frame) -> Value:
    """What any one element of an iterable may be, without running a loop."""
    found: list[Value] = []
    for member in members(value):
        aspects.iterated(i, member, place, frame)
        items = known_items(i, member)
        if items:
            found.append(join(items))
        elif isinstance(member, Ref) and i.info(member.oid).kind == "iterator":
            found.append(_iterator_element(i, member, place, frame))
        elif isinstance(member, Ref) and i.info(member.oid).kind == "generator":
            found.append(element_of(i, as_iterator(i, member, place, frame), place, frame))
        elif isinstance(member, Array):
            found.append(i.operations.array(i, "mlx.core.array.__iter__", (member,), place, frame))
        else:
            element, _ = elements(i, member, place, frame)
            found.append(element() if callable(element) else element)
    return join(found) if found else Unknown("element")


def opened(i: Interpreter, value: Value, place: Place, frame: Frame) -> Value:
    """What takes the elements of an iterable one at a time goes over: of an object of the program what its `__iter__` gives."""
    value = i.live(value)
    if not isinstance(value, Ref) or i.info(value.oid).kind != "instance" or container(i, value, "__iter__"):
        return value
    method = special(i, value, "__iter__", place, frame)
    made = i.call(method, Arguments(), place, frame) if method is not None else value
    iterates = isinstance(made, Ref) and i.info(made.oid).kind in ("generator", "iterator")
    return made if iterates or stepping(i, made, place, frame) is not None else value


def stepping(i: Interpreter, value: Value, place: Place, frame: Frame) -> Ref | None:
    """A value that is one generator which runs from yield to yield, or one object of the program with a `__next__`."""
    if not isinstance(value, Ref):
        return None
    kind = i.info(value.oid).kind
    steps = can_step(i, value) if kind == "generator" else kind == "instance" and special(i, value, "__next__", place, frame) is not None
    return value if steps else None


def taking(i: Interpreter, value: Value, place: Place, frame: Frame) -> Ref | None:
    """A value of which each element is asked for in its turn: one that steps, or `islice` of such."""
    if isinstance(value, Ref) and i.info(value.oid).kind == "iterator" and i.info(value.oid).payload == "some":
        return value if stepping(i, parts_of(i, value)[0], place, frame) is not None else None
    return stepping(i, value, place, frame)


def _iterator_element(i: Interpreter, ref: Ref, place: Place, frame: Frame) -> Value:
    kind, parts = i.info(ref.oid).payload, parts_of(i, ref)
    if kind == "enumerate":
        return Tuple((Range(0, None), element_of(i, parts[0], place, frame)))
    if kind == "zip":
        return Tuple(tuple(element_of(i, part, place, frame) for part in parts))
    if kind == "map":
        given = tuple(element_of(i, part, place, frame) for part in parts[1:])
        return i.call(parts[0], Arguments(given, places=(place,) * len(given)), place, frame)
    if kind in ("items", "values", "keys"):
        return view_element(i, kind, parts[0], place)
    if kind == "calls":
        return i.call(parts[0], Arguments(), place, frame)
    if kind == "count":
        return binary(i, "+", parts[0], binary(i, "*", Range(0, None), parts[1], place, frame), place, frame)
    if not parts:
        return UNBOUND  # it goes over nothing
    return element_of(i, parts[0] if kind == "some" else parts[-1], place, frame)


def next_item(i: Interpreter, value: Value, default: Value | None, place: Place, frame: Frame) -> Value:
    """`next(value, default)`."""

    def of_member(member: Member) -> Value:
        if isinstance(member, Ref) and i.info(member.oid).kind in ("generator", "iterator") and i.info(member.oid).payload != ENDLESS:
            if i.trace is None:
                i.operations.read(i, member.oid, POSITION, NONE, place, frame)
            i.operations.written(i, member.oid, POSITION, NONE, place, frame)
        if isinstance(member, Ref) and i.info(member.oid).kind == "generator" and can_step(i, member):
            return stepped(i, member, Given(), default, place)
        if isinstance(member, Ref) and i.info(member.oid).kind == "generator":
            made = as_iterator(i, member, place, frame)
            returned = bound(i.heap.get(member.oid, RETURNED) or UNBOUND)
            return next_of_iterator(i, made, default, place, frame, returned)
        if isinstance(member, Ref) and i.info(member.oid).kind == "iterator":
            return next_of_iterator(i, member, default, place, frame)
        if isinstance(member, Ref) and special(i, member, "__next__", place, frame) is not None:
            return _next_of_instance(i, member, default, place, frame)
        i.may_raise()
        if isinstance(member, Unknown):
            return member
        return i.symbolic(place, "next")

    return i.split(value, of_member)


def stepped(i: Interpreter, ref: Ref, given: Given, default: Value | None, place: Place) -> Value:
    """What a generator gives at its next yield, with what is sent or thrown to the one that it stands at."""
    after = Target(i.heap.mark())
    with i.leaving() as ended:
        i.reach(after, step(i, ref, given, ended, place))
    return _either(i, after, ended, default, place)


def next_or(i: Interpreter, value: Member, given: Given, ended: Target, place: Place, frame: Frame) -> Value:
    """The next element of an iterator, to which something is sent or thrown; a state in which there is none arrives at `ended`."""
    if isinstance(value, Ref) and i.info(value.oid).kind == "generator" and can_step(i, value):
        return step(i, value, given, ended, place)
    if given.thrown is not None:
        i.throw(given.thrown)
    base = i.path
    element: Value | None = None
    with i.trying() as raised:
        element = next_item(i, value, None, place, frame)
    here, path = i.heap.cut(raised.mark), i.path
    i.path = base
    answered(i, raised, "builtins.StopIteration", lambda: i.reach(ended, NONE))
    if element is None:
        raise Halt
    i.heap.apply(here)
    i.path = path
    return element


def _next_of_instance(i: Interpreter, ref: Ref, default: Value | None, place: Place, frame: Frame) -> Value:
    if default is None:
        method = special(i, ref, "__next__", place, frame)
        return i.call(method or Unknown("next"), Arguments(), place, frame)
    with i.leaving() as ends:
        i.reach(ends, call_next(i, ref, ends, default, place, frame))
    return i.arrive(ends)


def exhausted(i: Interpreter, default: Value | None, place: Place, returned: Value | None = None) -> Value:
    """What an iterator without another element gives: the default, or StopIteration with what its generator `returned`."""
    if default is not None:
        return default
    throw_named(i, "builtins.StopIteration", place, returned if returned != NONE else None)


def next_of_iterator(i: Interpreter, ref: Ref, default: Value | None, place: Place, frame: Frame, returned: Value | None = None) -> Value:
    """The next element of an iterator. `returned`: what the generator returned whose elements these are."""
    kind, parts = i.info(ref.oid).payload, parts_of(i, ref)
    if kind == "calls":
        return _next_call(i, ref, default, place, frame)
    if kind == ENDLESS:
        return _iterator_element(i, ref, place, frame)
    number = i.heap.get(ref.oid, POSITION) or Const(0)
    if kind == "count":
        i.heap.set(ref.oid, POSITION, binary(i, "+", number, Const(1), place, frame))
        return binary(i, "+", parts[0], binary(i, "*", number, parts[1], place, frame), place, frame)
    if kind == "some" and (source := stepping(i, parts[0], place, frame)) is not None:
        before = _left_out(number, parts[1], parts[3])
        if before is not None:
            return _next_of_some(i, ref, source, before, default, place, frame)
    position = position_of(i, ref)
    aspects.advanced(i, ref, position, place, frame)
    if position is not None:
        items = iterator_items(i, ref)
        move_parts(i, ref, ends=items == ())
    else:
        i.heap.set(ref.oid, POSITION, Const(0))
        items = iterator_items(i, ref)
    i.heap.set(ref.oid, POSITION, binary(i, "+", number, Const(1), place, frame))
    if items is not None and position is not None:
        if items:
            if i.ledger.of(Ends).endless and not isinstance(parts[0], RangeObject) and not are_rows(i, items):
                _as_many_rounds(i)
            return items[0]
        return exhausted(i, default, place, returned)
    item = iterator_item(i, ref, position) if position is not None else None
    if item is not None:
        return item if item is not UNBOUND else exhausted(i, default, place, returned)
    element = join(items) if items else _iterator_element(i, ref, place, frame)
    if items is not None and isinstance(number, Range) and number.low is not None and number.low < len(items):
        element = join(items[number.low :])
    element = taken(i, element, place, number)
    if isinstance(number, Symbolic) and (count := whole_number(i, ref)) is not None:  # a round is asked under what the iterator ends
        left = i.truth(binary(i, "<", number, Const(count), place, frame), place, frame)
        return i.choose(left, place, lambda: element, lambda: exhausted(i, default, place, returned))
    return i.fork(
        [
            ((Condition("varying", place, None),), lambda: element),
            ((Condition("varying", place, None),), lambda: exhausted(i, default, place, returned)),
        ]
    )


MAX_LEFT_OUT: Final = 8
"""Elements before one that `islice` takes which are asked for one by one."""


def _left_out(number: Value, start: Value, step: Value) -> int | None:
    """How many elements `islice` leaves out before it takes its next one, of which it has taken a number; None if that is not known, or too many."""
    first = number == Const(0)
    bound, (least, _) = (start if first else step), hull(number) or (None, None)
    if not isinstance(bound, Const) or type(bound.value) is not int or not first and (least is None or least < 1):
        return None
    before = bound.value if first else bound.value - 1
    return before if before <= MAX_LEFT_OUT else None


def _next_of_some(i: Interpreter, ref: Ref, source: Ref, before: int, default: Value | None, place: Place, frame: Frame) -> Value:
    """The next element of `islice` of a generator or an object: that is asked where not as many were taken as there are to be. `before`: how many are
    left out before it."""
    _, start, stop, step = parts_of(i, ref)
    number = i.heap.get(ref.oid, POSITION) or Const(0)

    def take() -> Value:
        i.heap.set(ref.oid, POSITION, binary(i, "+", number, Const(1), place, frame))
        for left_out in range(before):
            with i.within((place, ("left out", left_out))):
                next_item(i, source, None, place, frame)
        return next_item(i, source, default, place, frame)

    at = binary(i, "+", start, binary(i, "*", number, step, place, frame), place, frame)
    left = TRUE if stop == NONE else binary(i, "<", at, stop, place, frame)
    return i.choose(i.truth(left, place, frame), place, take, lambda: exhausted(i, default, place))


def are_rows(i: Interpreter, items: Sequence[Value]) -> bool:
    """Whether items are lists of numbers or strings, not all of one length: data that is written out stands for data that is read."""
    contents = [i.heap.get(item.oid, ITEMS) for item in items if isinstance(item, Ref) and i.info(item.oid).kind == "list"]
    rows = [content.items for content in contents if isinstance(content, Tuple) and content.items is not None]
    return len({len(row) for row in rows}) > 1 and all(isinstance(value, Const) for row in rows for value in row)


def _as_many_rounds(i: Interpreter) -> None:
    """A loop that only a `break` ends takes the next of things that are known one by one: it has as many rounds."""
    step: Context | None = i.context
    while step is not None and not is_round(step.step):
        step = step.parent
    if step is not None and step.step[0] in i.ledger.of(Ends).endless:  # type: ignore[index]
        i.ledger.of(Ends).finite.add(step.step[0])  # type: ignore[index]


def _next_call(i: Interpreter, ref: Ref, default: Value | None, place: Place, frame: Frame) -> Value:
    after = Target(i.heap.mark())
    with i.leaving() as ends:
        i.reach(after, called_once(i, ref, ends, NONE, place, frame))
    return _either(i, after, ends, default, place)


def _either(i: Interpreter, after: Target, ends: Target, default: Value | None, place: Place) -> Value:
    """The next element, where there is one, or what there is at the end."""
    alternatives: list[tuple[Path, Callable[[], Value]]] = []
    if after.arrived:
        alternatives.append(((), lambda: i.arrive(after)))
    if ends.arrived:
        alternatives.append(((), lambda: exhausted(i, default, place, i.arrive(ends))))
    return i.fork(alternatives)


def call_next(i: Interpreter, ref: Ref, ends: Target, default: Value, place: Place, frame: Frame, *, wait: bool = False) -> Value:
    """Call `__next__`; a state in which it raises StopIteration arrives at `ends`, with a value. `wait`: `__anext__`, and wait for what it gives."""
    method = special(i, ref, "__anext__" if wait else "__next__", place, frame)
    if method is None:
        throw_named(i, "builtins.TypeError", place)
    base = i.path
    value: Value | None = None
    with i.trying() as raised:
        value = i.call(method, Arguments(), place, frame)
        if wait:
            value = i.operations.external(i, "#await", Arguments((value,), places=(place,)), place, frame)
    here, path = i.heap.cut(raised.mark), i.path
    i.path = base
    answered(i, raised, "builtins.StopAsyncIteration" if wait else "builtins.StopIteration", lambda: i.reach(ends, default))
    if value is None:
        raise Halt
    i.heap.apply(here)
    i.path = path
    return value


def called_once(i: Interpreter, ref: Ref, ends: Target, default: Value, place: Place, frame: Frame) -> Value:
    """One element of `iter(function, sentinel)`; a state in which the function gave the sentinel arrives at `ends`."""
    function, sentinel = parts_of(i, ref)
    value = i.call(function, Arguments(), place, frame)

    def stop() -> Value:
        i.leave(ends, default)
        return NONE

    return i.choose(
        i.truth(binary(i, "==", value, sentinel, place, frame), place, frame), place, stop, lambda: _other_than(value, sentinel)
    )


def _other_than(value: Value, other: Value) -> Value:
    """The members of a value that are not a constant."""
    kept = filtered(value, lambda member: None if isinstance(other, Const) and member == other else member)
    return kept if kept is not None else value
