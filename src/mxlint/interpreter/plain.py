"""What MLX's part of the interpreter answers where there is no MLX: for plain Python, and until a program imports it."""

from __future__ import annotations

from collections.abc import Sequence

from mxlint.domain.place import Place
from mxlint.domain.value import NONE, Array, Member, Symbolic, Value
from mxlint.interpreter.core import Arguments, Frame, Interpreter


class NoMlx:
    """Answers "not known" to every question."""

    def has(self, name: str) -> bool:
        return False

    def call(self, i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> Value | None:
        return None

    def member(self, i: Interpreter, owner: str, name: str, place: Place, frame: Frame) -> Value | None:
        return None

    def instance_attribute(self, i: Interpreter, owner: Value, cls: Value, name: str, place: Place, frame: Frame) -> Value | None:
        return None

    def effect(self, i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        return NONE

    def set_member(self, i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        return NONE

    def handed(self, i: Interpreter, values: Sequence[Value], place: Place, frame: Frame) -> None:
        return None

    def called(self, i: Interpreter, function: Symbolic, args: Arguments, place: Place, frame: Frame) -> None:
        return None

    def gave(self, i: Interpreter, result: Symbolic, args: Arguments, place: Place) -> None:
        return None

    def source(self, i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        return NONE

    def looped(self, i: Interpreter, rounds: int, operations: int, place: Place, frame: Frame) -> None:
        return None

    def set_item(self, i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        return NONE


__all__ = ["Array", "Member", "NoMlx"]
