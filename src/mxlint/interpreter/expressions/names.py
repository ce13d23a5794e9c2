"""Names: in which frame one is looked up, and what reading it gives. A name that is surely unbound raises; one that may be does so on a condition."""

from __future__ import annotations

import builtins
from typing import Final

from mxlint.domain.join import of
from mxlint.domain.members import External, Option, Ref, Unbound, Union, Value, members, options
from mxlint.interpreter.compiled.portions import found
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame, FrameInfo
from mxlint.interpreter.machine.private import mangled
from mxlint.syntax import ir
from mxlint.syntax.type_parameters import type_parameter

_BUILTINS: Final = frozenset(dir(builtins))
PARENT: Final = ("#", "parent")
"""Of a frame or function: the frames that enclose it."""


def find_name(i: Interpreter, name: str, frame: Frame) -> int | None:
    """The one object in which a name is looked up; None if none binds it, or one or another does."""
    found = binders(i, name, frame)
    return found[0] if len(found) == 1 else None


def binders(i: Interpreter, name: str, frame: Frame) -> tuple[int, ...]:
    """The objects in which a name may be looked up: the frame itself, those that enclose it, the module; empty if none binds it."""
    scope = frame.scope
    if scope is None or name not in scope.globals:
        if i.heap.get(frame.oid, name) is not None:
            return (frame.oid,)
        if frame.kind not in ("class", "module") and scope is not None and name in scope.bound:
            return ()
        return enclosing(i, name, frame) or ((frame.module,) if i.heap.get(frame.module, name) is not None else ())
    return (frame.module,) if i.heap.get(frame.module, name) is not None else ()


def enclosing(i: Interpreter, name: str, frame: Frame) -> tuple[int, ...]:
    """The activations around a frame that bind a name: several where a function stands for several. Empty if none does."""
    return _around(i, name, i.heap.get(frame.oid, PARENT))


def _around(i: Interpreter, name: str, parent: Value | None) -> tuple[int, ...]:
    while isinstance(parent, Ref):
        info = i.info(parent.oid).payload
        if not (isinstance(info, FrameInfo) and info.kind == "class") and i.heap.get(parent.oid, name) is not None:
            return (parent.oid,)
        parent = i.heap.get(parent.oid, PARENT)
    if isinstance(parent, Union):
        return tuple(dict.fromkeys(oid for member in members(parent) for oid in _around(i, name, member)))
    return ()


def read_name(i: Interpreter, name: str, frame: Frame, node: ir.Expr) -> Value:
    """The value of a name; an unbound one raises."""
    private = mangled(i, name, frame)
    if private != name and (frame.kind == "class" or not binders(i, name, frame)):
        name = private  # a variable of the class body, or a global
    found_in = binders(i, name, frame)
    if not found_in:
        own = frame.scope is not None and name in frame.scope.bound
        local = own and frame.kind not in ("class", "module")
        lazy = None if local else i.operations.missing_name(i, name, frame, node)
        if lazy is not None:
            return lazy
        if name in _BUILTINS and not local:
            return External(f"builtins.{name}")
        param = None if own else type_parameter(i.project.lowered(frame.source), name, node.start)
        if param is not None:
            return i.symbolic(frame.place(param), "type parameter", name)
        throw_named(i, "builtins.UnboundLocalError" if local else "builtins.NameError", frame.place(node))
    if len(found_in) == 1:
        return _read_in(i, found_in[0], name, frame, node)
    bound_in = [oid for oid in found_in if not isinstance(i.heap.get(oid, name), Unbound)]
    if bound_in and len(bound_in) < len(found_in):
        i.may_raise("builtins.UnboundLocalError")
    return of(option for oid in bound_in or found_in for option in options(_read_in(i, oid, name, frame, node)))


def _read_in(i: Interpreter, oid: int, name: str, frame: Frame, node: ir.Expr) -> Value:
    """The value of a name in the object that binds it."""
    value = i.heap.get(oid, name)
    assert value is not None
    value = i.live(value)
    if isinstance(value, Union) and any(isinstance(m, Unbound) for m in members(value)):
        bound = [option for option in value.options if not isinstance(option.member, Unbound)]
        if name in _BUILTINS and oid == frame.module:
            bound.append(Option(External(f"builtins.{name}")))
        else:
            i.may_raise("builtins.NameError" if oid == frame.module else "builtins.UnboundLocalError")
        value = of(bound)
    elif isinstance(value, Unbound):
        throw_named(i, "builtins.NameError" if i.info(oid).kind in ("module", "class") else "builtins.UnboundLocalError", frame.place(node))
    return found(i, oid, name, value, frame.place(node), frame)
