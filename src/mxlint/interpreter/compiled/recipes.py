"""How an array was made, where that determines its content: `mx.arange(4)`, `mx.zeros((2, 2))`, the weights of a layer that are filled in one way.

Two arrays of one recipe that nothing has changed since are equal, so a trace that has read the one is not stale where it would find the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from types import NoneType
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.guards import Identity
from mxlint.domain.join import of
from mxlint.domain.members import (
    Composite,
    Const,
    External,
    Kind,
    Length,
    Option,
    Range,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Unbound,
    Union,
    Unknown,
    Value,
    members,
)
from mxlint.interpreter.compiled.state import CONTENT
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS, RECIPE

MOST: Final = 160
"""A recipe has at most so many parts; what is longer is not compared."""


ITEM: Final = "mlx.core.array.__getitem__"
FUNCTION: Final = "made by "
"""Begins the name of a function that MLX made, as a schedule, in a recipe; what it was made of stands behind it."""


class MadeFunctions:
    """Functions that MLX made, such as schedules and initializers: by which function, with which arguments."""

    __slots__ = ("by",)

    def __init__(self) -> None:
        self.by: dict[Identity, tuple[str, Arguments]] = {}


def keep(
    i: Interpreter, name: str, made: Array, args: Sequence[Value], keywords: Mapping[str, Value], outer: Arguments | None = None
) -> None:
    """Keep by which function an array was made of which constants. A draw and the content of a file are others each time. `outer`: what the function
    was given that gave the one which is called."""
    entry = i.table.entry(name)
    recipe = None
    if name == ITEM or entry is not None and not entry.random:
        recipe = recipe_of_call(i, name, args, keywords, outer)
    if recipe is not None:
        i.heap.set(made.ident, RECIPE, recipe)
    elif i.heap.get(made.ident, RECIPE) is not None:
        i.heap.drop(made.ident, RECIPE)


def recipe_of_call(
    i: Interpreter, name: str, args: Sequence[Value], keywords: Mapping[str, Value], outer: Arguments | None = None
) -> Tuple | None:
    """What a call makes, if all that it is given is known: its name, its arguments, and what made the function that is called."""
    parts = [Const(name), Tuple(tuple(args)), *_named(keywords)]
    if outer is not None:
        parts += [Tuple(tuple(outer.args)), *_named(outer.keywords)]
    recipe = _plain(i, Tuple(tuple(parts)), [MOST])
    return recipe if isinstance(recipe, Tuple) else None


def keep_weight(i: Interpreter, ident: int, layer: str, attribute: str, settings: Mapping[str, object]) -> None:
    """Keep which weight of which layer an array is that its constructor fills in the same way each time; `settings`: what the constructor is given."""
    if all(isinstance(value, (bool, int, float, str, NoneType)) for value in settings.values()):
        named = ((Const(name), Const(value)) for name, value in sorted(settings.items()))
        i.heap.set(ident, RECIPE, Tuple((Const(f"{layer}.{attribute}"), Tuple(()), *chain.from_iterable(named))))


def recipe_of(i: Interpreter, array: Array) -> Tuple | None:
    """How an array was made, if that says what is in it now."""
    recipe = i.heap.get(array.ident, RECIPE) if not array.several and i.heap.get(array.ident, CONTENT) is None else None
    return recipe if isinstance(recipe, Tuple) else None


def ways_of(i: Interpreter, array: Array) -> tuple[Tuple, ...]:
    """The ways in which an array may have been made, as in several rounds of a loop, if these say what is in it now; none where one of them is not known."""
    held = i.heap.get(array.ident, RECIPE) if not array.several and i.heap.get(array.ident, CONTENT) is None else None
    ways = tuple(member for member in members(held) if isinstance(member, Tuple)) if held is not None else ()
    return ways if held is not None and len(ways) == len(members(held)) else ()


def _named(keywords: Mapping[str, Value]) -> Iterator[Value]:
    for word in sorted(keywords):
        yield from (Const(word), keywords[word])


def same_content(i: Interpreter, one: Array, other: Array) -> bool:
    """Whether two arrays surely hold the same numbers, as both were made of the same constants in the same way, and nothing has changed them."""
    return _same_recipe(i, one, other) and i.heap.get(one.ident, CONTENT) is None and i.heap.get(other.ident, CONTENT) is None


def by_content(i: Interpreter, before: Array, now: Array) -> Value:
    """What lies where an array lay: the same one, where conditions say that nothing has changed one that was made alike."""
    content = i.heap.get(now.ident, CONTENT)
    if not isinstance(content, Union) or i.heap.get(before.ident, CONTENT) is not None or not _same_recipe(i, before, now):
        return now
    return of(Option(before if isinstance(option.member, Unbound) else now, option.guard) for option in content.options)


def _same_recipe(i: Interpreter, one: Array, other: Array) -> bool:
    recipe = i.heap.get(one.ident, RECIPE) if not one.several and not other.several else None
    return isinstance(recipe, Tuple) and recipe == i.heap.get(other.ident, RECIPE) and _is_one(recipe)


def _is_one(value: Value) -> bool:
    """Whether a recipe is of constants alone: of a number of a loop it makes another array in each round, and what is symbolic may be changed. So may the array
    be another one that a length is of, what is one of several, and what was cut as it nests too deep."""
    return (
        all(map(_is_one, value.parts))
        if isinstance(value, Composite)
        else not isinstance(value, (Length, Range, Kind, Symbolic, Union, Unknown))
    )


def makes(i: Interpreter, name: str, operands: Sequence[Value], recipe: Tuple) -> bool:
    """Whether an operation of a trace is the one that a recipe says. Its operands are the arguments, those with names behind the others."""
    first, arguments, *keywords = recipe.items or ()
    given = [_plain(i, operand, [MOST]) for operand in operands]
    positional = arguments.items if isinstance(arguments, Tuple) else None
    return first == Const(name) and positional is not None and Counter(given) == Counter((*positional, *keywords[1::2]))


def _size(recipe: Value) -> int:
    """How many parts a recipe has."""
    return 1 + sum(map(_size, recipe.parts)) if isinstance(recipe, (Slice, Tuple)) else 1


def _plain(i: Interpreter, value: Value, left: list[int]) -> Value | None:
    """What a constant or something symbolic, or a list or tuple of such, says; None for anything else, and for what is too long."""
    left[0] -= 1
    if left[0] < 0:
        return None
    if isinstance(value, Ref) and i.info(value.oid).kind == "list":
        value = i.heap.get(value.oid, ITEMS) or value
    if isinstance(value, Slice) or isinstance(value, Tuple) and value.items is not None:
        parts = []
        for item in value.parts:
            part = _plain(i, item, left)
            if part is None:
                return None
            parts.append(part)
        return Slice(*parts) if isinstance(value, Slice) else Tuple(tuple(parts))
    if isinstance(value, Array):
        made = recipe_of(i, value)
        left[0] -= _size(made) if made is not None else 0
        return made if left[0] >= 0 else None
    if isinstance(value, Symbolic) and value.identity in i.ledger.of(MadeFunctions).by:
        name, made_of = i.ledger.of(MadeFunctions).by[value.identity]
        return _plain(i, Tuple((Const(f"{FUNCTION}{name}"), Tuple(tuple(made_of.args)), *_named(made_of.keywords))), left)
    return value if all(isinstance(member, (Const, External, Kind, Length, Range, Symbolic)) for member in members(value)) else None
