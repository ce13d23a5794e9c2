"""How long the arrays of numpy are that hold what a condition selects, as `np.flatnonzero(due <= epoch)` does: in each round another number of items, where the
rounds of a loop change the condition. What is made of such an array, item by item, is as long as it.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from mxlint.domain.members import NONE, Const, External, Kind, Loops, Member, Range, Ref, Slice, Tuple, Value, members
from mxlint.domain.parts import each_part
from mxlint.domain.varying import loops_of, over, united
from mxlint.interpreter.libraries import dtypes
from mxlint.interpreter.loops.draws import spread_of
from mxlint.interpreter.loops.novelty import Novelty, moving, one_end
from mxlint.interpreter.loops.running import NO_LOOPS, rounds_around
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import LENGTH, MOVED
from mxlint.interpreter.objects.lookup import CLASS
from mxlint.models.schema import Model

FLAGS = "numpy.bool"
"""The class of what lies in a mask."""
_ARRAY = External(dtypes.ARRAY)
_NUMBER = Kind("int", "varying")


def keep(i: Interpreter, found: Model, bound: Mapping[str, Value], owner: Value | None, result: Value) -> None:
    """Keep of the arrays that a call of a library gives over which loops their content and their lengths vary."""
    if i.trace is not None or not rounds_around(i):
        return
    made = [part for part in each_part(result, Tuple) if isinstance(part, Ref) and i.info(part.oid).kind == "instance"]
    arrays = [part for part in made if i.heap.get(part.oid, CLASS) == _ARRAY]
    given = bound if owner is None else {"self": owner, **bound}
    if found.draws:
        for drawn in made:
            _put(i, drawn, MOVED, frozenset(around.loop for around in rounds_around(i)), _drawn(found, bound))
    elif made:
        content = united(_moved(i, value) for value in given.values())
        for part in made:
            _put(i, part, MOVED, content)
    for array in arrays:
        _put(i, array, LENGTH, _length(i, found, given))


def _drawn(found: Model, bound: Mapping[str, Value]) -> Range:
    """One of as many numbers as a draw has."""
    numbers = spread_of(found, bound, "int").numbers
    return Range(0, int(numbers) - 1 if isfinite(numbers) else None)


def _put(i: Interpreter, array: Ref, field: tuple[str, str], loops: Loops, number: Member = _NUMBER) -> None:
    if loops != NO_LOOPS:
        i.heap.set(array.oid, field, over(number, loops))
    else:
        i.heap.drop(array.oid, field)


def _length(i: Interpreter, found: Model, given: Mapping[str, Value]) -> Loops:
    """The loops over which the length of a result varies."""
    if found.length is None or found.length.without in given:
        return NO_LOOPS
    value = given.get(found.length.target, NONE)
    match found.length.how:
        case "as":
            return longer(i, value)
        case "where":
            return _moved(i, value)
        case "number":
            return united(_moved(i, part) for part in each_part(value, Tuple))
    return united(_by(i, part) for part in each_part(value, Tuple))


def _by(i: Interpreter, key: Value) -> Loops:
    """The loops over which it varies how much a key takes: a mask, the numbers of some items, or a slice."""
    if isinstance(key, Slice):
        return one_end(i, key)
    return _moved(i, key) if dtypes.held(i, key) == FLAGS else longer(i, key)


def longer(i: Interpreter, value: Value) -> Loops:
    """The loops over which the length of an array of numpy varies."""
    return united(_held(i, member, LENGTH) for member in members(value))


def _held(i: Interpreter, member: object, field: tuple[str, str]) -> Loops:
    number = i.heap.get(member.oid, field) if isinstance(member, Ref) else None
    return united(loops_of(part) for part in members(number or Const(0)))


def _moved(i: Interpreter, value: Value) -> Loops:
    """The loops in whose rounds a number, or what lies in an array, is another one each time."""
    found = members(value)
    if Novelty(i, rounds_around(i)).come_again(found):
        return NO_LOOPS
    return united(_held(i, member, MOVED) if isinstance(member, Ref) else moving(i, member) for member in found)
