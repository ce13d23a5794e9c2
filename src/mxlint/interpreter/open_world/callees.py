"""Which function of the program a call comes to, where reading it needs no run: a name, a method of the own object, and what transforms, partials and
`mx.compile` make of one.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from mxlint.domain.members import External, Ref, Value
from mxlint.interpreter.calls.relevance import DEFINED_IN
from mxlint.interpreter.compiled.making import target
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.objects.annotations import dotted, named
from mxlint.interpreter.objects.lookup import CLASS, class_attribute
from mxlint.models.mlx.traits import called_as
from mxlint.syntax import ir

PARTIAL: Final = External("functools.partial")


class Callee(NamedTuple):
    """A function of the program, and how many of its first parameters are bound already."""

    function: Ref
    bound: int


def callee(i: Interpreter, ref: Ref, info: FunctionInfo, func: ir.Expr) -> Callee | None:
    """The function that an expression in the body of another one means."""
    if isinstance(func, ir.Call):
        made = named(i, ref, func.func)
        position = 0 if made == PARTIAL else called_as(made.name) if isinstance(made, External) else None
        given = [arg for arg in func.args if not arg.star and arg.name is None]
        if position is None or len(given) <= position or len(given) > position + 1 and made == PARTIAL:
            return None
        return callee(i, ref, info, given[position].value)
    found = _method(i, ref, info, func) if isinstance(func, ir.Attr) else None
    if found is not None:
        return found
    value = dotted(i, ref, func)
    return _of(i, value) if value is not None else None


def _of(i: Interpreter, value: Value) -> Callee | None:
    """The function that a value comes to."""
    if isinstance(value, Ref) and i.info(value.oid).kind == "class":
        function = class_attribute(i, value, "__init__")
        return Callee(function, 1) if isinstance(function, Ref) else None
    function, bound, _ = target(i, value)
    return Callee(function, bound) if function is not None else None


def _method(i: Interpreter, ref: Ref, info: FunctionInfo, func: ir.Attr) -> Callee | None:
    """`self.name`: of the class in which the function is defined, or of the object that a function around keeps as `self`."""
    if not isinstance(func.value, ir.Name):
        return None
    params = info.node.params
    cls = i.heap.get(ref.oid, DEFINED_IN) if params and params[0].name == func.value.id else None
    if not isinstance(cls, Ref):
        owner = dotted(i, ref, func.value) if all(param.name != func.value.id for param in params) else None
        held = i.heap.get(owner.oid, func.name) if isinstance(owner, Ref) else None
        if held is not None:
            return _of(i, held)
        cls = i.heap.get(owner.oid, CLASS) if isinstance(owner, Ref) and i.info(owner.oid).kind == "instance" else None
    method = class_attribute(i, cls, func.name) if isinstance(cls, Ref) else None
    return Callee(method, 1) if isinstance(method, Ref) and i.info(method.oid).kind == "function" else None
