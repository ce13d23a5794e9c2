"""The type parameters of generic classes and functions (PEP 695), whose names Python looks up in a scope of their own.

In `class Stack[T](Base[T])` the bases and the body see `T`, and what stands around the class does not.
"""

from __future__ import annotations

from mxlint.syntax import ir


def type_parameter(module: ir.Module, name: str, at: int) -> ir.TypeParam | None:
    """The type parameter that a name means at an offset: that of the innermost definition around it. None if none around it has such a one."""
    found: ir.TypeParam | None = None
    todo: list[object] = [module.body]
    while todo:
        part = todo.pop()
        if isinstance(part, tuple):
            todo.extend(part)
        elif isinstance(part, ir.Node) and part.start <= at < part.end:
            if isinstance(part, (ir.FuncDef, ir.ClassDef, ir.TypeAlias)):
                found = next((param for param in part.type_params if param.name == name), found)
            todo += part.inner()
    return found
