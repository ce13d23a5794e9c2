"""What others call: what has a public name, special methods that syntax calls, and what a module lists in `__all__`, whatever is called in sight."""

from __future__ import annotations

from typing import Final

from mxlint.domain.members import Ref, members
from mxlint.interpreter.expressions.constants import python_value
from mxlint.interpreter.machine.core import Interpreter

SPECIAL: Final = frozenset(
    (
        "__aenter__",
        "__anext__",
        "__call__",
        "__delattr__",
        "__delitem__",
        "__enter__",
        "__getitem__",
        "__iadd__",
        "__init_subclass__",
        "__ior__",
        "__next__",
        "__setattr__",
        "__setitem__",
    )
)
"""Methods that are called by no name: `object(x)`, `object[k]`, `object[k] = x`, `object += x`, `with object`, `for x in object`, `class Other(Base)`."""


def is_called(name: object) -> bool:
    """Whether others call what a name holds."""
    return isinstance(name, str) and (name in SPECIAL or not name.startswith("_"))


def listed(i: Interpreter, module: int) -> frozenset[Ref]:
    """The objects that lie under the names which a module lists in `__all__`: it is written to be imported, though it may call them as well."""
    names = i.heap.get(module, "__all__")
    found = python_value(i, names) if names is not None else ()
    values = (i.heap.get(module, name) for name in found if isinstance(name, str)) if isinstance(found, (list, tuple)) else ()
    return frozenset(member for value in values if value is not None for member in members(value) if isinstance(member, Ref))
