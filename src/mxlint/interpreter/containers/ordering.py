"""Putting in order: `sorted`, `min` and `max`, and what they compare.

`max(losses, key=float)` asks each element for its key and compares the keys; keys that are arrays are asked for their values. The result is one of the elements where
these are known numbers, is derived from what nobody in sight gives, and lies between bounds where a counter is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, Final, NamedTuple

from mxlint.domain.arrays import Array, ShapeOf
from mxlint.domain.enumerated import computed
from mxlint.domain.guards import Cause, Literal_
from mxlint.domain.join import hull, join, of
from mxlint.domain.members import (
    FALSE,
    NONE,
    TRUE,
    Const,
    Loops,
    Member,
    Range,
    Ref,
    Symbolic,
    Tuple,
    Union,
    Unknown,
    Value,
    from_lengths,
    members,
    options,
    scalar_type,
)
from mxlint.domain.place import Place
from mxlint.domain.varying import loops_of, united
from mxlint.interpreter.containers import aspects, unlisted
from mxlint.interpreter.containers.builders import any_number, new_list
from mxlint.interpreter.containers.comparing import in_any_order, in_python
from mxlint.interpreter.containers.elements import known_items
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.expressions.arithmetic import origins
from mxlint.interpreter.expressions.constants import MISSING, python_value
from mxlint.interpreter.expressions.operators import binary
from mxlint.interpreter.libraries.measures import as_long_as
from mxlint.interpreter.loops.iteration import boxed, collected
from mxlint.interpreter.loops.lengths import STAYING
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Handler, Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import ITEMS
from mxlint.interpreter.machine.paths import SEVERAL, Truth
from mxlint.interpreter.open_world import given_contents


def _keys(i: Interpreter, value: Value, key: Value, place: Place, frame: Frame) -> list[Value]:
    """What a key function gives of the elements, as far as the rounds of the loop over them tell: of each, if they are known one by one."""
    found: list[Value] = []
    i.iterate(value, lambda part: found.append(i.call(key, Arguments((part,), places=(place,)), place, frame)), place, frame)
    return found


def _parts(content: Tuple) -> list[Value]:
    return [part for part in (content.items if content.items is not None else (content.element,)) if part is not None]


class _Ranked(NamedTuple):
    """What is put in order: all elements, what each is ranked by, and the contents that are possible, which say how many there are."""

    content: Tuple
    keys: list[Value]
    contents: Value


def _ranked(i: Interpreter, value: Value, key: Value, place: Place, frame: Frame) -> _Ranked:
    """The elements that are put in order, and what each is ranked by. A container is not asked for the order in which it holds them, unless elements that
    differ rank alike."""
    if isinstance(value, Ref) and i.info(value.oid).kind not in STAYING and known_items(i, value) is None:
        value = boxed(i, value, place, frame)
    known = known_items(i, value) if i.trace is not None and isinstance(value, Ref) else None
    keys = _keys(i, Tuple(known), key, place, frame) if known is not None and key != NONE else None
    plain = [python_value(i, part) for part in keys or ()]
    tied = any(p is MISSING for p in plain) or any(plain[n] == p and known[n] != known[m] for m, p in enumerate(plain) for n in range(m))  # type: ignore[index]
    items = None if tied else aspects.unordered(i, value, place, frame, ranked=True)
    content = collected(i, value, place, frame) if items is None else items
    if keys is None:
        keys = _keys(i, content, key, place, frame) if key != NONE else _parts(content)
    held = (i.heap.get(member.oid, ITEMS) if isinstance(member, Ref) else None for member in members(value))
    return _Ranked(content, keys, join([content if part is None else part for part in held]))


def in_order(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`sorted(iterable, key=…, reverse=…)`: a new list."""
    made = _in_order(i, args, place, frame)
    unlisted.keep_items(i, made.oid, args.args[0])
    return as_long_as(i, made, args.args[0])


