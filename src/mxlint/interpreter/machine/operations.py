"""The table of transfer functions that the machine calls: so that files need not import one another in circles."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from mxlint.domain.members import Member, Spot, Value

if TYPE_CHECKING:
    from mxlint.domain.heap import Field
    from mxlint.domain.place import Place
    from mxlint.interpreter.machine.arguments import Arguments
    from mxlint.interpreter.machine.core import Interpreter
    from mxlint.interpreter.machine.frames import Frame
    from mxlint.interpreter.machine.paths import Truth
    from mxlint.syntax import ir

Consume = Callable[[Value], "Value | None"]
"""What is done with each element of an iterable. What it returns is what a generator's `yield` gives; None: nothing is sent."""


class Use(Protocol):
    """A use of a value that needs its content: kind of use (format, truth, convert, index, …), the value, what uses it, and the expression that
    does; `operand`: where the value is written, if it is not all of that expression."""

    def __call__(
        self, i: Interpreter, kind: str, member: Member, what: str, place: Place, frame: Frame, operand: Place | None = None
    ) -> None: ...


class Used(Protocol):
    """A value that is used as a whole, by an expression if that is known."""

    def __call__(self, i: Interpreter, value: Value, frame: Frame, node: ir.Expr | None = None) -> Value: ...


@dataclass(frozen=True, slots=True)
class Operations:
    """One entry for each thing that Python does; docs/semantics.md says what."""

    evaluate: Callable[[Interpreter, ir.Expr, Frame], Value]
    execute: Callable[[Interpreter, Sequence[ir.Stmt], Frame], None]
    call: Callable[[Interpreter, Value, Arguments, Place, Frame], Value]
    attribute: Callable[[Interpreter, Value, str, Place, Frame], Value]
    set_attribute: Callable[[Interpreter, Value, str, Value, Place, Frame], None]
    iterate: Callable[[Interpreter, Value, Consume, Place, Frame], None]
    truth: Callable[[Interpreter, Value, Place, Frame], Truth]
    item: Callable[[Interpreter, Value, Value, Place, Frame], Value]
    set_item: Callable[[Interpreter, Value, Value, Value, Place, Frame], None]
    delete_item: Callable[[Interpreter, Value, Value, Place, Frame], None]
    is_of_class: Callable[[Interpreter, Value, Value], Value]
    """Whether a value is of a class; each member of which that is not known stands for itself."""
    binary: Callable[[Interpreter, str, Value, Value, Place, Frame], Value]
    function: Callable[[Interpreter, ir.FuncDef | ir.Lambda, Frame], Value]
    define_class: Callable[[Interpreter, ir.ClassDef, Frame], Value]
    delegated: Callable[[Interpreter, Value, Frame, Place, list[Value]], None]
    """`yield from`: hand on each element; what the inner generator returns is put into the list."""
    managed: Callable[[Interpreter, Member, Callable[[Value], None], Place, Frame], None]
    """`with` a context manager that is no object of the program."""
    let_go: Callable[[Interpreter, Collection[int], int, Iterable[Value], Place, Frame], None]
    """Objects that were made since a mark may have been let go of, but for what some values refer to."""
    annotated: Callable[[Interpreter, ir.Assign, Frame], None]
    import_module: Callable[[Interpreter, str, int, Frame, Place], Value]
    import_from: Callable[[Interpreter, ir.ImportFrom, Frame], None]
    missing_name: Callable[[Interpreter, str, Frame, ir.Expr], Value | None]
    external: Callable[[Interpreter, str, Arguments, Place, Frame], Value]
    """A call of something of a library, by its canonical name."""

    # What traces look at. Outside of a trace these do nothing.
    array: Callable[[Interpreter, str, Sequence[Value], Place, Frame], Value]
    """An operation on arrays, by its canonical name (`mlx.core.array.__add__`)."""
    use: Use
    compared: Callable[[Interpreter, str, Member, Member, Place, Frame], None]
    """Two numbers are compared, by an operator."""
    used: Used
    """A value is used as a whole, by an expression if that is known: what a trace had read nothing of yet, it has read now."""
    read: Callable[[Interpreter, int, Field, Value, Place, Frame], None]
    read_spot: Callable[[Interpreter, Spot, Place | None, Frame], None]
    """What lies at a spot is read, where the program came to it, and used at a place."""
    read_through: Callable[[Interpreter, int, Field, Value, Place, Frame], None]
    """A location is read that holds nothing: the value is found behind it, as in the class of an object."""
    written: Callable[[Interpreter, int, Field, Value, Place | None, Frame], None]
    returned: Callable[[Interpreter, ir.Node, Value, Frame], None]
    """By a return statement, or by the body of a lambda."""
    raised: Callable[[Interpreter, ir.Stmt, Value, Frame], None]
    fails: Callable[[Interpreter, Place, str, Frame], bool]
    """What is done at a place raises an exception of a class, which leaves the running trace for a handler that expects it. Whether it is said."""
    discarded: Callable[[Interpreter, ir.Expr, Value, Frame], None]
    derived: Callable[[Interpreter, str, Sequence[Member], Place], None]
    """Something is computed from symbolic values by an operation."""
    costly: Callable[[Interpreter], None]
    """An activation has taken many steps."""
