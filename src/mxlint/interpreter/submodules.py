"""The modules that a module holds."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.domain.members import Ref, Tuple, Value, members
from mxlint.interpreter.core import Interpreter
from mxlint.interpreter.kinds import CLASS, kind


def submodules(i: Interpreter, value: Value, seen: set[int] | None = None) -> Iterator[Ref]:
    """A module and all modules that it holds, each once."""
    seen = set() if seen is None else seen
    for member in members(value):
        if isinstance(member, Tuple):
            for item in member.items if member.items is not None else (member.element,):
                if item is not None:
                    yield from submodules(i, item, seen)
        elif isinstance(member, Ref) and member.oid not in seen:
            seen.add(member.oid)
            if kind(i, member) == "module":
                yield member
            if i.info(member.oid).kind in ("list", "dict") or kind(i, member) == "module":
                for field, held in list(i.heap.fields(member.oid).items()):
                    if field not in (CLASS, ("#", "parent"), ("#", "alive")):
                        yield from submodules(i, held, seen)


def reached(i: Interpreter, value: Value) -> Iterator[Ref]:
    """A module and all modules that it holds, where a trace comes to them through it."""
    for root in members(value):
        trace = i.trace
        name = trace.reached.get(root.oid) if trace is not None and isinstance(root, Ref) else None
        for module in submodules(i, root):
            if trace is not None and name is not None:
                trace.reached.setdefault(module.oid, name)
            yield module
