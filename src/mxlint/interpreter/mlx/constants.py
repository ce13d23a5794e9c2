"""Numbers that are read out of arrays which MLX computes from constants or from the number of a loop: how many different ones there are.

`schedule(i).item()` in `for i in range(9)` is another number in each round; `mx.array([1, 2])[0].item()` is one.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from mxlint.domain import enumerated
from mxlint.domain.members import Const, Kind, Member, Range, Symbolic, Tuple, Value, members, scalar_type
from mxlint.domain.place import Place
from mxlint.domain.varying import loops_of, takes_many, united
from mxlint.interpreter.compiled.recipes import FUNCTION, MadeFunctions, recipe_of_call
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.models.mlx.numbers import COMPUTED, NUMBERS_OF_NUMBERS, SCHEDULES

READ: Final = "number of constants"
"""Names a number that is computed from constants."""


def number(i: Interpreter, recipe: Tuple, kind: str, place: Place, at: int | None = None) -> Value | None:
    """What is read out of an array that was made in some way, of its item `at` if it has an axis: one number, or one of few. None for one of many, and
    if it is not known."""
    given = dict.fromkeys(_varying(recipe))
    if len(given) > 1 or any(enumerated.each(member) is None for member in given):
        return None
    for member in given:
        found = enumerated.computed(partial(_read, recipe, kind, at), [member], loops_of(member))
        return _known(i, found.value, kind, place) if isinstance(found, Const) else None if found is None or _is_many(found) else found
    try:
        return _known(i, _read(recipe, kind, at, None), kind, place)
    except _NOT_COMPUTED:
        return None


def numbers(i: Interpreter, recipe: Tuple, kind: str, place: Place) -> Value | None:
    """One of the numbers in an array with one axis."""
    if next(_varying(recipe), None) is not None:
        return None
    try:
        found = tuple(dict.fromkeys(_as(kind, value) for value in _evaluated(recipe, None)))
    except _NOT_COMPUTED:
        return None
    return _known(i, found[0], kind, place) if len(found) == 1 else Kind(kind, "varying", frozenset(), found) if found else None


_NOT_COMPUTED: Final = (ArithmeticError, TypeError, ValueError, LookupError)


def _known(i: Interpreter, value: Any, kind: str, place: Place) -> Member:
    """A number of which is known which one it is, but for what MLX rounds."""
    if kind in ("int", "bool"):
        return Const(value)
    made = i.derived(READ, (Const(value),), frozenset((kind,)), place)
    return Symbolic(made.identity, made.kinds, made.label, source="constants")


def scheduled(i: Interpreter, schedule: Symbolic, args: Arguments, place: Place) -> Value | None:
    """What a schedule gives that computes in Python, for a step that is a number; None for any other, which gives an array."""
    name, made_of = i.ledger.of(MadeFunctions).by[schedule.identity]
    if (
        name not in NUMBERS_OF_NUMBERS
        or not args.args
        or any(scalar_type(member) not in ("int", "float") for member in members(args.args[0]))
    ):
        return None
    recipe = recipe_of_call(i, name, args.args, args.keywords, made_of)
    found = number(i, recipe, "float", place) if recipe is not None else None
    if found is not None:
        return found
    loops = united(loops_of(member) for member in members(args.args[0]))
    return Kind("float", "varying", loops) if _is_many(args.args[0]) else i.symbolic(place, name, kinds=frozenset(("float",)))


def _is_many(value: Value) -> bool:
    return any(map(takes_many, members(value)))


def _varying(value: Value) -> Iterator[Member]:
    """The numbers in a recipe that are no constants."""
    if isinstance(value, (Range, Kind)):
        yield value
    elif isinstance(value, Tuple):
        for part in value.parts:
            yield from _varying(part)


def _read(recipe: Tuple, kind: str, at: int | None, varying: Any) -> Any:
    value = _evaluated(recipe, varying)
    return _as(kind, value if at is None else value[at])


def _as(kind: str, value: Any) -> Any:
    """A number as an array of a kind of dtypes has it."""
    if isinstance(value, tuple) or callable(value):
        raise TypeError(kind)
    return {"int": int, "bool": bool}[kind](value) if kind in ("int", "bool") else struct.unpack("f", struct.pack("f", value))[0]


def _evaluated(value: Value, varying: Any) -> Any:
    """What a recipe makes, or a part of it is. `varying`: the number that is no constant."""
    if isinstance(value, (Range, Kind)):
        return varying
    if isinstance(value, Const):
        return value.value
    if not isinstance(value, Tuple) or value.items is None:
        raise TypeError(value)
    name = value.items[0] if value.items else None
    if not isinstance(name, Const) or not isinstance(name.value, str):
        return tuple(_evaluated(item, varying) for item in value.items)
    if name.value.startswith(FUNCTION):
        return partial(_scheduled, name.value.removeprefix(FUNCTION), value.items[1:], varying)
    (given, named), *outer = _arguments(value.items[1:], varying)
    if outer:
        ((made_of, by_name),) = outer
        return SCHEDULES[name.value](*given, *made_of, **named, **by_name)
    return COMPUTED[name.value](*given, **named)


def _scheduled(name: str, made_of: Sequence[Value], varying: Any, step: Any) -> Any:
    """What a schedule gives for a step, by how it was made."""
    ((given, named),) = _arguments(made_of, varying)
    function: Callable[..., Any] = SCHEDULES[name]
    return function(step, *given, **named)


def _arguments(parts: Sequence[Value], varying: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """The arguments that a recipe lists: those of the call, and those that made what is called."""
    left = list(parts)
    while left:
        given, named = _evaluated(left.pop(0), varying), {}
        while left and isinstance(left[0], Const):
            word, value = left.pop(0), left.pop(0)
            named[str(word.value)] = _evaluated(value, varying)  # type: ignore[union-attr]
        yield given, named
