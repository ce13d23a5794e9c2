"""Names: where they are looked up, and what reading one gives."""

from __future__ import annotations

import builtins
from typing import Final

from mxlint.domain.join import of
from mxlint.domain.members import External, Option, Ref, Unbound, Union, Value, members
from mxlint.interpreter.compiled.portions import found
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame, FrameInfo
from mxlint.interpreter.machine.private import mangled
from mxlint.syntax import ir

_BUILTINS: Final = frozenset(dir(builtins))


def find_name(i: Interpreter, name: str, frame: Frame) -> int | None:
    """The object in which a name is looked up: the frame itself, one that encloses it, the module; None if none binds it."""
    scope = frame.scope
    if scope is not None and name in scope.globals:
        return frame.module if i.heap.get(frame.module, name) is not None else None
    oid = frame.oid
    own = True
    while True:
        if i.heap.get(oid, name) is not None:
            return oid
        info = i.info(oid).payload
        if own and frame.kind not in ("class", "module") and scope is not None and name in scope.bound:
            return None
        parent = i.heap.get(oid, ("#", "parent"))
        own = False
        while isinstance(parent, Ref):
            oid = parent.oid
            info = i.info(oid).payload
            if not isinstance(info, FrameInfo) or info.kind != "class":
                break
            parent = i.heap.get(oid, ("#", "parent"))
        else:
            return frame.module if i.heap.get(frame.module, name) is not None else None
        if isinstance(parent, Union):
            return None


def read_name(i: Interpreter, name: str, frame: Frame, node: ir.Expr) -> Value:
    """The value of a name; an unbound one raises."""
    private = mangled(i, name, frame)
    if private != name and (frame.kind == "class" or find_name(i, name, frame) is None):
        name = private  # a variable of the class body, or a global
    oid = find_name(i, name, frame)
    if oid is None:
        own = frame.scope is not None and name in frame.scope.bound
        local = own and frame.kind not in ("class", "module")
        lazy = None if local else i.operations.missing_name(i, name, frame, node)
        if lazy is not None:
            return lazy
        if name in _BUILTINS and not local:
            return External(f"builtins.{name}")
        throw_named(i, "builtins.UnboundLocalError" if own else "builtins.NameError", frame.place(node))
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
        throw_named(i, "builtins.UnboundLocalError", frame.place(node))
    return found(i, oid, name, value, frame.place(node), frame)
