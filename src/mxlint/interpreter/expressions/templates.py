"""Texts that are put together of others: by an f-string, `%`, `str.format`, `str.join` and the text of a container.

Of one that is not known letter by letter it is kept which template it is of, and of which texts. So it is equal to another where these are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count
from string import Formatter
from typing import Final, NamedTuple, TypeAlias

from mxlint.domain.join import of
from mxlint.domain.members import Const, Kind, Member, Option, Symbolic, Tuple, Value, members
from mxlint.domain.place import Place
from mxlint.domain.texts import TEMPLATE
from mxlint.interpreter.compiled.keyed import text_made
from mxlint.interpreter.expressions.choices import combinations
from mxlint.interpreter.machine.core import Interpreter

Piece: TypeAlias = "str | Value"
"""A part of a text: letters, or the text of something."""
MAX_TEXT: Final = 400
"""A longer text is no constant."""


MAX_PARTS: Final = 96
"""Of a text that is made of more it is not kept of which."""


class Field(NamedTuple):
    """What stands in a format for `%` for something that is given: its number, and the letter that says how it is shown."""

    number: int
    way: str


def filled(i: Interpreter, pieces: Sequence[Piece], place: Place) -> Value | None:
    """The text of some pieces, for each combination of what these may be: guards say which of them go together. Of many it is one text. None if one is
    neither known nor symbolic, or says where it lies."""
    shown = [piece for piece in pieces if not isinstance(piece, str)]
    if not all(type(member) in (Symbolic, Const) for value in shown for member in members(value)):
        return None
    template = Const("".join(piece.replace("{", "{{").replace("}", "}}") if isinstance(piece, str) else "{}" for piece in pieces))
    combined = combinations(shown)
    if combined is None:
        several = any(isinstance(member, Symbolic) for value in shown for member in members(value))
        return i.derived(TEMPLATE, [template, Tuple(tuple(shown))], frozenset(("str",)), place, most=MAX_PARTS) if several else None
    return of(Option(_text(i, template, pieces, chosen, place), guard) for chosen, guard in combined)


def separated(texts: Sequence[Value], separators: Sequence[str]) -> Iterator[Piece]:
    """Texts with what separates them: one separator after the other, in turn."""
    for number, text in enumerate(texts):
        yield text
        if number < len(texts) - 1:
            yield separators[number % len(separators)]


def _text(i: Interpreter, template: Const, pieces: Sequence[Piece], shown: Sequence[Member], place: Place) -> Member:
    known = [str(member.value) for member in shown if isinstance(member, Const)]
    if len(known) < len(shown):
        return i.derived(TEMPLATE, [template, *shown], frozenset(("str",)), place, most=MAX_PARTS)
    left = iter(known)
    text = "".join(piece if isinstance(piece, str) else next(left, "") for piece in pieces)
    if len(text) > MAX_TEXT:
        return Kind("str", "varying", frozenset())
    made = Const(text)
    text_made(i, template, made, shown)
    return made


Pieces: TypeAlias = "list[str | Field]"
_PERCENT: Final = re.compile(r"%(?:%|([srdi]))")


def of_percent(text: Value) -> Pieces | None:
    """The pieces of a format for `%` that shows each thing as it is; None of another."""
    if not isinstance(text, Const) or not isinstance(text.value, str):
        return None
    pieces: Pieces = []
    numbers = count()
    at = 0
    for found in _PERCENT.finditer(text.value):
        pieces += [text.value[at : found.start()], Field(next(numbers), found[1]) if found[1] else "%"]
        at = found.end()
    pieces.append(text.value[at:])
    return None if any(isinstance(piece, str) and piece != "%" and "%" in piece for piece in pieces) else pieces


class Replacement(NamedTuple):
    """A replacement field of `str.format`: the argument that it begins with, by number or name; the attributes and items on the way from there, each with
    whether it is an attribute; how the text of what lies there is made; and the pieces of its format specification."""

    argument: int | str
    way: tuple[tuple[bool, int | str], ...]
    conversion: str
    spec: Sequence[str | Replacement]


MAX_NESTING: Final = 2
"""Levels of replacement fields: Python has no deeper ones."""
_FIELD: Final = re.compile(r"([^.\[]*)((?:\.[^.\[]+|\[[^\]]+\])*)")
_STEP: Final = re.compile(r"\.([^.\[]+)|\[([^\]]+)\]")


def replacements(text: str) -> list[str | Replacement]:
    """The letters and replacement fields of a format for `str.format`. Raises ValueError where Python does."""
    return _replacements(text, [], MAX_NESTING)


def _replacements(text: str, numbered: list[bool], levels: int) -> list[str | Replacement]:
    """`numbered`: of each field that takes an argument by number, whether the number is written there; that cannot be so of some alone."""
    if not levels:
        raise ValueError("Max string recursion exceeded")
    pieces: list[str | Replacement] = []
    for letters, name, spec, conversion in Formatter().parse(text):
        pieces.append(letters)
        if name is None:
            continue
        found = _FIELD.fullmatch(name)
        if found is None or conversion not in (None, "s", "r", "a"):
            raise ValueError(name)
        first, rest = found.groups()
        argument: int | str = first
        if not first or first.isdecimal():
            argument = int(first) if first else len(numbered)
            numbered.append(bool(first))
            if len(set(numbered)) > 1:
                raise ValueError("manual field specification beside automatic field numbering")
        way = tuple((bool(attribute), attribute or (int(item) if item.isdecimal() else item)) for attribute, item in _STEP.findall(rest))
        pieces.append(Replacement(argument, way, conversion or "", _replacements(spec, numbered, levels - 1) if spec else ()))
    return pieces


__all__ = ["MAX_TEXT", "Field", "Piece", "Pieces", "Replacement", "filled", "of_percent", "replacements", "separated"]
