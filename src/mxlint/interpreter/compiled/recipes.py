"""How an array was made, where that says all of its content: of two arrays that were made alike, and not changed since, one is as good as the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.join import of
from mxlint.domain.members import Const, External, Option, Ref, Tuple, Unbound, Union, Value
from mxlint.interpreter.compiled.state import CONTENT
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS, RECIPE

MOST: Final = 64
"""A recipe has at most so many parts; what is longer is not compared."""


def keep(i: Interpreter, name: str, made: Array, args: Sequence[Value], keywords: Mapping[str, Value]) -> None:
    """Keep by which function an array was made of which constants. A draw and the content of a file are others each time."""
    entry = i.table.entry(name)
    if entry is None or entry.random or made.shape is None or made.dtype is None:
        return
    named = (part for word in sorted(keywords) for part in (Const(word), keywords[word]))
    left = [MOST]
    recipe = _plain(i, Tuple((Const(name), Tuple(tuple(args)), *named)), left)
    if recipe is not None:
        i.heap.set(made.ident, RECIPE, recipe)


def alike(i: Interpreter, one: Array, other: Array) -> bool:
    """Whether two arrays surely hold the same numbers, as both were made of the same constants in the same way, and nothing has changed them."""
    return _made_alike(i, one, other) and i.heap.get(one.ident, CONTENT) is None and i.heap.get(other.ident, CONTENT) is None


def by_content(i: Interpreter, before: Array, now: Array) -> Value:
    """What lies where an array lay: the same one, where conditions say that nothing has changed one that was made alike."""
    content = i.heap.get(now.ident, CONTENT)
    if not isinstance(content, Union) or i.heap.get(before.ident, CONTENT) is not None or not _made_alike(i, before, now):
        return now
    return of(Option(before if isinstance(option.member, Unbound) else now, option.guard) for option in content.options)


def _made_alike(i: Interpreter, one: Array, other: Array) -> bool:
    recipe = i.heap.get(one.ident, RECIPE) if not one.several and not other.several else None
    return isinstance(recipe, Tuple) and recipe == i.heap.get(other.ident, RECIPE)


def _plain(i: Interpreter, value: Value, left: list[int]) -> Value | None:
    """What a constant, or a list or tuple of such, says; None for anything else, and for what is too long."""
    left[0] -= 1
    if left[0] < 0:
        return None
    if isinstance(value, Ref) and i.info(value.oid).kind == "list":
        value = i.heap.get(value.oid, ITEMS) or value
    if isinstance(value, Tuple) and value.items is not None:
        parts = []
        for item in value.items:
            part = _plain(i, item, left)
            if part is None:
                return None
            parts.append(part)
        return Tuple(tuple(parts))
    return value if isinstance(value, (Const, External)) else None