def _in_order(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Ref:
    value = args.args[0]
    key = args.keywords.get("key", NONE)
    if any(isinstance(m, (Symbolic, Unknown)) for m in members(value)):
        _compare_open(i, value, key, "<", "builtins.sorted", place, frame, args.place(0, "", place))
        given_contents.read_in_any_order(i, value, place, frame)
        unknown = next((m for m in members(value) if isinstance(m, Unknown)), None)
        return new_list(i, any_number(unknown or i.symbolic(place, "element")), place)
    ranked = _ranked(i, value, key, place, frame)
    content, keys, _ = ranked
    parts = _parts(content)
    plain = [python_value(i, part) for part in keys] if len(keys) == len(parts) else [MISSING]
    backwards = args.keywords.get("reverse", FALSE)
    why: Cause = "imprecise"
    if any(p is MISSING for p in plain) and content.items is not None and len(keys) == len(parts) > 1:
        back = backwards == TRUE
        ranks = in_python(i, keys, place, frame, lambda by: sorted(range(len(by)), key=lambda n: by[n], reverse=back))
        if isinstance(ranks, list) and isinstance(backwards, Const):
            return new_list(i, Tuple(tuple(parts[n] for n in ranks)), place)
        why = ranks if isinstance(ranks, str) else "open"
    _compare(i, ranked, "<", "builtins.sorted", place, frame, args.place(0, "", place))
    if content.items is not None and not any(p is MISSING for p in plain) and isinstance(backwards, Const):
        try:
            order = sorted(range(len(plain)), key=lambda n: plain[n], reverse=bool(backwards.value))
        except TypeError:
            throw_named(i, "builtins.TypeError", place)
        return new_list(i, Tuple(tuple(parts[n] for n in order)), place)
    if not parts:
        return new_list(i, Tuple(()), place)
    if content.items is not None and why != "varying" and 1 < len(parts) <= MAX_CHOICES:
        return new_list(i, in_any_order(i, parts, len(parts), why, place), place)
    joined = of((option for part in parts for option in options(part)), chosen=True)  # the order chooses among them, and no loop
    if content.items is not None:
        return new_list(i, Tuple((joined,) * len(parts)), place)
    return new_list(i, Tuple(None, joined, least=content.least, given=content.given, loops=content.loops), place)


def _compare(i: Interpreter, ranked: _Ranked, op: str, name: str, place: Place, frame: Frame, operand: Place | None) -> None:
    """What puts things in order compares them. A single one is compared with nothing: where it is open how many there are, whether it is so depends on that.
    `operand`: where they stand, if they are the elements of one thing."""
    content, keys, contents = ranked
    if content.items is not None or not keys:
        _compared(i, keys, op, name, place, frame)
        return
    both, at = (keys[0], keys[0]), operand or place

    def compare() -> Value:
        _compared(i, both, op, name, place, frame)
        return NONE

    shortest = [held.shortest if isinstance(held, Tuple) else None for held in members(contents)]
    if all(isinstance(held, Tuple) and held.items is not None for held in members(contents)):
        i.split(contents, lambda held: compare() if isinstance(held, Tuple) and len(held.items or ()) > 1 else NONE)
    elif all(length is not None and length > 1 for length in shortest):
        compare()
    elif any(isinstance(member, Array) or _is_object(i, member) for member in members(keys[0])):
        if None in shortest:
            i.imprecise("how many arrays or objects are put in order", place)
            return
        several = Literal_((SEVERAL, at, i.context), True)
        i.causes.setdefault(several.condition, ("open", at))
        i.choose(Truth(None, "open", several), at, compare, lambda: NONE)


def _compare_open(i: Interpreter, value: Value, key: Value, op: str, name: str, place: Place, frame: Frame, operand: Place) -> None:
    """What nobody in sight gives is put in order by keys that the program makes of its elements."""
    keys = _keys(i, value, key, place, frame) if key != NONE else []
    if keys and not any(isinstance(member, Unknown) for member in members(value)):
        each = any_number(join(keys))
        _compare(i, _Ranked(each, [join(keys)], each), op, name, place, frame, operand)


def _compared(i: Interpreter, keys: Sequence[Value], op: str, name: str, place: Place, frame: Frame) -> None:
    """Things are compared: arrays are asked for their truth, and objects of the program by their own methods."""
    for number, part in enumerate(keys if len(keys) > 1 else ()):
        found = members(part)
        for member in found:
            if isinstance(member, Array):
                i.operations.use(i, "truth", member, name, place, frame)
        compares = all(_is_object(i, member) for member in found)
        if number and (
            compares or number == 1 and all(_is_sequence(i, member) for member in found)
        ):  # of others the order decides which are compared
            i.truth(binary(i, op, part, keys[number - 1], place, frame), place, frame)


def _is_object(i: Interpreter, member: Member) -> bool:
    """Whether it is an object whose class may say how it compares."""
    return isinstance(member, Ref) and i.info(member.oid).kind == "instance"


def _is_sequence(i: Interpreter, member: Member) -> bool:
    return isinstance(member, Tuple) or isinstance(member, Ref) and i.info(member.oid).kind == "list"


def _chosen(name: str, bounds: list[tuple[int | None, int | None]], loops: Loops) -> Value:
    """The least or greatest of integers of which bounds are known."""
    pick = min if name == "min" else max

    def of(side: list[int | None], open_wins: bool) -> int | None:
        found = [bound for bound in side if bound is not None]
        return pick(found) if len(found) == len(side) or found and not open_wins else None

    low = of([low for low, _ in bounds], name == "min")
    high = of([high for _, high in bounds], name == "max")
    return Range(low, high, loops=loops) if low is None or low != high else Const(low)


MAX_CHOICES: Final = 8
"""Combinations of known numbers of which the least or greatest is found for each: a union holds no more."""


def _of_constants(parts: Sequence[Value]) -> int | None:
    """The first of some numbers that is one of several known ones, where the others are few as well."""
    if len(parts) < 2 or prod(len(members(part)) for part in parts) > MAX_CHOICES:
        return None
    numbers = all(isinstance(member, Const) and type(member.value) in (int, float) for part in parts for member in members(part))
    return next((n for n, part in enumerate(parts) if isinstance(part, Union)), None) if numbers else None


def extreme(name: str) -> Handler:
    """`min` or `max`."""

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        key = args.keywords.get("key", NONE)
        if len(args.args) == 1 and args.star is None:
            value = args.args[0]
            if any(isinstance(m, (Symbolic, Unknown)) or isinstance(m, ShapeOf) and not m.origin for m in members(value)):
                _compare_open(i, value, key, "<" if name == "min" else ">", f"builtins.{name}", place, frame, args.place(0, "", place))
                given_contents.read_in_any_order(i, value, place, frame)
                return i.derived(name, [m for m in members(value)][:1], None, place)
            ranked = _ranked(i, value, key, place, frame)
        else:
            value = NONE
            content = Tuple(args.args) if args.star is None else Tuple(None, join([*args.args, args.star]))
            keys = (
                [i.call(key, Arguments((part,), places=(place,)), place, frame) for part in _parts(content)]
                if key != NONE
                else _parts(content)
            )
            ranked = _Ranked(content, keys, content)
        content = ranked.content
        default = args.keywords.get("default")
        if not _parts(content):
            if default is not None:
                return default
            throw_named(i, "builtins.ValueError", place)
        operand = args.place(0, "", place) if value is not NONE else None
        found = _least_or_greatest(i, name, ranked, operand, key != NONE, place, frame)
        return found if default is None or content.shortest else choices.any_of(i, [found, default], place, name)

    return run


def _least_or_greatest(
    i: Interpreter, name: str, ranked: _Ranked, operand: Place | None, by_key: bool, place: Place, frame: Frame
) -> Value:
    """The element that comes first or last: by comparisons where keys are no constants, and each has an outcome; else one of all where keys decide."""
    content, keys, _ = ranked
    order: int | Cause | None = None
    compares = by_key or any(_is_object(i, member) or _is_sequence(i, member) for part in keys for member in members(part))
    if content.items is not None and compares and any(python_value(i, part) is MISSING for part in keys):
        order = in_python(i, keys, place, frame, lambda by: int(_EXTREMES[name](range(len(by)), key=lambda n: by[n])))
    if content.items is not None and isinstance(order, int):
        return content.items[order]
    _compare(i, ranked, "<" if name == "min" else ">", f"builtins.{name}", place, frame, operand)
    if isinstance(order, str) and order != "varying" and len(keys) <= MAX_CHOICES:
        return in_any_order(i, _parts(content), 1, order, place).parts[0]
    return _first_ranked(i, name, content, keys, place) if by_key else _extreme_of(i, name, content, place)


def _first_ranked(i: Interpreter, name: str, content: Tuple, keys: Sequence[Value], place: Place) -> Value:
    """The element that comes first or last by keys; one of all, where these are not known."""
    parts = _parts(content)
    plain = [python_value(i, part) for part in keys]
    if content.items is None or any(p is MISSING for p in plain):
        return join(parts)
    try:
        first: int = _EXTREMES[name](range(len(plain)), key=lambda n: plain[n])
    except TypeError:
        throw_named(i, "builtins.TypeError", place)
    number = python_value(i, parts[first])
    if not isinstance(number, (int, float)):
        return parts[first]
    # The lengths that lose have chosen the number as well.
    axes = frozenset(axis for part in keys for member in members(part) for axis in origins(member))
    return from_lengths(number, axes) if axes else parts[first]


def _extreme_of(i: Interpreter, name: str, content: Tuple, place: Place) -> Value:
    """The least or greatest of some elements: one of them, something derived from what nobody in sight gives, or a number between bounds."""
    parts = _parts(content)
    if content.items is not None and not any(python_value(i, part) is MISSING for part in parts):
        return _first_ranked(i, name, content, parts, place)
    found = [member for part in parts for member in members(part)]
    is_open = [isinstance(m, Symbolic) for m in found]
    if len(parts) <= MAX_DERIVED and any(is_open) and all(is_one or scalar_type(m) is not None for m, is_one in zip(found, is_open)):
        kinds = frozenset(scalar_type(m) or "" for m in found)
        simple = {"int"} if kinds <= {"int", "bool"} else {"number"} if kinds <= {"int", "float", "bool"} else kinds
        return i.derived(name, found, frozenset(simple) if "" not in kinds else None, place)
    if content.items is None:
        return join(parts)
    items = content.items
    several = _of_constants(items)
    if several is not None:
        return i.split(items[several], lambda one: _extreme_of(i, name, Tuple((*items[:several], one, *items[several + 1 :])), place))
    loops = united(map(loops_of, found))
    each = computed(_EXTREMES[name], parts, loops)
    if each is not None:
        return each
    bounds = [hull(part) for part in parts]
    known = [bound for bound in bounds if bound is not None]
    return _chosen(name, known, loops) if len(known) == len(bounds) else join(parts)


MAX_DERIVED: Final = 4
"""Of more elements no symbolic value is derived that is the least or greatest of them."""


_EXTREMES: Final[Mapping[str, Callable[..., Any]]] = {"min": min, "max": max}
