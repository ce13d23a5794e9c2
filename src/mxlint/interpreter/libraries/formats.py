"""`text.format(…)` and `text.format_map(…)`: of a known format, the text of what its fields name, as an f-string makes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from mxlint.domain.members import Const, Kind, Value
from mxlint.domain.place import Place
from mxlint.interpreter.expressions.templates import Piece, Replacement, filled, replacements
from mxlint.interpreter.expressions.text import Asking, Way, not_spelled, text_of
from mxlint.interpreter.libraries.library import call_model
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Handler, Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame

Given: TypeAlias = "Callable[[int | str], tuple[Value, Place]]"
"""An argument by its number or name, and where it is written."""
WAYS: Final[dict[str, Way]] = {"s": "str", "r": "repr", "a": "repr"}


def _format(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    positional = args.args[1:]

    def given(name: int | str) -> tuple[Value, Place]:
        if isinstance(name, str):
            if name in args.keywords:
                return args.keywords[name], args.place(-1, name, place)
            if args.kwstar is not None:
                return i.operations.item(i, args.kwstar, Const(name), place, frame), place
            throw_named(i, "builtins.KeyError", place)
        if name < len(positional):
            return positional[name], args.place(name + 1, "", place)
        if args.star is not None:
            return i.operations.item(i, args.star, Const(name - len(positional)), place, frame), place
        throw_named(i, "builtins.IndexError", place)

    return _made(i, "builtins.str.format", args, given, place, frame)


def _format_map(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    def given(name: int | str) -> tuple[Value, Place]:
        if isinstance(name, int) or len(args.args) != 2:
            throw_named(i, "builtins.ValueError", place)
        return i.operations.item(i, args.args[1], Const(name), place, frame), args.place(1, "", place)

    return _made(i, "builtins.str.format_map", args, given, place, frame)


def _made(i: Interpreter, name: str, args: Arguments, given: Given, place: Place, frame: Frame) -> Value:
    """The text that a known format makes; of another one what the model says."""
    text = args.args[0] if args.args else None
    plain = all(isinstance(value, Const) for value in args.values) and args.star is None and args.kwstar is None
    if plain or not isinstance(text, Const) or not isinstance(text.value, str):
        return call_model(i, name, args, place, frame) or Kind("str", "open")
    try:
        pieces = replacements(text.value)
    except ValueError:
        throw_named(i, "builtins.ValueError", place)
    return _text(i, name, pieces, given, place, frame)


def _text(i: Interpreter, name: str, pieces: Sequence[str | Replacement], given: Given, place: Place, frame: Frame) -> Value:
    found: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str):
            found.append(piece)
            continue
        value, at = given(piece.argument)
        for is_attribute, step in piece.way:
            if is_attribute:
                value = i.attribute(value, str(step), place, frame)
            else:
                value = i.operations.item(i, value, Const(step), place, frame)
        asking = Asking("format", name, at)
        if piece.conversion:
            value = text_of(i, value, WAYS[piece.conversion], place, frame, asking=asking)
        spec = _text(i, name, piece.spec, given, place, frame) if piece.spec else Const("")
        found.append(text_of(i, value, "format", place, frame, spec, asking=asking))
    return filled(i, found, place) or not_spelled(found)


HANDLERS: Final[dict[str, Handler]] = {"builtins.str.format": _format, "builtins.str.format_map": _format_map}
