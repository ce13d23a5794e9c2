"""Why the shape of a result differs from round to round of a loop: by a number, by what an operand adds, or because the operands do.

In `for n in range(9): x = mx.concatenate([x, row])` the result is longer in each round, and the length of `x[:n]` is the counter. A rule about recompilation asks
for this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mxlint.domain.arrays import GOING_ON, Array
from mxlint.domain.members import (
    Kind,
    Length,
    Loops,
    Range,
    Ref,
    Symbolic,
    Tuple,
    Value,
    members,
    scalar_type,
)
from mxlint.domain.shape import surely_unlike
from mxlint.domain.varying import united
from mxlint.interpreter.containers.elements import UNROLLED
from mxlint.interpreter.loops import lengths, novelty, slices
from mxlint.interpreter.loops.running import NO_LOOPS, rounds_around
from mxlint.interpreter.loops.settled import reasons
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.mlx.descriptions import ARRAY
from mxlint.models.mlx.traits import has_trait


def grows(
    i: Interpreter, name: str, shape: tuple[object, ...] | None, operands: Sequence[Value], by_number: Loops = NO_LOOPS
) -> tuple[str, Loops]:
    """Why the shape of a result differs from round to round, if it has a length that is not known, and of which loops; "" if nothing says that it does.
    `by_number`: these loops change a number among the operands that is one of its lengths."""
    if shape is not None and None not in shape:
        return "", None
    entry = i.table.entry(name)
    keeps = entry is not None and entry.shape in ("same", "broadcast")
    whole = [array for value in operands for array in arrays_in(i, value) if keeps or _keeps_lengths(array, shape)]
    found = reasons(i, whole, novelty.Novelty(i, rounds_around(i)))
    adds_lengths = has_trait(name, "joins") or has_trait(name, "pads")
    if adds_lengths and _may_balance(i, [array for array in whole if array.grows in found.keys() & GOING_ON], operands):
        return "", None
    given = [row for value in operands[:1] for row in (value, *_rows(i, value))] if name == ARRAY else ()
    longer = united((
        *(found[why] for why in ("rounds",) if why in found),
        *(lengths.growing(i, value) for value in (*operands, *given)),
        *(slices.cut(i, member) for row in given for member in members(row)),
    ))  # fmt: skip
    if longer != NO_LOOPS or "rounds" in found:
        return "rounds", longer
    sized = () if keeps or name == ARRAY else [value for value in operands if isinstance(value, (Tuple, Ref))]
    changed = united((*(found[why] for why in ("number",) if why in found), by_number, *(loops_of_numbers(i, value) for value in sized)))
    if changed != NO_LOOPS or "number" in found:
        return "number", changed
    return ("differs" if "differs" in found or any(_differ(i, value) for value in operands) else ""), None


def _may_balance(i: Interpreter, arrays: Sequence[Array], operands: Sequence[Value]) -> bool:
    """Whether two lengths that are added up may vary over one loop: what fills up to a fixed length is as much longer as the other is shorter."""
    changed = [array.loops for array in arrays] + [loops for value in operands for loops in _added(i, value)]
    return any(a is None or b is None or a & b for number, a in enumerate(changed) for b in changed[:number])


def _added(i: Interpreter, value: Value) -> Iterator[Loops]:
    """The loops over which each number varies that an operand adds to a length; nobody says which, where it is computed from what is not in sight."""
    for member in members(value):
        content = i.heap.get(member.oid, ITEMS) if isinstance(member, Ref) else member
        if isinstance(content, Tuple):
            for item in content.parts:
                yield from _added(i, item)
        elif isinstance(member, (Symbolic, Length)) and scalar_type(member) != "NoneType":
            yield None
        elif isinstance(member, (Range, Kind)):
            yield member.loops


def _rows(i: Interpreter, value: Value) -> Sequence[Value]:
    """The first row of what an array is made of, if that is a list or tuple of rows: the others are as long."""
    content = i.heap.get(value.oid, ITEMS) if isinstance(value, Ref) else value
    return content.items[:1] if isinstance(content, Tuple) and content.items is not None else ()


def _keeps_lengths(array: Array, shape: tuple[object, ...] | None) -> bool:
    """Whether a result has all the lengths of an operand that are not known, the one that differs among them."""
    return shape is not None and array.shape is not None and shape.count(None) >= array.shape.count(None)


def _differ(i: Interpreter, value: Value, depth: int = 2) -> bool:
    """Whether an operand is one of several arrays of surely different shapes."""
    if isinstance(value, Tuple) and depth:
        return any(_differ(i, item, depth - 1) for item in value.items or ())
    if isinstance(value, Ref) and depth and i.info(value.oid).kind == "list":
        content = i.heap.get(value.oid, ITEMS)
        return isinstance(content, Tuple) and _differ(i, content, depth)
    shapes = [member.shape for member in members(value) if isinstance(member, Array) and member.shape is not None]
    return any(len(shape) == len(shapes[0]) and any(map(surely_unlike, shape, shapes[0])) for shape in shapes[1:])


def loops_of_numbers(i: Interpreter, value: Value, depth: int = 2, *, alone: bool = False) -> Loops:
    """The loops in which a number, or one in a shape, takes many values. `alone`: one of which nothing is known counts by itself, too; it may be data."""
    if isinstance(value, Tuple) and depth:
        return united(loops_of_numbers(i, item, depth - 1) for item in value.items or ())
    if isinstance(value, Ref) and depth and i.info(value.oid).kind == "list":
        content = i.heap.get(value.oid, ITEMS)
        return loops_of_numbers(i, content, depth) if isinstance(content, Tuple) else NO_LOOPS
    inside = depth < 2 or alone  # in a shape or a slice
    named = [m for m in members(value) if inside and isinstance(m, Symbolic) and scalar_type(m) in ("int", "number")]
    stepping = [
        m for m in members(value) if isinstance(m, Range) and (m.low is None or m.high is None or m.high - m.low >= UNROLLED * m.stride)
    ]
    return united((*(novelty.moving(i, m) for m in named), *(m.loops for m in stepping)))
