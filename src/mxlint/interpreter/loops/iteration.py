"""Iterating over a value.

Everything that repeats goes through `iterate`: it hands each element to `consume`, unrolled where the elements are known one by one, else as a
loop whose state is widened until it is stable. A generator runs its body, and each `yield` is a call of `consume`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from mxlint.domain.arrays import Array, ShapeOf
from mxlint.domain.join import join
from mxlint.domain.members import (
    NONE,
    UNBOUND,
    Const,
    Kind,
    Length,
    Member,
    Range,
    RangeObject,
    Ref,
    Sourced,
    Symbolic,
    Tuple,
    Union,
    Unknown,
    Value,
    members,
)
from mxlint.domain.parts import referred
from mxlint.domain.place import Place
from mxlint.domain.widening import shared_front
from mxlint.interpreter.compiled.portions import counted, taken_out
from mxlint.interpreter.containers import aspects, rows
from mxlint.interpreter.containers.builders import any_number, as_many, new_list
from mxlint.interpreter.containers.counting import AS_LONG, number_of_rounds
from mxlint.interpreter.containers.elements import (
    MAX_UNROLLED,
    UNROLLED,
    append,
    elements,
    first_and_later,
    item_at,
    items_in_turn,
    known_items,
    move_parts,
    position_of,
    view_element,
)
from mxlint.interpreter.expressions.operators import binary
from mxlint.interpreter.generators.advancing import (
    are_rows,
    call_next,
    called_once,
    element_of,
    next_of_iterator,
    next_or,
    stepping,
    taking,
)
from mxlint.interpreter.generators.iterators import ENDLESS, ITERABLES, ITERATED, POSITION, new_iterator, parts_of
from mxlint.interpreter.generators.stepping import can_step
from mxlint.interpreter.libraries.measures import length_of_list
from mxlint.interpreter.loops import lengths, outcomes
from mxlint.interpreter.loops.ends import Ends
from mxlint.interpreter.loops.entrywise import Binding, by_name
from mxlint.interpreter.loops.fixpoint import repeat
from mxlint.interpreter.loops.lengths import as_long_as, held
from mxlint.interpreter.loops.taking import taken
from mxlint.interpreter.loops.trials import Turns
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame, Given
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.machine.operations import Consume
from mxlint.interpreter.machine.targets import Target
from mxlint.interpreter.objects.lookup import special

if TYPE_CHECKING:
    from mxlint.interpreter.compiled.traces import Trace


def iterate(i: Interpreter, value: Value, consume: Consume, place: Place, frame: Frame) -> None:
    """Hand each element of a value to `consume`. Raises `Halt` if no state comes to the end of it."""
    value = i.live(value)
    each = _iterate if i.trace is None else partial(_iterate_in_trace, i.trace)
    if not isinstance(value, Union):
        each(i, value, consume, place, frame)
        return

    def run(member: Member) -> Value:
        each(i, member, consume, place, frame)
        return NONE

    i.place = place
    i.split(value, run)


def _iterate_in_trace(trace: Trace, i: Interpreter, member: Member, consume: Consume, place: Place, frame: Frame) -> None:
    """Hand each element of a member to `consume` while a compiled function is traced: every round adds what it computes to the graph, and is counted."""
    if trace.loops[-1:] == [place]:  # an iterator hands on what it goes over
        _iterate(i, member, consume, place, frame)
        return
    before, fewest, left, kept = trace.operations, trace.fewest, states_left(i), len(trace.computed)
    of_rounds: list[int] = []
    least_of_rounds: list[int] = []
    alone = [True]

    def counted(value: Value) -> None:
        start, least, at = trace.operations, trace.fewest, _positions(i, member)
        consume(value)
        of_rounds.append(trace.operations - start)
        least_of_rounds.append(trace.fewest - least)
        if _positions(i, member) != at:
            alone.clear()  # the round has asked for more elements itself

    trace.loops.append(place)
    begun = number_of_rounds(i, member) if isinstance(member, Ref) and i.info(member.oid).kind == "iterator" else None
    each = Binding(consume.target, consume.frame, counted, consume.leaves) if isinstance(consume, Binding) else counted
    try:
        _iterate(i, member, each, place, frame)
    finally:
        trace.loops.pop()
    rounds = number_of_rounds(i, member) if begun is None else begun
    if rounds is not None and states_left(i) == left and (alone or rounds <= UNROLLED):
        # Several members of a value are several operations in the round that stands for many: the least is what each round surely makes. A round that
        # makes less than others, as one that is left early, takes nothing back of what they made.
        if rounds > UNROLLED:
            trace.operations = max(trace.operations, before + rounds * min(of_rounds, default=0))
            trace.fewest = fewest + rounds * min(least_of_rounds, default=0)
        i.mlx.looped(i, trace, rounds, trace.fewest - fewest, kept, place, frame)


def states_left(i: Interpreter) -> int:
    """How many states left blocks early so far, to where they arrive."""
    return sum(len(target.arrived) + target.overrun for target in i.targets)


def _positions(i: Interpreter, member: Member) -> tuple[Value | None, ...]:
    """Where an iterator stands, and those that it goes over."""
    if not isinstance(member, Ref) or i.info(member.oid).kind != "iterator":
        return ()
    inner = (at for part in parts_of(i, member) if isinstance(part, Ref) for at in _positions(i, part))
    return (i.heap.get(member.oid, POSITION), *inner)


def _iterate(i: Interpreter, member: Member, consume: Consume, place: Place, frame: Frame) -> None:
    if isinstance(member, Sourced):
        i.operations.used(i, member, frame)
    if isinstance(member, Array):
        _iterate_rows(i, member, consume, place, frame)
        return
    if i.trace is not None and isinstance(member, Ref) and (length := length_of_list(i, member)) is not None:
        i.operations.use(i, "index", length, "iteration", place, frame)
    items = items_in_turn(i, member) if isinstance(consume, Binding) and consume.leaves else known_items(i, member)
    one_by_one = items is not None and len(items) <= UNROLLED and i.unrolled * len(items) <= MAX_UNROLLED
    if isinstance(member, Tuple) and member.sources:
        if one_by_one:
            _part_by_part(i, member, consume, place, frame)
            return
        i.operations.used(i, member, frame)
    bind = by_name(i, member, consume, place, frame) if one_by_one else None
    step = aspects.steps(i, member, place, frame, bind.of if bind is not None else frozenset()) if one_by_one else None
    if step is None:
        aspects.iterated(i, member, place, frame)
    elif bind is not None:
        consume = bind.run
    if items is not None and one_by_one:
        moved = isinstance(member, Ref) and i.info(member.oid).kind == "iterator"
        counted = isinstance(member, RangeObject) or moved and not all(map(referred, items))  # what an iterator gives of numbers
        if not counted and not are_rows(i, items):
            i.ledger.of(Ends).finite.add(place)
        if isinstance(member, Ref) and moved:
            consume = _counting(i, member, consume)
        unroll(i, items, consume, place, step)
        if isinstance(member, Ref) and moved:
            move_parts(i, member, ends=True)
        return
    _note_given(i, member, place)
    if isinstance(member, Ref):
        handler = _OBJECTS.get(i.info(member.oid).kind)
        if handler is not None and handler(i, member, consume, place, frame):
            return
    if isinstance(member, (Const, Kind)) and not isinstance(member.value if isinstance(member, Const) else "", (str, bytes)):
        throw_named(i, "builtins.TypeError", place)
    element, certain = elements(i, member, place, frame)
    count = number_of_rounds(i, member)
    several = certain and (count or 0) > 1
    mark, left, loop = i.heap.mark(), states_left(i), (place, "rest")
    i.ledger.of(Ends).counts[i.context.inner(loop).loop] = count
    known = count is not None
    lengths.begins(i, loop, lengths.rounds_over(i, member), counted=known or isinstance(member, RangeObject))
    outcomes.begins(i, loop)
    others = outcomes.moved_by(i, member, counted=known) if i.trace is None else None
    apart: tuple[Callable[[], object], Callable[[], object]] | None = None
    if isinstance(member, RangeObject) and (turns := first_and_later(member)) is not None:
        first, later = turns
        apart = (lambda: consume(taken(i, first, place)), lambda: consume(taken(i, later, place)))
    each = lambda: consume(taken(i, element() if callable(element) else element, place))
    each_round = itertools.islice(_turns(member, items, consume) or itertools.repeat(each), count)
    repeat(i, place, each, certain=certain, several=several, apart=apart, turns=each_round)
    if states_left(i) == left:  # it ran to its end
        lengths.ended(i, mark, loop)
        outcomes.ended(i, mark, loop, others)


def _iterate_rows(i: Interpreter, array: Array, consume: Consume, place: Place, frame: Frame) -> None:
    """Iterate over an array: its rows one by one where they are known, else one that stands for each."""
    _note_given(i, array, place)
    each = rows.rows_of(i, array, place, frame)
    if each is not None and i.unrolled * len(each) <= MAX_UNROLLED:
        unroll(i, each, consume, place)
        return
    fewest, most = rows.number_of_rows(array)
    row = lambda: consume(rows.any_row(i, array, place, frame))
    one_each = itertools.islice(itertools.repeat(row), most if fewest == most else None)
    repeat(i, place, row, certain=fewest > 0, several=fewest > 1, turns=one_each)


def _note_given(i: Interpreter, member: Member, place: Place) -> None:
    """Note whether a loop has as many rounds as something that nobody in sight gives has elements."""
    places = i.ledger.of(Ends).given
    (places.add if _is_given(i, member) else places.discard)(place)


def _is_given(i: Interpreter, member: Value) -> bool:
    """Whether nobody in sight says how many elements an iterable has: an iterator has as many as what it goes over."""
    if isinstance(member, Array):
        fewest, most = rows.number_of_rows(member)
        return fewest != most
    if isinstance(member, RangeObject):
        return isinstance(member.stop, Symbolic) or isinstance(member.stop, Length) and member.stop.size.number is None
    if isinstance(member, Ref) and i.info(member.oid).kind == "iterator":
        kind = i.info(member.oid).payload
        over = parts_of(i, member)[ITERABLES[str(kind)]] if kind in AS_LONG else ()
        return bool(over) and all(_is_given(i, part) for part in over)
    return (
        isinstance(member, Symbolic)
        or isinstance(member, Tuple)
        and bool(member.given)
        or isinstance(member, Ref)
        and aspects.given(i, member)
    )


def _turns(member: Member, items: Sequence[Value] | None, consume: Consume) -> Turns:
    """The rounds over elements that are known one by one; none where they are not."""
    if items is not None:
        return [partial(consume, item) for item in items]
    bounds = (member.start, member.step) if isinstance(member, RangeObject) else ()
    start, step = (bound.value if isinstance(bound, Const) else None for bound in bounds) if bounds else (None, None)
    if not isinstance(start, int) or not isinstance(step, int):
        return ()
    return (partial(consume, Const(number)) for number in itertools.count(start, step))


def _part_by_part(i: Interpreter, owner: Tuple, consume: Consume, place: Place, frame: Frame) -> None:
    """A loop over a tuple that lies somewhere: each round reads its item there, and the end of it how many there are."""
    items = owner.items or ()
    left = iter(range(len(items)))
    unroll(i, items, lambda item: consume(taken_out(i, owner, next(left), item, place, frame)), place)
    counted(i, owner, place, frame)


def _counting(i: Interpreter, ref: Ref, consume: Consume) -> Consume:
    """The same consumer, which moves the iterator on before each element."""

    def counted(value: Value) -> None:
        move_parts(i, ref)
        position = i.heap.get(ref.oid, POSITION)
        i.heap.set(
            ref.oid,
            POSITION,
            Const(position.value + 1) if isinstance(position, Const) and isinstance(position.value, int) else Range(0, None),
        )
        consume(value)

    return counted


def unroll(
    i: Interpreter, items: Sequence[Value], consume: Consume, place: Place, step: Callable[[int | None], None] | None = None
) -> None:
    """One round for each item. `step`: what notes that one is asked for, and that there is no more."""
    i.ledger.of(Ends).counts[i.context.inner((place, "rest")).loop] = len(items)
    with i.unrolling(len(items)):
        for number, item in enumerate(items):
            if step is not None:
                step(number)
            with i.within((place, number)):
                consume(item)
        if step is not None:
            step(None)


def listed(i: Interpreter, value: Value, place: Place, frame: Frame) -> Tuple:
    """All elements of an iterable as a tuple, each at its place."""
    return collected(i, value, place, frame, items_in_turn)


def collected(
    i: Interpreter,
    value: Value,
    place: Place,
    frame: Frame,
    known: Callable[[Interpreter, Member], tuple[Value, ...] | None] = known_items,
) -> Tuple:
    """All elements of an iterable as a tuple, those of a set in one of the orders that they may have."""
    if isinstance(value, Union):
        found = [collected(i, member, place, frame, known) for member in members(value)]
        first = found[0]
        if all(part == first for part in found):
            return first
        parts = [p for t in found for p in (t.items if t.items is not None else (t.element,)) if p is not None]
        same = {len(t.items) if t.items is not None else None for t in found}
        if len(same) == 1 and None not in same:
            return Tuple(tuple(join(column) for column in zip(*(t.items or () for t in found))))
        return as_many(join(found), join(parts)).beginning_with(shared_front(found)) if parts else Tuple(())
    return _of_any_number(_of_each_number(i, value, place, frame, known))


def listed_each(i: Interpreter, value: Value, place: Place, frame: Frame) -> Value:
    """All elements of an iterable, each at its place: a tuple for each number of them, if something gives them one by one and these numbers are known."""
    if isinstance(value, Union):
        return listed(i, value, place, frame)
    content = _of_each_number(i, value, place, frame, items_in_turn)
    return content if all(isinstance(m, Tuple) and m.items is not None for m in members(content)) else _of_any_number(content)


def _of_any_number(content: Value) -> Tuple:
    """One tuple that stands for several."""
    if isinstance(content, Tuple):
        return content
    found = [m for m in members(content) if isinstance(m, Tuple)]
    parts = [p for t in found for p in (t.items if t.items is not None else (t.element,)) if p is not None]
    return as_many(content, join(parts)) if parts else Tuple(())


def _of_each_number(
    i: Interpreter, value: Member, place: Place, frame: Frame, known: Callable[[Interpreter, Member], tuple[Value, ...] | None]
) -> Value:
    items = known(i, value)
    if items is not None:
        aspects.iterated(i, value, place, frame)
        if isinstance(value, Ref) and i.info(value.oid).kind == "iterator":
            exhaust(i, value, len(items))
        return Tuple(items)
    if isinstance(value, Array):
        each = rows.rows_of(i, value, place, frame)
        if each is not None:
            return Tuple(each)
        return rows.any_number_of_rows(value, _any_of(i, lambda: rows.any_row(i, value, place, frame), place))
    if (
        isinstance(value, (Tuple, Symbolic, Unknown, ShapeOf))
        or isinstance(value, Ref)
        and i.info(value.oid).kind in ("list", "set", "dict")
    ):
        element = _any_element(i, value, place, frame)
        if isinstance(value, Symbolic):
            return any_number(element)
        content = value if isinstance(value, Tuple) else held(i, value) if isinstance(value, Ref) else None
        copied = Tuple(None, element) if content is None else as_long_as(i, as_many(i.live(content), element), value)
        assert isinstance(copied, Tuple)
        return copied.beginning_with(value.front) if isinstance(value, Tuple) else copied
    return i.heap.get(boxed(i, value, place, frame).oid, ITEMS) or Tuple(())


def boxed(i: Interpreter, value: Value, place: Place, frame: Frame) -> Ref:
    """What an iterable gives one by one, in a list."""
    box = new_list(i, Tuple(()), place, "collected")
    iterate(i, value, lambda element: append(i, box.oid, element), place, frame)
    i.heap.set(box.oid, ITEMS, as_long_as(i, i.heap.get(box.oid, ITEMS) or Tuple(()), value))
    return box


def exhaust(i: Interpreter, ref: Ref, count: int) -> None:
    """An iterator has given the items that it had left."""
    for _ in range(count):
        move_parts(i, ref)
        position = position_of(i, ref)
        i.heap.set(ref.oid, POSITION, Range(0, None) if position is None else Const(position + 1))
    move_parts(i, ref, ends=True)


def _any_element(i: Interpreter, member: Member, place: Place, frame: Frame) -> Value:
    """What each element of an iterable may be that runs nothing when it is iterated over: the elements of a first round and of the rest."""
    aspects.iterated(i, member, place, frame)
    element, _ = elements(i, member, place, frame)
    return _any_of(i, element, place) if callable(element) else element


def _any_of(i: Interpreter, element: Callable[[], Value], place: Place) -> Value:
    """The elements of a first round, of the last one, and of those between."""
    box = new_list(i, Tuple(()), place, "elements")
    for number in ("first", "rest", "rest"):
        with i.within((place, number)):
            append(i, box.oid, element())
    content = i.heap.get(box.oid, ITEMS)
    return join(content.items or ()) if isinstance(content, Tuple) else Unknown("elements")


def _iterate_iterator(i: Interpreter, ref: Ref, consume: Consume, place: Place, frame: Frame) -> bool:
    kind, parts = i.info(ref.oid).payload, parts_of(i, ref)

    def advance() -> Value:
        """The number of the round, counted in the iterator itself."""
        number = i.heap.get(ref.oid, POSITION) or Const(0)
        i.heap.set(ref.oid, POSITION, binary(i, "+", number, Const(1), place, frame))
        return number

    if kind == "enumerate":
        start = parts[1] if len(parts) > 1 else Const(0)
        iterate(i, parts[0], lambda value: consume(Tuple((binary(i, "+", advance(), start, place, frame), value))), place, frame)
        return True
    if kind == "zip" and parts:
        elements_ = [
            element_of(i, part, place, frame) if _runs_a_body(i, part) and taking(i, part, place, frame) is None else None for part in parts
        ]

        def row(ends: Target, number: int | None) -> Tuple:
            """One element of each: another one in each round. The body of a generator that cannot be gone on with has run before, as a whole. `number`: which
            of its rows it is, where they are run one by one."""
            found: list[Value] = []
            for part, element in zip(parts, elements_):
                generator = taking(i, part, place, frame) if element is None else None
                moves = part if isinstance(part, Ref) and i.info(part.oid).kind == "iterator" else None
                if generator is not None:
                    element = next_or(i, generator, Given(), ends, place, frame)
                elif element is None and number is not None:
                    element = next_or(i, moves, Given(), ends, place, frame) if moves is not None else item_at(i, part, number)
                    if element is UNBOUND:
                        i.leave(ends, NONE)
                elif element is None and moves is not None:
                    i.heap.set(moves.oid, POSITION, Range(0, None))
                found.append(element if element is not None else element_of(i, part, place, frame))
            return Tuple(tuple(found))

        def turn(ends: Target) -> None:
            advance()
            consume(taken(i, row(ends, None), place))

        def one(ends: Target) -> None:
            number = position_of(i, ref)
            advance()
            consume(row(ends, number))

        _until_some(i, place, turn, one)
        return True
    if kind == "some":
        _iterate_some(i, ref, parts, consume, place, frame)
        return True
    if kind == "map":

        def mapped(value: Value) -> None:
            advance()
            given = value.items or () if several is not None and isinstance(value, Tuple) else (value,)
            consume(i.call(parts[0], Arguments(given, places=(place,) * len(given)), place, frame))

        several = new_iterator(i, "zip", parts[1:], place) if len(parts) > 2 else None
        iterate(i, parts[1] if several is None else several, mapped, place, frame)
        return True
    if kind == "filter":
        iterate(i, parts[1], lambda value: _filtered(i, parts[0], value, consume, place, frame), place, frame)
        return True
    if kind in ("iter", "reversed"):

        def counted(value: Value) -> None:
            advance()
            consume(value)

        if i.heap.get(ref.oid, POSITION) == Const(0) or not all(_is_held(i, part) for part in members(i.live(parts[0]))):
            iterate(i, parts[0], counted, place, frame)
        else:  # it has given some: any of them may be left, or none
            repeat(i, place, lambda: counted(element_of(i, parts[0], place, frame)), certain=False)
        return True
    if kind == "calls":
        _until_sentinel(i, ref, consume, place, frame)
        return True
    if kind in ("count", ENDLESS):
        repeat(i, place, lambda: consume(next_of_iterator(i, ref, None, place, frame)), certain=True, ends=False)
        return True
    if kind in ("items", "values", "keys"):
        element = view_element(i, kind, parts[0], place)
        repeat(i, place, lambda: consume(taken(i, element, place)), certain=False)
        return True
    return False


def _is_held(i: Interpreter, member: Member) -> bool:
    """Whether an iterable holds its elements: it begins anew with each iterator over it."""
    return isinstance(member, (Tuple, Const, RangeObject)) or isinstance(member, Ref) and i.info(member.oid).kind in ("list", "set", "dict")


def _runs_a_body(i: Interpreter, value: Value) -> bool:
    """Whether a generator is among what an iterator goes over."""
    refs = [member for member in members(value) if isinstance(member, Ref)]
    return any(
        i.info(ref.oid).kind == "generator"
        or i.info(ref.oid).kind == "iterator"
        and any(_runs_a_body(i, part) for part in parts_of(i, ref))
        for ref in refs
    )


def _until_sentinel(i: Interpreter, ref: Ref, consume: Consume, place: Place, frame: Frame) -> None:
    """`iter(function, sentinel)`: call the function until it gives the sentinel."""
    _until_left(i, place, lambda ends: consume(called_once(i, ref, ends, NONE, place, frame)))


def _iterate_some(i: Interpreter, ref: Ref, parts: tuple[Value, ...], consume: Consume, place: Place, frame: Frame) -> None:
    """`islice` of a generator: it runs as far as it is asked, and no farther."""
    source = stepping(i, parts[0], place, frame)
    if source is None:
        iterate(i, parts[0], consume, place, frame)
        return
    start, stop, step = (bound.value if isinstance(bound, Const) and isinstance(bound.value, int) else None for bound in parts[1:])
    untouched = i.heap.get(ref.oid, POSITION) == Const(0)
    # What lies before the start is asked for and left out, even where nothing comes after it.
    asked = max(start, stop) if start is not None and stop is not None and stop >= 0 else UNROLLED + 1
    if start is None or stop is None or step is None or not untouched or asked > UNROLLED or i.unrolled * asked > MAX_UNROLLED:
        _until_some(i, place, lambda ends: consume(taken(i, next_or(i, source, Given(), ends, place, frame), place)))
        return
    with i.leaving() as ends:
        with i.unrolling(asked):
            for number in range(asked):
                with i.within((place, number)):
                    element = next_or(i, source, Given(), ends, place, frame)
                    if number in range(start, stop, step):
                        consume(element)
        i.reach(ends, NONE)
    i.arrive(ends)


def _until_some(i: Interpreter, place: Place, once: Callable[[Target], object], one: Callable[[Target], object] | None = None) -> None:
    """Repeat a round until it leaves the loop, or the loop ends by itself. `one`: a round that is run by itself, if it is another."""
    with i.leaving() as ends:
        repeat(i, place, lambda: once(ends), certain=False, turns=itertools.repeat(lambda: (one or once)(ends)))
        i.reach(ends, NONE)
    i.arrive(ends)


def _until_left(i: Interpreter, place: Place, once: Callable[[Target], object]) -> None:
    """Repeat a round until it leaves the loop by handing its state to the target that it is given."""
    with i.leaving() as ends:
        repeat(i, place, lambda: once(ends), certain=True, ends=False)
    i.arrive(ends)


def _filtered(i: Interpreter, function: Value, value: Value, consume: Consume, place: Place, frame: Frame) -> None:
    kept = value if function == NONE else i.call(function, Arguments((value,), places=(place,)), place, frame)

    def take() -> Value:
        consume(value)
        return NONE

    i.choose(i.truth(kept, place, frame), place, take, lambda: NONE)


def _iterate_generator(i: Interpreter, ref: Ref, consume: Consume, place: Place, frame: Frame) -> bool:
    done = i.heap.get(ref.oid, ITERATED)
    if done is not None:
        iterate(i, done, consume, place, frame)
        return True
    if not can_step(i, ref):
        i.heap.set(ref.oid, ITERATED, new_iterator(i, "iter", (Tuple(()),), place))
    run = i.info(ref.oid).payload
    run(i, ref, consume, place, frame)  # type: ignore[operator]
    return True


def _iterate_instance(i: Interpreter, ref: Ref, consume: Consume, place: Place, frame: Frame) -> bool:
    method = special(i, ref, "__iter__", place, frame)
    if method is None and special(i, ref, "__next__", place, frame) is not None:
        _by_next(i, ref, consume, place, frame)
        return True
    if method is not None:
        made = i.call(method, Arguments(), place, frame)
        if isinstance(made, Ref) and special(i, made, "__next__", place, frame) is not None:
            _by_next(i, made, consume, place, frame)
        else:
            iterate(i, made, consume, place, frame)
        return True
    method = special(i, ref, "__aiter__", place, frame)
    if method is not None:
        made = i.call(method, Arguments(), place, frame)
        if isinstance(made, Ref) and special(i, made, "__anext__", place, frame) is not None:
            _by_next(i, made, consume, place, frame, wait=True)
        else:
            iterate(i, made, consume, place, frame)
        return True
    method = special(i, ref, "__getitem__", place, frame)
    if method is not None:
        repeat(i, place, lambda: consume(i.call(method, Arguments((Range(0, None),), places=(place,)), place, frame)), certain=False)
        return True
    return False


def _by_next(i: Interpreter, ref: Ref, consume: Consume, place: Place, frame: Frame, *, wait: bool = False) -> None:
    """Call `__next__` until it raises StopIteration. `wait`: `__anext__`, and wait for what it gives."""
    _until_left(i, place, lambda ends: consume(call_next(i, ref, ends, NONE, place, frame, wait=wait)))


_OBJECTS: Final[dict[str, Callable[[Interpreter, Ref, Consume, Place, Frame], bool]]] = {
    "iterator": _iterate_iterator,
    "generator": _iterate_generator,
    "instance": _iterate_instance,
}
