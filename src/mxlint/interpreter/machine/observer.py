"""A hook that sees each value that the interpreter computes, for the tests that compare it with CPython."""

from __future__ import annotations

from mxlint.domain.members import Value
from mxlint.interpreter.machine.frames import Frame
from mxlint.syntax import ir


class Observer:
    """Sees what the interpreter computes; for the Python oracle."""

    def value(self, frame: Frame, node: ir.Node, value: Value) -> None:
        """An expression was evaluated."""

    def target(self, frame: Frame, node: ir.Node, value: Value) -> None:
        """A name, attribute or item was bound."""

    def imported(self, frame: Frame, node: ir.Import | ir.ImportFrom, number: int, value: Value) -> None:
        """An import statement bound one of its names."""

    def parameter(self, frame: Frame, node: ir.Param, value: Value) -> None:
        """A parameter was bound."""

    def returned(self, frame: Frame, node: ir.Node, value: Value) -> None:
        """A call of a function came back."""

    def left(self, frame: Frame, node: ir.Node, exception: Value) -> None:
        """An exception may leave a function."""

    def entered(self, frame: Frame, node: ir.Node) -> None:
        """A function was entered."""

    def reached(self, frame: Frame, node: ir.Node) -> None:
        """A statement is reachable."""
