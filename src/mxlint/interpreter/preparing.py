"""Methods that an object takes only after others: `fit` after `compile`, `predict` after `load`.

A method that comes to nothing compiled on an object as its constructor leaves it is called on one whose other public methods ran first, in the order of
the text: those that fill an attribute which is None or missing. That is one of the orders in which its callers may call them, and hangs on nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mxlint.domain.members import NONE, Ref, Value, members
from mxlint.interpreter.core import Halt, Interpreter
from mxlint.interpreter.functions import FunctionInfo
from mxlint.interpreter.lookup import mro


def prepare(i: Interpreter, cls: Ref, owner: Value, method: FunctionInfo, call: Callable[[Ref, FunctionInfo], object]) -> bool:
    """Run the methods that fill what is empty of an object, `call` being a call with symbolic arguments; whether there is one."""
    found = False
    for ref, info in _public(i, cls):
        if info.node is method.node:
            continue
        mark, path, filled = i.heap.mark(), i.path, _filled(i, owner)
        try:
            call(ref, info)
        except Halt:
            i.heap.undo(mark)
        else:
            if _filled(i, owner) <= filled:
                i.heap.undo(mark)
            else:
                found = True
        i.path = path
    return found


def _public(i: Interpreter, cls: Ref) -> Iterator[tuple[Ref, FunctionInfo]]:
    """The public methods of a class, those of its bases first."""
    for base in reversed(mro(i, cls)):
        for name, value in i.heap.fields(base.oid).items() if isinstance(base, Ref) else ():
            for member in members(value) if isinstance(name, str) and not name.startswith("_") else ():
                info = i.info(member.oid).payload if isinstance(member, Ref) and i.info(member.oid).kind == "function" else None
                if isinstance(member, Ref) and isinstance(info, FunctionInfo):
                    yield member, info


def _filled(i: Interpreter, owner: Value) -> frozenset[tuple[int, str]]:
    """The attributes of an object that hold something."""
    return frozenset(
        (member.oid, field)
        for member in members(owner)
        if isinstance(member, Ref)
        for field, value in i.heap.fields(member.oid).items()
        if isinstance(field, str) and NONE not in members(value)
    )
