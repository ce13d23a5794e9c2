"""Modules as attributes of their packages: behind `import a.b` the module `b` is an attribute of `a`."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.domain.members import UNBOUND, Ref, Value
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import FrameInfo


def submodule(i: Interpreter, module: Ref, name: str) -> Value:
    """`package.name` where a module of that name has been imported below it."""
    return next((found for below, found in submodules(i, module) if below == name), UNBOUND)


def submodules(i: Interpreter, module: Ref) -> Iterator[tuple[str, Ref]]:
    """The modules that have been imported directly below a package, with the names that they have there."""
    label = i.info(module.oid).label
    info = i.info(module.oid).payload
    assert isinstance(info, FrameInfo)
    prefix = f"package {label or i.project.module_name(info.source)}."
    folder = info.source.path.parent if info.source.path is not None and info.source.path.name == "__init__.py" else None
    for known, oid in i.modules.items():
        other = i.info(oid).payload
        if known.startswith(prefix) and "." not in known[len(prefix) :]:
            yield known[len(prefix) :], Ref(oid)
        elif isinstance(other, FrameInfo) and other.source.path is not None and not known.startswith("package "):
            path = other.source.path.parent if other.source.path.name == "__init__.py" else other.source.path
            if path.parent == folder or label and path.parent.name == label.split(".")[-1]:
                yield path.stem, Ref(oid)
