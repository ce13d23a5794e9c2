"""What rounds take out of containers: one particular number of each round, the next of an iteration or the one at an index.

A number in a container that stands for one of each round of a loop that is over is another one for each of those that are taken.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from mxlint.domain.arrays import GOING_ON, Array
from mxlint.domain.guards import Identity
from mxlint.domain.join import of
from mxlint.domain.members import (
    Kind,
    Member,
    Option,
    Range,
    Ref,
    Symbolic,
    Tuple,
    Value,
    members,
    options,
    scalar_type,
)
from mxlint.domain.place import Place
from mxlint.domain.varying import loops_of, over, united
from mxlint.interpreter.loops.contents import ITEM
from mxlint.interpreter.loops.ends import Ends
from mxlint.interpreter.loops.novelty import Novelty
from mxlint.interpreter.loops.running import NO_LOOPS, rounds_around
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Context, is_round


def taken(i: Interpreter, value: Value, place: Place, by: Value | None = None) -> Value:
    """What was taken out of a container of unknown contents: one particular number, the next of an iteration or the one at an index `by`."""
    return _taken(i, value, 0, place, by)


def in_turn(i: Interpreter, value: Value) -> Value:
    """What a round is given of what lies in a container: in another round that is another number."""
    return _also_over(value, frozenset((i.context.loop,)))


def at_index(value: Value, index: Value) -> Value:
    """What lies in a container at an index that loops move."""
    moved = united(map(loops_of, members(index)))
    return _also_over(value, moved) if moved else value


def _also_over(value: Value, loops: frozenset[Hashable]) -> Value:
    """The numbers of a container, its arrays of different shapes, and those in its tuples, varying over the loops whose rounds take another one each as well."""
    if not any(isinstance(member, (Range, Kind, Tuple, Array)) for member in members(value)):
        return value
    return of(Option(_member_over(option.member, loops), option.guard) for option in options(value))


def _member_over(member: Member, loops: frozenset[Hashable]) -> Member:
    if isinstance(member, Tuple):
        return member if member.items is None else member.holding(tuple(_also_over(part, loops) for part in member.items))
    if isinstance(member, Array):
        return member.but(loops=member.loops | loops) if member.grows in GOING_ON and member.loops else member
    return over(member, (loops_of(member) or NO_LOOPS) | loops)


def _taken(i: Interpreter, value: Value, number: object, place: Place, by: Value | None) -> Value:
    """What a loop takes out of a container in a round: the next item, or the one at the index `by`. Of a tuple each part, which `number` names."""
    if isinstance(value, Tuple) and value.items is not None:
        return value.holding(tuple(_taken(i, part, (number, n), place, by) for n, part in enumerate(value.items)))
    value = in_turn(i, value) if by is None else at_index(value, by)
    if isinstance(value, Kind) and value.cause == "open" and value.type in ("int", "float", "number", "str"):
        return _particular(i, frozenset((value.type,)), number, place, by)
    if isinstance(value, Symbolic) and value.source == "item" and by is not None:
        return _particular(i, value.kinds, number, place, by)
    for member in members(value):
        if isinstance(member, Array) and by is None and is_round(i.context.step) and _made_in_rounds(i, member.ident):
            i.ledger.of(Ends).arrays.setdefault(member.ident, set()).add(i.context.loop)
        if isinstance(member, Ref) and i.info(member.oid).summary:
            i.ledger.of(Ends).turns.setdefault(member.oid, set()).update(_turning(i, by))
    many = [member for member in members(value) if isinstance(member, Symbolic) and _of_rounds_before(i, member)]
    if not many:
        return value
    one = _particular(i, frozenset(filter(None, map(scalar_type, many))), number, place, by)
    i.comes_from[one.identity] = (*i.comes_from.get(one.identity, ()), *many)
    return of([Option(one), *(option for option in options(value) if option.member not in many)])


def _made_in_rounds(i: Interpreter, ident: int) -> bool:
    """Whether an array stands for one of each round of a loop."""
    made = i.info(ident).payload
    return isinstance(made, Context) and any(is_round(step.step) and step.step[1] == "rest" for step in made.around)


def _turning(i: Interpreter, by: Value | None) -> Iterator[Place]:
    """The loops that move an index; without one, that which runs."""
    moved = (i.context,) if by is None else united(map(loops_of, members(by))) or ()
    for loop in moved:
        if isinstance(loop, Context) and is_round(loop.step):
            yield loop.step[0]


def _particular(i: Interpreter, kinds: frozenset[str] | None, number: object, place: Place, by: Value | None) -> Symbolic:
    """One of the numbers or texts that lie in a container: that of the round, or that at an index. Of texts, as the keys of a dict, there are few."""
    made = i.symbolic(place, f"{ITEM}{number}", kinds=kinds, source="item" if by is None and "str" not in (kinds or ()) else "")
    if by is not None:
        i.comes_from[made.identity] = tuple(members(by))
    return made


def _of_rounds_before(i: Interpreter, member: Symbolic) -> bool:
    """Whether a number in a container stands for one of each round of a loop that is over, in each of which it was another one."""
    if scalar_type(member) not in ("int", "float", "number"):
        return False
    running = {around.loop for around in rounds_around(i)}
    over_by_now = [step for step in dict.fromkeys(_rounds_of(i, member, set())) if step.loop not in running]
    return bool(over_by_now) and Novelty(i, over_by_now).of(member)


def _rounds_of(i: Interpreter, part: object, seen: set[Identity]) -> Iterator[Context]:
    """The rounds in which a number came into being, and the loops over which what it is made of varies."""
    if isinstance(part, Symbolic):
        part = part.identity
    if isinstance(part, Context):
        step: Context | None = part
        while step is not None:
            if is_round(step.step):
                yield step
            step = step.parent
    elif isinstance(part, Member):
        yield from (loop for loop in loops_of(part) or () if isinstance(loop, Context))
    elif isinstance(part, tuple) and part not in seen:
        seen.add(part)
        for inner in (*part, *i.comes_from.get(part, ())):
            yield from _rounds_of(i, inner, seen)
