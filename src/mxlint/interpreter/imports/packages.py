"""Modules as attributes of their packages: behind `import a.b` the module `b` is an attribute of `a`."""

from __future__ import annotations

from mxlint.domain.members import UNBOUND, Ref, Value
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import FrameInfo


def submodule(i: Interpreter, module: Ref, name: str) -> Value:
    """`package.name` where a module of that name has been imported below it."""
    label = i.info(module.oid).label
    info = i.info(module.oid).payload
    assert isinstance(info, FrameInfo)
    folder = i.modules.get(f"package {label or i.project.module_name(info.source)}.{name}")
    if folder is not None:
        return Ref(folder)
    for known, oid in i.modules.items():
        other = i.info(oid).payload
        if isinstance(other, FrameInfo) and other.source.path is not None and not known.startswith("package "):
            path = other.source.path
            stem = path.parent.name if path.name == "__init__.py" else path.stem
            above = path.parent.parent if path.name == "__init__.py" else path.parent
            if stem == name and (
                info.source.path is not None and above == info.source.path.parent or label and above.name == label.split(".")[-1]
            ):
                return Ref(oid)
    return UNBOUND
