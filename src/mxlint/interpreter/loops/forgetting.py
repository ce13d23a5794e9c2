"""Dead names, which nothing reads any more, leave the state: what only they hold need not be joined or compared in the rounds of a loop."""

from __future__ import annotations

from typing import Final

from mxlint.domain.members import External, Ref, Value
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import CLASS
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.reach import each_place
from mxlint.syntax import ir
from mxlint.syntax.liveness import Dead, dead_names, names_of_blocks

NONE: Final = Dead((), {})
DATA: Final = frozenset(("list", "dict", "set", "iterator"))
"""Kinds of objects whose end is of no consequence, if all that they hold is such."""


def dead(i: Interpreter, frame: Frame, form: ir.FuncDef | None = None) -> Dead:
    """The dead names of the function that a frame is an activation of, in one of its forms: by default the one that runs."""
    function = frame.node
    if frame.kind != "function" or not isinstance(function, ir.FuncDef):
        return NONE
    once, form = i.project.once(frame.source), form or frame.form
    if form is None or form is function:
        return once.of(dead_names, function)
    return once.of(dead_names, form, once.of(names_of_blocks, function))


def forget(i: Interpreter, names: tuple[str, ...], frame: Frame) -> None:
    """Take names out of an activation, if it is one."""
    if names and not i.info(frame.oid).summary:
        for name in names:
            i.heap.drop(frame.oid, name)


def forget_data(i: Interpreter, names: tuple[str, ...], frame: Frame) -> None:
    """Take names out of an activation that lives on without binding them anew, but for those that keep something compiled, a function or an object of the program."""
    forget(i, tuple(name for name in names if (held := i.heap.get(frame.oid, name)) is not None and _is_data(i, held)), frame)


def _is_data(i: Interpreter, value: Value) -> bool:
    return all(
        not isinstance(member, Ref) or i.info(member.oid).kind in DATA or isinstance(i.heap.get(member.oid, CLASS), External)
        for _, _, member in each_place(i, (value,), DATA, referring=True)
    )
