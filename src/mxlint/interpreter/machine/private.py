"""Name mangling: `__name` in a class is `_Class__name` for Python, in its body and in all functions within it."""

from __future__ import annotations

from mxlint.domain.members import Ref
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame


def mangled(i: Interpreter, name: str, frame: Frame) -> str:
    """A name as Python knows it where the code of a frame stands."""
    return mangled_in(_class_around(i, frame.oid) or "", name) if name.startswith("__") else name


def mangled_in(label: str, name: str) -> str:
    """A name as Python knows it in a class of some name; "" outside of classes."""
    label = label.lstrip("_")
    return f"_{label}{name}" if label and name.startswith("__") and not name.endswith("__") else name


def _class_around(i: Interpreter, oid: int) -> str | None:
    """The name of the innermost class statement that an activation's code stands in."""
    while (info := i.info(oid)).kind != "class":
        parent = i.heap.get(oid, ("#", "parent"))
        if not isinstance(parent, Ref):
            return None
        oid = parent.oid
    return info.label
